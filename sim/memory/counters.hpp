// A vector of counters indexed by small numbers, zero where never set: a vector clock (by agent) or a view (by word). The first
// four are held in place, which is all that most pages need.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tenter::sim {

class Counters {
 public:
  std::uint64_t operator[](std::size_t index) const {
    if (index < in_place) return first_[index];
    return index - in_place < more_.size() ? more_[index - in_place] : 0;
  }
  void raise(std::size_t index, std::uint64_t value) {
    std::uint64_t& counter = at(index);
    counter = std::max(counter, value);
  }
  void set(std::size_t index, std::uint64_t value) { at(index) = value; }
  void join(const Counters& other) {
    for (std::size_t i = 0; i < in_place; ++i) first_[i] = std::max(first_[i], other.first_[i]);
    if (other.more_.empty()) return;
    if (more_.size() < other.more_.size()) more_.resize(other.more_.size());
    for (std::size_t i = 0; i < other.more_.size(); ++i) more_[i] = std::max(more_[i], other.more_[i]);
  }
  std::size_t size() const { return in_place + more_.size(); }
  void clear() {
    first_ = {};
    more_.clear();
  }

  friend bool operator==(const Counters& a, const Counters& b) {
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i)
      if (a[i] != b[i]) return false;
    return true;
  }

 private:
  static constexpr std::size_t in_place = 4;
  std::uint64_t& at(std::size_t index) {
    if (index < in_place) return first_[index];
    if (more_.size() <= index - in_place) more_.resize(index - in_place + 1);
    return more_[index - in_place];
  }
  std::array<std::uint64_t, in_place> first_{};
  std::vector<std::uint64_t> more_;
};

}  // namespace tenter::sim
