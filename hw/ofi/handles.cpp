#include "hw/ofi/handles.hpp"

#include <sys/mman.h>

namespace tenter::hw::ofi {

Pages::Pages(std::size_t bytes) {
  void* found = mmap(nullptr, bytes == 0 ? 1 : bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (found == MAP_FAILED) return;
  data_ = static_cast<std::byte*>(found);
  bytes_ = bytes;
  Resources::acquire(Resource::mapping);
}

Pages::~Pages() {
  if (data_ == nullptr) return;
  munmap(data_, bytes_ == 0 ? 1 : bytes_);
  Resources::release(Resource::mapping);
}

}  // namespace tenter::hw::ofi
