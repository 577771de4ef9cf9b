// The simulated SharedPage keeps the same contract as the one on hardware.
#include "tests/conformance/shared_page.hpp"
#include "tests/sim/puppet.hpp"

namespace tenter::sim {
namespace {

template <std::uint32_t Mode>
class SimulatedPages {
 public:
  SimulatedPages() : puppets_(0, Mode == 0 ? TapeEntries{} : TapeEntries{{Tag::memory_mode, 0, 0, 3, Mode}}) {}
  std::size_t add_process() { return puppets_.add_process(); }
  void perform(std::size_t process, Action action) { puppets_.perform(process, std::move(action)); }
  std::optional<Event> next(std::size_t process) { return puppets_.next(process); }
  void park(std::size_t process) { puppets_.next(process); }
  std::optional<Event> woken(std::size_t process) { return puppets_.next(process); }
  void kill(std::size_t process) { puppets_.world().end_process(static_cast<ProcessIndex>(process), 0, 9); }
  std::string page_name() { return "page" + std::to_string(++pages_); }

 private:
  PuppetWorld puppets_;
  int pages_ = 0;
};

}  // namespace
}  // namespace tenter::sim

namespace tenter::conformance {

using SimulatedModes = testing::Types<sim::SimulatedPages<0>, sim::SimulatedPages<1>, sim::SimulatedPages<2>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Simulated, SharedPageConformance, SimulatedModes);

}  // namespace tenter::conformance
