#include "hw/loop/process.hpp"

#include <cstdio>

namespace tenter::hw {

void tell_undelivered(const char* process, std::uint64_t events) {
  if (events == 0) return;
  std::fprintf(stderr, "%s: %llu events named no machine, or one that does not handle them\n", process,
               static_cast<unsigned long long>(events));
}

}  // namespace tenter::hw
