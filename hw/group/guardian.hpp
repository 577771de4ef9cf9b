// A small process that outlives its parent by a moment: when the parent dies, however, it ends the ranks and the launcher,
// unlinks the page and removes the private folder. docs/protocols/mailbox.md; design section 10.
//
// It is the group's member program, started anew and told by its environment what it is: run_member() asks first. A fork alone
// would not do. The parent may have threads, and between fork and exec only async-signal-safe calls are allowed (fork(2)), which
// a clean-up is not.
#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "hw/posix/descriptor.hpp"

namespace tenter::hw {

// Environment of a guardian: the folder that it guards.
inline constexpr const char* guardian_variable = "TENTER_GUARDIAN_OF";

class Guardian {
 public:
  // Starts `member` (program, found by PATH, and arguments) as a guardian and waits until it guards. To be called before the
  // group's launcher is spawned; `folder` is the root of the group's directories.
  // Errors name the program: not_found, denied, failed (no start), invalid (it did not answer: it does not call run_member()).
  static Result<Guardian> start(const std::string& folder, const std::vector<std::string>& member);

  Guardian(Guardian&& other) noexcept;
  Guardian& operator=(Guardian&&) = delete;
  // Without dismiss() the guardian takes it for the parent's death and cleans up. Waits until it is gone; one that needs longer
  // than 15 s, or 2 s after dismiss(), is stopped or hangs, and is killed.
  ~Guardian();
  void dismiss();  // everything was cleaned up already; harmless when the guardian is gone
  pid_t pid() const { return pid_; }

 private:
  Guardian(pid_t pid, Descriptor line) : pid_(pid), line_(std::move(line)) {}
  Result<void> wait_until_it_guards(const std::string& program);
  pid_t pid_ = 0;
  bool dismissed_ = false;
  Descriptor line_;  // socket: its end is the parent's death
};

// In a process that was started as a guardian: guards until the parent dismisses it or dies, and returns the exit code. Nothing
// in any other process.
std::optional<int> serve_as_guardian();

// What the guardian does, as a call: processes whose reports or whose environment name a directory in `folder` get SIGKILL
// until none is left (at most 10 s), pages of the groups in it are unlinked, the folder is removed. True when all of it went.
bool clean_up_after_parent(const std::string& folder);

}  // namespace tenter::hw
