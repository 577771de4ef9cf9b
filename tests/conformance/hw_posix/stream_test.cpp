// The Stream contract over TCP on this host, IPv4 and IPv6. Both processes are ports of this one; the loop of one runs while the
// other's events are awaited, unless it is stopped.
#include <array>
#include <memory>

#include "hw/loop/process.hpp"
#include "hw/posix/stream_part.hpp"
#include "hw/resource.hpp"
#include "tests/conformance/stream.hpp"
#include "tests/conformance/stream_bugs.hpp"
#include "tests/conformance/stream_ends.hpp"

namespace tenter::hw {
namespace {

using StreamPort = Port<StreamPart>;

struct Listener {
  std::vector<Event> events;
  template <class E, class O>
  void on(const E& e, O&) {
    if constexpr (!std::is_same_v<E, event::Started>) events.emplace_back(e);
  }
};

// Patience: in milliseconds, for an answer that must come.
template <bool V6, int Patience>
class RealStreams {
 public:
  RealStreams() {
    for (auto& one : processes_) one = std::make_unique<One>();
  }
  void perform(std::size_t process, Action action) {
    One& one = *processes_[process];
    one.context.current = Role{0};
    std::visit(
        [&](const auto& a) {
          if constexpr (requires { one.port.perform(a); }) one.port.perform(a);
        },
        action);
  }
  std::optional<Event> next(std::size_t process) { return within(process, milliseconds(Patience)); }
  std::optional<Event> soon(std::size_t process) { return within(process, milliseconds(15)); }
  void settle() {
    const Time end = now() + milliseconds(15);
    while (now() < end) turn(0);
  }
  void stop(std::size_t process) { stopped_[process] = true; }
  void resume(std::size_t process) { stopped_[process] = false; }
  void end(std::size_t process) { processes_[process].reset(); }
  Blob any_port() { return Blob(V6 ? "[::1]:0" : "127.0.0.1:0"); }
  Blob elsewhere(std::uint16_t port) { return Blob((V6 ? "127.0.0.1:" : "127.0.0.2:") + std::to_string(port)); }
  // What is open beside the set of each part and the two descriptors of each thread that watches for a parked loop.
  std::string left() {
    const Time end = now() + milliseconds(Patience);
    while (descriptors_of_streams() != 0 && now() < end) turn(0);
    std::string text;
    if (const std::int64_t open = descriptors_of_streams(); open != 0) text = std::to_string(open) + " descriptors";
    for (auto& one : processes_) one.reset();
    return text + Resources::held_text();
  }

 private:
  struct One {
    One() : port{{context}, {}}, process(context, port, Listener{}) {}
    Context context;
    StreamPort port;
    Process<StreamPort, Listener> process;
  };
  std::vector<Event>& events(std::size_t process) { return processes_[process]->process.template machine<0>().events; }
  std::int64_t descriptors_of_streams() {
    return Resources::held(Resource::descriptor) - 2 - 2 * Resources::held(Resource::thread);
  }
  bool runs(std::size_t process) { return processes_[process] && !stopped_[process]; }
  // Both loops as far as they come, the first one up to a millisecond further.
  void turn(std::size_t process) {
    if (runs(1 - process)) processes_[1 - process]->process.run_ready();
    if (!runs(process)) return;
    const std::size_t before = events(process).size();
    processes_[process]->process.run_until([&] { return events(process).size() > before; }, now() + milliseconds(1));
  }
  std::optional<Event> within(std::size_t process, Duration patience) {
    if (!processes_[process]) return std::nullopt;
    const Time end = now() + patience;
    for (bool in_time = true; in_time && events(process).empty(); turn(process)) in_time = now() < end;
    if (events(process).empty()) return std::nullopt;
    Event first = std::move(events(process).front());
    events(process).erase(events(process).begin());
    return first;
  }
  std::array<std::unique_ptr<One>, 2> processes_;
  std::array<bool, 2> stopped_{};
};

using conformance::AnyStreams;
using conformance::register_cases;
using conformance::StreamContract;
using conformance::StreamEnds;
const bool real[] = {
    register_cases<StreamContract<AnyStreams>>("Real/StreamContract", AnyStreams::of<RealStreams<false, 20'000>>),
    register_cases<StreamEnds<AnyStreams>>("Real/StreamEnds", AnyStreams::of<RealStreams<false, 20'000>>),
    register_cases<StreamContract<AnyStreams>>("RealV6/StreamContract", AnyStreams::of<RealStreams<true, 20'000>>),
    register_cases<StreamEnds<AnyStreams>>("RealV6/StreamEnds", AnyStreams::of<RealStreams<true, 20'000>>),
};

TEST(StreamContract, planted_bugs_are_found_on_hardware) {
  conformance::expect_stream_bugs_found<RealStreams<false, 200>, RealStreams<false, 20'000>>();
}

}  // namespace
}  // namespace tenter::hw
