// libfabric objects with one owner each, counted (hw/resource.hpp).
#pragma once
#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include <cstddef>
#include <memory>
#include <utility>

#include "hw/resource.hpp"

namespace tenter::hw::ofi {

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
