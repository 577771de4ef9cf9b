// What a Supervisor keeps: the job's processes and things, the calls of its user, and the texts that name who is to blame.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/control/launcher.hpp"
#include "core/control/start_notes.hpp"
#include "core/control/topology.hpp"
#include "core/describe.hpp"
#include "core/error.hpp"
#include "core/event.hpp"
#include "core/names.hpp"

namespace tenter::control {

// What to start. Note::text: format, patience, family, flags and counts, little-endian; Note::parts: topology, root, launcher,
// listen, the program, then name and value of each variable.
struct JobSpec {
  std::string topology;     // a file's text
  std::string root;         // absolute path of the folder that the Files port is rooted in
  LaunchPlan plan;          // cleans_up is the machine's to say
  Duration patience{};      // from the call to GO; 0: the topology's startup_timeout_s
  std::string listen = {};  // the controller's host as Stream takes it; empty: its name is an address already
};
Note job_call(const JobSpec& spec);
// invalid: the format, or a plan that cannot be; the text names the field. The topology is judged by parse_topology().
Result<JobSpec> read_job(const Note& call);

// which: the rank, where it says so
enum class SupervisorOperation : std::uint8_t {
  describe = 1,
  draw,
  write_hosts,
  remove_hosts,
  spawn,
  watch_rank,
  deadline,
  grace,
  patience
};

enum class SupervisorState : std::uint8_t {
  idle,         // no job yet
  describing,   // start: which host this is
  drawing,      // start: the token
  opening,      // start: the gate
  writing,      // start: the host file (Hydra)
  spawning,     // start: the launcher
  gathering,    // start: the gate's word, an exit or the deadline
  suspecting,   // start: a process is gone: a moment for the others' exits and reasons
  running,      // GO
  leaving,      // a process has left: the others have a time to do so, too
  terminating,  // SIGTERM to all
  killing,      // SIGKILL to all
  cleaning,     // the host file
  ended,        // nothing of the job is left
};
std::string_view to_string(SupervisorState state);

struct JobRank {
  std::string host;  // by the topology
  ProcessId process;
  bool watched = false;  // its process is on this host
  bool gone = false;
  friend bool operator==(const JobRank&, const JobRank&) = default;
  TENTER_DESCRIBE(job_rank, host, process, watched, gone)
};

struct JobProcesses {
  bool spawned = false, launcher_gone = false;
  ProcessId launcher;
  std::int32_t code = 0, signal = 0;  // of the launcher
  std::vector<JobRank> ranks;
  std::int64_t first_gone = -1;  // of the ranks that are watched
  friend bool operator==(const JobProcesses&, const JobProcesses&) = default;
  TENTER_DESCRIBE(job_processes, spawned, launcher_gone, launcher, code, signal, ranks, first_gone)

  bool any_gone() const { return launcher_gone || first_gone >= 0; }
  bool all_gone() const;
  bool failed() const { return code != 0 || signal > 0; }  // of a launcher that is gone
  std::vector<ProcessId> alive() const;                    // ranks in order, then the launcher
  std::string names() const;                               // of those
  std::string exits() const;                               // who is gone: the first rank, the launcher with its code
};

// 32 bytes as URL-safe text without padding, 43 characters; and bytes as hexadecimal digits.
std::string token_text(Bytes random);
std::string hex_text(Bytes bytes);

inline constexpr std::size_t token_bytes = 32, name_bytes = 8;

}  // namespace tenter::control
