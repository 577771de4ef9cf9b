#include "sim/mutants.hpp"

#include <algorithm>

namespace tenter::sim {
namespace {

struct OwnedSite {
  std::string machine, state, event;
  std::vector<Action> actions;
};

void add_mutants_of(const OwnedSite& site, std::vector<Mutation>& mutants) {
  Mutation at;
  at.machine = site.machine;
  at.state = site.state;
  at.event = site.event;
  for (const MutationKind kind : {MutationKind::hide_event, MutationKind::repeat_event}) {
    at.kind = kind;
    mutants.push_back(at);
  }
  for (std::uint32_t i = 0; i < site.actions.size(); ++i) {
    at.action = name_of(site.actions[i]);
    at.index = i;
    for (const MutationKind kind : {MutationKind::drop_action, MutationKind::repeat_action, MutationKind::swap_actions}) {
      if (kind == MutationKind::swap_actions && i + 1 == site.actions.size()) continue;
      at.kind = kind;
      mutants.push_back(at);
    }
    for (const std::uint32_t field : shiftable_fields(site.actions[i])) {
      at.kind = MutationKind::shift_value;
      at.field = field;
      mutants.push_back(at);
    }
    at.field = 0;
  }
}

}  // namespace

bool matches(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern.front() == '*') {
    for (std::size_t skip = 0; skip <= text.size(); ++skip)
      if (matches(pattern.substr(1), text.substr(skip))) return true;
    return false;
  }
  return !text.empty() && text.front() == pattern.front() && matches(pattern.substr(1), text.substr(1));
}

std::vector<Mutation> list_mutants(const Subject& subject, std::uint64_t first_seed, std::uint64_t seeds) {
  std::vector<OwnedSite> sites;
  Subject watched = subject;
  watched.options.keep_sites = true;
  for (std::uint64_t i = 0; i < seeds; ++i) {
    run_seed(watched, first_seed + i, [&](const World& world) {
      for (const Site& site : world.sites()) {
        const auto known = std::find_if(sites.begin(), sites.end(), [&](const OwnedSite& s) {
          return s.machine == site.machine && s.state == site.state && s.event == site.event;
        });
        if (known == sites.end())
          sites.push_back({std::string(site.machine), std::string(site.state), std::string(site.event), site.actions});
        else if (site.actions.size() > known->actions.size())
          known->actions = site.actions;
      }
    });
  }
  std::sort(sites.begin(), sites.end(), [](const OwnedSite& a, const OwnedSite& b) {
    return std::tie(a.machine, a.state, a.event) < std::tie(b.machine, b.state, b.event);
  });
  std::vector<Mutation> mutants;
  for (const OwnedSite& site : sites) add_mutants_of(site, mutants);
  for (std::uint32_t i = 0; i < PagesModel::order_count; ++i) {
    Mutation relaxed;
    relaxed.kind = MutationKind::relax_order;
    relaxed.index = i;
    mutants.push_back(relaxed);
  }
  return mutants;
}

std::vector<std::uint64_t> count_goals(const Subject& subject, std::uint64_t first_seed, std::uint64_t seeds) {
  std::vector<std::uint64_t> counts(subject.protocol->properties().size(), 0);
  for (std::uint64_t i = 0; i < seeds; ++i) {
    const Outcome outcome = run_seed(subject, first_seed + i);
    for (std::size_t k = 0; k < outcome.seen.size(); ++k) counts[k] += outcome.seen[k] ? 1 : 0;
  }
  return counts;
}

MutantFate try_mutant(const Subject& subject, const Mutation& mutation, std::uint64_t first_seed, std::uint64_t seeds_max,
                      const std::vector<std::uint64_t>& goals) {
  MutantFate fate;
  fate.mutation = mutation;
  Subject mutated = subject;
  mutated.options.mutation = mutation;
  MutationEffect effect;
  std::vector<bool> seen(goals.size(), false);
  for (; fate.seeds < seeds_max; ++fate.seeds) {
    const Outcome outcome =
        run_seed(mutated, first_seed + fate.seeds, [&](const World& world) { effect.add(world.mutation_effect()); });
    for (std::size_t i = 0; i < seen.size(); ++i) seen[i] = seen[i] || outcome.seen[i];
    if (!outcome.finding && outcome.decided) continue;
    fate.found = true;
    fate.property = outcome.finding ? outcome.finding->property : "every run ends";
    ++fate.seeds;
    fate.reached = true;
    return fate;
  }
  fate.reached = mutation.kind == MutationKind::relax_order || effect.applied > 0;
  for (std::size_t i = 0; i < goals.size() && fate.reached && !effect.changed_nothing(); ++i) {
    if (goals[i] < goal_runs_min || seen[i]) continue;
    fate.found = true;
    fate.property = "sometimes: " + subject.protocol->properties()[i].name;
    return fate;
  }
  if (effect.changed_nothing()) {
    fate.reason = effect.reason();
    return fate;
  }
  const std::string text = mutation.text();
  for (const EquivalentMutant& known : subject.protocol->equivalents())
    if (matches(known.pattern, text)) fate.reason = known.reason;
  return fate;
}

}  // namespace tenter::sim
