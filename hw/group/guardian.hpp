// A small child that outlives its parent by a moment: when the parent dies, however, it ends the ranks and the launcher, unlinks
// the page and removes the private folder. docs/protocols/mailbox.md; design section 10.
#pragma once
#include <sys/types.h>

#include <string>

#include "core/error.hpp"
#include "hw/posix/descriptor.hpp"

namespace tenter::hw {

class Guardian {
 public:
  // Forks. To be called before the group's launcher is spawned; `folder` is the root of the group's directories.
  // failed: pipe or fork, with the cause.
  static Result<Guardian> start(const std::string& folder);

  Guardian(Guardian&& other) noexcept;
  Guardian& operator=(Guardian&&) = delete;
  // Without dismiss() the guardian takes it for the parent's death and cleans up. Waits until it is gone.
  ~Guardian();
  void dismiss();  // everything was cleaned up already
  pid_t pid() const { return pid_; }

 private:
  Guardian(pid_t pid, Descriptor line) : pid_(pid), line_(std::move(line)) {}
  pid_t pid_ = 0;
  Descriptor line_;
};

// What the guardian does, as a call: processes whose reports or whose environment name a directory in `folder` get SIGKILL
// until none is left (at most 10 s), pages of the groups in it are unlinked, the folder is removed. True when all of it went.
bool clean_up_after_parent(const std::string& folder);

}  // namespace tenter::hw
