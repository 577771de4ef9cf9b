#include "sim/run.hpp"

namespace tenter::sim {
namespace {

Outcome run_with(const Subject& subject, Choices choices, const Inspect& inspect) {
  Scenario scenario(choices);
  (*subject.scenario)(scenario);
  World world(choices, scenario, subject.protocol->properties(), subject.options);
  world.run();
  Outcome outcome;
  outcome.finding = world.finding();
  outcome.decided = world.decided();
  outcome.digest = world.digest();
  outcome.steps = world.steps();
  outcome.boot_steps = world.boot_steps();
  outcome.turns = world.turns();
  outcome.file_operations = world.files().operations();
  outcome.drift = choices.drift();
  outcome.tape = choices.tape();
  outcome.seen = world.sometimes_seen();
  if (inspect) inspect(world);
  return outcome;
}

std::string line_text(const LogLine& line) {
  return text_of(line.now) + " " + std::to_string(line.process) + " " + text_of(line.event);
}

}  // namespace

Outcome run_seed(const Subject& subject, std::uint64_t seed, const Inspect& inspect) {
  return run_with(subject, Choices::seeded(seed), inspect);
}

Outcome run_tape(const Subject& subject, const TapeEntries& tape, const Inspect& inspect) {
  return run_with(subject, Choices::replayed(tape), inspect);
}

SeedResult run_batch_seed(const Subject& subject, std::uint64_t seed) {
  const Outcome outcome = run_seed(subject, seed);
  SeedResult result{seed, outcome.digest, outcome.steps, 0, outcome.seen, runs_twice(seed), outcome.file_operations};
  if (outcome.finding)
    result.verdict = 1;
  else if (!outcome.decided)
    result.verdict = 2;
  if (result.doubled && run_seed(subject, seed).digest != outcome.digest) result.verdict = 3;
  return result;
}

std::string first_difference(const Subject& subject, std::uint64_t seed) {
  Subject logged = subject;
  logged.options.keep_log = true;
  std::vector<LogLine> first, second;
  run_seed(logged, seed, [&](const World& world) { first = world.log(); });
  run_seed(logged, seed, [&](const World& world) { second = world.log(); });
  for (std::size_t i = 0; i < first.size() || i < second.size(); ++i) {
    const std::string a = i < first.size() ? line_text(first[i]) : "(ended)",
                      b = i < second.size() ? line_text(second[i]) : "(ended)";
    if (a != b) return "event " + std::to_string(i + 1) + ": first run " + a + ", second run " + b;
  }
  return {};
}

}  // namespace tenter::sim
