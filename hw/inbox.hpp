// The events that wait for the machines of one process, in order of arrival: a ring that keeps its memory, so a loop that has
// seen its busiest moment allocates nothing any more.
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

#include "core/check.hpp"
#include "core/event.hpp"
#include "core/names.hpp"

namespace tenter::hw {

struct Delivery {
  Role to{};
  Event event;
};

class Inbox {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  Delivery& front() { return at(0); }
  Delivery& operator[](std::size_t index) { return at(index); }

  void push_back(Delivery delivery) {
    if (size_ == ring_.size()) grow();
    ++size_;
    at(size_ - 1) = std::move(delivery);
  }
  void push_front(Delivery delivery) {
    if (size_ == ring_.size()) grow();
    first_ = (first_ + ring_.size() - 1) & (ring_.size() - 1);
    ++size_;
    at(0) = std::move(delivery);
  }
  Delivery take_front() {
    TENTER_CHECK(!empty());
    Delivery taken = std::move(at(0));
    first_ = (first_ + 1) & (ring_.size() - 1);
    --size_;
    return taken;
  }
  void clear() {
    while (!empty()) (void)take_front();
  }
  // The others keep their order.
  template <class Predicate>
  void erase_if(Predicate&& unwanted) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      if (unwanted(std::as_const(at(i)))) continue;
      if (kept != i) at(kept) = std::move(at(i));
      ++kept;
    }
    for (std::size_t i = kept; i < size_; ++i) at(i) = Delivery{};
    size_ = kept;
  }

 private:
  Delivery& at(std::size_t index) { return ring_[(first_ + index) & (ring_.size() - 1)]; }
  void grow() {
    std::vector<Delivery> larger(ring_.empty() ? 16 : 2 * ring_.size());
    for (std::size_t i = 0; i < size_; ++i) larger[i] = std::move(at(i));
    ring_ = std::move(larger);
    first_ = 0;
  }

  std::vector<Delivery> ring_;  // a power of two, or empty
  std::size_t first_ = 0, size_ = 0;
};

}  // namespace tenter::hw
