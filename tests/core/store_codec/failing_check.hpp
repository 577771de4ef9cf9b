// While it lives, a failed TENTER_CHECK throws instead of ending the process.
#pragma once
#include <stdexcept>
#include <string>

#include "core/check.hpp"

namespace tenter::store::test {

class FailingCheck {
 public:
  FailingCheck() : before_(install_check_handler(fail)) {}
  FailingCheck(const FailingCheck&) = delete;
  FailingCheck& operator=(const FailingCheck&) = delete;
  ~FailingCheck() { install_check_handler(before_); }

 private:
  [[noreturn]] static void fail(const char* expression, const char*, int line) {
    throw std::runtime_error("line " + std::to_string(line) + ": " + expression);
  }
  CheckHandler before_;
};

}  // namespace tenter::store::test
