// The simulated Collective keeps the same contract as MPI's.
#include "tests/conformance/collective.hpp"
#include "tests/sim/puppet.hpp"

namespace tenter::sim {
namespace {

template <std::uint32_t Ranks, bool Rendezvous>
class SimulatedGroup {
 public:
  SimulatedGroup() : puppets_(Ranks) {
    std::vector<ProcessIndex> ranks;
    for (std::uint32_t i = 0; i < Ranks; ++i) ranks.push_back(i);
    puppets_.world().collectives().add_job(ranks);
    events_.resize(Ranks);
  }
  std::uint32_t size() const { return Ranks; }
  std::vector<Rank> local() const {
    std::vector<Rank> ranks;
    for (std::uint32_t i = 0; i < Ranks; ++i) ranks.push_back(Rank{i});
    return ranks;
  }
  std::size_t bcast_block() const { return 0; }
  std::size_t gather_block() const { return 0; }
  std::uint64_t payload_limit() const { return 16u << 20; }
  void perform(Rank rank, Action action) { puppets_.perform(number(rank), std::move(action)); }
  void settle() { puppets_.run(); }
  void hold() {}
  bool run(std::size_t n) {
    puppets_.run();
    bool all = true;
    for (std::uint32_t rank = 0; rank < Ranks; ++rank) all = all && events(Rank{rank}).size() >= n;
    return all;
  }
  std::vector<event::CollectiveDone>& events(Rank rank) {
    auto& mine = events_[number(rank)];
    mine.clear();
    for (const Event& e : puppets_.events(number(rank))) mine.push_back(std::get<event::CollectiveDone>(e));
    return mine;
  }
  std::size_t held() {
    std::size_t count = 0;
    for (std::uint32_t rank = 0; rank < Ranks; ++rank) count += puppets_.world().collectives().held(rank);
    return count;
  }

 private:
  PuppetWorld puppets_;
  std::vector<std::vector<event::CollectiveDone>> events_;
};

}  // namespace
}  // namespace tenter::sim

namespace tenter::conformance {

using SimulatedGroups =
    testing::Types<sim::SimulatedGroup<1, false>, sim::SimulatedGroup<2, false>, sim::SimulatedGroup<4, false>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Simulated, CollectiveConformance, SimulatedGroups);

}  // namespace tenter::conformance
