#include "sim/story.hpp"

#include "core/text.hpp"
#include "sim/fault.hpp"

namespace tenter::sim {
namespace {

std::string milliseconds_text(Time t) {
  const std::int64_t us = number(t) / 1'000;
  std::string text = std::to_string(us / 1000) + "." +
                     std::string(3 - std::min<std::size_t>(3, std::to_string(us % 1000).size()), '0') + std::to_string(us % 1000);
  return text + " ms";
}

std::string event_line(const World& world, const LogLine& line) {
  const Process& p = world.process(line.process);
  std::string text = "#" + std::to_string(line.step) + "  " + milliseconds_text(line.now) + "  " + p.name;
  if (number(line.role) < p.machines.size())
    text += " " + std::string(p.machines[number(line.role)].name()) + "." + std::string(line.state);
  text += "  " + text_of(line.event);
  for (const Action& action : line.actions) text += "\n        -> " + text_of(action);
  return text;
}

std::string entity_name(const World& world, const TapeEntry& entry) {
  if (entry.tag == Tag::launcher_crash || entry.tag == Tag::proxy_crash || entry.tag == Tag::scribble)
    return "job " + std::to_string(entry.entity);
  return entry.entity < world.process_count() ? world.process(entry.entity).name : "process " + std::to_string(entry.entity);
}

}  // namespace

Story tell_story(const Subject& subject, const TapeEntries& tape, std::size_t last_events) {
  Story story;
  Subject logged = subject;
  logged.options.keep_log = true;
  run_tape(logged, tape, [&](const World& world) {
    const auto& finding = world.finding();
    if (!finding) {
      story.headline = "no failure";
      return;
    }
    story.headline = finding->property + "  step " + std::to_string(finding->step) +
                     (finding->process.empty() ? "" : "  " + finding->process) + "  at " + milliseconds_text(finding->now);
    story.contradiction = finding->text;
    for (const TapeEntry& entry : tape) {
      const FaultKind* kind = fault_kind(entry.tag);
      if (kind)
        story.faults.push_back(describe_fault(*kind, entity_name(world, entry), entry));
      else
        ++story.other_choices;
    }
    const auto& log = world.log();
    for (std::size_t i = log.size() > last_events ? log.size() - last_events : 0; i < log.size(); ++i)
      story.events.push_back(event_line(world, log[i]));
    story.event_count = world.steps() - world.boot_steps();
    story.boot_events = world.boot_steps();
  });
  return story;
}

}  // namespace tenter::sim
