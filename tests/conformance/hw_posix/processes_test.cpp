// The Processes contract with real children. This program is its own helper: it leaves as the environment says.
#include "tests/conformance/processes.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <memory>

#include "hw/loop/process.hpp"
#include "hw/posix/process_stat.hpp"
#include "hw/posix/processes_part.hpp"
#include "hw/resource.hpp"
#include "tests/conformance/processes_bugs.hpp"

namespace tenter::hw {
namespace {

using ProcessesPort = Port<ProcessesPart>;
constexpr const char* leaves_argument = "--leaves-with";

struct Listener {
  std::vector<Event> events;
  template <class E, class O>
  void on(const E& e, O&) {
    events.emplace_back(e);
  }
};

// Before main: a program that does what its machine asks for and obeys as the owner of a loop does.
struct Helper {
  Helper() {
    std::array<char, 256> line{};
    FILE* file = std::fopen("/proc/self/cmdline", "r");
    const std::size_t got = file ? std::fread(line.data(), 1, line.size() - 1, file) : 0;
    if (file) std::fclose(file);
    const std::string_view text(line.data(), got);
    const std::size_t at = text.find(leaves_argument);
    if (at == std::string_view::npos) return;
    Context context;
    ProcessesPort port{{context}, {}};
    Process process(context, port,
                    conformance::LeavesWith{std::atoi(line.data() + at + std::string_view(leaves_argument).size() + 1)});
    process.start();
    process.run_until([&] { return port.exit_requested().has_value(); }, now() + seconds(20));
    _exit(port.exit_requested() ? port.exit_requested()->code : 255);
  }
};
const Helper helper;

template <int Patience>
class RealProcesses {
 public:
  RealProcesses() {
    for (auto& one : processes_) one = std::make_unique<One>();
  }
  template <class Action>
  void perform(std::size_t process, const Action& action, Role role) {
    One& one = *processes_[process];
    one.context.current = role;
    one.port.perform(action);
  }
  std::optional<Event> next(std::size_t process, Role role) {
    One& one = *processes_[process];
    auto& events = number(role) == 0 ? one.process.template machine<0>().events : one.process.template machine<1>().events;
    one.process.run_until([&] { return !events.empty(); }, now() + seconds(Patience));
    if (events.empty()) return std::nullopt;
    const Event first = events.front();
    events.erase(events.begin());
    return first;
  }
  Parts exits(std::int32_t code) {
    return {Blob("/proc/self/exe"), Blob(std::string_view(leaves_argument)), Blob(std::string_view(std::to_string(code)))};
  }
  Parts sleeps() { return {Blob("sleep"), Blob("1000")}; }
  Parts helped() { return {Blob("sh"), Blob("-c"), Blob("sleep 1000 & wait")}; }
  Parts missing() { return {Blob("no-such-program-anywhere")}; }
  void await_death(const ProcessId& id) {
    const Time deadline = now() + seconds(Patience);
    char letter = state_letter(id);
    while (letter != 'Z' && letter != 'X' && now() < deadline) {
      sched_yield();
      letter = state_letter(id);
    }
    EXPECT_TRUE(letter == 'Z' || letter == 'X') << letter;
  }
  // Process 2 with a life-line that this test holds.
  std::size_t start_orphan() {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("pipe");
    parent_ = Descriptor(ends[1]);
    processes_[2]->port.watch_lifeline(Descriptor(ends[0]), {Role{0}, Role{1}});
    return 2;
  }
  void end_parent() { parent_ = Descriptor(); }
  std::string end_all() {
    for (auto& one : processes_) one.reset();
    std::string left = Resources::held_text();
    for (const std::uint64_t pid : children_of_self()) left += " child " + std::to_string(pid);
    return left;
  }

 private:
  struct One {
    One() : port{{context}, {}}, process(context, port, Listener{}, Listener{}) {}
    Context context;
    ProcessesPort port;
    Process<ProcessesPort, Listener, Listener> process;
  };
  std::array<std::unique_ptr<One>, 3> processes_;
  Descriptor parent_;
};

using conformance::ProcessesContract;
using conformance::register_cases;
const bool real = register_cases<ProcessesContract<RealProcesses<20>>>("Real/ProcessesContract");

TEST(ProcessesContract, planted_bugs_are_found_on_hardware) { conformance::expect_process_bugs_found<RealProcesses<2>>(); }

}  // namespace
}  // namespace tenter::hw
