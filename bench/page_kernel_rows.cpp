// Executions of the page kernel in the simulated memory: one thread writes a region and publishes, one watches and copies, one
// tries a compare-exchange on the same word; steps in an order that a small generator chooses.
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "bench/sim_rows.hpp"
#include "core/page/kernel.hpp"
#include "sim/memory/policy.hpp"

namespace tenter::bench {
namespace {

constexpr Word word{32};
constexpr std::uint64_t region = 256;

class Executions {
 public:
  explicit Executions(sim::MemoryMode mode) : mode_(mode) {}

  std::uint64_t run_one() {
    sim::PageMemory memory(4096, mode_);
    for (sim::Agent agent = 0; agent < 3; ++agent) memory.add_agent(agent);
    memory.write_plain(0, region, content_);
    page::Publish publish(word, 1);
    page::Watch watch(word, 0);
    page::PublishIf swap(word, 1, 2, true);
    bool published = false, swapped = false, watched = false, asleep = false;
    auto choose = [this](std::uint32_t n) { return draw() % n; };
    while (!published || !swapped || !watched) {
      const sim::Agent agent = draw() % 3;
      sim::AgentMemory view(memory, agent, agent, choose);
      if (agent == 0 && !published) published = publish.step(view) == page::Progress::done;
      if (agent == 1 && !watched && !asleep) {
        const page::Progress progress = watch.step(view);
        watched = progress == page::Progress::done;
        asleep = progress == page::Progress::asleep;
      }
      if (agent == 2 && !swapped) swapped = swap.step(view) == page::Progress::done;
      if (!view.woken().empty()) asleep = false;
      memory.drain_any(choose);
    }
    if (memory.read_plain(1, region, content_.size()) != content_ || memory.take_race()) {
      std::fprintf(stderr, "page kernel: a watcher saw the word and not the region\n");
      std::abort();
    }
    return 1;
  }

 private:
  std::uint32_t draw() {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;  // Knuth's MMIX generator
    return static_cast<std::uint32_t>(state_ >> 33);
  }
  sim::MemoryMode mode_;
  std::uint64_t state_ = 1;
  Blob content_{std::string_view("sixty-four bytes of a request, as the mailbox writes them here.")};
};

}  // namespace

void add_page_kernel_rows(Report& report) {
  for (const sim::MemoryMode mode : {sim::MemoryMode::sc, sim::MemoryMode::tso, sim::MemoryMode::ra}) {
    auto executions = std::make_shared<Executions>(mode);
    report.add({.name = std::string("page_kernel/") + sim::to_string(mode),
                .candidate = {.slice =
                                  [executions](Budget budget, std::vector<std::uint32_t>&) {
                                    return repeat(budget, [&] { return executions->run_one(); });
                                  }},
                .unit = "execution",
                .least_rate = 200'000});
  }
}

}  // namespace tenter::bench
