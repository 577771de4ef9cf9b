// The tests' own main, instead of GoogleTest's: a rank is this very binary.
#include <gtest/gtest.h>

#include <string_view>

#include "hw/group/callables.hpp"
#include "hw/group/rank_main.hpp"
#include "tests/group/page_spoiler.hpp"

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "member") {
    const auto hook = tenter::PageSpoiler::from_environment();
    return tenter::hw::run_member(tenter::hw::builtin_callables(), hook.get());
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
