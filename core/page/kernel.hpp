// The shared-page kernel: what publish, publish_quiet, publish_if and watch do to memory, written once over page::Memory.
// Each is a small copyable automaton whose step() makes at most one shared access, so that the simulator can put any other
// process between any two of them; on hardware run() drives it to completion and the compiler folds it into the plain code.
//
// Why no fence stands between the store and the wake: the kernel compares the word again under the futex's own lock, and both
// calls order memory before they look (Linux kernel/futex/waitwake.c), so either the waiter sees the store or the waker sees the
// waiter.
#pragma once
#include <cstdint>

#include "core/describe.hpp"
#include "core/page/memory.hpp"

namespace tenter::page {

// more: step again. asleep: step again after a wake. done: finished.
enum class Progress : std::uint8_t { more, asleep, done };

// Store-release, then wake of every waiter.
class Publish {
 public:
  constexpr Publish(Word word, std::uint32_t value) : word_(word), value_(value) {}

  template <Memory M>
  constexpr Progress step(M& memory, const Orders& orders = {}) {
    if (!stored_) {
      memory.store(word_, value_, orders.publish);
      stored_ = true;
      return Progress::more;
    }
    memory.futex_wake(word_);
    return Progress::done;
  }

  friend bool operator==(const Publish&, const Publish&) = default;
  TENTER_DESCRIBE(kernel_publish, word_, value_, stored_)

 private:
  Word word_{};
  std::uint32_t value_ = 0;
  bool stored_ = false;
};

// Store-release; whoever sleeps sleeps on.
class PublishQuiet {
 public:
  constexpr PublishQuiet(Word word, std::uint32_t value) : word_(word), value_(value) {}

  template <Memory M>
  constexpr Progress step(M& memory, const Orders& orders = {}) {
    memory.store(word_, value_, orders.publish);
    return Progress::done;
  }

  friend bool operator==(const PublishQuiet&, const PublishQuiet&) = default;
  TENTER_DESCRIBE(kernel_publish_quiet, word_, value_)

 private:
  Word word_{};
  std::uint32_t value_ = 0;
};

// Compare-exchange; if it stored and a wake was asked for, wake of every waiter.
class PublishIf {
 public:
  constexpr PublishIf(Word word, std::uint32_t expected, std::uint32_t value, bool wake)
      : word_(word), expected_(expected), value_(value), wake_(wake) {}

  template <Memory M>
  constexpr Progress step(M& memory, const Orders& orders = {}) {
    if (!tried_) {
      seen_ = memory.compare_exchange(word_, expected_, value_, orders.swap, orders.swap_failed);
      tried_ = true;
      return stored() && wake_ ? Progress::more : Progress::done;
    }
    memory.futex_wake(word_);
    return Progress::done;
  }

  // Valid once the first step was made.
  constexpr std::uint32_t seen() const { return seen_; }
  constexpr bool stored() const { return tried_ && seen_ == expected_; }

  friend bool operator==(const PublishIf&, const PublishIf&) = default;
  TENTER_DESCRIBE(kernel_publish_if, word_, expected_, value_, seen_, wake_, tried_)

 private:
  Word word_{};
  std::uint32_t expected_ = 0, value_ = 0, seen_ = 0;
  bool wake_ = true, tried_ = false;
};

// Waits until the word differs from `seen`: acquire load, compare; as long as the budget lasts, again; then sleep with the value
// seen, and on any return compare again. A wait that was told nothing believes nothing.
class Watch {
 public:
  constexpr Watch(Word word, std::uint32_t seen, std::uint32_t spins = 0) : word_(word), seen_(seen), spins_left_(spins) {}

  template <Memory M>
  constexpr Progress step(M& memory, const Orders& orders = {}) {
    if (parking_) {
      parking_ = false;
      return memory.futex_wait(word_, seen_) == Parked::asleep ? Progress::asleep : Progress::more;
    }
    value_ = memory.load(word_, orders.watch);
    if (value_ != seen_) return Progress::done;
    ++loads_;
    if (spins_left_ == 0) {
      parking_ = true;
    } else {
      --spins_left_;
      memory.pause();
    }
    return Progress::more;
  }

  constexpr Word word() const { return word_; }
  constexpr std::uint32_t seen() const { return seen_; }
  constexpr std::uint32_t value() const { return value_; }  // differs from seen() once done
  constexpr std::uint32_t loads() const { return loads_; }  // loads that found nothing new: what SpinBudget is told

  friend bool operator==(const Watch&, const Watch&) = default;
  TENTER_DESCRIBE(kernel_watch, word_, seen_, value_, spins_left_, loads_, parking_)

 private:
  Word word_{};
  std::uint32_t seen_ = 0, value_ = 0;
  std::uint32_t spins_left_ = 0, loads_ = 0;
  bool parking_ = false;
};

// Drives an automaton to its end over a memory whose futex_wait blocks.
template <class Automaton, Memory M>
constexpr Automaton run(Automaton automaton, M& memory, const Orders& orders = {}) {
  while (automaton.step(memory, orders) != Progress::done) {
  }
  return automaton;
}

}  // namespace tenter::page
