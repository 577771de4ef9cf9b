// The raw peer of a group's request: one process wakes a root by futex, the root wakes every leaf, each leaf answers, the root
// answers. All block; nobody spins. No machine, no MPI, no payload.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace tenter::bench {

class FutexTree {
 public:
  // Forks root and leaves, `ranks` processes in all; nullptr after a message on standard error.
  static std::unique_ptr<FutexTree> start(std::uint32_t ranks);
  FutexTree(const FutexTree&) = delete;
  FutexTree& operator=(const FutexTree&) = delete;
  ~FutexTree();

  void request();  // returns when every process has answered

 private:
  struct Page;
  FutexTree() = default;
  void serve_root();
  void serve_leaf(std::uint32_t leaf);

  Page* page_ = nullptr;
  std::uint32_t ranks_ = 0;
  std::uint32_t round_ = 0;
  std::vector<pid_t> children_;
};

}  // namespace tenter::bench
