#include <fmt/format.h>

#include <charconv>
#include <cstdio>

#include "cli/sim_commands.hpp"
#include "sim/story.hpp"

namespace tenter::cli {
namespace {

// "; nearest: X", or nothing when nothing is near.
std::string nearest_of(const std::string& word, const std::vector<std::string>& known) {
  const std::string close = nearest(word, known);
  return close.empty() ? "" : "; nearest: " + close;
}

}  // namespace

Chosen choose_subject(const Context& context, const std::string& protocol_name, const std::string& scenario,
                      const std::string& planted, const std::string& mutant) {
  Chosen chosen;
  const sim::Protocol* protocol = find_protocol(context, protocol_name, chosen.code);
  if (!protocol) return chosen;
  chosen.subject.protocol = protocol;
  chosen.planted = planted;
  chosen.mutant = mutant;
  if (!planted.empty()) {
    const sim::PlantedBug* bug = protocol->find_planted(planted);
    std::vector<std::string> known;
    for (const auto& b : protocol->planted()) known.push_back(b.name);
    if (!bug) {
      chosen.code = usage_error(known.empty() ? fmt::format("this binary holds no planted bugs of {}", protocol_name)
                                              : fmt::format("no planted bug called '{}'{}", planted, nearest_of(planted, known)));
      return chosen;
    }
    chosen.subject.scenario = &bug->scenario;
    chosen.scenario = scenario;
  } else {
    chosen.subject.scenario = protocol->find_scenario(scenario);
    if (!chosen.subject.scenario) {
      std::vector<std::string> known;
      for (const auto& [name, build] : protocol->scenarios()) known.push_back(name);
      chosen.code =
          usage_error(fmt::format("{} has no scenario '{}'; known: {}", protocol_name, scenario, fmt::join(known, ", ")));
      return chosen;
    }
    chosen.scenario = scenario.empty() ? protocol->scenarios().front().first : scenario;
  }
  if (!mutant.empty() && !sim::Mutation::parse(mutant, chosen.subject.options.mutation))
    chosen.code = usage_error(fmt::format("cannot read the mutant '{}'", mutant));
  return chosen;
}

double seconds_from(const std::string& text) {
  double value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc{} || value < 0) return -1;
  const std::string_view unit(result.ptr, static_cast<std::size_t>(text.data() + text.size() - result.ptr));
  if (unit.empty() || unit == "s") return value;
  if (unit == "ms") return value / 1000;
  if (unit == "m" || unit == "min") return value * 60;
  if (unit == "h") return value * 3600;
  return -1;
}

int exit_code_of(const sim::Finding& finding) {
  return finding.kind == sim::FindingKind::liveness ? exit_code::liveness : exit_code::violated;
}

void print_story(const Context& context, const sim::Subject& subject, const sim::TapeEntries& tape, std::size_t events,
                 const std::string& again) {
  const sim::Story story = sim::tell_story(subject, tape, events);
  const std::string word = report::colored("FAIL", report::Color::red, context.color());
  fmt::print("{}  {}\n", word, story.headline);
  std::string_view rest = story.contradiction;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    fmt::print("      {}\n", rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  }
  fmt::print("      story    {} fault{}; {} odd order{} or delay{}; {} events after {} of the quiet start\n", story.faults.size(),
             story.faults.size() == 1 ? "" : "s", story.other_choices, story.other_choices == 1 ? "" : "s",
             story.other_choices == 1 ? "" : "s", story.event_count, story.boot_events);
  for (const std::string& fault : story.faults) fmt::print("               fault: {}\n", fault);
  for (const std::string& event : story.events) fmt::print("      {}\n", event);
  if (!again.empty()) fmt::print("      again    {}\n", again);
  std::fflush(stdout);
}

}  // namespace tenter::cli
