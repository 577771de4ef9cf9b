#include "core/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace tenter {
namespace {
thread_local CheckHandler current_handler = nullptr;  // one simulated world a thread
}

CheckHandler install_check_handler(CheckHandler handler) {
  CheckHandler before = current_handler;
  current_handler = handler;
  return before;
}

void check_failed(const char* expression, const char* file, int line) {
  if (current_handler) current_handler(expression, file, line);
  std::fprintf(stderr, "%s:%d: check failed: %s\n", file, line, expression);
  std::abort();
}

}  // namespace tenter
