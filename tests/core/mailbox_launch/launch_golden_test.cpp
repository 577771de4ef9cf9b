// Every state of a Launch against every event that its ports can produce.
#include <gtest/gtest.h>

#include "launch_kit.hpp"
#include "tests/core/golden.hpp"

namespace tenter::mailbox {
namespace launch_golden_test {
namespace {

using namespace tenter::mailbox::kit;

Launch scripted(LaunchState state) {
  Desk desk;
  auto from = [&](LaunchState start, auto... steps) {
    desk.go(start);
    (steps(), ...);
  };
  switch (state) {
    case LaunchState::idle:
      break;
    case LaunchState::explaining:
      from(LaunchState::awaiting_ready, [&] { desk.group(GroupState::terminal); });
      break;
    case LaunchState::inspecting:
      from(LaunchState::awaiting_ready, [&] { desk.fire(Kind::start_deadline); });
      break;
    case LaunchState::suspecting:
      from(LaunchState::running, [&] { desk.rank_exits(0); });
      break;
    case LaunchState::condemning:
      from(
          LaunchState::running, [&] { desk.rank_exits(0); }, [&] { desk.fire(Kind::grace); });
      break;
    case LaunchState::terminating:
      from(LaunchState::running, [&] { desk.group_ended("gone"); });
      break;
    case LaunchState::killing:
      from(
          LaunchState::running, [&] { desk.group_ended("gone"); }, [&] { desk.fire(Kind::patience); });
      break;
    case LaunchState::surveying:
      from(
          LaunchState::running, [&] { desk.group_ended("gone"); }, [&] { desk.fire(Kind::patience); },
          [&] { desk.fire(Kind::patience); });
      break;
    case LaunchState::cleaning:
    case LaunchState::ended:
      from(
          LaunchState::leaving, [&] { desk.rank_exits(0); }, [&] { desk.rank_exits(1); }, [&] { desk.launcher_exits(0); });
      if (state == LaunchState::ended) desk.removed();
      break;
    default:
      desk.go(state);
  }
  return desk.machine;
}

TEST(LaunchGolden, its_table_is_the_golden_one) {
  test::GoldenTable<Launch> table;
  std::set<std::string> all;
  for (int i = 0; i <= static_cast<int>(LaunchState::ended); ++i) {
    const LaunchState state{static_cast<std::uint8_t>(i)};
    all.insert(to_string(state));
    table.state(to_string(state), scripted(state));
  }
  Desk suspecting;
  suspecting.go(LaunchState::awaiting_ready);
  suspecting.launcher_exits(1);
  table.state("suspecting/start", suspecting.machine);

  Desk attaching;  // READY was seen, one part of the header is missing
  attaching.go(LaunchState::awaiting_ready);
  attaching.group(GroupState::ready);
  attaching.deliver(event::Copied{attaching.now, attaching.op(Kind::copy_identity), Blob("identity")});
  attaching.deliver(event::Copied{attaching.now, attaching.op(Kind::copy_fields), Blob("fields")});
  table.state("awaiting_ready/attaching", attaching.machine);

  const Desk desk;
  const Time now{900'000'000'000};
  auto timer = [&](Kind kind) { return event::TimerFired{now, desk.op(kind)}; };
  auto file = [&](Kind kind, Status status) { return event::FileDone{now, desk.op(kind), status, Blob("cause")}; };
  auto told = [&](Note note) { return event::Told{now, channel_role, std::move(note)}; };
  const std::string other = "it belongs to another state";
  table.event("started", event::Started{now}, "it begins with the start call");
  table.event("submitted(start)", event::Submitted{now, Ticket{50}, start_call(desk.spec())});
  table.event("submitted(stop)", event::Submitted{now, Ticket{51}, stop_call()});
  table.event("submitted(neither)", event::Submitted{now, Ticket{52}, plain_note(NoteKind::join)});
  table.event("random_bytes(16)", event::RandomBytes{now, desk.op(Kind::draw), Blob("0123456789abcdef")}, other);
  table.event("random_bytes(short)", event::RandomBytes{now, desk.op(Kind::draw), Blob("01")}, other);
  table.event("host_described", event::HostDescribed{now, desk.op(Kind::describe), {1, 1}, 1, Blob("host")}, other);
  table.event("file_done(directory made)", file(Kind::make_directory, Status::ok), other);
  table.event("file_done(directory not made)", file(Kind::make_directory, Status::exists), other);
  table.event("file_done(manifest published)", file(Kind::publish_manifest, Status::ok), other);
  table.event("file_done(manifest not published)", file(Kind::publish_manifest, Status::no_space), other);
  table.event("file_done(report)", file(Kind::read_report, Status::ok), "no report is being read");
  table.event("file_done(reason)", file(Kind::read_reason, Status::ok), "it has a meaning before READY only");
  table.event("file_done(manifest removed)", file(Kind::remove_manifest, Status::ok), other);
  table.event("file_done(directory not removed)", file(Kind::remove_directory, Status::denied), other);
  table.event("page_opened(created)", event::PageOpened{now, desk.op(Kind::create_page), Status::ok, layout::page_bytes, {}},
              other);
  table.event("page_opened(no space)", event::PageOpened{now, desk.op(Kind::create_page), Status::no_space, 0, {}}, other);
  table.event("spawned", event::Spawned{now, desk.op(Kind::spawn), Status::ok, {launcher_pid, 10}, {}}, other);
  table.event("spawned(not found)", event::Spawned{now, desk.op(Kind::spawn), Status::not_found, {}, {}}, other);
  auto word = [&](Kind kind, Word which, std::uint32_t value) { return event::WordChanged{now, desk.op(kind), which, value}; };
  table.event("word_changed(READY)", word(Kind::watch_group, group_word, 1), "the word is the channel's after READY");
  table.event("word_changed(TERMINAL)", word(Kind::watch_group, group_word, 2), "the word is the channel's after READY");
  table.event("word_changed(77)", word(Kind::watch_group, group_word, 77), "the word is the channel's after READY");
  table.event("word_changed(error length)", word(Kind::error_length, error_length_word, 10), other);
  table.event("copied", event::Copied{now, desk.op(Kind::copy_reason), Blob("reason")}, other);
  table.event("copied(reserved bytes)", event::Copied{now, desk.op(Kind::copy_reserved), Blob("reserved")},
              "another part is missing, or none was asked for");
  table.event("swapped", event::Swapped{now, desk.op(Kind::condemn), 1}, "the start has failed whoever won");
  table.event("files_changed", event::FilesChanged{now, desk.op(Kind::watch_directory)}, "READY, and no report is missing");
  table.event("files_listed", event::FilesListed{now, desk.op(Kind::list_directory), Status::ok, {}}, "no list is under way");
  table.event("process_exited(rank 0)", event::ProcessExited{now, desk.op(Kind::watch_rank, 0), -1, -1},
              "known already, or not reported");
  table.event("process_exited(launcher)", event::ProcessExited{now, desk.op(Kind::spawn), 1, 0}, "known already, or not spawned");
  table.event("processes_inspected(start)", event::ProcessesInspected{now, desk.op(Kind::inspect_start), Blob("RRR")}, other);
  table.event("processes_inspected(survivors)", event::ProcessesInspected{now, desk.op(Kind::inspect_survivors), Blob("RRR")},
              other);
  table.event("parent_exited", event::ParentExited{now}, "who started the parent does not own the group");
  table.event("timer_fired(start deadline)", timer(Kind::start_deadline),
              "cancelled when the start is over; some steps are bounded by themselves");
  table.event("timer_fired(grace)", timer(Kind::grace), "armed by an exit only");
  table.event("timer_fired(patience)", timer(Kind::patience), "armed where an answer is awaited");
  table.event("told(who is to blame)", told(plain_note(NoteKind::who_is_to_blame)));
  table.event("told(group ended)", told(text_note(NoteKind::group_ended, Blob("gone"))), "no group, or it is being ended");
  table.event("told(group closed)", told(plain_note(NoteKind::group_closed)), "no group, or it is being ended");
  Note refused = answer_error(Status::timed_out, "DeadlineExceeded", "late");
  refused.ticket = 1;
  table.event("told(shutdown refused)", told(refused), "awaited in closing only");
  table.event("told(foreign)", told(plain_note(NoteKind::round)), "of no meaning here");
  table.expect_complete(all);
  table.expect_matches("launch");
}

}  // namespace
}  // namespace launch_golden_test
}  // namespace tenter::mailbox
