// A folder that only this user can enter, for the files of one parent's groups.
#pragma once
#include <string>

#include "core/error.hpp"
#include "hw/resource.hpp"

namespace tenter::hw {

// Where the processes of a private folder can be seen: a line "boot-id inode" in its file `origin`, the inode that of their PID
// namespace (pid_namespaces(7)). In another one the same numbers are other processes, and ours are not to be seen at all.
inline constexpr const char* origin_file = "origin";
std::string origin();  // of this process
// Its processes live in this boot of the machine and in another PID namespace: nobody here can say whether they are gone.
bool is_of_another_namespace(const std::string& folder);

class PrivateFolder {
 public:
  // A new folder of mode 0700 under `base`; base empty: $XDG_RUNTIME_DIR where it is ours alone, else an absolute
  // $TMPDIR, else /tmp. Errors name the path: not_found, invalid (too long), denied (base belongs to another user and is not
  // sticky), no_space, failed.
  static Result<PrivateFolder> create(const std::string& base = {});

  PrivateFolder(PrivateFolder&& other) noexcept = default;
  PrivateFolder& operator=(PrivateFolder&&) = delete;
  ~PrivateFolder();  // removes the folder and what is in it
  const std::string& path() const { return path_; }
  Result<void> remove();

 private:
  explicit PrivateFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
  Counted counted_{Resource::directory};
};

}  // namespace tenter::hw
