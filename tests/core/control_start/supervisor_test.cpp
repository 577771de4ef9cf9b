// The supervisor's start: what it makes and in which order, whom it names, and that nothing is left. S8, L1, L6, B36, X15.
#include "supervisor_kit.hpp"

namespace tenter::control {
namespace supervisor_test {
namespace {

using namespace tenter::control::kit;
using Log = std::vector<std::string>;

TEST(Supervisor, starts_gate_host_file_and_launcher_in_this_order_and_answers_at_go) {
  Office office;
  office.start();
  EXPECT_EQ(office.take(), (Log{"describe_host"}));
  office.host();
  EXPECT_EQ(office.take(), (Log{"draw_random"}));
  office.random();
  EXPECT_EQ(office.take(), (Log{"tell gate 10"}));
  office.listening();
  EXPECT_EQ(office.take(), (Log{"publish_file"}));
  EXPECT_EQ(office.files["hosts-2021222324252627"].text(), "node-a:3\n");
  office.written();
  EXPECT_EQ(office.take(), (Log{"spawn"}));
  office.spawns();
  office.seen(1);
  EXPECT_EQ(office.take(), (Log{"watch_process"}));
  EXPECT_FALSE(office.is_complete(1));
  office.passed();
  EXPECT_EQ(office.take(), (Log{"complete 1 ok"}));
  EXPECT_EQ(office.machine.state(), State::running);
  EXPECT_TRUE(office.timers.empty()) << "a job runs as long as it likes";
}

TEST(Supervisor, gives_the_gate_the_controllers_address_a_host_a_rank_and_what_is_left_of_the_time) {  // L6, P-C9b
  Office office;
  office.start();
  office.now = office.now + seconds(3);
  office.host();
  office.random();
  const auto* tell = std::get_if<action::Tell>(&office.actions.back());
  ASSERT_NE(tell, nullptr);
  const auto order = read_gate_order(tell->note);
  ASSERT_TRUE(order.has_value());
  EXPECT_EQ(order->address, "node-a:0");
  EXPECT_EQ(order->hosts, std::vector<std::string>(3, "node-a"));
  EXPECT_EQ(order->patience, seconds(7));
  EXPECT_EQ(order->token.bytes, "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8");
}

TEST(Supervisor, tells_ranks_gate_and_token_by_their_environment_and_never_by_an_argument) {  // P-C7
  Office office;
  office.go(State::gathering);
  ASSERT_EQ(office.spawned.size(), 1u);
  std::string arguments, environment;
  for (const Blob& part : office.spawned[0].arguments) arguments += std::string(part.text()) + " ";
  for (const Blob& part : office.spawned[0].environment) environment += std::string(part.text()) + " ";
  EXPECT_TRUE(names(arguments, "mpiexec -f /run/tenter/hosts-2021222324252627 -disable-auto-cleanup "));
  EXPECT_TRUE(names(arguments, "-genv TENTER_CONTROL_GATE node-a:4711 -genvlist TENTER_CONTROL_TOKEN -np 3 tenter member "));
  EXPECT_TRUE(names(environment, "TENTER_CONTROL_TOKEN=AAECAwQF"));
  for (const Action& action : office.actions) EXPECT_FALSE(names(text_of(action), "AAECAwQF")) << text_of(action);
  EXPECT_FALSE(names(text_of(office.machine), "AAECAwQF"));
}

TEST(Supervisor, leaves_the_clean_up_to_the_launcher_where_it_does_not_see_every_rank) {
  Office office("node-z");
  office.go(State::gathering);
  for (const Blob& part : office.spawned[0].arguments) EXPECT_NE(part.text(), "-disable-auto-cleanup");
  office.seen(1, "node-z");
  EXPECT_EQ(office.machine.processes().ranks[1].watched, false) << "its pid is another host's";
}

TEST(Supervisor, needs_no_host_file_for_open_mpi) {
  Office office("node-a", LauncherFamily::open_mpi);
  office.go(State::running);
  EXPECT_TRUE(office.files.empty());
}

TEST(Supervisor, judges_everything_before_anything_is_made) {  // S8, B36, X13
  const std::pair<std::string_view, void (*)(JobSpec&)> cases[] = {
      {"start: topology: ", [](JobSpec& s) { s.topology = "[]"; }},
      {"line 1: executors[0].platform: is missing",
       [](JobSpec& s) { s.topology = R"({"controller_host": "a", "executors": [{"rank": 1, "worker_id": 0, "host": "-x"}]})"; }},
      {"start: root is no absolute path", [](JobSpec& s) { s.root = "run"; }},
      {"patience is negative", [](JobSpec& s) { s.patience = nanoseconds(-1); }},
      {"program: nothing to start", [](JobSpec& s) { s.plan.program.clear(); }},
      {"takes a name of ours", [](JobSpec& s) {
         s.plan.environment = {{"TENTER_CONTROL_TOKEN", "x"}};
       }}};
  for (const auto& [says, spoil] : cases) {
    Office office;
    spoil(office.spec);
    office.start();
    EXPECT_EQ(office.take(), (Log{"complete 1 invalid"})) << says;
    EXPECT_TRUE(names(office.why(1), says));
    EXPECT_EQ(office.machine, Supervisor());
  }
  Office office;
  office.deliver(event::Submitted{office.now, Ticket{1}, start_note(StartNote::start)});
  EXPECT_EQ(office.outcome(1).status, Status::invalid);
}

TEST(Supervisor, one_job_at_a_time_and_one_in_its_life) {
  Office office;
  office.go(State::running);
  office.start(2);
  EXPECT_TRUE(names(office.why(2), "the job is running already"));
  Office ended;
  ended.go(State::ended);
  ended.start(2);
  EXPECT_TRUE(names(ended.why(2), "the job is ended already"));
}

TEST(Supervisor, a_gate_that_fails_ends_the_job_with_its_sentence_and_leaves_nothing) {
  Office office;
  office.go(State::gathering);
  office.seen(0);
  office.seen(2);
  office.take();
  office.gate_fails(Status::timed_out, "start: not every rank has reported in time; rank 1 on node-a never reported");
  EXPECT_EQ(office.take(), (Log{"kill 15: 200 202 100"}));
  office.rank_exits(0);
  office.launcher_exits(-1, 15);
  EXPECT_EQ(office.take(), Log{}) << "rank 2 is still there";
  office.fire(Kind::patience);
  EXPECT_EQ(office.take(), (Log{"kill 9: 202"}));
  office.rank_exits(2);
  EXPECT_EQ(office.take(), (Log{"remove_file"}));
  EXPECT_FALSE(office.is_complete(1)) << "not before nothing is left";
  office.removed();
  EXPECT_EQ(office.take(), (Log{"complete 1 timed_out"}));
  EXPECT_EQ(office.why(1), "start: not every rank has reported in time; rank 1 on node-a never reported");
  EXPECT_TRUE(office.timers.empty());
}

// A rank that leaves before MPI_Init hangs mpiexec, which goes on without a word.
TEST(Supervisor, a_rank_that_leaves_before_mpi_started_ends_the_start_and_is_named_with_its_host) {
  Office office;
  office.go(State::suspecting);
  office.take();
  office.fire(Kind::grace);
  EXPECT_EQ(office.take(), (Log{"kill 15: 200 202 100", "tell gate 11"}));
  office.gate_fails(
      Status::cancelled,
      "start: the gate was closed before every rank had joined; rank 1 on node-a: it was ready, then it closed its connection");
  office.rank_exits(0);
  office.rank_exits(2);
  office.launcher_exits(-1, 15);
  office.removed();
  EXPECT_EQ(office.outcome(1).status, Status::peer_lost);
  EXPECT_TRUE(names(office.why(1), "start: rank 1 on node-a (pid 201) is gone, the first of the ranks that was seen to be"));
  EXPECT_TRUE(names(office.why(1), "rank 1 on node-a: it was ready, then it closed its connection"));
}

TEST(Supervisor, a_failed_ranks_own_reason_comes_first) {
  Office office;
  office.go(State::suspecting);
  office.gate_fails(Status::failed, "start: not every rank can start; rank 1 on node-a failed: no device 3");
  office.fire(Kind::grace);
  office.rank_exits(0);
  office.rank_exits(2);
  office.launcher_exits(1);
  office.removed();
  EXPECT_EQ(office.outcome(1).status, Status::failed);
  EXPECT_TRUE(
      office.why(1).starts_with("start: not every rank can start; rank 1 on node-a failed: no device 3; start: rank 1 on "));
}

// Its end is seen by another way than its joining, and may be seen first.
TEST(Supervisor, a_job_that_is_over_before_the_gate_says_that_it_started_has_started) {
  Office office;
  office.go(State::suspecting);
  for (const std::uint32_t rank : {0u, 2u}) office.rank_exits(rank);
  office.launcher_exits(0);
  office.passed();
  EXPECT_EQ(office.outcome(1).status, Status::ok);
  EXPECT_FALSE(office.timers.contains(Office::op(Kind::grace)));
  office.wait(2);
  office.removed();
  EXPECT_EQ(office.outcome(2).status, Status::ok) << office.why(2);
}

TEST(Supervisor, a_rank_that_is_lost_between_its_joining_and_the_gates_word_fails_the_run) {
  Office office;
  office.go(State::suspecting);
  office.passed();
  EXPECT_EQ(office.outcome(1).status, Status::ok);
  office.wait(2);
  EXPECT_EQ(office.machine.state(), State::leaving);
  office.fire(Kind::patience);
  office.take();
  for (const std::uint32_t rank : {0u, 2u}) office.rank_exits(rank);
  office.launcher_exits(-1, 15);
  office.removed();
  EXPECT_EQ(office.outcome(2).status, Status::timed_out);
  EXPECT_TRUE(names(office.why(2), "run: rank 1 on node-a (pid 201) is gone"));
}

TEST(Supervisor, a_launcher_that_exits_early_fails_the_start_whatever_its_code) {  // X15: /bin/true, /bin/false
  for (const std::int32_t code : {0, 1, 9}) {
    Office office;
    office.go(State::gathering);
    office.take();
    office.launcher_exits(code);
    office.fire(Kind::grace);
    EXPECT_EQ(office.take(), (Log{"tell gate 11", "remove_file"}));
    office.removed();
    EXPECT_FALSE(office.is_complete(1)) << "the gate knows who was missing";
    office.gate_fails(Status::cancelled, "start: closed; rank 0 on node-a never reported");
    EXPECT_EQ(office.outcome(1).status, Status::peer_lost);
    EXPECT_TRUE(names(office.why(1), "the launcher (pid 100) exited with code " + std::to_string(code)));
    EXPECT_EQ(names(office.why(1), "bitwise OR"), code != 0);
    EXPECT_TRUE(names(office.why(1), "rank 0 on node-a never reported"));
  }
}

TEST(Supervisor, a_launcher_that_cannot_be_started_leaves_nothing) {
  Office office;
  office.go(State::spawning);
  office.take();
  office.spawns(Status::not_found);
  EXPECT_EQ(office.take(), (Log{"tell gate 11", "remove_file"}));
  office.gate_fails(Status::cancelled, "closed", "");
  office.removed();
  EXPECT_EQ(office.why(1), "start: the launcher mpiexec could not be started: the cause");
  EXPECT_EQ(office.outcome(1).status, Status::not_found);
}

TEST(Supervisor, a_host_file_that_cannot_be_written_starts_nothing) {
  Office office;
  office.go(State::writing);
  office.written(Status::no_space);
  office.gate_fails(Status::cancelled, "closed", "");
  EXPECT_TRUE(office.spawned.empty());
  EXPECT_EQ(office.why(1), "start: the host file could not be written: the cause");
}

TEST(Supervisor, every_step_of_a_start_ends_at_the_deadline_and_leaves_nothing) {  // L1
  for (const State step :
       {State::describing, State::drawing, State::opening, State::writing, State::gathering, State::suspecting}) {
    Office office;
    office.go(step);
    office.fire(Kind::deadline);
    while (office.machine.state() != State::ended && office.timers.contains(office.op(Kind::patience)))
      office.fire(Kind::patience);
    EXPECT_EQ(office.machine.state(), State::ended) << to_string(step);
    EXPECT_NE(office.outcome(1).status, Status::ok);
    EXPECT_TRUE(office.timers.empty());
  }
}

TEST(Supervisor, gives_the_gate_a_moment_after_the_deadline_to_name_who_is_missing_and_no_more) {
  Office office;
  office.go(State::gathering);
  EXPECT_EQ(office.timers.at(office.op(Kind::deadline)), office.now + seconds(10) + SupervisorConfig{}.answer_wait);
  office.fire(Kind::deadline);
  EXPECT_EQ(office.machine.state(), State::terminating);
}

TEST(Supervisor, a_launcher_that_is_there_only_after_the_deadline_is_ended) {
  Office office;
  office.go(State::spawning);
  office.fire(Kind::deadline);
  EXPECT_EQ(office.machine.state(), State::spawning) << "whom to end is known with the answer only";
  office.take();
  office.spawns();
  EXPECT_EQ(office.take(), (Log{"kill 15: 100", "tell gate 11"}));
  Office late;
  late.go(State::spawning);
  late.fire(Kind::deadline);
  late.fire(Kind::patience);
  late.take();
  late.spawns();
  EXPECT_EQ(late.take(), (Log{"kill 9: 100"}));
}

TEST(Supervisor, ranks_may_be_faster_than_the_answer_that_their_launcher_was_started) {
  Office office;
  office.go(State::spawning);
  for (std::uint32_t rank = 0; rank < 3; ++rank) office.seen(rank);
  office.passed();
  EXPECT_FALSE(office.is_complete(1));
  office.spawns();
  EXPECT_EQ(office.outcome(1).status, Status::ok);
  EXPECT_TRUE(office.is_complete(1));
  EXPECT_EQ(office.machine.state(), State::running);
  Office gone;
  gone.go(State::spawning);
  gone.seen(1);
  gone.rank_exits(1);
  gone.spawns();
  EXPECT_EQ(gone.machine.state(), State::suspecting);
}

TEST(Supervisor, a_rank_that_reports_while_the_job_is_ended_is_killed) {
  Office office;
  office.go(State::gathering);
  office.launcher_exits(1);
  office.seen(0);
  office.fire(Kind::grace);
  office.take();
  office.seen(2);
  EXPECT_EQ(office.take(), (Log{"watch_process", "kill 9: 202"}));
}

TEST(TokenText, is_url_safe_and_of_43_characters) {
  EXPECT_EQ(token_text(Blob(std::string_view("\xff\xff\xff\xfe")).bytes()), "_____g");
  EXPECT_EQ(token_text(Blob(32, [](MutableBytes to) { std::fill(to.begin(), to.end(), std::byte{0xFB}); }).bytes()).size(), 43u);
  EXPECT_EQ(hex_text(Blob(std::string_view("\x01\xab")).bytes()), "01ab");
}

}  // namespace
}  // namespace supervisor_test
}  // namespace tenter::control
