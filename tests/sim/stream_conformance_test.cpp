// The simulated Stream keeps the same contract as the one on TCP: bytes whole and prompt, cut anywhere, late, and through a small
// window.
#include "tests/conformance/stream.hpp"
#include "tests/conformance/stream_bugs.hpp"
#include "tests/conformance/stream_ends.hpp"
#include "tests/sim/puppet.hpp"

namespace tenter::sim {
namespace stream_conformance {
namespace {

struct Boring {
  static constexpr std::uint64_t window = 262'144;
  static TapeEntries tape() { return {}; }
};
struct CutAnywhere {
  static constexpr std::uint64_t window = 9'001;
  static TapeEntries tape() {
    TapeEntries entries;
    for (std::uint32_t process = 0; process < 2; ++process)
      for (std::uint32_t i = 0; i < 3'000; ++i) entries.push_back({Tag::stream_cut, process, i, 33, (i * 7 + process) % 33});
    std::erase_if(entries, [](const TapeEntry& entry) { return entry.answer == 0; });
    return entries;
  }
};
// Every byte alone, as long as the tape lasts.
struct SingleBytes {
  static constexpr std::uint64_t window = 50'000;
  static TapeEntries tape() {
    TapeEntries entries;
    for (std::uint32_t process = 0; process < 2; ++process)
      for (std::uint32_t i = 0; i < 20'000; ++i) entries.push_back({Tag::stream_cut, process, i, 33, 1});
    return entries;
  }
};
struct Late {
  static constexpr std::uint64_t window = 70'000;
  static TapeEntries tape() {
    TapeEntries entries;
    for (std::uint32_t process = 0; process < 2; ++process) {
      for (std::uint32_t i = 0; i < 400; ++i) {
        entries.push_back({Tag::stream_delay, process, i, 19, (i * 7 + process) % 19});
        entries.push_back({Tag::delay, process, i, 19, (i * 5 + process) % 19});
        entries.push_back({Tag::tie, process, i, 4, (i * 3 + process) % 4});
        entries.push_back({Tag::stream_cut, process, i, 33, (i * 11 + process) % 33});
        entries.push_back({Tag::stream_loss, process, i, 2, 1});
        entries.push_back({Tag::stream_death, process, i, 2, 1});
        entries.push_back({Tag::network_cut, process, i, 19, i % 5 == 3 ? 1 + i % 15 : 0});
      }
    }
    std::erase_if(entries, [](const TapeEntry& entry) { return entry.answer == 0; });
    return entries;
  }
};

template <class Shape, bool V6 = false>
class SimulatedStreams {
 public:
  SimulatedStreams()
      : puppets_(2, Shape::tape(), [](Scenario& scenario) {
          scenario.stream_window(Shape::window);
          scenario.allow(Tag::network_cut, 1'000);
        }) {}
  ~SimulatedStreams() {
    const auto& finding = puppets_.world().finding();
    EXPECT_FALSE(finding.has_value()) << finding->property << ": " << finding->text;
    const StreamsModel::Counts counts = puppets_.world().streams().counts();
    EXPECT_EQ(counts.written, counts.read + counts.dropped + counts.under_way);
  }
  void perform(std::size_t process, Action action) { puppets_.perform(process, std::move(action)); }
  std::optional<Event> next(std::size_t process) { return puppets_.soonest(process, Role{0}); }
  std::optional<Event> soon(std::size_t process) { return puppets_.next(process); }
  void settle() { puppets_.run(); }
  void stop(std::size_t process) { puppets_.world().signal_process(static_cast<ProcessIndex>(process), 19); }
  void resume(std::size_t process) { puppets_.world().signal_process(static_cast<ProcessIndex>(process), 18); }
  void end(std::size_t process) { puppets_.world().end_process(static_cast<ProcessIndex>(process), 0, 9); }
  Blob any_port() { return Blob(V6 ? "[::1]:0" : "127.0.0.1:0"); }
  Blob elsewhere(std::uint16_t port) { return Blob((V6 ? "127.0.0.1:" : "127.0.0.2:") + std::to_string(port)); }
  std::string left() {
    std::string text = puppets_.world().streams().first_left(0) + puppets_.world().streams().first_left(1);
    const std::uint64_t under_way = puppets_.world().streams().counts().under_way;
    return under_way == 0 ? text : text + " " + std::to_string(under_way) + " bytes under way";
  }

 private:
  PuppetWorld puppets_;
};

using conformance::AnyStreams;
using conformance::register_cases;
using conformance::StreamContract;
using conformance::StreamEnds;
template <class Fixture>
bool register_all(const std::string& name) {
  return register_cases<StreamContract<AnyStreams>>((name + "/StreamContract").c_str(), AnyStreams::of<Fixture>) &&
         register_cases<StreamEnds<AnyStreams>>((name + "/StreamEnds").c_str(), AnyStreams::of<Fixture>);
}
const bool registered[] = {
    register_all<SimulatedStreams<Boring>>("Simulated"),
    register_all<SimulatedStreams<Boring, true>>("SimulatedV6"),
    register_all<SimulatedStreams<CutAnywhere>>("SimulatedCut"),
    register_all<SimulatedStreams<SingleBytes>>("SimulatedSingleBytes"),
    register_all<SimulatedStreams<Late>>("SimulatedLate"),
};

TEST(StreamContract, planted_bugs_are_found_in_the_simulator) {
  conformance::expect_stream_bugs_found<SimulatedStreams<Boring>>();
}
TEST(StreamContract, planted_bugs_are_found_where_bytes_are_cut_and_late) {
  conformance::expect_stream_bugs_found<SimulatedStreams<Late>>();
}

}  // namespace
}  // namespace stream_conformance
}  // namespace tenter::sim
