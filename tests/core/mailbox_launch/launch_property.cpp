// A Launch under any sequence of events: it never asks twice, never forgets a call, and once its timers have run out, nothing
// that it made is left. A failure prints RC_PARAMS="reproduce=..." to run it again.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "launch_kit.hpp"

namespace tenter::mailbox {
namespace launch_property {
namespace {

using namespace tenter::mailbox::kit;

constexpr std::uint32_t world = 2;

// What exists in the world because of the machine's actions.
struct Account {
  std::set<std::string> pages, directories, manifests;
  bool spawned = false;
  std::size_t seen = 0;

  void read(const std::vector<Action>& actions) {
    for (; seen < actions.size(); ++seen) {
      if (const auto* a = std::get_if<action::CreatePage>(&actions[seen])) RC_ASSERT(pages.emplace(a->page_name.text()).second);
      if (const auto* a = std::get_if<action::UnlinkPage>(&actions[seen]))
        RC_ASSERT(pages.erase(std::string(a->page_name.text())) == 1u);
      if (const auto* a = std::get_if<action::MakeDirectory>(&actions[seen]))
        RC_ASSERT(directories.emplace(a->path.text()).second);
      if (const auto* a = std::get_if<action::RemoveDirectory>(&actions[seen]))
        RC_ASSERT(directories.erase(std::string(a->path.text())) == 1u);
      if (const auto* a = std::get_if<action::PublishFile>(&actions[seen])) RC_ASSERT(manifests.emplace(a->path.text()).second);
      if (const auto* a = std::get_if<action::RemoveFile>(&actions[seen]))
        RC_ASSERT(manifests.erase(std::string(a->path.text())) == 1u);
      if (std::holds_alternative<action::Spawn>(actions[seen])) {
        RC_ASSERT(!spawned);
        spawned = true;
      }
    }
  }
};

struct Script {
  Desk desk{world};
  Account account;
  std::uint64_t tickets = 0;

  LaunchState state() const { return desk.machine.state(); }

  // One event, legal or not, that the ports could produce for some operation of this attempt.
  void step(int kind, int detail) {
    const std::uint32_t rank = static_cast<std::uint32_t>(detail) % (world + 1);
    const Status status = detail % 3 == 0 ? Status::failed : Status::ok;
    static constexpr Kind timers[] = {Kind::start_deadline, Kind::grace, Kind::patience};
    static constexpr Kind files[] = {Kind::make_directory, Kind::publish_manifest, Kind::remove_manifest, Kind::remove_directory};
    static constexpr Kind looks[] = {Kind::inspect_start, Kind::inspect_blame, Kind::inspect_survivors};
    static constexpr NoteKind notes[] = {NoteKind::who_is_to_blame, NoteKind::group_ended, NoteKind::group_closed,
                                         NoteKind::round};
    switch (kind) {
      case 0:
        return desk.stop(++tickets, milliseconds(detail));
      case 1:
        return desk.random();
      case 2:
        return desk.host();
      case 3: {  // a refused step made nothing
        const Kind file = files[detail % 4];
        const bool refused = status != Status::ok;
        if (refused && file == Kind::make_directory && state() == LaunchState::making_directory) account.directories.clear();
        if (refused && file == Kind::publish_manifest && state() == LaunchState::publishing_manifest) account.manifests.clear();
        return desk.file(file, status, "cause");
      }
      case 4:
        if (status != Status::ok && state() == LaunchState::creating_page) account.pages.clear();
        return desk.page_created(status);
      case 5:
        return desk.spawned(status);
      case 6:
        return desk.report(rank);
      case 7:
        return desk.deliver(event::WordChanged{desk.now, desk.op(Kind::watch_group), group_word, 1 + rank});
      case 8:
        return desk.rank_exits(rank);
      case 9:
        return desk.launcher_exits(detail % 2);
      case 10:
        return desk.inspected(looks[detail % 3], detail % 2 == 0 ? "TRX" : "");
      case 11:
        return desk.told(text_note(notes[detail % 4], encode_error(1, "RankLost", "gone")));
      case 12:
        return desk.list({"rank-0", "start-failure", "rank-1"});
      case 13:
        return desk.file(Kind::read_report, status, write_report({rank, {200 + rank, 20}}).text(), rank);
      case 14:
        if (detail % 2 == 0) return detail % 4 == 0 ? desk.header() : desk.header(Blob(std::string(256, 'x')));
        return desk.deliver(event::Copied{desk.now, desk.op(Kind::copy_reason), encode_error(0, "Error", "why")});
      case 15:
        return desk.start(++tickets);
      default: {
        const Op op = desk.op(timers[detail % 3]);
        if (desk.timers.contains(op)) desk.fire(timers[detail % 3]);
      }
    }
  }

  // Nothing answers any more: only timers fire, earliest first.
  void run_out() {
    for (int i = 0; i < 64 && !desk.timers.empty(); ++i) {
      auto next = desk.timers.begin();
      for (auto t = desk.timers.begin(); t != desk.timers.end(); ++t)
        if (t->second < next->second) next = t;
      const Op op = next->first;
      desk.now = std::max(desk.now, next->second);
      desk.timers.erase(next);
      desk.deliver(event::TimerFired{desk.now, op});
      account.read(desk.actions);
    }
  }
};

RC_GTEST_PROP(LaunchProperty, every_call_is_answered_once_and_nothing_is_left_whatever_happens, ()) {
  Script script;
  const LaunchState way =
      *rc::gen::element(LaunchState::drawing, LaunchState::creating_page, LaunchState::spawning, LaunchState::awaiting_ready,
                        LaunchState::running, LaunchState::closing, LaunchState::leaving);
  script.desk.go(way);
  script.account.read(script.desk.actions);
  script.tickets = 2;
  const bool stopped = way >= LaunchState::closing;
  const auto steps = *rc::gen::scale(
      2.0, rc::gen::container<std::vector<std::pair<int, int>>>(rc::gen::pair(rc::gen::inRange(0, 17), rc::gen::inRange(0, 12))));
  for (const auto& [kind, detail] : steps) {
    if (script.desk.machine.state() == LaunchState::idle) break;  // another attempt is another case
    script.step(kind, detail);
    script.account.read(script.desk.actions);
  }
  script.run_out();
  // A group that runs well has no timer; the shutdown ends it.
  if (script.desk.machine.state() == LaunchState::running) script.desk.stop(++script.tickets);
  script.run_out();

  const LaunchState state = script.desk.machine.state();
  RC_TAG(std::string(to_string(state)));
  RC_ASSERT(state == LaunchState::idle || state == LaunchState::ended);
  RC_ASSERT(script.desk.timers.empty());
  RC_ASSERT(script.account.pages.empty() && script.account.directories.empty() && script.account.manifests.empty());
  for (std::uint64_t ticket = 1; ticket <= script.tickets; ++ticket)
    RC_ASSERT(script.desk.is_complete(ticket) == (ticket != 2 || stopped));
}

}  // namespace
}  // namespace launch_property
}  // namespace tenter::mailbox
