#include "tests/litmus/kernel_world.hpp"

namespace tenter::litmus {

void KernelWorld::step(sim::PageMemory& page, Running& running, std::size_t actor, Explorer& choose, std::string& problem) const {
  sim::AgentMemory memory(page, static_cast<sim::Agent>(actor), actor, choose);
  KernelStep& current = running.actors[actor].script[running.at[actor]];
  const page::Progress progress = std::visit([&](auto& automaton) { return automaton.step(memory, orders); }, current);
  for (const sim::Waiter waiter : memory.woken()) running.asleep[waiter] = false;
  if (progress == page::Progress::asleep) running.asleep[actor] = true;
  if (progress != page::Progress::done) return;
  const std::size_t next = ++running.at[actor];
  std::vector<KernelStep>& script = running.actors[actor].script;
  const auto ends_here = [&](const auto& gate) {
    if constexpr (requires(const page::PublishIf& before) { gate.go_on(before); }) {
      return !gate.go_on(std::get<page::PublishIf>(script[next - 2]));
    } else {
      return false;
    }
  };
  if (std::visit(ends_here, current)) running.at[actor] = script.size();
  if (const auto* read = std::get_if<ReadBytes>(&current); read != nullptr && read->wrong) problem = "wrong bytes";
  if (const auto* watch = std::get_if<BelievingWatch>(&current); watch != nullptr && watch->wrong) problem = "woke for nothing";
  if (const auto* watch = std::get_if<page::Watch>(&current); watch != nullptr && watch->value() == watch->seen())
    problem = "woke for nothing";
}

std::string KernelWorld::judge_end(const sim::PageMemory& page, const Running& running) const {
  if (!page.sleepers().empty()) return "lost wake";  // every test publishes something that each watcher has not seen
  return oracle == nullptr ? "" : oracle(running.actors, page);
}

std::string KernelWorld::execute(const sim::PageMemory& fresh, Running& running, Explorer& choose) const {
  sim::PageMemory page = fresh;
  std::string problem;
  std::array<std::uint8_t, 24> candidates{};
  const std::size_t count = actors.size();
  while (problem.empty()) {
    std::uint32_t n = 0;
    for (std::size_t i = 0; i < count; ++i)
      if (!running.asleep[i] && !finished(running, i)) candidates[n++] = static_cast<std::uint8_t>(i);
    for (std::size_t i = 0; i < count; ++i)
      if (page.buffered(static_cast<sim::Agent>(i)) > 0) candidates[n++] = static_cast<std::uint8_t>(count + i);
    if (n == 0) return judge_end(page, running);
    if (spurious_wakes)
      for (std::size_t i = 0; i < count; ++i)
        if (running.asleep[i] && !running.disturbed[i]) candidates[n++] = static_cast<std::uint8_t>(2 * count + i);
    const std::size_t picked = candidates[choose(n)];
    if (picked >= 2 * count) {
      page.cancel_wait(picked - 2 * count);
      running.asleep[picked - 2 * count] = false;
      running.disturbed[picked - 2 * count] = true;
    } else if (picked >= count) {
      page.drain_one(static_cast<sim::Agent>(picked - count));
    } else {
      step(page, running, picked, choose, problem);
    }
    if (page.race()) problem = "race";
  }
  return problem;
}

Verdict KernelWorld::explore(MemoryMode mode) const {
  sim::PageMemory fresh(4096, mode);
  for (std::size_t i = 0; i < actors.size(); ++i) fresh.add_agent(static_cast<sim::Agent>(i));
  Verdict verdict;
  Running running;
  verdict.executions = Explorer().explore([&](Explorer& choose) {
    running.actors = actors;
    running.at = {};
    running.asleep = {};
    running.disturbed = {};
    verdict.problem = execute(fresh, running, choose);
    return !verdict.failed();
  });
  return verdict;
}

}  // namespace tenter::litmus
