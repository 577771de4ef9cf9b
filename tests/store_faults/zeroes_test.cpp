// D28: what is published without content is zeroes, and is read like anything else.
#include "jobs.hpp"

namespace tenter::store_faults {
namespace {

TEST(StoreZeroes, D28_rows_published_without_content_are_zeroes_with_and_without_versions) {
  for (const bool versioned : {false, true}) {
    Play play;
    play.jobs = {{"job", 3}};
    play.readers = {"reader"};
    play.steps = {[](Script& s) { s.open("job"); },
                  [=](Script& s) {
                    s.add("job", "x", 2, [=](std::uint32_t, AddCall& call) {
                      call.content = {};
                      call.versioned = versioned;
                    });
                  },
                  [](Script& s) { s.join("reader", "x", seconds(20), 3); },
                  [](Script& s) {
                    s.get("reader", "x", {0, 6});
                  },
                  [](Script& s) { s.update("job", 1, "x", 1, Blob("abcd")); },
                  [](Script& s) {
                    s.get("reader", "x", {2, 2});
                  },
                  [](Script& s) { s.leave("reader", "x"); },
                  [](Script& s) { s.close("job"); }};
    for_each_seed(play, 20, [&](const Played& played) {
      EXPECT_EQ(played.finding, "");
      for (const auto& step : played.answers) expect_all(step, Status::ok);
      EXPECT_EQ(played.answers[3][0].bytes, Blob(24, [](MutableBytes to) { std::fill(to.begin(), to.end(), std::byte{0}); }));
      EXPECT_EQ(played.answers[5][0].bytes.text(), std::string_view("\0\0\0\0abcd", 8));
    });
  }
}

}  // namespace
}  // namespace tenter::store_faults
