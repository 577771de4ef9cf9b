// Payload bytes as values: immutable, shared, counted. A machine may hold, compare, hash and pass on a Blob; it can never
// change one, so holding it is as good as holding the bytes. Why not ids in an arena: docs/decisions/0003.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <new>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace tenter {

using Bytes = std::span<const std::byte>;
using MutableBytes = std::span<std::byte>;

// xxh3 of the bytes; never 0, so that 0 can mean "not computed yet".
std::uint64_t digest_of(Bytes bytes);

class Blob {
 public:
  Blob() = default;
  explicit Blob(Bytes bytes)
      : Blob(bytes.size(), [&](MutableBytes to) {
          if (!bytes.empty()) std::memcpy(to.data(), bytes.data(), bytes.size());
        }) {}
  explicit Blob(std::string_view text) : Blob(std::as_bytes(std::span(text.data(), text.size()))) {}

  // Allocates `size` bytes and lets `fill(MutableBytes)` write them before anyone else can see them.
  template <class Fill>
  requires std::is_invocable_v<Fill, MutableBytes> Blob(std::size_t size, Fill&& fill) {
    if (size == 0) return;
    node_ = Node::make(size);
    fill(MutableBytes(node_->data(), size));
  }

  Blob(const Blob& other) noexcept : node_(other.node_) {
    if (node_) node_->users.fetch_add(1, std::memory_order_relaxed);
  }
  Blob(Blob&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  Blob& operator=(Blob other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~Blob() {
    if (node_) Node::drop(node_);
  }

  std::size_t size() const { return node_ ? node_->size : 0; }
  bool empty() const { return size() == 0; }
  Bytes bytes() const { return node_ ? Bytes(node_->data(), node_->size) : Bytes(); }
  std::string_view text() const { return {reinterpret_cast<const char*>(bytes().data()), size()}; }

  // Content digest, computed once. The empty blob's is that of no bytes.
  std::uint64_t digest() const;

  friend bool operator==(const Blob& a, const Blob& b) {
    if (a.node_ == b.node_) return true;
    return a.size() == b.size() && std::memcmp(a.bytes().data(), b.bytes().data(), a.size()) == 0;
  }

 private:
  struct Node {
    std::atomic<std::uint64_t> digest{0};
    std::atomic<std::uint32_t> users{1};
    std::size_t size = 0;
    std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }
    static Node* make(std::size_t size) {
      Node* node = new (::operator new(sizeof(Node) + size)) Node;
      node->size = size;
      return node;
    }
    static void drop(Node* node) {
      if (node->users.load(std::memory_order_acquire) == 1 || node->users.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        node->~Node();
        ::operator delete(node);
      }
    }
  };
  Node* node_ = nullptr;
};

// A short list of blobs, itself an immutable shared value: one payload a rank, the names in a directory, an argument list.
class Parts {
 public:
  Parts() = default;
  explicit Parts(std::vector<Blob> blobs);
  Parts(std::initializer_list<Blob> blobs) : Parts(std::vector<Blob>(blobs)) {}
  Parts(const Parts& other) noexcept;
  Parts(Parts&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  Parts& operator=(Parts other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~Parts();

  std::size_t size() const;
  bool empty() const { return size() == 0; }
  const Blob& operator[](std::size_t index) const;
  const Blob* begin() const;
  const Blob* end() const { return begin() + size(); }
  std::uint64_t digest() const;
  friend bool operator==(const Parts& a, const Parts& b);

 private:
  struct Node;
  Node* node_ = nullptr;
};

}  // namespace tenter
