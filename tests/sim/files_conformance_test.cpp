// The simulated Files keep the same contract as those on hardware.
#include "tests/conformance/files.hpp"

#include "tests/conformance/files_bugs.hpp"
#include "tests/sim/puppet.hpp"

namespace tenter::sim {
namespace files_conformance {
namespace {

struct Prompt {
  static TapeEntries tape() { return {}; }
};
// Every answer and every notice is late; with one operation at a time that changes no order.
struct Slow {
  static TapeEntries tape() {
    TapeEntries entries;
    for (std::uint32_t process = 0; process < 3; ++process) {
      for (std::uint32_t i = 0; i < 400; ++i) entries.push_back({Tag::delay, process, i, 19, (i * 7) % 12});
      for (std::uint32_t i = 0; i < 400; ++i) entries.push_back({Tag::file_delay, process, i, 19, (i * 5) % 12});
    }
    std::erase_if(entries, [](const TapeEntry& entry) { return entry.answer == 0; });
    return entries;
  }
};

// A file system of the other profiles, whatever it may do done at every place: whoever shares a host sees nothing of it.
struct CachedAndLate {
  static TapeEntries tape() {
    TapeEntries entries;
    for (std::uint32_t process = 0; process < 3; ++process)
      for (std::uint32_t i = 0; i < 400; ++i) {
        entries.push_back({Tag::file_stale, process, i, 2, 1});
        entries.push_back({Tag::file_late, process, i, 49, 1 + (i * 7) % 48});
      }
    return entries;
  }
};

template <class Tape>
class SimulatedFiles {
 public:
  SimulatedFiles()
      : puppets_(3, tape(), [](Scenario& scenario) {
          for (const auto& process : scenario.processes()) process->on_host("one");
          scenario.allow(Tag::no_space, 1000);
          scenario.allow(Tag::file_stale, 1000);
          scenario.allow(Tag::file_late, 1000);
        }) {}
  void perform(std::size_t process, Action action) { puppets_.perform(process, std::move(action)); }
  std::optional<Event> next(std::size_t process) { return puppets_.next(process); }
  void park(std::size_t) { puppets_.run(); }
  std::optional<Event> woken(std::size_t process) { return puppets_.next(process); }

 private:
  static TapeEntries tape() {
    TapeEntries entries = Tape::tape();
    for (std::uint32_t i = 0; i < 100; ++i) entries.push_back({Tag::no_space, 2, i, 2, 1});
    return entries;
  }
  PuppetWorld puppets_;
};

using conformance::FilesContract;
using conformance::register_cases;
const bool prompt = register_cases<FilesContract<SimulatedFiles<Prompt>>>("Simulated/FilesContract");
const bool slow = register_cases<FilesContract<SimulatedFiles<Slow>>>("SimulatedSlow/FilesContract");
const bool one_host = register_cases<FilesContract<SimulatedFiles<CachedAndLate>>>("SimulatedCachedAndLate/FilesContract");

TEST(FilesContract, planted_bugs_are_found_in_the_simulator) { conformance::expect_file_bugs_found<SimulatedFiles<Prompt>>(); }

}  // namespace
}  // namespace files_conformance
}  // namespace tenter::sim
