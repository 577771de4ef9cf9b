// A page, a few actors running the page kernel on it, and every order in which their steps can meet. Parks have no time-out: an
// actor that sleeps at the end, although the word differs from what it saw, has lost a wake.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/page/kernel.hpp"
#include "sim/memory/policy.hpp"
#include "tests/litmus/explorer.hpp"
#include "tests/litmus/planted_kernels.hpp"

namespace tenter::litmus {

using page::Order;
using sim::MemoryMode;

inline constexpr Word state_word{32}, group_word{28}, waiter_count{64};
inline constexpr std::uint64_t payload = 256;

using KernelStep = std::variant<page::Publish, page::PublishQuiet, page::PublishIf, page::Watch, WriteBytes, ReadBytes,
                                WakeThenStore, PrivatePublish, WakeOne, CountedPublish, CountedWatch, BelievingWatch,
                                WatchAgainstStale, PrivateWatch, IfStored, IfSeen>;

struct Actor {
  std::vector<KernelStep> script;
};

// Answers what is wrong after one execution: "" if nothing.
struct Verdict {
  std::string problem;
  std::uint64_t executions = 0;
  bool failed() const { return !problem.empty(); }
};

struct KernelWorld {
  std::vector<Actor> actors;
  page::Orders orders;
  bool spurious_wakes = false;  // each park may return once without a reason

  Verdict explore(MemoryMode mode) const;

  // For what a test wants to know of the end of an execution: given the finished steps and the page.
  using Oracle = std::string (*)(const std::vector<Actor>&, const sim::PageMemory&);
  Oracle oracle = nullptr;

 private:
  struct Running {
    std::vector<Actor> actors;
    std::array<std::size_t, 8> at{};
    std::array<bool, 8> asleep{}, disturbed{};
  };
  bool finished(const Running& running, std::size_t actor) const { return running.at[actor] == actors[actor].script.size(); }
  std::string execute(const sim::PageMemory& fresh, Running& running, Explorer& choose) const;
  void step(sim::PageMemory& page, Running& running, std::size_t actor, Explorer& choose, std::string& problem) const;
  std::string judge_end(const sim::PageMemory& page, const Running& running) const;
};

}  // namespace tenter::litmus
