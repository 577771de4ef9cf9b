// Drives a Supervisor step by step; the test plays the gate, the launcher and the operating system.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/control/supervisor.hpp"

namespace tenter::control::kit {

using Kind = SupervisorOperation;
using State = SupervisorState;

inline std::string brief_text(const Action& action) {
  if (const auto* a = std::get_if<action::KillProcesses>(&action)) {
    std::string text = "kill " + std::to_string(a->signal) + ":";
    for (const ProcessId& process : a->processes) text += " " + std::to_string(process.pid);
    return text;
  }
  if (const auto* a = std::get_if<action::Complete>(&action))
    return "complete " + std::to_string(number(a->ticket)) + " " + to_string(a->outcome.status);
  if (const auto* a = std::get_if<action::Tell>(&action)) return "tell gate " + std::to_string(a->note.kind);
  return std::string(name_of(action));
}

// What a supervisor has done.
struct Done {
  void perform(const std::vector<Action>& all) {
    for (const Action& action : all) {
      actions.push_back(action);
      if (const auto* a = std::get_if<action::Arm>(&action))
        timers[a->op] = a->when;
      else if (const auto* c = std::get_if<action::Cancel>(&action))
        timers.erase(c->op);
      else
        log.push_back(brief_text(action));
      if (const auto* a = std::get_if<action::Complete>(&action)) {
        EXPECT_TRUE(outcomes.emplace(number(a->ticket), a->outcome).second) << "a call is answered twice";
      }
      if (const auto* a = std::get_if<action::PublishFile>(&action)) files[std::string(a->path.text())] = a->content;
      if (const auto* a = std::get_if<action::Spawn>(&action)) spawned.push_back(*a);
    }
  }
  std::vector<std::string> take() { return std::exchange(log, {}); }

  bool is_complete(std::uint64_t ticket) const { return outcomes.contains(ticket); }
  Note outcome(std::uint64_t ticket) const { return is_complete(ticket) ? outcomes.at(ticket) : Note{}; }
  std::string why(std::uint64_t ticket) const { return std::string(outcome(ticket).text.text()); }

  std::vector<Action> actions;
  std::vector<std::string> log;
  std::map<Op, Time> timers;
  std::map<std::uint64_t, Note> outcomes;
  std::map<std::string, Blob> files;
  std::vector<action::Spawn> spawned;
};

// Ranks 0..2 on `host`; the supervisor is on node-a. Launcher: pid 100; rank K: pid 200 + K.
template <class M>
struct OfficeOf : Done {
  explicit OfficeOf(std::string_view host = "node-a", LauncherFamily family = LauncherFamily::hydra) {
    Topology topology;
    topology.controller_host = std::string(host);
    topology.executors.resize(2);
    for (std::uint32_t i = 0; i < 2; ++i) {
      topology.executors[i].rank = i + 1;
      topology.executors[i].worker = i;
      topology.executors[i].host = std::string(host);
    }
    topology.startup_timeout = seconds(10);
    spec.topology = print_topology(topology);
    spec.root = "/run/tenter";
    spec.plan.family = family;
    spec.plan.program = {"tenter", "member"};
  }

  template <class E>
  void deliver(const E& event) {
    Outbox out;
    machine.on(event, out);
    perform(out.actions());
  }
  static Op op(Kind kind, std::uint64_t which = 0) { return start_operation(kind, which); }

  void start(std::uint64_t ticket = 1) { deliver(event::Submitted{now, Ticket{ticket}, job_call(spec)}); }
  void stop(std::uint64_t ticket) { deliver(event::Submitted{now, Ticket{ticket}, start_note(StartNote::stop)}); }
  void wait(std::uint64_t ticket) { deliver(event::Submitted{now, Ticket{ticket}, start_note(StartNote::wait)}); }
  void host() { deliver(event::HostDescribed{now, op(Kind::describe), {50, 5}, 1000, Blob(std::string_view("node-a"))}); }
  void random(std::size_t bytes = token_bytes + name_bytes) {
    deliver(event::RandomBytes{now, op(Kind::draw), Blob(bytes, [](MutableBytes to) {
                                 for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<std::byte>(i);
                               })});
  }
  void told(Note note) { deliver(event::Told{now, gate_role, std::move(note)}); }
  void listening() { told(start_note(StartNote::gate_listening, Status::ok, "node-a:4711")); }
  void written(Status status = Status::ok) {
    if (status != Status::ok) files.clear();  // a publish that fails leaves nothing
    deliver(event::FileDone{now, op(Kind::write_hosts), status, Blob(std::string_view(status == Status::ok ? "" : "the cause"))});
  }
  void removed(Status status = Status::ok) {
    if (status == Status::ok) files.clear();
    deliver(
        event::FileDone{now, op(Kind::remove_hosts), status, Blob(std::string_view(status == Status::ok ? "" : "the cause"))});
  }
  void spawns(Status status = Status::ok) {
    deliver(
        event::Spawned{now, op(Kind::spawn), status, {100, 1}, Blob(std::string_view(status == Status::ok ? "" : "the cause"))});
  }
  void seen(std::uint32_t rank, std::string_view on = "node-a") { told(rank_seen_note(rank, {200 + rank, 2}, on)); }
  void passed() { told(start_note(StartNote::gate_passed)); }
  void gate_fails(Status status, std::string_view text, std::string_view culprit = "rank 1 on node-a never reported") {
    Note note = start_note(StartNote::gate_failed, status, text);
    if (!culprit.empty()) note.parts = Parts{Blob(culprit)};
    told(note);
  }
  void rank_exits(std::uint32_t rank) { deliver(event::ProcessExited{now, op(Kind::watch_rank, rank), -1, -1}); }
  void launcher_exits(std::int32_t code, std::int32_t signal = 0) {
    deliver(event::ProcessExited{now, op(Kind::spawn), code, signal});
  }
  void fire(Kind kind) {
    ASSERT_TRUE(timers.contains(op(kind))) << "this timer is not armed";
    now = std::max(now, timers[op(kind)]);
    timers.erase(op(kind));
    deliver(event::TimerFired{now, op(kind)});
  }

  void go(State to) {
    const bool hydra = spec.plan.family == LauncherFamily::hydra;
    if (to >= State::describing) start();
    if (to >= State::drawing) host();
    if (to >= State::opening) random();
    if (to >= State::writing) listening();
    if (to >= State::spawning && hydra) written();
    if (to >= State::gathering) spawns();
    if (to >= State::suspecting)
      for (std::uint32_t rank = 0; rank < 3; ++rank) seen(rank);
    if (to == State::suspecting) rank_exits(1);
    if (to >= State::running) passed();
    if (to == State::leaving) rank_exits(1);
    if (to >= State::terminating) stop(99);
    if (to >= State::killing) fire(Kind::patience);
    if (to >= State::cleaning) fire(Kind::patience);
    if (to >= State::ended) removed();
    EXPECT_EQ(machine.state(), to == State::writing && !hydra ? State::spawning : to);
  }

  JobSpec spec;
  M machine;
  Time now{-3'000'000'000};
};
using Office = OfficeOf<Supervisor>;

inline ::testing::AssertionResult names(std::string_view text, std::string_view what) {
  if (text.find(what) != std::string_view::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "'" << what << "' is not in: " << text;
}

}  // namespace tenter::control::kit
