// libfabric objects with one owner each, counted (hw/resource.hpp).
#pragma once
#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "hw/resource.hpp"

namespace tenter::hw::ofi {

inline constexpr std::size_t key_bytes_max = 64;  // of a raw key

// One open fid; closed by the destructor. A close that fails leaves an object that nobody can use, so its result is dropped.
template <class Fid>
class Handle {
 public:
  Handle() = default;
  Handle(Handle&& other) noexcept : fid_(std::exchange(other.fid_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(fid_, other.fid_);
    return *this;
  }
  ~Handle() { close(); }

  // open(Fid** to) returns 0 or a negative fi_errno; so does this.
  template <class Open>
  int open(Open&& open_it) {
    close();
    const int result = open_it(&fid_);
    if (result != 0)
      fid_ = nullptr;
    else
      Resources::acquire(Resource::fabric_object);
    return result;
  }
  void close() {
    if (fid_ == nullptr) return;
    (void)fi_close(&fid_->fid);
    fid_ = nullptr;
    Resources::release(Resource::fabric_object);
  }
  Fid* get() const { return fid_; }
  explicit operator bool() const { return fid_ != nullptr; }

 private:
  Fid* fid_ = nullptr;
};

// A raw key of a peer, made known to a domain (FI_MR_RAW); forgotten by the destructor, before the domain is closed.
class MappedKey {
 public:
  MappedKey(fid_domain* domain, std::uint64_t key) : domain_(domain), key_(key) { Resources::acquire(Resource::fabric_object); }
  MappedKey(MappedKey&& other) noexcept : domain_(std::exchange(other.domain_, nullptr)), key_(other.key_) {}
  MappedKey& operator=(MappedKey&&) = delete;
  ~MappedKey() {
    if (domain_ == nullptr) return;
    (void)fi_mr_unmap_key(domain_, key_);
    Resources::release(Resource::fabric_object);
  }
  std::uint64_t get() const { return key_; }

 private:
  fid_domain* domain_ = nullptr;
  std::uint64_t key_ = 0;
};

struct FreeInfo {
  void operator()(fi_info* info) const { fi_freeinfo(info); }
};
using Info = std::unique_ptr<fi_info, FreeInfo>;

// Zeroed pages, every one backed (FI_MR_ALLOCATED); data() is null when there was no memory.
class Pages {
 public:
  Pages() = default;
  explicit Pages(std::size_t bytes);
  Pages(Pages&& other) noexcept : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Pages& operator=(Pages&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Pages();
  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace tenter::hw::ofi
