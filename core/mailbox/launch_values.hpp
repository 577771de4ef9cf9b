// What a Launch keeps: the processes and things of its group, and the texts that name who is to blame. No step of the protocol.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/blob.hpp"
#include "core/describe.hpp"
#include "core/event.hpp"
#include "core/mailbox/error_list.hpp"
#include "core/mailbox/start_call.hpp"
#include "core/names.hpp"

namespace tenter::mailbox {

// sequence of the operation: the attempt; index: the rank, where it says so
enum class LaunchOperation : std::uint8_t {
  draw = 1,
  describe,
  make_directory,
  create_page,
  publish_manifest,
  watch_directory,
  list_directory,
  read_report,  // index: rank
  read_reason,  // of the file that rank 0 leaves when it has no page
  spawn,
  watch_rank,  // index: rank
  watch_group,
  error_length,
  copy_reason,
  copy_identity,  // READY was seen: the header, without its words
  copy_fields,
  copy_reserved,
  condemn,
  start_deadline,
  grace,
  patience,
  inspect_start,
  inspect_blame,
  inspect_survivors,
  inspect_leavers,
  remove_manifest,
  remove_directory,
};

enum class LaunchState : std::uint8_t {
  idle,                 // no group
  drawing,              // start: the random name
  describing,           // start: which host this is
  making_directory,     // start
  creating_page,        // start
  publishing_manifest,  // start
  spawning,             // start: the launcher
  awaiting_ready,       // start: READY, TERMINAL, an exit or the deadline
  explaining,           // start: TERMINAL was seen, its reason is read
  suspecting,           // a process is gone: a moment for the others' exits, so that the first one and the code are known
  inspecting,           // start: the deadline passed, who is stopped or gone?
  running,
  condemning,   // the channel was told of the culprit and ends the group
  closing,      // a SHUTDOWN request is at the channel
  leaving,      // it was answered: the launcher's exit is awaited
  terminating,  // ranks killed, launcher asked to end (after a shutdown: all were asked)
  killing,      // all killed
  surveying,    // who survived that?
  cleaning,     // manifest, page, directory
  ended,        // there was a group; it is over for good
};
const char* to_string(LaunchState state);

struct RankProcess {
  bool reported = false;
  bool reading = false;  // its report is being read
  bool gone = false;
  bool orphaned = false;  // left to us before it went: who had started it was gone already
  ProcessId process;
  friend bool operator==(const RankProcess&, const RankProcess&) = default;
  TENTER_DESCRIBE(rank_process, reported, reading, gone, orphaned, process)
};

struct LauncherProcess {
  bool spawned = false;
  bool gone = false;
  std::int32_t code = 0;
  std::int32_t signal = 0;  // 0: exited by itself
  ProcessId process;
  friend bool operator==(const LauncherProcess&, const LauncherProcess&) = default;
  TENTER_DESCRIBE(launcher_process, spawned, gone, code, signal, process)
};

inline constexpr std::int32_t nobody = -2, the_launcher = -1;  // beside ranks 0..

// Who belongs to the group, and who went first.
struct GroupProcesses {
  LauncherProcess launcher;
  std::vector<RankProcess> ranks;
  std::int32_t first_gone = nobody;  // of the ranks
  friend bool operator==(const GroupProcesses&, const GroupProcesses&) = default;
  TENTER_DESCRIBE(group_processes, launcher, ranks, first_gone)

  bool any_gone() const { return launcher.gone || first_gone != nobody; }
  bool all_gone() const;  // nobody known is left, no report is being read
  bool all_reported() const;
  std::vector<std::int32_t> alive() const;  // ranks in order, then the launcher
  std::vector<ProcessId> ids(const std::vector<std::int32_t>& who) const;
};

// One look at the processes: who was asked for, in the order of the answer's letters.
struct Inspection {
  std::optional<LaunchOperation> purpose;  // none: no look is under way
  std::vector<std::int32_t> who;
  friend bool operator==(const Inspection&, const Inspection&) = default;
  TENTER_DESCRIBE(inspection, purpose, who)
};

// Why the group is to blame itself: a launcher that was killed, else the proxy whose ranks were left to us, else the first rank
// to go; then the other of rank and launcher, then who never reported.
std::vector<RankError> blame_exits(std::string_view phase, const GroupProcesses& group);
// Who is stopped or gone by a look; then who never reported. Empty: nobody is.
std::vector<RankError> blame_inspected(std::string_view phase, const GroupProcesses& group, const Inspection& look,
                                       std::string_view letters);
std::vector<RankError> nobody_to_blame(std::string_view phase);
// Who still runs by a look; without an answer (no letters): all of them, unknown.
std::vector<RankError> survivors(const GroupProcesses& group, const Inspection& look, std::string_view letters);
// Who is known to be left.
std::string names_of(const GroupProcesses& group, const std::vector<std::int32_t>& who);
std::string exit_of(const LauncherProcess& launcher);

// The K of rank-K, below `world`.
std::optional<std::uint32_t> rank_of_report(std::string_view name, std::uint32_t world);
std::string hex_of(Bytes bytes);
Blob header_of_page(std::uint32_t world);  // magic .. world, what stands before the group word

}  // namespace tenter::mailbox
