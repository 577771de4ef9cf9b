#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <iostream>
#include <memory>

#include "cli/report/junit.hpp"
#include "cli/report/result_json.hpp"
#include "cli/report/table.hpp"
#include "cli/sim_commands.hpp"
#include "cli/worker_process.hpp"
#include "sim/mutants.hpp"

namespace tenter::cli {
namespace {

constexpr std::uint64_t first_seed = 1;
constexpr std::uint64_t none = ~std::uint64_t{0};

// One line a fate, through a pipe: index, found, reached, seeds, then the property or the reason, which hold no line breaks.
void work(const sim::Subject& subject, const std::vector<sim::Mutation>& mutants, const SimMutantsOptions& options,
          unsigned index, WorkerProcess::Task& task, int results) {
  std::FILE* to = ::fdopen(results, "w");
  if (to == nullptr) throw std::runtime_error(std::string("fdopen: ") + std::strerror(errno));
  task = none;  // looks for the goals
  const std::vector<std::uint64_t> goals = sim::count_goals(subject, first_seed, options.seeds);
  for (std::size_t i = index; i < mutants.size(); i += options.workers) {
    task = i;
    const sim::MutantFate fate = sim::try_mutant(subject, mutants[i], first_seed, options.seeds, goals);
    fmt::print(to, "{} {} {} {} {}\n", i, fate.found ? 1 : 0, fate.reached ? 1 : 0, fate.seeds,
               fate.found ? fate.property : fate.reason);
    std::fflush(to);
  }
}

// False: the line is not one of work()'s.
bool read_fate(const char* line, const std::vector<sim::Mutation>& mutants, std::vector<sim::MutantFate>& fates) {
  std::size_t index = 0;
  int found = 0, reached = 0, at = 0;
  unsigned long long seeds = 0;
  if (std::sscanf(line, "%zu %d %d %llu%n", &index, &found, &reached, &seeds, &at) < 4 || index >= fates.size()) return false;
  std::string text(line + at);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (!text.empty()) text.erase(0, 1);
  fates[index] = {mutants[index], found != 0, found != 0 ? text : "", seeds, reached != 0, found != 0 ? "" : text};
  return true;
}

}  // namespace

int sim_mutants(const Context& context, const SimMutantsOptions& options) {
  const Chosen chosen = choose_subject(context, options.protocol, options.scenario, "", "");
  if (chosen.code != 0) return chosen.code;
  watch_interrupt();
  std::vector<sim::Mutation> mutants = sim::list_mutants(chosen.subject, first_seed, options.site_seeds);
  if (!options.only.empty())
    std::erase_if(mutants, [&](const sim::Mutation& m) { return !sim::matches(options.only, m.text()); });
  std::vector<sim::MutantFate> fates(mutants.size());
  report::Progress progress(std::cerr, isatty(2) != 0, std::chrono::steady_clock::now());
  std::vector<WorkerProcess> workers;
  SimMutantsOptions shared = options;
  shared.workers = std::max(1u, options.workers);
  for (unsigned i = 0; i < shared.workers; ++i) {
    workers.emplace_back(
        [&, i](WorkerProcess::Task& task, int results) { work(chosen.subject, mutants, shared, i, task, results); });
  }
  std::size_t done = 0;
  for (WorkerProcess& worker : workers) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> from(::fdopen(::dup(worker.results()), "r"), &std::fclose);
    if (!from) throw std::runtime_error(std::string("fdopen: ") + std::strerror(errno));
    char line[2048];
    while (std::fgets(line, sizeof line, from.get())) {
      if (!read_fate(line, mutants, fates)) continue;
      progress.update(fmt::format("{}/{} mutants", ++done, mutants.size()), std::chrono::steady_clock::now());
      if (interrupted()) worker.kill();
    }
    const auto bad = worker.end();
    if (bad && !interrupted())
      throw std::runtime_error(
          (bad->task < mutants.size() ? "mutant " + mutants[bad->task].text() : "the protocol without a mutant") + ": " +
          bad->cause);
  }
  progress.clear();
  report::MutantsResult result;
  result.protocol = options.protocol;
  result.interrupted = interrupted();
  for (std::size_t i = 0; i < fates.size(); ++i) {
    sim::MutantFate& fate = fates[i];
    if (!fate.mutation.active()) continue;  // interrupted before its turn
    ++result.tried;
    if (fate.found) {
      ++result.found;
      ++result.by_property[fate.property];
      continue;
    }
    if (!fate.reached) {
      result.not_reached.push_back(fate.mutation.text());
      continue;
    }
    if (!fate.reason.empty()) ++result.by_reason[fate.reason.substr(0, fate.reason.find(" ("))];
    result.survivors.push_back({fate.mutation.text(), fate.reason});
  }
  if (context.human_output()) {
    report::Table table({{"property", report::Align::left}, {"mutants found", report::Align::right}});
    for (const auto& [property, count] : result.by_property) table.row({property, std::to_string(count)});
    fmt::print("{}", table.text());
    for (const auto& mutant : result.not_reached) fmt::print("not reached  {}\n", mutant);
    for (const auto& survivor : result.survivors)
      fmt::print("survives  {}  {}\n", survivor.mutant,
                 survivor.reason.empty() ? "UNEXPLAINED" : "equivalent: " + survivor.reason);
    fmt::print("{}  {} tried, {} found, {} survive with a reason, {} without, {} not reached\n",
               verdict_word(context, result.verdict()), result.tried, result.found, result.survivors_explained(),
               result.survivors_unexplained(), result.not_reached.size());
  }
  write_result_text(context, report::json_of(result), report::junit_of(result));
  switch (result.verdict()) {
    case report::Verdict::pass:
      return exit_code::pass;
    case report::Verdict::fail:
      return exit_code::violated;
    case report::Verdict::unknown:
      break;
  }
  return result.interrupted ? exit_code::interrupted : exit_code::unknown;
}

}  // namespace tenter::cli
