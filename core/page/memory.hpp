// What the shared-page kernel needs of a memory: aligned 4-byte words with an order, plain bytes, and a futex. Two worlds provide
// it: hw/shm/memory.hpp (std::atomic_ref, the shared futex) and sim/memory/policy.hpp (sc, tso, ra).
#pragma once
#include <array>
#include <concepts>
#include <cstdint>
#include <string_view>

#include "core/blob.hpp"
#include "core/names.hpp"

namespace tenter::page {

// The C++ memory orders; `sequential` is used by fences only.
enum class Order : std::uint8_t { relaxed, acquire, release, acquire_release, sequential };

constexpr bool acquires(Order order) { return order == Order::acquire || order >= Order::acquire_release; }
constexpr bool releases(Order order) { return order >= Order::release; }

// The order of every access that the kernel makes. The defaults are the right ones; only tests and mutants pass others.
struct Orders {
  Order publish = Order::release;
  Order swap = Order::acquire_release;  // publish_if, when it stores
  Order swap_failed = Order::acquire;   // publish_if, when it does not
  Order watch = Order::acquire;
  friend bool operator==(const Orders&, const Orders&) = default;
};

// One order too weak at a time: what a mutant of the kernel can be. Index 0 is the right kernel.
struct WeakenedOrders {
  std::string_view name;
  Orders orders;
};
inline constexpr std::array<WeakenedOrders, 6> weakened_orders{{
    {"none", {}},
    {"publish_relaxed", {.publish = Order::relaxed}},
    {"swap_without_release", {.swap = Order::acquire}},
    {"swap_without_acquire", {.swap = Order::release}},
    {"failed_swap_relaxed", {.swap_failed = Order::relaxed}},
    {"watch_relaxed", {.watch = Order::relaxed}},
}};

// What became of a wait. asleep: the caller is parked and must not be stepped before it is woken (simulator, event loop).
// returned: it slept and came back, or did not sleep; either way nothing is known about the word (futex(2): a return of 0 may
// be spurious).
enum class Parked : std::uint8_t { asleep, returned };

// load, store, compare_exchange: a word at a byte offset that is a multiple of 4; compare_exchange answers the value seen, and
// has stored if and only if it equals `expected`. copy_in: page to private memory; copy_out: private memory to page; both plain.
// futex_wait sleeps only if the word still equals `expected`, compared atomically with falling asleep; futex_wake wakes every
// waiter of the word, in whichever process. pause: a hint between two spins.
template <class M>
concept Memory = requires(M& memory, Word word, std::uint32_t value, Order order, std::uint64_t offset, Bytes from,
                          MutableBytes to) {
  { memory.load(word, order) } -> std::same_as<std::uint32_t>;
  memory.store(word, value, order);
  { memory.compare_exchange(word, value, value, order, order) } -> std::same_as<std::uint32_t>;
  memory.fence(order);
  memory.copy_in(offset, to);
  memory.copy_out(offset, from);
  { memory.futex_wait(word, value) } -> std::same_as<Parked>;
  memory.futex_wake(word);
  memory.pause();
};

}  // namespace tenter::page
