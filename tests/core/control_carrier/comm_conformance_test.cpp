// OverStreams keeps the contract of Comm, on simulated streams: whole and prompt, cut anywhere, and late. The world is a star, so
// the last rank of the suite is its center: every case that sends to the last rank or from it is played. Not played: messages
// between two others or to oneself, and duplicated communicators, which this carrier has none of.
#include "tests/conformance/comm.hpp"

#include "carrier_world.hpp"
#include "tests/conformance/comm_bugs.hpp"

namespace tenter::carrier_conformance {
namespace {

using carrier_kit::CarrierWorld;
using sim::Tag;
using sim::TapeEntries;

struct Prompt {
  static constexpr std::uint64_t window = 262'144;
  static TapeEntries tape() { return {}; }
};
struct Cut {
  static constexpr std::uint64_t window = 9'001;
  static TapeEntries tape() {
    TapeEntries entries;
    for (std::uint32_t process = 0; process < 4; ++process) {
      for (std::uint32_t i = 0; i < 3'000; ++i) entries.push_back({Tag::stream_cut, process, i, 33, (i * 7 + process) % 33});
      for (std::uint32_t i = 0; i < 400; ++i) {
        entries.push_back({Tag::stream_delay, process, i, 19, (i * 7 + process) % 19});
        entries.push_back({Tag::delay, process, i, 19, (i * 5 + process) % 19});
        entries.push_back({Tag::tie, process, i, 4, (i * 3 + process) % 4});
      }
    }
    std::erase_if(entries, [](const sim::TapeEntry& entry) { return entry.answer == 0; });
    return entries;
  }
};

template <std::uint32_t Ranks, class Tape>
class StreamedMessages {
 public:
  StreamedMessages()
      : world_(carrier_kit::configs_of(Ranks), Tape::tape(),
               [](sim::Scenario& scenario) { scenario.stream_window(Tape::window); }) {}
  ~StreamedMessages() {
    const auto& finding = world_.world().finding();
    EXPECT_FALSE(finding.has_value()) << finding->property << ": " << finding->text;
  }
  std::uint32_t size() const { return Ranks; }
  bool drives(Rank) const { return true; }
  void perform(Rank rank, Action action) {
    if (auto* send = std::get_if<action::SendMessage>(&action)) send->to = other(send->to);
    if (auto* receive = std::get_if<action::ReceiveMessage>(&action)) receive->from = other(receive->from);
    world_.perform(number(other(rank)), std::move(action));
  }
  std::optional<Event> next(Rank rank) { return named(world_.soonest(number(other(rank)))); }
  std::optional<Event> soon(Rank rank) {
    settle();
    return named(world_.unread(number(other(rank))));
  }
  void settle() {
    const bool all_joined = world_.carrier(0).step() == control::CarrierStep::running;
    world_.run(all_joined ? 10'000'000 : 1'000);
  }
  void hold() {}

 private:
  static Rank other(Rank rank) { return Rank{Ranks - 1 - number(rank)}; }
  static std::optional<Event> named(std::optional<Event> event) {
    if (!event) return event;
    if (auto* joined = std::get_if<event::WorldJoined>(&*event)) joined->rank = other(joined->rank);
    if (auto* arrived = std::get_if<event::MessageArrived>(&*event)) arrived->from = other(arrived->from);
    return event;
  }
  CarrierWorld<> world_;
};

using conformance::AnyComm;
using Contract = conformance::CommContract<AnyComm>;
class StarContract : public Contract {
 public:
  static std::vector<conformance::Case<StarContract>> cases() {
    std::vector<conformance::Case<StarContract>> kept;
    for (const auto& one : Contract::cases()) {
      const std::string_view name = one.name;
      if (name == "communicators_do_not_mix" || name == "every_rank_sends_to_every_rank_in_order") continue;
      kept.push_back({one.name, static_cast<void (StarContract::*)()>(one.run)});
    }
    return kept;
  }
};

using conformance::register_cases;
const bool registered[] = {
    register_cases<StarContract>("OverStreams/CommContract", AnyComm::of<StreamedMessages<2, Prompt>>),
    register_cases<StarContract>("OverStreamsOfFour/CommContract", AnyComm::of<StreamedMessages<4, Prompt>>),
    register_cases<StarContract>("OverCutStreams/CommContract", AnyComm::of<StreamedMessages<2, Cut>>),
    register_cases<StarContract>("OverCutStreamsOfFour/CommContract", AnyComm::of<StreamedMessages<4, Cut>>),
};

}  // namespace
}  // namespace tenter::carrier_conformance
