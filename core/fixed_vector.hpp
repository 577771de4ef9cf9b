// A vector of at most N elements held in place: bounded state for machines. Pushing past N is a programmer error.
#pragma once
#include <array>
#include <cstddef>

#include "core/check.hpp"

namespace tenter {

template <class T, std::size_t N>
class fixed_vector {
 public:
  static constexpr std::size_t capacity() { return N; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == N; }

  void push_back(T value) {
    TENTER_CHECK(size_ < N);
    elements_[size_++] = std::move(value);
  }
  void erase(std::size_t index) {
    TENTER_CHECK(index < size_);
    for (std::size_t i = index + 1; i < size_; ++i) elements_[i - 1] = std::move(elements_[i]);
    elements_[--size_] = T{};
  }
  void clear() {
    while (size_ > 0) elements_[--size_] = T{};
  }

  T& operator[](std::size_t index) {
    TENTER_CHECK(index < size_);
    return elements_[index];
  }
  const T& operator[](std::size_t index) const {
    TENTER_CHECK(index < size_);
    return elements_[index];
  }
  T* begin() { return elements_.data(); }
  T* end() { return elements_.data() + size_; }
  const T* begin() const { return elements_.data(); }
  const T* end() const { return elements_.data() + size_; }

  friend bool operator==(const fixed_vector& a, const fixed_vector& b) {
    if (a.size_ != b.size_) return false;
    for (std::size_t i = 0; i < a.size_; ++i)
      if (!(a.elements_[i] == b.elements_[i])) return false;
    return true;
  }

 private:
  std::array<T, N> elements_{};
  std::size_t size_ = 0;
};

}  // namespace tenter
