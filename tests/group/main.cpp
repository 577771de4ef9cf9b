// The tests' own main, instead of GoogleTest's: a rank is this very binary.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "hw/group/callables.hpp"
#include "hw/group/rank_main.hpp"
#include "tests/group/page_spoiler.hpp"

int main(int argc, char** argv) {
  // A rank whose callables answer 8 bytes, whatever they are asked: `hw run` must find it.
  if (argc > 1 && std::string_view(argv[1]) == "wrong-member")
    return tenter::hw::run_member([](const tenter::Blob&, const tenter::Blob&) -> tenter::Result<tenter::Blob> {
      return tenter::Blob(std::string_view("8 bytes!"));
    });
  if (argc > 1 && std::string_view(argv[1]) == "member") {
    const std::string rank = std::getenv("PMI_RANK") != nullptr ? std::getenv("PMI_RANK") : "?";
    int releases = 0;
    tenter::hw::Callables callables = tenter::hw::builtin_callables();
    callables.add("control/13", [&](const tenter::Blob& command) -> tenter::Result<tenter::Blob> {
      return tenter::Blob("rank " + rank + " was asked: " + std::string(command.text()));
    });
    callables.add("control/15", [&](const tenter::Blob&) -> tenter::Result<tenter::Blob> {
      ++releases;
      return tenter::Blob();
    });
    callables.add("releases",
                  [&](const tenter::Blob&) -> tenter::Result<tenter::Blob> { return tenter::Blob(std::to_string(releases)); });
    const auto hook = tenter::PageSpoiler::from_environment();
    return tenter::hw::run_member(callables, hook.get());
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
