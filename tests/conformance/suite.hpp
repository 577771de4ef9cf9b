// A contract as a list of cases, so that the same list can be run as tests over a world and, over a world with a bug planted in
// it, be asked which cases fail.
//
// A suite is a class template over its fixture (the world), default constructible, with one member function a case and
//   static std::vector<Case<Suite>> cases();
// A suite of many cases that many worlds are asked is instantiated once, over a fixture that is any world (AnyComm, AnyStreams);
// `choose` says then which one those are that are made after it.
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

using Choose = void (*)();
inline void only_one() {}

template <class Suite>
class CaseTest : public testing::Test {
 public:
  CaseTest(Case<Suite> one, Choose choose) : case_(one), choose_(choose) {}
  void TestBody() override {
    choose_();
    (Suite().*case_.run)();
  }

 private:
  Case<Suite> case_;
  Choose choose_;
};

// Every case of the suite as a test of its own: `const bool registered = register_cases<TimersContract<World>>("World/Timers");`
template <class Suite>
bool register_cases(const char* name, Choose choose = only_one) {
  for (const Case<Suite>& one : Suite::cases()) {
    testing::RegisterTest(name, one.name, nullptr, nullptr, __FILE__, __LINE__,
                          [one, choose]() -> testing::Test* { return new CaseTest<Suite>(one, choose); });
  }
  return true;
}

// Whether that case fails; what it says is swallowed.
template <class Suite>
bool fails(const Case<Suite>& one) {
  testing::TestPartResultArray results;
  {
    testing::ScopedFakeTestPartResultReporter reporter(testing::ScopedFakeTestPartResultReporter::INTERCEPT_ONLY_CURRENT_THREAD,
                                                       &results);
    (Suite().*one.run)();
  }
  for (int i = 0; i < results.size(); ++i)
    if (results.GetTestPartResult(i).failed()) return true;
  return false;
}

// The cases that fail, in the order of the list.
template <class Suite>
std::vector<std::string> failing_cases(Choose choose = only_one) {
  choose();
  std::vector<std::string> failing;
  for (const Case<Suite>& one : Suite::cases())
    if (fails(one)) failing.emplace_back(one.name);
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
