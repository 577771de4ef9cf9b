// `tenter control run` on both carriers: work, wrong work, signals, and what is left afterwards.
#include <algorithm>

#include "core/control/launcher.hpp"
#include "tests/control_hw/running.hpp"

namespace tenter::running {
namespace {

const std::string long_task = R"({"callable": "sleep", "scalars": [600000], "deadline_s": 1000})"
                              "\n";

class Carrier : public testing::TestWithParam<const char*> {
 protected:
  std::string on(const std::string& more) const { return std::string("-n 3 --transport ") + GetParam() + " " + more; }
};

TEST_P(Carrier, adds_vectors_and_finds_every_element_right) {
  Job job;
  EXPECT_EQ(job.run(on("vector_add --rows 200001")), 0) << job.errors();
  EXPECT_EQ(job.out(), "vector_add: 4 tasks on 2 executors, every element is right\n");
  EXPECT_NE(job.errors().find("4 of 4 tasks"), std::string::npos);
  job.expect_nothing_left();
}

TEST_P(Carrier, does_every_task_of_a_file_once) {
  Job job;
  job.write("bytes", std::string(300'000, 'b'));
  const std::string tasks = job.write("tasks", R"({"callable": "echo", "data": "hello"}

{"callable": "checksum", "file": ")" + (job / "bytes") +
                                                   R"(", "worker": "all"}
{"callable": "sleep", "scalars": [20], "worker": 0}
{"callable": "checksum", "data": ""}
{"callable": "echo", "data": "to the second", "worker": 1}
)");
  EXPECT_EQ(job.run(on("--tasks " + tasks + " --json " + (job / "json"))), 0) << job.errors();
  const std::string out = job.out();
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 6) << out;
  for (const char* line :
       {"1 echo worker ", "3 checksum worker 0: ok: ", "3 checksum worker 1: ok: ", "4 sleep worker 0: ok: ",
        "ok: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n", "6 echo worker 1: ok: to the second\n"})
    EXPECT_NE(out.find(line), std::string::npos) << line << " in\n" << out;
  EXPECT_NE(content_of(job / "json").find(R"("verdict": "pass")"), std::string::npos);
  job.expect_nothing_left();
}

TEST_P(Carrier, a_task_that_fails_is_named_and_the_others_are_done) {
  Job job;
  const std::string tasks = job.write("tasks", R"({"callable": "fail", "data": "as it was told"}
{"callable": "nobody knows it"}
{"callable": "sleep", "scalars": [2000], "deadline_s": 0.2, "worker": 0}
{"callable": "echo", "data": "x", "worker": 1}
)");
  EXPECT_EQ(job.run(on("--tasks " + tasks)), 1) << job.errors();
  for (const char* line : {": FAILED (failed): ", "as it was told", "2 nobody knows it worker ",
                           "3 sleep worker 0: FAILED (timed_out): ", "4 echo worker 1: ok: x\n"})
    EXPECT_NE(job.out().find(line), std::string::npos) << line << " in\n" << job.out();
  job.expect_nothing_left();
}

TEST_P(Carrier, a_rank_that_is_killed_fails_its_task_and_the_job_names_it) {
  Job job;
  job.start(on("--tasks " + job.write("tasks", long_task)));
  ASSERT_TRUE(job.says("3 ranks have joined"));
  ASSERT_EQ(kill(job.rank(1), SIGKILL), 0);
  EXPECT_EQ(job.end(), 4);
  // By the supervisor, which sees the process, or by the controller, which sees its connection: whoever is first.
  EXPECT_NE(job.errors().find("rank 1 "), std::string::npos) << job.errors();
  job.expect_nothing_left();
}

TEST_P(Carrier, a_rank_that_is_stopped_fails_its_task_alone_and_the_job_names_it) {
  Job job;
  job.start(on("--tasks " + job.write("tasks", R"({"callable": "sleep", "scalars": [3000], "worker": 0}
{"callable": "sleep", "scalars": [3000], "worker": 1, "deadline_s": 100}
)")));
  ASSERT_TRUE(job.says("3 ranks have joined"));
  ASSERT_EQ(kill(job.rank(2), SIGSTOP), 0);
  EXPECT_EQ(job.end(), 4);
  EXPECT_NE(job.out().find("1 sleep worker 0: ok: "), std::string::npos) << job.out();
  EXPECT_NE(job.out().find("2 sleep worker 1: FAILED (peer_lost): rank 2"), std::string::npos) << job.out();
  EXPECT_NE(job.errors().find("the job failed: shutdown: rank 2"), std::string::npos) << job.errors();
  job.expect_nothing_left();
}

TEST_P(Carrier, an_interruption_at_any_moment_leaves_nothing) {
  struct Moment {
    const char* after;  // this is on standard error; empty: at once
    int signal;
  };
  for (const Moment& moment : {Moment{"", SIGINT}, Moment{"3 ranks have joined", SIGINT}, Moment{"1 of 2 tasks", SIGTERM}}) {
    Job job;
    job.start(on("--tasks " + job.write("tasks", "{\"callable\": \"echo\"}\n" + long_task)));
    if (*moment.after == '\0') {
      ASSERT_TRUE(comes_true([&] { return !fs::is_empty(job.made()); })) << job.errors();
    } else {
      ASSERT_TRUE(job.says(moment.after)) << job.errors();
    }
    job.signal(moment.signal);
    EXPECT_EQ(job.end(), 130) << moment.after << job.errors();
    EXPECT_NE(job.errors().find("interrupted after"), std::string::npos) << job.errors();
    job.expect_nothing_left();
  }
}

TEST_P(Carrier, a_command_that_is_killed_leaves_nothing_either) {
  Job job;
  job.start(on("--tasks " + job.write("tasks", long_task)));
  ASSERT_TRUE(job.says("3 ranks have joined")) << job.errors();
  job.signal(SIGKILL);
  EXPECT_EQ(job.end(), -SIGKILL);
  job.expect_nothing_left(false);
}

TEST_P(Carrier, the_token_is_in_no_arguments_and_in_no_output) {
  Job job;
  job.start(on("--tasks " + job.write("tasks", long_task)));
  ASSERT_TRUE(job.says("3 ranks have joined")) << job.errors();
  const std::string name = std::string(control::token_variable) + "=";
  std::string token;
  for (const std::string& pid : processes_with(job.made())) {
    const std::string environment = content_of("/proc/" + pid + "/environ");
    const std::size_t at = environment.find(name);
    if (at != std::string::npos) token = environment.substr(at + name.size(), 43);
  }
  ASSERT_EQ(token.size(), 43u);
  EXPECT_EQ(processes_with(token, "cmdline"), std::vector<std::string>{});
  for (const auto& file : fs::recursive_directory_iterator(job.made())) {
    if (!file.is_regular_file()) continue;
    EXPECT_EQ(content_of(file.path()).find(token), std::string::npos) << file.path();
  }
  job.signal(SIGINT);
  EXPECT_EQ(job.end(), 130);
  EXPECT_EQ(job.errors().find(token), std::string::npos);
  EXPECT_EQ(job.out().find(token), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Over, Carrier, testing::Values("tcp", "mpi"), [](const auto& one) { return std::string(one.param); });

// X15: launchers that are none.
TEST(Launcher, that_ends_at_once_hangs_or_ignores_sigterm_fails_the_start_and_leaves_nothing) {
  Job scripts;
  const std::string hangs = scripts.write("hangs", "#!/bin/sh\nexec sleep 1000\n", true);
  const std::string stubborn = scripts.write("stub born", "#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 1000; done\n", true);
  const std::pair<std::string, std::string> cases[] = {{"/bin/true", "exited with code 0"},
                                                       {"/bin/false", "exited with code 1"},
                                                       {hangs, "rank 0 on localhost never reported"},
                                                       {stubborn, "rank 2 on localhost never reported"},
                                                       {"/nowhere/mpiexec", "could not be started"}};
  for (const auto& [launcher, says] : cases) {
    Job job;
    EXPECT_EQ(job.run("-n 3 --transport tcp --start-deadline 1 --launcher '" + launcher + "' vector_add --rows 10"), 4);
    EXPECT_NE(job.errors().find(says), std::string::npos) << launcher << ": " << job.errors();
    job.expect_nothing_left();
  }
}

// P-C9, P-X19: under Hydra such a rank hangs mpiexec.
TEST(Launcher, a_rank_that_leaves_before_it_reports_is_named_by_the_deadline_and_nothing_is_left) {
  for (const char* transport : {"tcp", "mpi"}) {
    Job job;
    const std::string launcher = job.write("launcher", R"(#!/bin/bash
words=("$@"); last=$(($# - 2))
exec mpiexec "${words[@]:0:last}" /bin/sh -c 'test "$PMI_RANK" = 1 && exit 3; exec "$0" "$@"' "${words[@]:last}"
)",
                                           true);
    EXPECT_EQ(
        job.run(std::string("-n 3 --start-deadline 3 --launcher ") + launcher + " --transport " + transport + " vector_add"), 4);
    EXPECT_NE(job.errors().find("rank 1 on localhost never reported"), std::string::npos) << job.errors();
    EXPECT_EQ(job.errors().find("rank 2 on localhost never"), std::string::npos) << job.errors();
    job.expect_nothing_left();
  }
}

TEST(ControlRun, a_bad_task_or_topology_is_a_usage_error_with_its_line_before_anything_starts) {
  Job job;
  const std::string tasks = job.write("tasks", "{\"callable\": \"echo\"}\n{\"callable\": \"echo\", \"worker\": 2}\n");
  EXPECT_EQ(job.run("-n 3 --tasks " + tasks), 64);
  EXPECT_EQ(job.errors(), "tenter: tasks line 2, worker: 2 is neither \"any\" nor \"all\" nor a rank below 2\n");
  EXPECT_EQ(job.run("--topology " + job.write("topo.json", "[]") + " vector_add"), 64);
  EXPECT_NE(job.errors().find("topo.json: line 1: the root: is not an object"), std::string::npos) << job.errors();
  EXPECT_EQ(job.run("-n 3"), 64);
  EXPECT_EQ(job.run("vector_add"), 64);
  EXPECT_EQ(job.run("-n 1 vector_add"), 64);
  job.expect_nothing_left();
}

TEST(ControlRun, a_topology_of_this_machine_is_run) {
  Job job;
  const std::string topology = job.write("topo.json", R"({"executors": [
 {"rank": 1, "worker_id": 0, "host": "localhost", "platform": "cpu"},
 {"rank": 2, "worker_id": 1, "host": "localhost", "platform": "cpu", "comm_profile": "another one"}]})");
  EXPECT_EQ(job.run("--transport tcp -q --topology " + topology + " vector_add --rows 1"), 0) << job.errors();
  EXPECT_EQ(job.errors(), "");
}

}  // namespace
}  // namespace tenter::running
