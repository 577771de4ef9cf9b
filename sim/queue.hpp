// The one queue of a world: what happens next, by virtual time, then by tie-breaker, then by insertion.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "core/names.hpp"

namespace tenter::sim {

template <class Payload>
class Queue {
 public:
  void push(Time when, std::uint32_t tie, Payload payload) {
    std::uint32_t slot;
    if (free_.empty()) {
      slot = static_cast<std::uint32_t>(payloads_.size());
      payloads_.push_back(std::move(payload));
    } else {
      slot = free_.back();
      free_.pop_back();
      payloads_[slot] = std::move(payload);
    }
    heap_.push_back({when, (static_cast<std::uint64_t>(tie) << 48) | sequence_++, slot});
    sift_up(heap_.size() - 1);
  }

  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  Time next_time() const { return heap_.front().when; }

  std::pair<Time, Payload> pop() {
    TENTER_CHECK(!heap_.empty());
    const Entry first = heap_.front();
    heap_.front() = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sift_down(0);
    free_.push_back(first.slot);
    return {first.when, std::move(payloads_[first.slot])};
  }

 private:
  struct Entry {
    Time when;
    std::uint64_t order;  // tie-breaker, then insertion
    std::uint32_t slot;
  };
  static bool before(const Entry& a, const Entry& b) {
    return number(a.when) != number(b.when) ? number(a.when) < number(b.when) : a.order < b.order;
  }
  static constexpr std::size_t arity = 4;

  void sift_up(std::size_t at) {
    const Entry moving = heap_[at];
    while (at > 0) {
      const std::size_t parent = (at - 1) / arity;
      if (!before(moving, heap_[parent])) break;
      heap_[at] = heap_[parent];
      at = parent;
    }
    heap_[at] = moving;
  }
  void sift_down(std::size_t at) {
    const Entry moving = heap_[at];
    for (;;) {
      const std::size_t first_child = at * arity + 1;
      if (first_child >= heap_.size()) break;
      std::size_t least = first_child;
      const std::size_t end = first_child + arity < heap_.size() ? first_child + arity : heap_.size();
      for (std::size_t child = first_child + 1; child < end; ++child)
        if (before(heap_[child], heap_[least])) least = child;
      if (!before(heap_[least], moving)) break;
      heap_[at] = heap_[least];
      at = least;
    }
    heap_[at] = moving;
  }

  std::vector<Entry> heap_;
  std::vector<Payload> payloads_;
  std::vector<std::uint32_t> free_;
  std::uint64_t sequence_ = 0;
};

}  // namespace tenter::sim
