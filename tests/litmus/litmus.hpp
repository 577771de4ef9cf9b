// A litmus test: a few threads of loads, stores, compare-exchanges and fences, and the set of all their outcomes in a mode. An
// outcome is the registers in order, then the final values of the words asked for, one digit each: "10".
#pragma once
#include <initializer_list>
#include <set>
#include <string>
#include <vector>

#include "sim/memory/page_memory.hpp"
#include "tests/litmus/explorer.hpp"

namespace tenter::litmus {

using page::Order;
using sim::MemoryMode;

enum class Kind : std::uint8_t { load, store, swap, fence };

struct Instruction {
  Kind kind{};
  Word word{};
  std::uint32_t value = 0, expected = 0;
  Order order = Order::relaxed;
};

inline constexpr Word x{0}, y{4}, z{8};

inline Instruction load(Word word, Order order = Order::relaxed) { return {Kind::load, word, 0, 0, order}; }
inline Instruction store(Word word, std::uint32_t value, Order order = Order::relaxed) {
  return {Kind::store, word, value, 0, order};
}
inline Instruction swap(Word word, std::uint32_t expected, std::uint32_t value, Order order) {
  return {Kind::swap, word, value, expected, order};
}
inline Instruction fence(Order order) { return {Kind::fence, {}, 0, 0, order}; }

using Thread = std::vector<Instruction>;
using Outcomes = std::set<std::string>;

struct Program {
  std::vector<Thread> threads;
  std::vector<Word> finals;  // words whose last value is part of the outcome
};

inline void perform(sim::PageMemory& memory, sim::Agent agent, const Instruction& one, std::string& registers, Explorer& choose) {
  switch (one.kind) {
    case Kind::load:
      registers += std::to_string(memory.load(agent, one.word, one.order, choose));
      break;
    case Kind::store:
      memory.store(agent, one.word, one.value, one.order, choose);
      break;
    case Kind::swap: {
      const Order failed = page::acquires(one.order) ? Order::acquire : Order::relaxed;
      registers += std::to_string(memory.compare_exchange(agent, one.word, one.expected, one.value, one.order, failed, choose));
      break;
    }
    case Kind::fence:
      memory.fence(agent, one.order);
      break;
  }
}

// One execution: at each point any thread makes its next step, or (tso) any buffer drains its oldest store.
inline std::string execute(const Program& program, MemoryMode mode, Explorer& choose) {
  sim::PageMemory memory(64, mode);
  const auto threads = static_cast<sim::Agent>(program.threads.size());
  for (sim::Agent agent = 0; agent < threads; ++agent) memory.add_agent(agent);
  std::vector<std::size_t> next(threads);
  std::vector<std::string> registers(threads);
  std::vector<sim::Agent> candidates;  // a thread; or threads + an agent whose buffer drains
  for (;;) {
    candidates.clear();
    for (sim::Agent agent = 0; agent < threads; ++agent)
      if (next[agent] < program.threads[agent].size()) candidates.push_back(agent);
    for (sim::Agent agent = 0; agent < threads; ++agent)
      if (memory.buffered(agent) > 0) candidates.push_back(threads + agent);
    if (candidates.empty()) break;
    const sim::Agent picked = candidates[choose(static_cast<std::uint32_t>(candidates.size()))];
    if (picked >= threads) {
      memory.drain_one(picked - threads);
    } else {
      perform(memory, picked, program.threads[picked][next[picked]++], registers[picked], choose);
    }
  }
  std::string outcome;
  for (const std::string& of_thread : registers) outcome += of_thread;
  for (const Word word : program.finals) outcome += std::to_string(memory.peek_word(word));
  return outcome;
}

inline Outcomes outcomes(const Program& program, MemoryMode mode, std::uint64_t* executions = nullptr) {
  Outcomes seen;
  Explorer explorer;
  const std::uint64_t count = explorer.explore([&](Explorer& choose) {
    seen.insert(execute(program, mode, choose));
    return true;
  });
  if (executions != nullptr) *executions += count;
  return seen;
}

}  // namespace tenter::litmus
