#include "cli/protocols/store/store_monitors.hpp"

#include <algorithm>

#include "cli/protocols/store/store_scenario.hpp"
#include "cli/protocols/store/store_workload.hpp"
#include "core/store/identity.hpp"
#include "core/store/notes.hpp"
#include "core/store/record.hpp"
#include "core/text.hpp"
#include "sim/world.hpp"

namespace tenter::protocols {

using namespace store;

namespace {

bool is_record(const Blob& path) { return path.text().ends_with(record_suffix); }

}  // namespace

// ---------------------------------------------------------------- gets

void GetsMonitor::on_step(const sim::View& view, const sim::Step& step, sim::Findings&) {
  for (const Action& action : step.actions) {
    const auto* write = std::get_if<action::PublishFile>(&action);
    if (!write || !is_record(write->path)) continue;
    if (const auto record = decode_record(write->content.bytes())) runs_.emplace(record->generation, workload_of(view).run());
  }
  const auto* told = std::get_if<event::Told>(&step.event);
  if (!told) return;
  const std::pair key{step.process, static_cast<std::uint64_t>(told->note.a)};
  if (is(told->note, NoteKind::attach) && told->note.parts.size() == 1) {
    const auto record = decode_record(told->note.parts[0].bytes());
    if (!record) return;
    asked_[key] = {record->variable, record->generation};
    runs_.emplace(record->generation, workload_of(view).run());  // the core's own, where there is no file
  } else if (is(told->note, NoteKind::attached) && told->note.status == Status::ok) {
    if (const auto asked = asked_.find(key); asked != asked_.end())
      attached_[{step.process, asked->second.first}] = asked->second.second;
  }
}

void GetsMonitor::on_complete(const sim::View& view, Ticket ticket, const Note& outcome, sim::Findings& findings) {
  const StoreWorkload& workload = workload_of(view);
  const StoreCall* call = workload.find(ticket);
  if (!call) return;
  if (outcome.status != Status::ok && outcome.text.size() < 8)
    return findings.safety("an error says why", workload.name_of(*call) + ": \"" + std::string(outcome.text.text()) + "\"");
  if (call->kind != CallKind::get) return;
  if (outcome.status == Status::timed_out) findings.seen("a get timed out");
  if (outcome.status == Status::mismatch) findings.seen("a get met another generation");
  if (outcome.status != Status::ok) return;
  const StoreVariable& variable = workload.truth().variables()[call->variable];
  const auto attached = attached_.find({call->process, variable.name});
  if (attached == attached_.end())
    return findings.safety("S1 a get gives the bytes of its own rows", workload.name_of(*call) + ": ok, and nothing was joined");
  const std::uint32_t run = runs_.at(attached->second);
  const std::vector<std::uint32_t> oldest =
      run < call->acknowledged.size() ? call->acknowledged[run] : std::vector<std::uint32_t>{};
  std::string where;
  const Blob bytes = view.world().fabric().look(call->process, call->buffer);
  const Wrong wrong = workload.truth().judge(run, call->variable, call->ranges, bytes.bytes(), oldest, where);
  if (wrong != Wrong::nothing) findings.safety(property_of(wrong), workload.name_of(*call) + ": " + where);
  findings.seen("a get succeeded");
  if (workload.job_was_killed() && !workload.is_core(call->actor) && run == workload.run())
    findings.seen("a reader reads from the job's next run");
}

void RowsMonitor::on_step(const sim::View& view, const sim::Step& step, sim::Findings& findings) {
  const auto* read = std::get_if<event::ReadDone>(&step.event);
  if (!read || read->content.empty() || step.role != reader_role) return;
  const auto* runs = view.world().fabric().epochs(step.process, step.role, read->op);
  if (!runs) return;
  const std::string_view content = read->content.text();
  const auto one_store = [&](std::size_t from, std::size_t bytes) {
    std::uint64_t at = 0;
    for (const sim::EpochRun& run : *runs) {
      if (from >= at && from < at + run.bytes) return from + bytes <= at + run.bytes;
      at += run.bytes;
    }
    return false;
  };
  for (const Action& action : step.actions) {
    const auto* fill = std::get_if<action::FillBuffer>(&action);
    const StoreCall* call = fill ? workload_of(view).find_buffer(step.process, fill->buffer) : nullptr;
    if (!call || !workload_of(view).truth().variables()[call->variable].versioned) continue;
    bool whole = false;
    for (std::size_t at = content.find(fill->content.text()); at != std::string_view::npos && !whole;
         at = content.find(fill->content.text(), at + 1))
      whole = one_store(at, fill->content.size());
    if (!whole)
      return findings.safety("S2 a torn row is never believed", view.world().process(step.process).name + " takes " +
                                                                    text_of(fill->content) +
                                                                    ", whose bytes come from several stores");
  }
  const bool lands = std::any_of(step.actions.begin(), step.actions.end(),
                                 [](const Action& a) { return std::holds_alternative<action::FillBuffer>(a); });
  if (!lands && !content.starts_with(identity_magic)) findings.seen("a torn row was read again");
}

void RecordsMonitor::on_step(const sim::View& view, const sim::Step& step, sim::Findings& findings) {
  for (const Action& action : step.actions) {
    const auto* write = std::get_if<action::PublishFile>(&action);
    if (!write || !is_record(write->path)) continue;
    const std::string who = view.world().process(step.process).name + " publishes " + std::string(write->path.text()) + ": ";
    const auto record = decode_record(write->content.bytes());
    if (!record) return findings.safety("B34 a published record is believed by its own reader", who + record.error().what);
    if (record->shards.size() != workload_of(view).cores())
      return findings.safety("B34 a published record is believed by its own reader",
                             who + text_of(std::uint64_t{record->shards.size()}) + " ranks");
    std::size_t regions = 0;
    for (sim::ProcessIndex p = 0; p < view.world().process_count(); ++p)
      if (view.world().process(p).job == "cores" && view.world().process(p).life != sim::Life::gone)
        regions += view.world().fabric().open_regions(p) != 0 ? 1 : 0;
    const bool all_live = regions == record->shards.size();
    bool any_dead = false;
    for (sim::ProcessIndex p = 0; p < view.world().process_count(); ++p)
      any_dead = any_dead || (view.world().process(p).job == "cores" && view.world().process(p).life == sim::Life::gone);
    if (!all_live && !any_dead)
      return findings.safety("S8 nothing is published before it can be read", who + text_of(std::uint64_t{regions}) + " of " +
                                                                                  text_of(std::uint64_t{record->shards.size()}) +
                                                                                  " ranks have a region");
  }
}

void WindowMonitor::on_step(const sim::View& view, const sim::Step& step, sim::Findings& findings) {
  if (step.actions.empty()) return;
  const std::size_t flight = view.world().fabric().reads_in_flight(step.process);
  if (flight > store_window)
    findings.safety("at most so many reads are in flight",
                    view.world().process(step.process).name + " has " + std::to_string(flight));
}

// ---------------------------------------------------------------- calls

void TogetherMonitor::on_complete(const sim::View& view, Ticket ticket, const Note& outcome, sim::Findings& findings) {
  const StoreWorkload& workload = workload_of(view);
  const StoreCall* call = workload.find(ticket);
  if (!call || (call->kind != CallKind::open && call->kind != CallKind::add && call->kind != CallKind::close)) return;
  const auto kind = static_cast<std::size_t>(call->kind);
  const std::size_t which = calls_[{kind, call->process}]++;
  if (outcome.text.text().find("this rank cannot read it") != std::string_view::npos ||
      outcome.text.text().find("did not answer this rank's probes") != std::string_view::npos)
    return;  // what was published stays so everywhere
  const auto [first, inserted] =
      first_.try_emplace({kind, which, call->run}, Answer{outcome.status, std::string(outcome.text.text())});
  if (!inserted && outcome.status != first->second.status)
    findings.safety("D18 a collective call ends the same on all ranks",
                    workload.name_of(*call) + ": " + to_string(outcome.status) + " \"" + std::string(outcome.text.text()) +
                        "\", another rank: " + to_string(first->second.status) + " \"" + first->second.text + "\"");
}

void DeadlinesMonitor::on_complete(const sim::View& view, Ticket ticket, const Note&, sim::Findings& findings) {
  const StoreCall* call = workload_of(view).find(ticket);
  if (!call || number(call->patience) == 0) return;
  // Each step may be delayed by half a second; a core may be stopped meanwhile.
  const Duration slack = workload_of(view).is_core(call->actor) ? seconds(40) : seconds(4);
  const Duration took = view.now() - call->submitted;
  if (number(took) > number(call->patience + slack))
    findings.fail(sim::FindingKind::liveness, "L1 a call ends within its patience",
                  workload_of(view).name_of(*call) + " took " + std::to_string(number(took) / 1'000'000) + " ms, patience " +
                      std::to_string(number(call->patience) / 1'000'000) + " ms");
}

void ClosesMonitor::on_complete(const sim::View& view, Ticket ticket, const Note& outcome, sim::Findings& findings) {
  const StoreWorkload& workload = workload_of(view);
  const StoreCall* call = workload.find(ticket);
  if (!call) return;
  if (call->kind == CallKind::join && outcome.status == Status::ok) {
    joined_.try_emplace(call->process, view.now());
    findings.seen("a reader joined");
    if (view.now() - call->submitted > seconds(1)) findings.seen("a join waited");
  }
  if (call->kind == CallKind::leave) joined_.erase(call->process);
  if (call->kind != CallKind::close) return;
  if (outcome.status == Status::timed_out) findings.seen("a close did not wait for a reader");
  if (outcome.status != Status::ok) return;
  findings.seen("a job closed");
  if (workload.job_was_killed()) return;  // some have joined a run that is no more
  for (const sim::ProcessIndex process : workload.joined_readers()) {
    const auto joined = joined_.find(process);
    if (joined == joined_.end() || number(joined->second) >= number(call->submitted)) continue;
    if (view.world().process(process).life != sim::Life::running) continue;
    // A lease that others see late is not seen yet by a core that closes so soon.
    const bool may_be_late = view.world().faults_spent() != 0 && call->submitted - joined->second < sim::file_late_for;
    if (may_be_late) continue;
    findings.safety("D31 no core closes under a reader", view.world().process(process).name + " joined at " +
                                                             text_of(joined->second) + ", the close was called at " +
                                                             text_of(call->submitted) + " and says that nobody reads");
  }
}

void StoreHealthyMonitor::on_complete(const sim::View& view, Ticket ticket, const Note& outcome, sim::Findings& findings) {
  const StoreWorkload& workload = workload_of(view);
  const StoreCall* call = workload.find(ticket);
  if (!call || call->hurried || call->beside || view.world().faults_spent() > 0 || workload.shape().closes_early) return;
  if (outcome.status != Status::ok)
    findings.safety("without a fault nothing fails",
                    workload.name_of(*call) + ": " + to_string(outcome.status) + ": " + std::string(outcome.text.text()));
}

}  // namespace tenter::protocols
