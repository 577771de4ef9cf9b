// Drives a Launch step by step and keeps account of what it asked for: actions in order, timers, answers.
#pragma once
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/mailbox/error_list.hpp"
#include "core/mailbox/launch.hpp"

namespace tenter::mailbox::kit {

using Kind = LaunchOperation;

// Short names of actions, as the expectations list them.
inline std::string brief(const Action& action) {
  if (const auto* a = std::get_if<action::KillProcesses>(&action)) {
    std::string text = "kill " + std::to_string(a->signal) + ":";
    for (const ProcessId& process : a->processes) text += " " + std::to_string(process.pid);
    return text;
  }
  if (const auto* a = std::get_if<action::Complete>(&action))
    return "complete " + std::to_string(number(a->ticket)) + " " + to_string(a->outcome.status);
  if (const auto* a = std::get_if<action::Tell>(&action))
    return "tell " + std::to_string(number(a->to)) + " " + std::to_string(a->note.kind);
  if (const auto* a = std::get_if<action::RemoveFile>(&action)) return "remove_file " + std::string(a->path.text());
  if (const auto* a = std::get_if<action::RemoveDirectory>(&action)) return "remove_directory " + std::string(a->path.text());
  if (const auto* a = std::get_if<action::UnlinkPage>(&action)) return "unlink_page " + std::string(a->page_name.text());
  return std::string(name_of(action));
}

inline const std::string hex = "000102030405060708090a0b0c0d0e0f";
inline const std::string directory = "group-" + hex;
inline const std::string page = "tenter-mailbox-" + hex;
constexpr std::uint64_t launcher_pid = 100;  // ranks: 200 + K

struct Desk {
  explicit Desk(std::uint32_t ranks = 2) : machine(config(ranks)), world(ranks) {}

  static LaunchConfig config(std::uint32_t ranks) {
    LaunchConfig config;
    config.world = ranks;
    return config;
  }
  StartSpec spec() const {
    return {world, seconds(10), Blob("/run/tenter"), Parts{Blob("mpiexec"), Blob("-n"), Blob("2"), Blob("tenter")},
            Parts{Blob("A=1")}};
  }
  Op op(Kind kind, std::uint32_t index = 0) const { return operation(kind, attempt, index); }

  template <class E>
  void deliver(const E& event) {
    Outbox out;
    machine.on(event, out);
    for (const Action& action : out.actions()) {
      actions.push_back(action);
      if (const auto* arm = std::get_if<action::Arm>(&action))
        timers[arm->op] = arm->when;
      else if (const auto* cancel = std::get_if<action::Cancel>(&action))
        timers.erase(cancel->op);
      else
        log.push_back(brief(action));
      if (const auto* done = std::get_if<action::Complete>(&action)) {
        EXPECT_TRUE(outcomes.emplace(number(done->ticket), done->outcome).second)
            << "ticket " << number(done->ticket) << " twice";
      }
    }
  }
  // What was asked for since the last call, timers aside.
  std::vector<std::string> take() { return std::exchange(log, {}); }

  void start(std::uint64_t ticket = 1) { deliver(event::Submitted{now, Ticket{ticket}, start_call(spec())}); }
  void stop(std::uint64_t ticket, Duration patience = {}) { deliver(event::Submitted{now, Ticket{ticket}, stop_call(patience)}); }
  void random() {
    deliver(event::RandomBytes{now, op(Kind::draw), Blob(16, [](MutableBytes to) {
                                 for (std::size_t i = 0; i < 16; ++i) to[i] = static_cast<std::byte>(i);
                               })});
  }
  void host() { deliver(event::HostDescribed{now, op(Kind::describe), {50, 5}, 1000, Blob("node7")}); }
  void file(Kind kind, Status status = Status::ok, std::string_view content = "", std::uint32_t index = 0) {
    deliver(event::FileDone{now, op(kind, index), status, Blob(content)});
  }
  void page_created(Status status = Status::ok, std::uint64_t bytes = layout::page_bytes) {
    deliver(event::PageOpened{now, op(Kind::create_page), status, bytes, Blob("the cause")});
  }
  void spawned(Status status = Status::ok) {
    deliver(event::Spawned{now, op(Kind::spawn), status, {launcher_pid, 10}, Blob("the cause")});
  }
  void report(std::uint32_t rank) {
    deliver(event::FilesChanged{now, op(Kind::watch_directory)});
    list({report_name(rank)});
    file(Kind::read_report, Status::ok, write_report({rank, {200 + rank, 20}}).text(), rank);
  }
  void list(const std::vector<std::string>& names) {
    std::vector<Blob> blobs;
    for (const std::string& name : names) blobs.emplace_back(std::string_view(name));
    deliver(event::FilesListed{now, op(Kind::list_directory), Status::ok, Parts(std::move(blobs))});
  }
  void group(GroupState state) { deliver(event::WordChanged{now, op(Kind::watch_group), group_word, number(state)}); }
  // What READY asks for: the header without its words, in three parts.
  void header(const Blob& bytes) {
    const auto part = [&](Kind kind, std::uint64_t from, std::uint64_t to) {
      deliver(event::Copied{now, op(kind), Blob(bytes.bytes().subspan(from, to - from))});
    };
    part(Kind::copy_identity, 0, layout::group_state.offset);
    part(Kind::copy_fields, layout::gap.offset, layout::error_length.offset);
    part(Kind::copy_reserved, layout::reserved.offset, layout::header_bytes);
  }
  void header() { header(encode_header(fresh_header(world))); }
  void rank_exits(std::uint32_t rank) { deliver(event::ProcessExited{now, op(Kind::watch_rank, rank), -1, -1}); }
  void launcher_exits(std::int32_t code, std::int32_t signal = 0) {
    deliver(event::ProcessExited{now, op(Kind::spawn), code, signal});
  }
  void inspected(Kind kind, std::string_view letters) { deliver(event::ProcessesInspected{now, op(kind), Blob(letters)}); }
  void told(Note note) { deliver(event::Told{now, channel_role, std::move(note)}); }
  void group_ended(std::string_view why) {
    told(text_note(NoteKind::group_ended, encode_error(1, "RankLost", std::string(why))));
  }
  void fire(Kind kind) {
    ASSERT_TRUE(timers.contains(op(kind))) << "this timer is not armed";
    now = std::max(now, timers[op(kind)]);
    timers.erase(op(kind));
    deliver(event::TimerFired{now, op(kind)});
  }
  void removed() {
    file(Kind::remove_manifest);
    file(Kind::remove_directory);
  }

  // The way through a start, up to a state.
  void go(LaunchState to) {
    const std::vector<std::pair<LaunchState, void (*)(Desk&)>> steps = {
        {LaunchState::drawing, [](Desk& d) { d.start(); }},
        {LaunchState::describing, [](Desk& d) { d.random(); }},
        {LaunchState::making_directory, [](Desk& d) { d.host(); }},
        {LaunchState::creating_page, [](Desk& d) { d.file(Kind::make_directory); }},
        {LaunchState::publishing_manifest, [](Desk& d) { d.page_created(); }},
        {LaunchState::spawning, [](Desk& d) { d.file(Kind::publish_manifest); }},
        {LaunchState::awaiting_ready, [](Desk& d) { d.spawned(); }},
        {LaunchState::running,
         [](Desk& d) {
           for (std::uint32_t rank = 0; rank < d.world; ++rank) d.report(rank);
           d.group(GroupState::ready);
           d.header();
         }},
        {LaunchState::closing, [](Desk& d) { d.stop(2, seconds(3)); }},
        {LaunchState::leaving, [](Desk& d) { d.told(plain_note(NoteKind::group_closed)); }},
    };
    for (const auto& [state, step] : steps) {
      step(*this);
      ASSERT_EQ(machine.state(), state);
      if (state == to) return;
    }
    FAIL() << "no way there";
  }

  bool is_complete(std::uint64_t ticket) const { return outcomes.contains(ticket); }
  Note outcome(std::uint64_t ticket) const {
    EXPECT_TRUE(is_complete(ticket)) << "ticket " << ticket << " has no answer";
    return is_complete(ticket) ? outcomes.at(ticket) : Note{};
  }
  std::string errors(std::uint64_t ticket) const { return text_of_errors(decode_error_list(outcome(ticket).text.bytes())); }
  template <class A>
  const A* last() const {
    for (auto a = actions.rbegin(); a != actions.rend(); ++a)
      if (const auto* found = std::get_if<A>(&*a)) return found;
    return nullptr;
  }

  Launch machine;
  std::uint32_t world;
  std::uint32_t attempt = 1;
  Time now{1'000'000};
  std::vector<Action> actions;
  std::vector<std::string> log;
  std::map<Op, Time> timers;
  std::map<std::uint64_t, Note> outcomes;
};

inline ::testing::AssertionResult names(std::string_view text, std::string_view what) {
  if (text.find(what) != std::string_view::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "'" << what << "' is not in: " << text;
}

}  // namespace tenter::mailbox::kit
