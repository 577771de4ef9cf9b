// The owner of one file descriptor.
#pragma once
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <utility>

#include "hw/resource.hpp"

namespace tenter::hw {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {
    if (fd_ >= 0) Resources::acquire(Resource::descriptor);
  }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ < 0) return;
    close(fd_);
    closed_.fetch_add(1, std::memory_order_relaxed);
    Resources::release(Resource::descriptor);
  }
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  // Descriptors closed so far in this process: while it stays, a number means the same file.
  static std::uint64_t closed() { return closed_.load(std::memory_order_relaxed); }

 private:
  inline static std::atomic<std::uint64_t> closed_{0};
  int fd_ = -1;
};

}  // namespace tenter::hw
