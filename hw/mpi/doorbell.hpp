// The doorbell: a private page a host with one futex word a rank, so that a rank with a collective in flight can sleep.
//
// MPI has no wait that yields the core (MPICH 4 spins whatever is set), so a rank tests, yields for a while, then sleeps on its
// own word; whoever starts or advances a collective rings. No ring is lost: the sleeper reads its word, then tests MPI, then
// sleeps only while the word is still what it read (futex(2)); the ringer acts on MPI first and raises the word after it.
#pragma once
#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "core/error.hpp"
#include "core/names.hpp"
#include "hw/mpi/environment.hpp"
#include "hw/resource.hpp"

namespace tenter::hw {

class Doorbell {
 public:
  // Collective over the whole world, blocking: rank 0 creates a page that has no name in any folder (0600), every rank opens rank
  // 0's descriptor, checks and maps it. Nothing is left, whoever dies when. Errors, the same on every rank: failed; the text
  // names the first rank that could not, and why (another host, no space, denied, a page of another user, mode or size).
  static Result<Doorbell> open(const MpiEnvironment& environment);
  Doorbell(Doorbell&& other) noexcept;
  Doorbell& operator=(Doorbell&&) = delete;
  ~Doorbell();

  std::uint32_t size() const { return size_; }
  Rank self() const { return self_; }

  // What a sleeper waits for: `any`, or one collective by the number that its communicator gives it (see Awaited::of).
  struct Awaited {
    std::uint64_t bits = 0;  // 0: not asleep
    static constexpr Awaited any() { return {1}; }
    static constexpr Awaited nothing() { return {3}; }  // asleep without a collective in flight: only a ring for any wakes
    static constexpr Awaited of(std::uint32_t communicator, std::uint64_t number) {
      return {(static_cast<std::uint64_t>(communicator & 0xFFFFu) << 48) | ((number & 0x3FFF'FFFF'FFFFull) << 2) | 2u};
    }
  };

  // The own word; read it before the last MPI_Test, sleep on it only while it has that value.
  std::atomic<std::uint32_t>& word() { return lines_[number(self_)].word; }
  void about_to_sleep(Awaited awaited) { lines_[number(self_)].awaited.store(awaited.bits, std::memory_order_seq_cst); }
  void awake() { lines_[number(self_)].awaited.store(0, std::memory_order_relaxed); }

  // Raises the words of all other ranks and wakes those that sleep and that this collective can help: one that waits for a
  // later collective of the same communicator is left asleep (it will be rung by whoever starts that one).
  void ring_others(Awaited on_behalf_of);
  void ring(Rank rank, Awaited on_behalf_of);
  std::uint64_t wakes() const { return wakes_; }  // futex wakes issued by this process

 private:
  struct alignas(64) Line {
    std::atomic<std::uint32_t> word;
    std::atomic<std::uint64_t> awaited;
  };
  static_assert(sizeof(Line) == 64);
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

  Doorbell(Line* lines, std::uint32_t size, Rank self) : lines_(lines), size_(size), self_(self) {}
  // Each: "" or why not.
  struct Place;
  static std::string create_page(const std::string& name, std::uint32_t size, int* file, void** page);
  static std::string open_page(const Place& place, std::uint32_t size, void** page);
  static std::string map_page(int file, std::uint32_t size, void** page);

  Line* lines_ = nullptr;  // first line a rank
  std::uint32_t size_ = 0;
  Rank self_{};
  std::uint64_t wakes_ = 0;
  Counted mapping_{Resource::mapping};
};

}  // namespace tenter::hw
