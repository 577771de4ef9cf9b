#include <gtest/gtest.h>

#include "core/wire.hpp"
#include "launch_kit.hpp"

namespace tenter::mailbox {
namespace launch_start_test {
namespace {

using namespace tenter::mailbox::kit;
using List = std::vector<std::string>;

const List everything_back = {"remove_file " + directory + "/manifest", "close_page", "unlink_page " + page,
                              "remove_directory " + directory};

TEST(LaunchStart, every_step_waits_for_the_one_before_it) {
  Desk desk;
  desk.start();
  EXPECT_EQ(desk.take(), (List{"draw_random"}));
  desk.random();
  EXPECT_EQ(desk.take(), (List{"describe_host"}));
  desk.host();
  EXPECT_EQ(desk.take(), (List{"make_directory"}));
  desk.file(Kind::make_directory);
  EXPECT_EQ(desk.take(), (List{"create_page"}));
  desk.page_created();
  EXPECT_EQ(desk.take(), (List{"write_region", "publish_quiet", "publish_quiet", "publish_file"}));
  desk.file(Kind::publish_manifest);
  EXPECT_EQ(desk.take(), (List{"watch_files", "spawn"}));
  desk.spawned();
  EXPECT_EQ(desk.take(), (List{"watch"}));
  desk.group(GroupState::ready);
  EXPECT_EQ(desk.take(), (List{"watch", "copy_in", "copy_in", "copy_in"}));
  desk.header();
  EXPECT_EQ(desk.take(), (List{"unwatch", "tell 0 10", "complete 1 ok"}));
  EXPECT_EQ(desk.machine.state(), LaunchState::running);
  EXPECT_TRUE(desk.timers.empty()) << "the start deadline is cancelled";
}

TEST(LaunchStart, names_are_unguessable_and_the_answer_tells_them) {
  Desk desk;
  desk.go(LaunchState::running);
  const auto group = read_started(desk.outcome(1));
  ASSERT_TRUE(group);
  EXPECT_EQ(group->page.text(), page);
  EXPECT_EQ(group->directory.text(), directory);
  EXPECT_EQ(group->launcher, (ProcessId{launcher_pid, 10}));
}

TEST(LaunchStart, the_page_is_whole_and_its_header_is_that_of_version_one) {
  Desk desk(3);
  desk.go(LaunchState::publishing_manifest);
  EXPECT_EQ(desk.last<action::CreatePage>()->bytes, 33'620'224u);
  const auto* header = desk.last<action::WriteRegion>();
  ASSERT_NE(header, nullptr);
  EXPECT_EQ(header->offset, 0u);
  wire::Reader reader(header->content.bytes());
  const Bytes magic = reader.bytes(8);
  EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(magic.data()), 8), std::string_view("SMPIBOX\0", 8));
  EXPECT_EQ(reader.u32(), 1u);
  EXPECT_EQ(reader.u32(), 256u);
  EXPECT_EQ(reader.u64(), 33'620'224u);
  EXPECT_EQ(reader.u32(), 3u);
  EXPECT_TRUE(reader.at_end());
  const auto manifest = read_manifest(desk.last<action::PublishFile>()->content.text());
  ASSERT_TRUE(manifest);
  EXPECT_EQ(manifest->page, page);
  EXPECT_EQ(manifest->world, 3u);
  EXPECT_EQ(manifest->owner, (ProcessId{50, 5}));
  EXPECT_EQ(manifest->host, "node7");
  EXPECT_EQ(manifest->start_patience, desk.spec().patience);
  EXPECT_EQ(manifest->stop_patience, LaunchConfig{}.stop_patience);
}

TEST(LaunchStart, the_ranks_find_their_directory_in_the_environment) {
  Desk desk;
  desk.go(LaunchState::spawning);
  const auto* spawn = desk.last<action::Spawn>();
  EXPECT_EQ(spawn->arguments, desk.spec().arguments);
  EXPECT_EQ(spawn->environment, (Parts{Blob("A=1"), Blob("TENTER_MAILBOX_DIRECTORY=/run/tenter/" + directory)}));
}

struct Failure {
  LaunchState state;
  void (*fails)(Desk&);
  Status status;
  std::string_view text;
  List rolled_back;
};

// What was made before the step that failed, in reverse order, and nothing else.
const std::vector<Failure>& failures() {
  static const std::vector<Failure> list = {
      {LaunchState::drawing,
       [](Desk& d) {
         d.deliver(event::RandomBytes{d.now, d.op(Kind::draw), Blob("short")});
       },
       Status::failed,
       "5 random bytes came, 16 were asked for",
       {}},
      {LaunchState::making_directory,
       [](Desk& d) { d.file(Kind::make_directory, Status::denied, "not yours"); },
       Status::denied,
       "directory "
       "group-000102030405060708090a0b0c0d0e0f could not be made: not yours",
       {}},
      {LaunchState::creating_page,
       [](Desk& d) { d.page_created(Status::no_space); },
       Status::no_space,
       "could not be created: the cause",
       {"remove_directory " + directory}},
      {LaunchState::creating_page,
       [](Desk& d) { d.page_created(Status::ok, 4096); },
       Status::mismatch,
       "has 4096 bytes, not 33620224",
       {"close_page", "unlink_page " + page, "remove_directory " + directory}},
      {LaunchState::publishing_manifest,
       [](Desk& d) { d.file(Kind::publish_manifest, Status::no_space, "disk full"); },
       Status::no_space,
       "/manifest could not be published: disk full",
       {"close_page", "unlink_page " + page, "remove_directory " + directory}},
      {LaunchState::spawning, [](Desk& d) { d.spawned(Status::not_found); }, Status::not_found,
       "mpiexec could not be started: the cause", everything_back},
  };
  return list;
}

TEST(LaunchStart, a_failing_step_takes_back_what_was_made_in_reverse_order_and_nothing_else) {
  for (const Failure& failure : failures()) {
    SCOPED_TRACE(std::string(to_string(failure.state)) + ", " + to_string(failure.status));
    Desk desk;
    desk.go(failure.state);
    desk.take();
    failure.fails(desk);
    List expected = failure.rolled_back;
    if (expected.empty()) expected = {"complete 1 " + std::string(to_string(failure.status))};
    EXPECT_EQ(desk.take(), expected);
    desk.removed();
    EXPECT_EQ(desk.outcome(1).status, failure.status);
    EXPECT_TRUE(names(desk.errors(1), failure.text));
    EXPECT_EQ(desk.machine.state(), LaunchState::idle) << "it can be tried again";
    EXPECT_TRUE(desk.timers.empty());
  }
}

TEST(LaunchStart, a_step_of_the_roll_back_that_fails_too_is_told_after_the_first_error) {
  Desk desk;
  desk.go(LaunchState::spawning);
  desk.spawned(Status::not_found);
  desk.file(Kind::remove_manifest, Status::denied, "read-only");
  EXPECT_FALSE(desk.is_complete(1)) << "the directory is still tried";
  desk.file(Kind::remove_directory, Status::failed, "busy");
  EXPECT_EQ(desk.outcome(1).status, Status::not_found);
  const auto errors = decode_error_list(desk.outcome(1).text.bytes());
  ASSERT_EQ(errors.size(), 3u);
  EXPECT_TRUE(names(errors[0].message, "could not be started"));
  EXPECT_TRUE(names(errors[1].message, "/manifest could not be removed: read-only"));
  EXPECT_TRUE(names(errors[2].message, directory + " could not be removed: busy"));
}

TEST(LaunchStart, a_roll_back_without_an_answer_ends_all_the_same) {
  Desk desk;
  desk.go(LaunchState::spawning);
  desk.spawned(Status::not_found);
  desk.fire(Kind::patience);
  EXPECT_EQ(desk.outcome(1).status, Status::not_found);
  EXPECT_TRUE(names(desk.errors(1), "clean-up: no answer within 5000 ms"));
}

TEST(LaunchStart, the_deadline_is_one_for_all_steps_and_names_the_step) {
  const std::vector<std::pair<LaunchState, List>> steps = {
      {LaunchState::drawing, {}},
      {LaunchState::describing, {}},
      {LaunchState::making_directory, {"remove_directory " + directory}},  // asked for: perhaps it is there
      {LaunchState::creating_page, {"close_page", "unlink_page " + page, "remove_directory " + directory}},
      {LaunchState::publishing_manifest, everything_back},
  };
  for (const auto& [state, rolled_back] : steps) {
    SCOPED_TRACE(to_string(state));
    Desk desk;
    desk.go(state);
    EXPECT_EQ(desk.timers.size(), 1u);
    EXPECT_EQ(desk.timers[desk.op(Kind::start_deadline)], Time{1'000'000} + seconds(10));
    desk.take();
    desk.fire(Kind::start_deadline);
    const List log = desk.take();
    EXPECT_EQ(List(log.begin(), log.begin() + static_cast<std::ptrdiff_t>(rolled_back.size())), rolled_back);
    desk.removed();
    EXPECT_EQ(desk.outcome(1).status, Status::timed_out);
    EXPECT_TRUE(names(desk.errors(1), std::string("not READY after 10000 ms, ") + to_string(state)));
  }
}

TEST(LaunchStart, a_deadline_while_the_launcher_is_being_spawned_ends_that_launcher) {
  Desk desk;
  desk.go(LaunchState::spawning);
  desk.take();
  desk.fire(Kind::start_deadline);
  EXPECT_TRUE(desk.take().empty()) << "nobody to end yet";
  desk.spawned();
  EXPECT_EQ(desk.take(), (List{"unwatch", "unwatch", "publish_if", "list_files", "kill 15: 100"}));
  desk.list({});
  desk.launcher_exits(0, 15);
  EXPECT_EQ(desk.take(), everything_back);
  desk.removed();
  EXPECT_EQ(desk.outcome(1).status, Status::timed_out);
}

TEST(LaunchStart, at_the_deadline_ranks_that_are_stopped_gone_or_silent_are_named) {
  Desk desk(4);
  desk.go(LaunchState::awaiting_ready);
  desk.report(0);
  desk.report(1);
  desk.report(3);
  desk.fire(Kind::start_deadline);
  EXPECT_EQ(desk.last<action::InspectProcesses>()->processes,
            (std::vector<ProcessId>{{200, 20}, {201, 20}, {203, 20}, {launcher_pid, 10}}));
  desk.inspected(Kind::inspect_start, "RTXR");
  desk.list({});
  for (std::uint32_t rank : {0u, 1u, 3u}) desk.rank_exits(rank);
  desk.launcher_exits(0);
  desk.removed();
  const std::string text = desk.errors(1);
  EXPECT_TRUE(names(text, "rank 1 (pid 201) is stopped"));
  EXPECT_TRUE(names(text, "rank 3 (pid 203) is gone"));
  EXPECT_TRUE(names(text, "never reported: rank 2"));
  EXPECT_FALSE(names(text, "rank 0 (pid 200)"));
  const auto errors = decode_error_list(desk.outcome(1).text.bytes());
  EXPECT_EQ(errors[1].rank, 1);
}

TEST(LaunchStart, a_spec_that_nothing_can_be_started_from_is_refused_with_its_field) {
  const std::vector<std::pair<void (*)(StartSpec&), std::string_view>> wrong = {
      {[](StartSpec& s) { s.world = 0; }, "world is 0"},
      {[](StartSpec& s) { s.world = 3; }, "asks for 3 ranks, this parent was set up for 2"},
      {[](StartSpec& s) { s.patience = milliseconds(-1); }, "patience is negative"},
      {[](StartSpec& s) { s.root = Blob("relative"); }, "root is not an absolute path"},
      {[](StartSpec& s) { s.arguments = {}; }, "no program to start"},
      {[](StartSpec& s) {
         s.arguments = Parts{Blob("a"), Blob(std::string_view("b\0c", 3))};
       },
       "arguments: number 1 has a zero byte"},
      {[](StartSpec& s) { s.environment = Parts{Blob("=x")}; }, "environment: entry 0 is not NAME=value"},
      {[](StartSpec& s) { s.environment = Parts{Blob("TENTER_MAILBOX_DIRECTORY=/x")}; }, "takes a name of ours"},
  };
  for (const auto& [break_it, text] : wrong) {
    Desk desk;
    StartSpec spec = desk.spec();
    break_it(spec);
    desk.deliver(event::Submitted{desk.now, Ticket{1}, start_call(spec)});
    EXPECT_TRUE(names(desk.errors(1), text));
    EXPECT_EQ(desk.actions.size(), 1u) << "nothing else was done";
  }
}

TEST(LaunchStart, a_start_call_survives_its_note) {
  const StartSpec spec = Desk().spec();
  const auto read = read_start(start_call(spec));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, spec);
  Note cut = start_call(spec);
  cut.text = Blob(cut.text.bytes().first(cut.text.size() - 1));
  EXPECT_FALSE(read_start(cut));
  Note fewer = start_call(spec);
  fewer.parts = Parts{Blob("mpiexec")};
  EXPECT_FALSE(read_start(fewer));
}

TEST(LaunchStart, a_second_start_is_refused_and_changes_nothing) {
  Desk desk;
  desk.go(LaunchState::awaiting_ready);
  const Launch before = desk.machine;
  desk.start(7);
  EXPECT_EQ(desk.outcome(7).status, Status::unavailable);
  EXPECT_EQ(desk.machine, before);
}

TEST(LaunchStart, late_answers_of_an_earlier_start_touch_nothing_of_the_next) {
  Desk desk;
  desk.go(LaunchState::creating_page);
  desk.fire(Kind::start_deadline);
  desk.removed();
  ASSERT_EQ(desk.machine.state(), LaunchState::idle);
  desk.start(2);
  const Launch before = desk.machine;
  desk.take();
  desk.page_created();  // of the first attempt
  desk.file(Kind::make_directory);
  desk.random();
  EXPECT_EQ(desk.machine, before);
  EXPECT_TRUE(desk.take().empty());
  desk.attempt = 3;
  desk.random();
  EXPECT_EQ(desk.machine.state(), LaunchState::describing);
}

}  // namespace
}  // namespace launch_start_test
}  // namespace tenter::mailbox
