#include "cli/protocols/mailbox/duty_rules.hpp"

#include <algorithm>

#include "core/mailbox/layout.hpp"
#include "core/mailbox/manifest.hpp"
#include "core/text.hpp"

namespace tenter::protocols {

using namespace mailbox;

// ---------------------------------------------------------------- processes

void DutyRules::came(const Judged& judged, const event::Spawned& e) {
  if (judged.is(MachineKind::launch) && e.status == Status::ok) alive_.push_back({e.op, e.process});
}
void DutyRules::made(const Judged&, const action::WatchProcess& a) { alive_.push_back({a.op, a.process}); }
void DutyRules::came(const Judged&, const event::ProcessExited& e) {
  std::erase_if(alive_, [&](const Known& known) { return known.op == e.op; });
}
void DutyRules::made(const Judged&, const action::InspectProcesses& a) { look_ = a.op; }

void DutyRules::made(const Judged& judged, const action::KillProcesses& a) {
  if (a.signal != 9 && a.signal != 15) judged.fail(kill_property, "sends signal " + text_of(a.signal));
  if (signalled_step_ != judged.step.number) signalled_.clear();
  signalled_step_ = judged.step.number;
  for (const ProcessId& id : a.processes) {
    if (std::find(signalled_.begin(), signalled_.end(), id) != signalled_.end())
      judged.fail(kill_property, "signals process " + text_of(id.pid) + " twice at once");
    signalled_.push_back(id);
    if (std::none_of(alive_.begin(), alive_.end(), [&](const Known& known) { return known.process == id; }))
      judged.fail(kill_property, "signals process " + text_of(id.pid) + ", which it saw exit or never knew");
  }
}

// Entering terminating or killing, and when a rank is met only then.
void DutyRules::kills_all(const Judged& judged) const {
  const auto state = judged.is_now<LaunchState>();
  const bool begins = state != judged.was<LaunchState>() && (state == LaunchState::terminating || state == LaunchState::killing);
  const bool meets = state >= LaunchState::terminating && state <= LaunchState::cleaning && judged.acts<action::WatchProcess>();
  if (!begins && !meets) return;
  for (const Known& known : alive_) {
    if (!begins && known.op != alive_.back().op) continue;
    const bool signalled = judged.any_action([&](const Action& action) {
      const auto* kill = std::get_if<action::KillProcesses>(&action);
      return kill && std::find(kill->processes.begin(), kill->processes.end(), known.process) != kill->processes.end();
    });
    if (!signalled) judged.fail(kill_property, "does not signal process " + text_of(known.process.pid) + ", which is alive");
  }
}

// ---------------------------------------------------------------- calls and limits

void DutyRules::made(const Judged& judged, const action::Tell& a) {
  if (judged.is(MachineKind::launch) && is(a.note, NoteKind::group_ready)) attached_ = true;
  if (judged.process() != 0) return;
  if (is(a.note, NoteKind::request) && !calls_.emplace(number(judged.step.role), a.note.ticket).second)
    judged.fail(call_property, "sends request " + text_of(a.note.ticket) + " again, which is at the channel already");
  if (is(a.note, NoteKind::answer) && calls_.erase({number(a.to), a.note.ticket}) == 0)
    judged.fail(call_property, "answers request " + text_of(a.note.ticket) + ", which is not open");
}

void DutyRules::at_end(const sim::View& view, sim::Findings& findings) {
  if (calls_.empty() || view.world().process(0).life != sim::Life::running) return;
  findings.fail(
      sim::FindingKind::liveness, call_property,
      "request " + text_of(calls_.begin()->second) + " of role " + text_of(calls_.begin()->first) + " was not answered");
}

void DutyRules::came(const Judged& judged, const event::TimerFired& e) {
  if (judged.is(MachineKind::launch) && judged.was<LaunchState>() == LaunchState::cleaning &&
      kind_of<LaunchOperation>(e.op) == LaunchOperation::patience)
    judged.fail(duty_property, "waited in vain for what is removed, and the files answer always");
}

void DutyRules::made(const Judged& judged, const action::ReadFile& a) {
  const bool reasons = a.path.text().ends_with(start_failure_path().text());
  const std::uint64_t limit = reasons ? layout::error_bytes_max : manifest_bytes_max;
  if (a.limit > limit) judged.fail(limit_property, "reads up to " + text_of(a.limit) + " bytes, the limit is " + text_of(limit));
}
void DutyRules::made(const Judged& judged, const action::Duplicate& a) {
  if (a.from != world_communicator) judged.fail(limit_property, "duplicates another communicator than the world");
}
void DutyRules::made(const Judged& judged, const action::ExitProcess& a) {
  if (a.code != 0 && a.code != 1) judged.fail(exit_property, "exits with " + text_of(a.code));
  if (a.code == 0 && !a.orderly) judged.fail(exit_property, "exits with 0 without an orderly end");
}

// ---------------------------------------------------------------- what a machine owes after an event

const char* DutyRules::channel(const Judged& judged) const {
  const auto before = judged.was<ChannelState>(), now = judged.is_now<ChannelState>();
  if (now == before) return nullptr;
  if (now == ChannelState::terminal && before != ChannelState::starting && !judged.tells(launch_role, NoteKind::group_ended))
    return "does not tell that the group has ended";
  if (now == ChannelState::blaming && !judged.tells(launch_role, NoteKind::who_is_to_blame))
    return "does not ask for the culprit";
  if (now == ChannelState::closed && !judged.tells(launch_role, NoteKind::group_closed))
    return "does not tell that the group is closed";
  return nullptr;
}

const char* DutyRules::rendezvous(const Judged& judged) const {
  const auto* told = judged.event<event::Told>();
  if (!told || told->from != launch_role) return nullptr;
  return judged.is_now<RendezvousState>() == RendezvousState::ended ? nullptr : "goes on after the end of the group";
}

// What must not leave launch where it is.
const char* DutyRules::launch_heard(const Judged& judged) const {
  const auto before = judged.was<LaunchState>(), now = judged.is_now<LaunchState>();
  const bool lives = before >= LaunchState::suspecting && before <= LaunchState::leaving && attached_;
  if (const auto* told = judged.event<event::Told>()) {
    if (lives && is(told->note, NoteKind::group_ended) && now <= LaunchState::leaving)
      return "goes on after the end of the group";
    if (lives && before != LaunchState::leaving && is(told->note, NoteKind::group_closed) && now < LaunchState::leaving)
      return "goes on after the group was closed";
    if (is(told->note, NoteKind::who_is_to_blame) && !judged.acts<action::InspectProcesses>() &&
        !judged.tells(channel_role, NoteKind::culprit))
      return "does not look for the culprit";
  }
  if (const auto* inspected = judged.event<event::ProcessesInspected>())
    if (kind_of<LaunchOperation>(inspected->op) == LaunchOperation::inspect_blame && inspected->op == look_ &&
        before >= LaunchState::running && before <= LaunchState::leaving && !judged.tells(channel_role, NoteKind::culprit))
      return "does not tell the culprit";
  if (judged.event<event::ProcessExited>() && now == before &&
      (before == LaunchState::awaiting_ready || before == LaunchState::running))
    return "does not suspect anything after an exit";
  if (const auto* fired = judged.event<event::TimerFired>())
    if (now == before && before == LaunchState::suspecting && kind_of<LaunchOperation>(fired->op) != LaunchOperation::patience)
      return "suspects for ever";
  return nullptr;
}

const char* DutyRules::launch(const Judged& judged) const {
  const auto before = judged.was<LaunchState>(), now = judged.is_now<LaunchState>();
  if (const char* wrong = launch_heard(judged)) return wrong;
  if (now == before) return nullptr;
  const bool lived = attached_ && before >= LaunchState::suspecting && before < LaunchState::leaving;
  if (now == LaunchState::leaving && !judged.tells(rendezvous_role, NoteKind::group_closed))
    return "does not tell the members that the group is closed";
  const bool retreats = now == LaunchState::terminating || now == LaunchState::cleaning;
  if (lived && retreats && !judged.tells(rendezvous_role, NoteKind::group_ended) &&
      !judged.tells(rendezvous_role, NoteKind::group_closed))
    return "does not tell the members that the group has ended";
  return nullptr;
}

const char* DutyRules::member(const Judged& judged) const {
  const auto before = judged.was<MemberState>(), now = judged.is_now<MemberState>();
  const auto* told = judged.event<event::Told>();
  if (told && is(told->note, NoteKind::leave) && now != MemberState::left && now != MemberState::leaving &&
      now != MemberState::freeing)
    return "stays when it is told to leave";
  if (judged.event<event::ParentExited>() && now != MemberState::left) return "stays when the parent is gone";
  if (now == MemberState::left && before != MemberState::left && !judged.acts<action::ExitProcess>())
    return "leaves without exiting";
  return nullptr;
}

const char* DutyRules::dispatcher(const Judged& judged) const {
  const auto before = judged.was<DispatcherState>(), now = judged.is_now<DispatcherState>();
  const auto* changed = judged.event<event::WordChanged>();
  const bool serves = before >= DispatcherState::parked && before <= DispatcherState::completing;
  if (changed && serves && changed->word == group_word && changed->value == number(GroupState::terminal) &&
      now != DispatcherState::left)
    return "goes on in a group that is TERMINAL";
  if (now != DispatcherState::left || before == DispatcherState::left) return nullptr;
  if (!judged.acts<action::ClosePage>() && before != DispatcherState::opening) return "leaves the page mapped";
  const bool attached = before >= DispatcherState::parked;
  if (!judged.tells(member_role, attached ? NoteKind::leave : NoteKind::attached)) return "does not tell that it has left";
  return nullptr;
}

void DutyRules::after(const Judged& judged) {
  const char* wrong = nullptr;
  switch (judged.kind) {
    case MachineKind::channel:
      wrong = channel(judged);
      break;
    case MachineKind::rendezvous:
      wrong = rendezvous(judged);
      break;
    case MachineKind::launch:
      kills_all(judged);
      wrong = launch(judged);
      break;
    case MachineKind::member:
      wrong = member(judged);
      break;
    case MachineKind::dispatcher:
      wrong = dispatcher(judged);
      break;
  }
  if (wrong)
    judged.fail(judged.is(MachineKind::member) || judged.is(MachineKind::dispatcher) ? exit_property : duty_property, wrong);
}

}  // namespace tenter::protocols
