// The owner of one file descriptor.
#pragma once
#include <unistd.h>

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
    Resources::release(Resource::descriptor);
  }
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

}  // namespace tenter::hw
