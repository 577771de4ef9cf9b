#include "cli/protocols/store/duty_monitor.hpp"

#include <algorithm>

#include "cli/protocols/store/store_workload.hpp"
#include "core/store/identity.hpp"
#include "core/store/notes.hpp"
#include "core/store/publisher.hpp"
#include "core/text.hpp"
#include "sim/world.hpp"

namespace tenter::protocols {

using namespace store;

namespace {

// A time-out is told to the Reader, which closes its endpoint and answers; each of these steps may be delayed by half a second.
constexpr Duration attach_slack = seconds(4);

bool is_collective(const Action& action) {
  return std::holds_alternative<action::Allgather>(action) || std::holds_alternative<action::Bcast>(action) ||
         std::holds_alternative<action::Barrier>(action) || std::holds_alternative<action::Gather>(action);
}

// open: the intents, rank 0's outcome. add: also the shards. close: also a barrier.
std::uint32_t collectives_of(CallKind kind) { return kind == CallKind::open ? 2 : 3; }

}  // namespace

void DutyMonitor::on_step(const sim::View& view, const sim::Step& step, sim::Findings& findings) {
  const sim::Process& process = view.world().process(step.process);
  may_stop_.try_emplace(step.process, process.stop_at != 0);
  if (const auto* submitted = std::get_if<event::Submitted>(&step.event)) {
    if (is(submitted->call, CallKind::update)) update(view, process.name, *submitted, step, findings);
    deadline(process.name, *submitted, step, findings);
  }
  if (step.role == reader_role) late_answers(process.name, step, findings);
  if (process.job.empty() || step.role != publisher_role) return;
  if (std::holds_alternative<event::RegionRegistered>(step.event)) region(process.name, step, findings);
  collective(view, process.name, step, findings);
}

void DutyMonitor::update(const sim::View& view, const std::string& who, const event::Submitted& submitted, const sim::Step& step,
                         sim::Findings& findings) {
  bool answered = false;
  std::size_t stores = 0;
  for (const Action& action : step.actions) {
    const auto* complete = std::get_if<action::Complete>(&action);
    answered = answered || complete;
    stores += std::holds_alternative<action::StoreRegion>(action) ? 1 : 0;
    if (answered && std::holds_alternative<action::StoreRegion>(action))
      return findings.safety(stored_first_property, who + " stores " + text_of(action) + " after its answer");
    if (!complete || complete->outcome.status != Status::ok) continue;
    const auto& workload = static_cast<const StoreWorkload&>(*view.world().workload());
    const StoreCall* call = workload.find(submitted.ticket);
    if (!call) continue;
    const bool versioned = workload.truth().variables()[call->variable].versioned;  // then each row is a store of its own
    const std::size_t wanted = versioned ? call->versions.size() : std::min<std::size_t>(call->versions.size(), 1);
    if (stores < wanted)
      return findings.safety(stored_whole_property, who + " answers " + workload.name_of(*call) + " after " +
                                                        std::to_string(stores) + " of " + std::to_string(wanted) + " stores");
  }
}

void DutyMonitor::late_answers(const std::string& who, const sim::Step& step, sim::Findings& findings) {
  if (const auto* fired = std::get_if<event::TimerFired>(&step.event))
    for (auto& [ticket, get] : gets_) get.passed = get.passed || (get.process == step.process && get.deadline == fired->op);
  for (const Action& action : step.actions) {
    const auto* complete = std::get_if<action::Complete>(&action);
    const auto get = complete ? gets_.find(complete->ticket) : gets_.end();
    if (get == gets_.end()) continue;
    if (get->second.passed && complete->outcome.status == Status::ok)
      return findings.fail(sim::FindingKind::liveness, deadline_kept_property, who + ": " + text_of(action));
    gets_.erase(get);
  }
}

// Whoever finds the identity, or hears of the region, has rows behind it.
void DutyMonitor::region(const std::string& who, const sim::Step& step, sim::Findings& findings) {
  bool identity = false, told = false;
  for (const Action& action : step.actions) {
    const auto* store = std::get_if<action::StoreRegion>(&action);
    const bool is_identity = store && store->offset == 0 && store->content.text().starts_with(identity_magic);
    const bool rows = (store && !is_identity) || std::holds_alternative<action::CopyToRegion>(action);
    if ((rows && (identity || told)) || (is_identity && told))
      return findings.safety(identity_last_property,
                             who + ": " + text_of(action) + " comes after " + (told ? "the exchange of shards" : "the identity"));
    identity = identity || is_identity;
    told = told || is_collective(action);
  }
}

void DutyMonitor::deadline(const std::string& who, const event::Submitted& submitted, const sim::Step& step,
                           sim::Findings& findings) {
  if (!is(submitted.call, CallKind::get) && !is(submitted.call, CallKind::join)) return;
  const Time when = submitted.now + Duration{submitted.call.a};
  const bool settled = std::any_of(step.actions.begin(), step.actions.end(), [&](const Action& action) {
    const auto* complete = std::get_if<action::Complete>(&action);
    const auto* arm = std::get_if<action::Arm>(&action);
    if (arm && arm->when == when && is(submitted.call, CallKind::get)) gets_[submitted.ticket] = {step.process, arm->op, false};
    return (complete && complete->ticket == submitted.ticket) || (arm && arm->when == when);
  });
  if (!settled)
    findings.safety(deadline_armed_property, who + " takes " + to_string(CallKind{submitted.call.kind}) +
                                                 " and arms nothing for its deadline at " + text_of(when));
}

void DutyMonitor::collective(const sim::View& view, const std::string& who, const sim::Step& step, sim::Findings& findings) {
  Core& core = cores_[step.process];
  const Time now = std::visit([](const auto& e) { return e.now; }, step.event);
  if (const auto* submitted = std::get_if<event::Submitted>(&step.event)) {
    const CallKind kind{submitted->call.kind};
    if (kind == CallKind::open || kind == CallKind::add || kind == CallKind::close) core.calls.push_back(kind);
  }
  for (const Action& action : step.actions) {
    if (core.calls.empty()) return;
    const auto* tell = std::get_if<action::Tell>(&action);
    const auto* complete = std::get_if<action::Complete>(&action);
    if (tell && is(tell->note, NoteKind::attach)) core.attach_begun = now;
    if (is_collective(action) && ++core.collectives > collectives_of(core.calls.front()))
      return findings.safety(collectives_property,
                             who + ": " + text_of(action) + " is one too many for " + to_string(core.calls.front()));
    if (!complete || CallKind{complete->outcome.kind} != core.calls.front()) continue;
    const Duration waited = number(core.attach_begun) == 0 ? Duration{0} : now - core.attach_begun;
    if (number(waited) > number(PublisherConfig{}.attach_patience + attach_slack) && !was_stopped(view, step.process))
      return findings.fail(sim::FindingKind::liveness, attach_patience_property,
                           who + " waited " + std::to_string(number(waited) / 1'000'000) + " ms for its own Reader");
    core.calls.erase(core.calls.begin());
    core.collectives = 0;
    core.attach_begun = {};
  }
}

// The place of a stop is forgotten when it is made.
bool DutyMonitor::was_stopped(const sim::View& view, sim::ProcessIndex process) {
  return may_stop_[process] && view.world().process(process).stop_at == 0;
}

}  // namespace tenter::protocols
