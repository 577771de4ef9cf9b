// The calls that start and stop a group, as the parent's user makes them. Spec A1, B6.
#pragma once
#include <cstdint>

#include "core/blob.hpp"
#include "core/describe.hpp"
#include "core/error.hpp"
#include "core/event.hpp"
#include "core/names.hpp"

namespace tenter::mailbox {

// What to start. The ranks find their group by the environment variable TENTER_MAILBOX_DIRECTORY.
struct StartSpec {
  std::uint32_t world = 0;  // ranks
  Duration patience{};      // from the call to READY, every step included; 0: the launcher machine's default
  Blob root;                // absolute path of the folder that the parent's Files port is rooted in
  Parts arguments;          // of the launcher; [0] is the program. It starts `world` ranks
  Parts environment;        // NAME=value, added to the inherited one
  friend bool operator==(const StartSpec&, const StartSpec&) = default;
  TENTER_DESCRIBE(start_spec, world, patience, root, arguments, environment)
};

// Note::text: u32 format (1), u32 world, i64 patience in nanoseconds, u32 + bytes root, u32 arguments, u32 environment entries,
// little-endian; Note::parts: the arguments, then the environment.
Note start_call(const StartSpec& spec);
// invalid: the format, or a spec that no group can be started from; the text names the field.
Result<StartSpec> read_start(const Note& call);

// patience: from the call until no process and no file of the group is left, orderly; then the processes are ended by force.
// 0: the launcher machine's default. Carried by Note::a, in nanoseconds.
Note stop_call(Duration patience = {});
Result<Duration> read_stop(const Note& call);

// The answer to a start call that succeeded.
struct StartedGroup {
  Blob page;       // the page's name
  Blob directory;  // relative to the Files port's root
  ProcessId launcher;
};
Note started_answer(const StartedGroup& group);
Result<StartedGroup> read_started(const Note& answer);

}  // namespace tenter::mailbox
