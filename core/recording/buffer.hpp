// Bytes that grow at their end: what a recording is written into on the way of a request. Each number and each copy is one
// question for room, and cleared or exchanged buffers keep their memory.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "core/blob.hpp"
#include "core/wire.hpp"

namespace tenter::recording {

class Buffer {
 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept
      : bytes_(std::move(other.bytes_)), size_(std::exchange(other.size_, 0)), room_(std::exchange(other.room_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Bytes bytes() const { return {bytes_.get(), size_}; }
  void clear() { size_ = 0; }
  void swap(Buffer& other) noexcept {
    bytes_.swap(other.bytes_);
    std::swap(size_, other.size_);
    std::swap(room_, other.room_);
  }

  void add(std::byte byte) { *grow(1) = byte; }
  void add(Bytes more) {
    if (!more.empty()) std::memcpy(grow(more.size()), more.data(), more.size());
  }
  // Little-endian.
  template <std::unsigned_integral T>
  void add_fixed(T value) {
    wire::store<T>(grow(sizeof(T)), value);
  }
  // 7 bits a byte, low first.
  void add_varint(std::uint64_t value) {
    constexpr std::size_t longest = 10;
    std::byte* const start = grow(longest);
    std::byte* to = start;
    for (; value >= 0x80; value >>= 7) *to++ = static_cast<std::byte>(value | 0x80);
    *to++ = static_cast<std::byte>(value);
    size_ -= longest - static_cast<std::size_t>(to - start);
  }

 private:
  // Where the next `more` bytes belong. Throws std::bad_alloc, and then nothing has changed.
  std::byte* grow(std::size_t more) {
    if (room_ - size_ < more) [[unlikely]]
      enlarge(more);
    return bytes_.get() + std::exchange(size_, size_ + more);
  }
  void enlarge(std::size_t more) {
    const std::size_t room = std::max<std::size_t>({2 * room_, size_ + more, 256});
    std::unique_ptr<std::byte[]> larger(new std::byte[room]);
    if (size_ > 0) std::memcpy(larger.get(), bytes_.get(), size_);
    bytes_ = std::move(larger);
    room_ = room;
  }

  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_ = 0, room_ = 0;
};

}  // namespace tenter::recording
