// A contract as a list of cases, so that the same list can be run as tests over a world and, over a world with a bug planted in
// it, be asked which cases fail.
//
// A suite is a class template over its fixture (the world), default constructible, with one member function a case and
//   static std::vector<Case<Suite>> cases();
#pragma once
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "core/event.hpp"
#include "core/text.hpp"

namespace tenter::conformance {

template <class Suite>
struct Case {
  const char* name;
  void (Suite::*run)();
};

template <class Suite>
class CaseTest : public testing::Test {
 public:
  explicit CaseTest(Case<Suite> one) : case_(one) {}
  void TestBody() override { (Suite().*case_.run)(); }

 private:
  Case<Suite> case_;
};

// Every case of the suite as a test of its own: `const bool registered = register_cases<TimersContract<World>>("World/Timers");`
template <class Suite>
bool register_cases(const char* name) {
  for (const Case<Suite>& one : Suite::cases()) {
    testing::RegisterTest(name, one.name, nullptr, nullptr, __FILE__, __LINE__,
                          [one]() -> testing::Test* { return new CaseTest<Suite>(one); });
  }
  return true;
}

// The cases that fail, in the order of the list; what they say is swallowed.
template <class Suite>
std::vector<std::string> failing_cases() {
  std::vector<std::string> failing;
  for (const Case<Suite>& one : Suite::cases()) {
    testing::TestPartResultArray results;
    {
      testing::ScopedFakeTestPartResultReporter reporter(testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD,
                                                         &results);
      (Suite().*one.run)();
    }
    bool failed = false;
    for (int i = 0; i < results.size(); ++i) failed = failed || results.GetTestPartResult(i).failed();
    if (failed) failing.emplace_back(one.name);
  }
  return failing;
}

// The event that was awaited, or a failure and an empty one.
template <class E>
E expect_event(const std::optional<Event>& event) {
  if (event && std::holds_alternative<E>(*event)) return std::get<E>(*event);
  ADD_FAILURE() << "expected " << E::name << ", got " << (event ? text_of(*event) : "nothing");
  return E{};
}

inline void expect_nothing(const std::optional<Event>& event) {
  EXPECT_FALSE(event.has_value()) << "came unasked: " << (event ? text_of(*event) : "");
}

}  // namespace tenter::conformance
