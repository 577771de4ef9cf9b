#include "bench/raw/futex_tree.hpp"

#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>

namespace tenter::bench {
namespace {

using Word = std::atomic<std::uint32_t>;

void wait_until(Word& word, std::uint32_t wanted) {
  for (;;) {
    const std::uint32_t value = word.load(std::memory_order_acquire);
    if (value == wanted) return;
    syscall(SYS_futex, &word, FUTEX_WAIT, value, nullptr, nullptr, 0);
  }
}
void publish(Word& word, std::uint32_t value) {
  word.store(value, std::memory_order_release);
  syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

struct alignas(64) Line {
  Word word{0};
};

}  // namespace

struct FutexTree::Page {
  Line asked, answered, left;  // round of the request, of the answer; leaves that have not answered
  Line leaf[64];               // round of each leaf
};

void FutexTree::serve_root() {
  for (std::uint32_t round = 1;; ++round) {
    wait_until(page_->asked.word, round);
    page_->left.word.store(ranks_ - 1, std::memory_order_relaxed);
    for (std::uint32_t leaf = 1; leaf < ranks_; ++leaf) publish(page_->leaf[leaf].word, round);
    wait_until(page_->left.word, 0);
    publish(page_->answered.word, round);
  }
}

void FutexTree::serve_leaf(std::uint32_t leaf) {
  for (std::uint32_t round = 1;; ++round) {
    wait_until(page_->leaf[leaf].word, round);
    if (page_->left.word.fetch_sub(1, std::memory_order_acq_rel) == 1)
      syscall(SYS_futex, &page_->left.word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  }
}

std::unique_ptr<FutexTree> FutexTree::start(std::uint32_t ranks) {
  void* memory = mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return std::perror("futex tree: mmap"), nullptr;
  std::unique_ptr<FutexTree> tree(new FutexTree);
  tree->page_ = new (memory) Page;
  tree->ranks_ = ranks;
  const pid_t parent = getpid();
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const pid_t child = fork();
    if (child < 0) return std::perror("futex tree: fork"), nullptr;
    if (child > 0) {
      tree->children_.push_back(child);
      continue;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    rank == 0 ? tree->serve_root() : tree->serve_leaf(rank);
  }
  return tree;
}

FutexTree::~FutexTree() {
  for (const pid_t child : children_) kill(child, SIGKILL);
  for (const pid_t child : children_) waitpid(child, nullptr, 0);
  munmap(page_, sizeof(Page));
}

void FutexTree::request() {
  publish(page_->asked.word, ++round_);
  wait_until(page_->answered.word, round_);
}

}  // namespace tenter::bench
