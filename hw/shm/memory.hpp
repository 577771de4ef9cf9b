// The page kernel's Memory on real shared memory: std::atomic_ref on the mapped words, plain copies, the shared futex.
#pragma once
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/blob.hpp"
#include "core/page/memory.hpp"
#include "hw/shm/futex.hpp"

namespace tenter::hw {

static_assert(std::endian::native == std::endian::little, "the words of a page are little-endian");
static_assert(std::atomic_ref<std::uint32_t>::is_always_lock_free, "a word is shared with other processes");

constexpr std::memory_order to_memory_order(page::Order order) {
  switch (order) {
    case page::Order::relaxed:
      return std::memory_order_relaxed;
    case page::Order::acquire:
      return std::memory_order_acquire;
    case page::Order::release:
      return std::memory_order_release;
    case page::Order::acquire_release:
      return std::memory_order_acq_rel;
    case page::Order::sequential:
      break;
  }
  return std::memory_order_seq_cst;
}

inline void spin_pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// A view of mapped bytes; whoever makes it checks that offsets are inside and words are aligned. futex_wait blocks.
class MappedMemory {
 public:
  explicit MappedMemory(std::byte* base) : base_(base) {}

  std::uint32_t load(Word word, page::Order order) const { return atomic(word).load(to_memory_order(order)); }
  void store(Word word, std::uint32_t value, page::Order order) { atomic(word).store(value, to_memory_order(order)); }
  std::uint32_t compare_exchange(Word word, std::uint32_t expected, std::uint32_t desired, page::Order stored,
                                 page::Order failed) {
    atomic(word).compare_exchange_strong(expected, desired, to_memory_order(stored), to_memory_order(failed));
    return expected;
  }
  void fence(page::Order order) { std::atomic_thread_fence(to_memory_order(order)); }
  void copy_in(std::uint64_t offset, MutableBytes to) const {
    if (!to.empty()) std::memcpy(to.data(), base_ + offset, to.size());
  }
  void copy_out(std::uint64_t offset, Bytes from) {
    if (!from.empty()) std::memcpy(base_ + offset, from.data(), from.size());
  }
  page::Parked futex_wait(Word word, std::uint32_t expected) {
    futex_wait_shared(address(word), expected);
    return page::Parked::returned;
  }
  void futex_wake(Word word) { futex_wake_shared(address(word)); }
  void pause() { spin_pause(); }

  std::uint32_t* address(Word word) const { return reinterpret_cast<std::uint32_t*>(base_ + number(word)); }

 private:
  std::atomic_ref<std::uint32_t> atomic(Word word) const { return std::atomic_ref<std::uint32_t>(*address(word)); }
  std::byte* base_;
};
static_assert(page::Memory<MappedMemory>);

// The same, but a wait does not sleep here: it is left to whoever gets `asleep`, the loop, which sleeps on all its words at once.
class ParkedByLoop : public MappedMemory {
 public:
  using MappedMemory::MappedMemory;
  page::Parked futex_wait(Word, std::uint32_t) { return page::Parked::asleep; }
};
static_assert(page::Memory<ParkedByLoop>);

}  // namespace tenter::hw
