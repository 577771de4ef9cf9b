// Programmer errors and broken invariants: on in every build. The simulator installs a handler that turns a failed check
// into a property failure of that seed; elsewhere it prints and aborts.
#pragma once

namespace tenter {

using CheckHandler = void (*)(const char* expression, const char* file, int line);

// Returns the handler that was installed before. A handler may throw; if it returns, the process aborts.
CheckHandler install_check_handler(CheckHandler handler);

[[noreturn]] void check_failed(const char* expression, const char* file, int line);

}  // namespace tenter

#define TENTER_CHECK(expression) \
  (static_cast<bool>(expression) ? void(0) : ::tenter::check_failed(#expression, __FILE__, __LINE__))
