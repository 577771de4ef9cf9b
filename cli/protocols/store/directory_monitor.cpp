#include "cli/protocols/store/directory_monitor.hpp"

#include <variant>

#include "cli/protocols/store/store_workload.hpp"
#include "core/store/beat.hpp"
#include "core/store/calls.hpp"
#include "core/text.hpp"
#include "sim/world.hpp"

namespace tenter::protocols {

using namespace store;

namespace {

constexpr const char* directory_property = "L3 the directory is asked no more often than it has to be";

bool is_beat(const Blob& content) { return content.size() == beat_bytes && decode_beat(content.bytes()).has_value(); }

}  // namespace

std::uint64_t looks_within(Duration waited) {
  constexpr std::int64_t last = 250;
  std::uint64_t looks = 1;
  std::int64_t next = 10, at = 10;  // ms
  const std::int64_t until = number(waited) / 1'000'000;
  for (; at <= until && next < last; at += next) {
    ++looks;
    next = next * 2 < last ? next * 2 : last;
  }
  return at <= until ? looks + 1 + static_cast<std::uint64_t>((until - at) / last) : looks;
}

void DirectoryMonitor::on_step(const sim::View& view, const sim::Step& step, sim::Findings& findings) {
  const Time now = std::visit([](const auto& e) { return e.now; }, step.event);
  const bool guest = view.world().process(step.process).job.empty();
  if (const auto* submitted = std::get_if<event::Submitted>(&step.event);
      guest && submitted && is(submitted->call, CallKind::join))
    looking_[step.process].joins.emplace(submitted->ticket, now);
  for (const Action& action : step.actions)
    if (const auto* publish = std::get_if<action::PublishFile>(&action); publish && is_beat(publish->content))
      beat(view, step, now, *publish, findings);
  if (guest && step.role == joiner_role) look(view, step, now, findings);
}

// Beats of one file that say the same begin at least a period apart, by the writer's own clock.
void DirectoryMonitor::beat(const sim::View& view, const sim::Step& step, Time now, const action::PublishFile& publish,
                            sim::Findings& findings) {
  const auto said = *decode_beat(publish.content.bytes());
  const auto [known, first] =
      last_beat_.try_emplace({step.process, std::string(publish.path.text())}, Beat{now, tenter::number(said.state)});
  if (first) return;
  const Duration apart = now - known->second.begun;
  if (said.count > 1 && tenter::number(said.state) == known->second.state && apart < milliseconds(said.period_ms))
    findings.safety(directory_property, view.world().process(step.process).name + " writes " + std::string(publish.path.text()) +
                                            " again after " + text_of(apart) + " ns, its period is " + text_of(said.period_ms) +
                                            " ms");
  known->second = {now, tenter::number(said.state)};
}

void DirectoryMonitor::look(const sim::View& view, const sim::Step& step, Time now, sim::Findings& findings) {
  const auto found = looking_.find(step.process);
  if (found == looking_.end()) return;
  Looking& looking = found->second;
  for (const Action& action : step.actions)
    if (std::holds_alternative<action::ReadFile>(action) || std::holds_alternative<action::ListFiles>(action))
      ++looking.operations;
  std::uint64_t allowed = looking.allowed;
  for (const auto& [ticket, since] : looking.joins) allowed += operations_of_a_look * looks_within(now - since);
  if (looking.operations > allowed)
    findings.safety(directory_property, view.world().process(step.process).name + " has asked " + text_of(looking.operations) +
                                            " times for its joins, " + text_of(allowed) + " are enough");
  for (const Action& action : step.actions) {
    const auto* complete = std::get_if<action::Complete>(&action);
    const auto join = complete ? looking.joins.find(complete->ticket) : looking.joins.end();
    if (join == looking.joins.end()) continue;
    looking.allowed += operations_of_a_look * looks_within(now - join->second);
    looking.joins.erase(join);
  }
}

}  // namespace tenter::protocols
