// Kernels with one bug each, as variants of the automata in core/page/kernel.hpp, and the plain accesses of a payload.
#pragma once
#include <cstdint>
#include <string>

#include "core/page/kernel.hpp"
#include "sim/memory/policy.hpp"

namespace tenter::litmus {

using page::Orders;
using page::Parked;
using page::Progress;
using sim::AgentMemory;

// Right: payload bytes, all equal to `value`.
struct WriteBytes {
  std::uint64_t offset = 0, bytes = 0;
  std::uint8_t value = 0;
  Blob content = filled(bytes, value);
  static Blob filled(std::uint64_t size, std::uint8_t with) {
    return Blob(size, [&](MutableBytes to) {
      for (std::byte& byte : to) byte = std::byte{with};
    });
  }
  Progress step(AgentMemory& memory, const Orders&) {
    memory.page().write_plain(memory.agent(), offset, content);
    return Progress::done;
  }
};
struct ReadBytes {
  std::uint64_t offset = 0, bytes = 0;
  std::uint8_t expected = 0;
  bool wrong = false;
  Progress step(AgentMemory& memory, const Orders&) {
    const Blob content = memory.page().read_plain(memory.agent(), offset, bytes);
    for (const std::byte byte : content.bytes()) wrong = wrong || byte != std::byte{expected};
    return Progress::done;
  }
};

// Bug: the wake comes before the store that it announces.
struct WakeThenStore {
  Word word{};
  std::uint32_t value = 0;
  bool woke = false;
  Progress step(AgentMemory& memory, const Orders& orders) {
    if (!woke) {
      memory.futex_wake(word);
      woke = true;
      return Progress::more;
    }
    memory.store(word, value, orders.publish);
    return Progress::done;
  }
};

// Bug: wakes with the private flag, which never reaches another process.
struct PrivatePublish {
  Word word{};
  std::uint32_t value = 0;
  bool stored = false;
  Progress step(AgentMemory& memory, const Orders& orders) {
    if (!stored) {
      memory.store(word, value, orders.publish);
      stored = true;
      return Progress::more;
    }
    memory.page().futex_wake(memory.agent(), word, sim::FutexScope::process);
    return Progress::done;
  }
};

// Bug: wakes one waiter where two may sleep.
struct WakeOne {
  Word word{};
  std::uint32_t value = 0;
  bool stored = false;
  Progress step(AgentMemory& memory, const Orders& orders) {
    if (!stored) {
      memory.store(word, value, orders.publish);
      stored = true;
      return Progress::more;
    }
    memory.wake_some(word, 1);
    return Progress::done;
  }
};

// Bug: saves the wake when a count of waiters reads zero, without a fence between the store and that load. The watcher does its
// part right: it counts itself by compare-exchange before it compares.
struct CountedPublish {
  Word word{}, waiters{};
  std::uint32_t value = 0;
  std::uint8_t at = 0;
  Progress step(AgentMemory& memory, const Orders& orders) {
    switch (at++) {
      case 0:
        memory.store(word, value, orders.publish);
        return Progress::more;
      case 1:
        return memory.load(waiters, page::Order::acquire) == 0 ? Progress::done : Progress::more;
      default:
        memory.futex_wake(word);
        return Progress::done;
    }
  }
};
struct CountedWatch {
  Word word{}, waiters{};
  std::uint32_t seen = 0, value = 0;
  std::uint8_t at = 0;
  Progress step(AgentMemory& memory, const Orders& orders) {
    switch (at++) {
      case 0:
        memory.compare_exchange(waiters, 0, 1, page::Order::acquire_release, page::Order::acquire);
        return Progress::more;
      case 1:
        value = memory.load(word, orders.watch);
        return value != seen ? Progress::done : Progress::more;
      default:
        at = 1;
        return memory.futex_wait(word, seen) == Parked::asleep ? Progress::asleep : Progress::more;
    }
  }
};

// Ends its actor's script unless the publish_if before it stored, or saw a value.
struct IfStored {
  Progress step(AgentMemory&, const Orders&) { return Progress::done; }
  bool go_on(const page::PublishIf& before) const { return before.stored(); }
};
struct IfSeen {
  std::uint32_t value = 0;
  Progress step(AgentMemory&, const Orders&) { return Progress::done; }
  bool go_on(const page::PublishIf& before) const { return before.seen() == value; }
};

// Bug: believes that the word changed because the wait returned.
struct BelievingWatch {
  Word word{};
  std::uint32_t seen = 0, value = 0;
  std::uint8_t at = 0;
  bool wrong = false;
  Progress step(AgentMemory& memory, const Orders& orders) {
    switch (at++) {
      case 0:
        value = memory.load(word, orders.watch);
        return value != seen ? Progress::done : Progress::more;
      case 1:
        return memory.futex_wait(word, seen) == Parked::asleep ? Progress::asleep : Progress::more;
      default:
        value = memory.load(word, orders.watch);
        wrong = value == seen;
        return Progress::done;
    }
  }
};

// Bug: parks with a value loaded anew instead of the one it compared.
struct WatchAgainstStale {
  Word word{};
  std::uint32_t seen = 0, value = 0, fresh = 0;
  std::uint8_t at = 0;
  Progress step(AgentMemory& memory, const Orders& orders) {
    switch (at++) {
      case 0:
        value = memory.load(word, orders.watch);
        return value != seen ? Progress::done : Progress::more;
      case 1:
        fresh = memory.load(word, page::Order::relaxed);
        return Progress::more;
      default:
        at = 0;
        return memory.futex_wait(word, fresh) == Parked::asleep ? Progress::asleep : Progress::more;
    }
  }
};

// Bug: waits with the private flag.
struct PrivateWatch {
  Word word{};
  std::uint32_t seen = 0, value = 0;
  bool parking = false;
  Progress step(AgentMemory& memory, const Orders& orders) {
    if (parking) {
      parking = false;
      const Parked parked = memory.page().futex_wait(memory.agent(), memory.waiter(), word, seen, sim::FutexScope::process);
      return parked == Parked::asleep ? Progress::asleep : Progress::more;
    }
    value = memory.load(word, orders.watch);
    parking = value == seen;
    return parking ? Progress::more : Progress::done;
  }
};

}  // namespace tenter::litmus
