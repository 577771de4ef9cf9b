#include "cli/protocols/mailbox/wait_rules.hpp"

#include <algorithm>

namespace tenter::protocols {

using namespace mailbox;

namespace {

// The longest that anything may be waited for, by who waits for what: docs/defaults.md, and 60 s for what a caller chooses.
constexpr Duration by_the_caller = seconds(60);

Duration longest(MachineKind machine, Op op) {
  switch (machine) {
    case MachineKind::channel:
      return kind_of<ChannelOperation>(op) == ChannelOperation::patience ? ChannelConfig{}.blame_wait : by_the_caller;
    case MachineKind::rendezvous:
      return by_the_caller;
    case MachineKind::dispatcher:
      return DispatcherConfig{}.stall;
    case MachineKind::member:
      return MemberConfig{}.leave_wait;
    case MachineKind::launch:
      break;
  }
  const LaunchConfig config;
  return kind_of<LaunchOperation>(op) == LaunchOperation::grace ? config.grace : by_the_caller + config.answer_wait;
}

void add(std::vector<Op>& ops, Op op) {
  if (std::find(ops.begin(), ops.end(), op) == ops.end()) ops.push_back(op);
}

}  // namespace

// ---------------------------------------------------------------- what came, what was asked for

void WaitRules::came(const Judged& judged, const event::TimerFired& e) { std::erase(of(judged).timers, e.op); }
void WaitRules::came(const Judged& judged, const event::WordChanged& e) {
  Awaited& awaited = of(judged);
  std::erase(awaited.watches, e.op);
  if (e.word == group_word && e.value == number(GroupState::closed)) awaited.closed_seen = true;
}
void WaitRules::came(const Judged&, const event::FilesChanged&) { directory_watched_ = false; }
void WaitRules::came(const Judged&, const event::ProcessExited&) { exit_seen_ = true; }
void WaitRules::came(const Judged& judged, const event::Submitted&) {
  if (judged.is(MachineKind::channel)) ++open_calls_;
}
void WaitRules::came(const Judged& judged, const event::Told& e) {
  if (judged.is(MachineKind::channel) && is(e.note, NoteKind::request)) ++open_calls_;
}

void WaitRules::made(const Judged& judged, const action::Arm& a) {
  add(of(judged).timers, a.op);
  if (judged.is(MachineKind::channel) && kind_of<ChannelOperation>(a.op) == ChannelOperation::deadline) owes_deadline_ = false;
  if (judged.is(MachineKind::launch) && kind_of<LaunchOperation>(a.op) == LaunchOperation::patience) owes_limit_ = false;
  const Duration wait = a.when - judged.now;
  if (number(wait) > number(longest(judged.kind, a.op)))
    judged.fail(wait_property, "arms a timer for " + std::to_string(number(wait) / 1'000'000) + " ms");
}
void WaitRules::made(const Judged& judged, const action::Publish& a) {
  if (judged.is(MachineKind::channel) && a.word == request_word && a.value != number(RequestState::task_failed))
    owes_deadline_ = true;  // of this request, not what was left of the last one's
}
void WaitRules::made(const Judged& judged, const action::Cancel& a) { std::erase(of(judged).timers, a.op); }
void WaitRules::made(const Judged& judged, const action::Watch& a) { add(of(judged).watches, a.op); }
void WaitRules::made(const Judged& judged, const action::Unwatch& a) { std::erase(of(judged).watches, a.op); }
void WaitRules::made(const Judged& judged, const action::ClosePage&) {  // no watch of this process is answered any more
  if (judged.process() == 0) awaited_[static_cast<std::size_t>(MachineKind::channel)].watches.clear();
  of(judged).watches.clear();
}
void WaitRules::made(const Judged&, const action::RemoveDirectory&) { owes_limit_ = true; }
void WaitRules::made(const Judged&, const action::WatchFiles&) { directory_watched_ = true; }
void WaitRules::made(const Judged& judged, const action::ListFiles&) { directory_must_be_watched(judged); }
void WaitRules::made(const Judged& judged, const action::Spawn&) { directory_must_be_watched(judged); }
void WaitRules::directory_must_be_watched(const Judged& judged) const {
  if (!directory_watched_) judged.fail(wait_property, "a report could be missed: the directory is not watched before this");
}
void WaitRules::made(const Judged&, const action::WatchProcess& a) {
  if (kind_of<LaunchOperation>(a.op) == LaunchOperation::watch_rank) ++ranks_known_;
}
void WaitRules::made(const Judged& judged, const action::Tell& a) {
  if (judged.is(MachineKind::launch) && is(a.note, NoteKind::group_ready)) group_known_ = true;
  if (judged.is(MachineKind::channel) && is(a.note, NoteKind::answer) && open_calls_ > 0) --open_calls_;
}
void WaitRules::made(const Judged& judged, const action::Complete&) {
  if (judged.is(MachineKind::channel) && open_calls_ > 0) --open_calls_;
}

// ---------------------------------------------------------------- what each state must and must not wait for

const char* WaitRules::channel(ChannelState state) {
  if (state == ChannelState::waiting) lane_busy_ = true;
  if (state == ChannelState::idle || state >= ChannelState::terminal) lane_busy_ = false;
  const Awaited& a = awaited_[static_cast<std::size_t>(MachineKind::channel)];
  const bool in_lane = state >= ChannelState::waiting && state <= ChannelState::failing;
  const bool at_rest = state == ChannelState::starting || state == ChannelState::idle || state >= ChannelState::terminal;
  const bool asks = state == ChannelState::blaming || state == ChannelState::explaining;
  const bool queues = open_calls_ > (lane_busy_ ? 1u : 0u);
  const bool deadline = a.timer(ChannelOperation::deadline), lane = a.watch(ChannelOperation::lane),
             group = a.watch(ChannelOperation::group);
  if (in_lane && !deadline) return "waits without the deadline of its request";
  if (at_rest && deadline) return "still waits for the deadline of a request that is over";
  if (asks != a.timer(ChannelOperation::patience))
    return asks ? "waits without a limit to its patience" : "still waits for what it asked for";
  if (queues != a.timer(ChannelOperation::queue_deadline))
    return queues ? "waits without a deadline for its queue" : "still waits for the deadline of an empty queue";
  if (state >= ChannelState::idle && state <= ChannelState::failing && !a.closed_seen && !group)
    return "does not watch the group word";
  if ((state == ChannelState::waiting || state == ChannelState::accepted) && !lane) return "does not watch the request word";
  if (at_rest && lane) return "still watches for a request that is over";
  if (state >= ChannelState::terminal && (group || a.watch(ChannelOperation::error_length)))
    return "still watches a word of a group that is over";
  return nullptr;
}

// Watched until every rank has reported, the group word until READY.
const char* WaitRules::launch(const Judged& judged, LaunchState state) const {
  const Awaited& a = awaited_[static_cast<std::size_t>(MachineKind::launch)];
  const bool start = a.timer(LaunchOperation::start_deadline), grace = a.timer(LaunchOperation::grace),
             patience = a.timer(LaunchOperation::patience);
  const bool at_rest = state == LaunchState::idle || state == LaunchState::running || state == LaunchState::ended;
  if (at_rest && (start || grace || patience)) return "still waits for the end of a step that is over";
  if (!at_rest && !start && !grace && !patience) return "waits without a deadline";
  if (state > LaunchState::running && start) return "still waits for the start";
  if (grace && state != LaunchState::suspecting && state != LaunchState::closing) return "still waits for other exits";
  if (state == LaunchState::closing && exit_seen_ && !grace) return "gives no moment to what an exit means";
  if (state >= LaunchState::condemning && state <= LaunchState::cleaning && !patience)
    return "waits without a limit to its patience";
  if (state == LaunchState::awaiting_ready && !a.watch(LaunchOperation::watch_group)) return "does not watch the group word";
  if (state >= LaunchState::running && group_known_ && !a.watches.empty()) return "still watches a word of the start";
  if (state < LaunchState::awaiting_ready || state > LaunchState::surveying || directory_watched_) return nullptr;
  const auto* launcher = judged.view.world().launcher("mpiexec");
  return launcher && ranks_known_ < launcher->ranks ? "misses the report of a rank: the directory is not watched" : nullptr;
}

const char* WaitRules::rendezvous(RendezvousState state) const {
  const bool waits = !awaited_[static_cast<std::size_t>(MachineKind::rendezvous)].timers.empty();
  if (waits && (state == RendezvousState::empty || state == RendezvousState::ended))
    return "still waits for the deadline of a member that is gone";
  return state == RendezvousState::gathering && !waits ? "waits without a member's deadline" : nullptr;
}

const char* WaitRules::member(const Judged& judged) const {
  const bool leaving = judged.is_now<MemberState>() == MemberState::leaving;
  if (!leaving) return nullptr;  // nothing else of it ever waits, and its process ends with it
  const bool patience = awaited_[static_cast<std::size_t>(MachineKind::member)].timer(MemberOperation::patience);
  return patience ? nullptr : "waits without a limit to its patience";
}

const char* WaitRules::dispatcher(DispatcherState state, DispatcherState before) const {
  const Awaited& a = awaited_[static_cast<std::size_t>(MachineKind::dispatcher)];
  const bool stall = a.timer(DispatcherOperation::stall);
  if (state != DispatcherState::parked && stall) return "still waits for an answer to be taken";
  if (state == DispatcherState::parked && before == DispatcherState::completing && !stall)
    return "waits without a limit for its answer to be taken";
  if (state == DispatcherState::parked && !a.watch(DispatcherOperation::lane)) return "does not watch the request word";
  const bool standing = state >= DispatcherState::parked && state <= DispatcherState::completing;
  if (standing && !a.closed_seen && !a.watch(DispatcherOperation::group)) return "does not watch the group word";
  if (state == DispatcherState::left && !a.watches.empty()) return "still watches a word of a page that it has left";
  return nullptr;
}

// The queue's timer stands at the earliest deadline in it, so somebody's time is over when it fires.
const char* WaitRules::channel_woke(const Judged& judged) const {
  if (owes_deadline_) return "publishes a request without arming its deadline";
  const auto* fired = judged.event<event::TimerFired>();
  if (!fired || kind_of<ChannelOperation>(fired->op) != ChannelOperation::queue_deadline) return nullptr;
  const bool answers = judged.any_action([](const Action& action) {
    const auto* tell = std::get_if<action::Tell>(&action);
    return std::holds_alternative<action::Complete>(action) || (tell && is(tell->note, NoteKind::answer));
  });
  return answers ? nullptr : "is woken for its queue, where nobody's time is over";
}

// A step of the end has a limit of its own, not what was left of the step before.
const char* WaitRules::launch_entered(const Judged& judged) const {
  const auto now = judged.is_now<LaunchState>();
  if (now == LaunchState::cleaning && owes_limit_) return "cleans up without a limit of its own";
  const bool limited = now == LaunchState::explaining || now == LaunchState::inspecting ||
                       (now >= LaunchState::condemning && now <= LaunchState::cleaning);
  if (!limited || now == judged.was<LaunchState>()) return nullptr;
  const bool arms = judged.any_action([](const Action& action) {
    const auto* arm = std::get_if<action::Arm>(&action);
    return arm && kind_of<LaunchOperation>(arm->op) == LaunchOperation::patience;
  });
  return arms ? nullptr : "begins a step without arming its limit";
}

void WaitRules::after(const Judged& judged) {
  const char* wrong = nullptr;
  switch (judged.kind) {
    case MachineKind::channel:
      wrong = channel(judged.is_now<ChannelState>());
      if (!wrong) wrong = channel_woke(judged);
      break;
    case MachineKind::rendezvous:
      wrong = rendezvous(judged.is_now<RendezvousState>());
      break;
    case MachineKind::launch:
      wrong = launch(judged, judged.is_now<LaunchState>());
      if (!wrong) wrong = launch_entered(judged);
      break;
    case MachineKind::member:
      wrong = member(judged);
      break;
    case MachineKind::dispatcher:
      wrong = dispatcher(judged.is_now<DispatcherState>(), judged.was<DispatcherState>());
      break;
  }
  if (wrong) judged.fail(wait_property, wrong);
}

}  // namespace tenter::protocols
