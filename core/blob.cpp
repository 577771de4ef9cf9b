#include "core/blob.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/check.hpp"

namespace tenter {

std::uint64_t digest_of(Bytes bytes) {
  const std::uint64_t digest = XXH3_64bits(bytes.data(), bytes.size());
  return digest == 0 ? 1 : digest;
}

std::uint64_t Blob::digest() const {
  if (!node_) return digest_of({});
  std::uint64_t digest = node_->digest.load(std::memory_order_relaxed);
  if (digest == 0) {
    digest = digest_of(bytes());
    node_->digest.store(digest, std::memory_order_relaxed);  // every thread would store the same value
  }
  return digest;
}

struct Parts::Node {
  std::atomic<std::uint32_t> users{1};
  std::vector<Blob> blobs;
};

Parts::Parts(std::vector<Blob> blobs) {
  if (blobs.empty()) return;
  node_ = new Node;
  node_->blobs = std::move(blobs);
}
Parts::Parts(const Parts& other) noexcept : node_(other.node_) {
  if (node_) node_->users.fetch_add(1, std::memory_order_relaxed);
}
Parts::~Parts() {
  if (!node_) return;
  // The only owner needs no read-modify-write: nobody else can become one.
  if (node_->users.load(std::memory_order_acquire) == 1 || node_->users.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete node_;
}

std::size_t Parts::size() const { return node_ ? node_->blobs.size() : 0; }
const Blob* Parts::begin() const { return node_ ? node_->blobs.data() : nullptr; }
const Blob& Parts::operator[](std::size_t index) const {
  TENTER_CHECK(index < size());
  return node_->blobs[index];
}

std::uint64_t Parts::digest() const {
  std::uint64_t digest = size();
  for (const Blob& blob : *this) digest = (digest ^ blob.digest()) * 0x9E3779B97F4A7C15ull;
  return digest;
}

bool operator==(const Parts& a, const Parts& b) {
  if (a.node_ == b.node_) return true;
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(a[i] == b[i])) return false;
  return true;
}

}  // namespace tenter
