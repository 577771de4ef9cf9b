// The simulated Comm keeps the same contract as the one on MPI: with all messages short, all long, and each by its size; prompt,
// and with every message late, starved or called back where the contract leaves it open.
#include "tests/conformance/comm.hpp"

#include "tests/conformance/comm_bugs.hpp"
#include "tests/sim/puppet.hpp"

namespace tenter::sim {
namespace comm_conformance {
namespace {

struct Prompt {
  static TapeEntries tape() { return {}; }
};
struct Slow {
  static TapeEntries tape() {
    TapeEntries entries;
    for (std::uint32_t process = 0; process < 4; ++process) {
      for (std::uint32_t i = 0; i < 200; ++i) {
        entries.push_back({Tag::message_delay, process, i, 19, (i * 7 + process) % 19});
        entries.push_back({Tag::delay, process, i, 19, (i * 5 + process) % 19});
        entries.push_back({Tag::tie, process, i, 4, (i * 3 + process) % 4});
        entries.push_back({Tag::starvation, process, i, 18, i % 3 == 0 ? (i + process) % 17 : 0});
        entries.push_back({Tag::message_loss, process, i, 2, 1});
      }
    }
    std::erase_if(entries, [](const TapeEntry& entry) { return entry.answer == 0; });
    return entries;
  }
};

template <std::uint32_t Ranks, std::uint64_t EagerBelow, class Tape>
class SimulatedMessages {
 public:
  SimulatedMessages()
      : puppets_(Ranks, Tape::tape(), [](Scenario& scenario) {
          scenario.eager_below(EagerBelow);
          scenario.allow(Tag::starvation, 1'000);
        }) {
    std::vector<ProcessIndex> ranks;
    for (std::uint32_t i = 0; i < Ranks; ++i) ranks.push_back(i);
    puppets_.world().collectives().add_job(ranks);
  }
  ~SimulatedMessages() {
    const auto& finding = puppets_.world().finding();
    EXPECT_FALSE(finding.has_value()) << finding->property << ": " << finding->text;
    const CommModel::Counts counts = puppets_.world().comm().counts();
    EXPECT_EQ(counts.sent, counts.arrived + counts.dropped + counts.under_way);
  }
  std::uint32_t size() const { return Ranks; }
  bool drives(Rank) const { return true; }
  void perform(Rank rank, Action action) { puppets_.perform(number(rank), std::move(action)); }
  std::optional<Event> next(Rank rank) { return puppets_.soonest(number(rank), Role{0}); }
  std::optional<Event> soon(Rank rank) { return puppets_.next(number(rank)); }
  void settle() { puppets_.run(); }
  void hold() {}

 private:
  PuppetWorld puppets_;
};

using conformance::AnyComm;
using conformance::CommContract;
using conformance::register_cases;
template <std::uint32_t Ranks, std::uint64_t EagerBelow, class Tape>
bool register_all(const char* name) {
  return register_cases<CommContract<AnyComm>>(name, AnyComm::of<SimulatedMessages<Ranks, EagerBelow, Tape>>);
}
constexpr std::uint64_t by_size = 8'192;
const bool registered[] = {
    register_all<1, by_size, Prompt>("SimulatedAlone/CommContract"),
    register_all<2, by_size, Prompt>("Simulated/CommContract"),
    register_all<4, CommModel::all_eager, Prompt>("SimulatedEager/CommContract"),
    register_all<4, 0, Prompt>("SimulatedRendezvous/CommContract"),
    register_all<4, by_size, Slow>("SimulatedSlow/CommContract"),
    register_all<4, CommModel::all_eager, Slow>("SimulatedSlowEager/CommContract"),
    register_all<4, 0, Slow>("SimulatedSlowRendezvous/CommContract"),
};

TEST(CommContract, planted_bugs_are_found_in_the_simulator) {
  conformance::expect_comm_bugs_found<SimulatedMessages<4, by_size, Prompt>>();
}
TEST(CommContract, planted_bugs_are_found_where_every_message_is_long_and_late) {
  conformance::expect_comm_bugs_found<SimulatedMessages<4, 0, Slow>>();
}

}  // namespace
}  // namespace comm_conformance
}  // namespace tenter::sim
