#include "hw/mpi/large_buffers.hpp"

#include <cstdlib>
#if defined(__GLIBC__)
#include <malloc.h>

#include <algorithm>
#include <climits>
#endif

namespace tenter::hw {

bool keep_large_buffers(std::size_t kept_bytes) {
#if defined(__GLIBC__)
  constexpr int largest_threshold = 32 << 20;  // glibc refuses more
  const int kept = static_cast<int>(std::min<std::size_t>(kept_bytes, INT_MAX));
  return mallopt(M_MMAP_THRESHOLD, largest_threshold) == 1 && mallopt(M_TRIM_THRESHOLD, kept) == 1;
#else
  (void)kept_bytes;
  return false;
#endif
}

}  // namespace tenter::hw
