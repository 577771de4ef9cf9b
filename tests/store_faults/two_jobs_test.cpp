// Fault table: two publishers of one name; ranks that differ; no provider. Spec B5; D16, D17, D18, D32, S8, S9.
#include "jobs.hpp"

namespace tenter::store_faults {
namespace {

TEST(StoreTwoJobs, D16_of_one_name_in_one_directory_live_side_by_side_and_the_second_is_refused_by_name) {
  Play play;
  play.jobs = {{"alpha", 2}, {"beta", 3}};
  play.readers = {"reader"};
  play.steps = {[](Script& s) {
                  s.open("alpha");
                  s.open("beta");
                },
                [](Script& s) { s.add("alpha", "x"); },
                [](Script& s) { s.add("beta", "x"); },
                [](Script& s) { s.add("beta", "y"); },
                [](Script& s) { s.join("reader", "x", seconds(20), 2); },
                [](Script& s) {
                  s.get("reader", "x", {0, 4});
                  s.get("beta 1", "y", {0, 6});
                  s.get("alpha 1", "x", {0, 4});
                },
                [](Script& s) { s.leave("reader", "x"); },
                [](Script& s) { s.close("alpha"); },
                [](Script& s) { s.add("beta", "x"); },
                [](Script& s) { s.join("reader", "x", seconds(20), 3); },
                [](Script& s) {
                  s.get("reader", "x", {0, 6});
                },
                [](Script& s) { s.leave("reader", "x"); },
                [](Script& s) { s.close("beta"); }};
  for_each_seed(play, 40, [](const Played& played) {
    EXPECT_EQ(played.finding, "");
    for (const std::size_t step : {0u, 1u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 10u, 11u, 12u})
      expect_all(played.answers[step], Status::ok);
    expect_all(played.answers[2], Status::exists, "it is published by job \"alpha\"");
    expect_all(played.answers[2], Status::exists, "which is alive");
    const auto of = [](const Asked& asked, const std::string& job) {
      for (std::size_t i = 0; i < asked.bytes.size(); ++i)
        if (asked.bytes.bytes()[i] != byte_of(job, i / 4)) return false;
      return !asked.bytes.empty();
    };
    EXPECT_TRUE(of(played.answers[5][0], "alpha"));
    EXPECT_TRUE(of(played.answers[5][1], "beta"));
    EXPECT_TRUE(of(played.answers[5][2], "alpha"));
    EXPECT_TRUE(of(played.answers[10][0], "beta"));
    EXPECT_TRUE(played.files.empty());
  });
}

// Without the call's own name, which stands before it.
std::string why(const Note& note) { return text(note).substr(text(note).find("\": ")); }

// One rank's call differs from the others'; whatever differs, all are told the same, both ranks are named, and nothing is there.
void expect_refused(const std::function<void(AddCall&)>& differ, std::string_view first, std::string_view second) {
  Play play;
  play.jobs = {{"job", 3}};
  play.readers = {"reader"};
  play.steps = {[](Script& s) { s.open("job"); },
                [&](Script& s) {
                  s.add("job", "x", 2, [&](std::uint32_t rank, AddCall& call) {
                    if (rank == 2) differ(call);
                  });
                },
                [](Script& s) { s.join("reader", "x", seconds(1)); },
                [](Script& s) { s.add("job", "x"); },
                [](Script& s) { s.join("reader", "x", seconds(20), 3); },
                [](Script& s) {
                  s.get("reader", "x", {0, 6});
                },
                [](Script& s) { s.leave("reader", "x"); },
                [](Script& s) { s.close("job"); }};
  for_each_seed(play, 20, [&](const Played& played) {
    EXPECT_EQ(played.finding, "");
    const std::vector<Asked>& refused = played.answers[1];
    for (const Asked& asked : refused) {
      EXPECT_NE(asked.outcome.status, Status::ok);
      EXPECT_EQ(asked.outcome.status, refused[0].outcome.status);
      EXPECT_EQ(why(asked.outcome), why(refused[0].outcome));
      for (const std::string_view part : {std::string_view("rank 2"), first, second})
        EXPECT_NE(text(asked.outcome).find(part), std::string::npos) << part << " is not in: " << text(asked.outcome);
    }
    expect_all(played.answers[2], Status::timed_out, "does not exist");
    for (const std::size_t step : {3u, 4u, 5u, 6u, 7u}) expect_all(played.answers[step], Status::ok);
  });
}

TEST(StoreRanksThatDiffer, D17_in_the_dtype_all_fail_alike_and_nothing_is_published) {
  expect_refused([](AddCall& call) { call.dtype = DType::int8; }, "uint8", "int8");
}
TEST(StoreRanksThatDiffer, D17_in_the_shape_of_a_row_all_fail_alike_and_nothing_is_published) {
  expect_refused([](AddCall& call) { call.row_shape = {2, 2}; }, "[4]", "[2,2]");
}
TEST(StoreRanksThatDiffer, D17_in_the_name_all_fail_alike_and_nothing_is_published) {
  expect_refused([](AddCall& call) { call.variable = Blob("z"); }, "\"x\"", "\"z\"");
}
TEST(StoreRanksThatDiffer, D17_in_versions_all_fail_alike_and_nothing_is_published) {
  expect_refused([](AddCall& call) { call.versioned = true; }, "[4]", "with versions");
}
TEST(StoreRanksThatDiffer, D18_one_rank_whose_own_call_is_wrong_fails_all) {
  expect_refused([](AddCall& call) { call.content = Blob("abc"); }, "3 bytes are not", "2 rows of 4");
}

TEST(StoreWithoutAnInterface, D32_no_provider_is_an_error_value_on_every_rank_and_the_process_lives_on) {
  Play play;
  play.jobs = {{"job", 2, "no-interface"}, {"other", 1}};
  play.steps = {[](Script& s) { s.open("job"); }, [](Script& s) { s.open("job"); }, [](Script& s) { s.open("other"); },
                [](Script& s) { s.close("other"); }};
  for_each_seed(play, 20, [](const Played& played) {
    EXPECT_EQ(played.finding, "");
    expect_all(played.answers[0], Status::not_found, "there is no provider \"no-interface\"");
    expect_all(played.answers[1], Status::not_found, "there is no provider \"no-interface\"");
    expect_all(played.answers[2], Status::ok);
    expect_all(played.answers[3], Status::ok);
  });
}

}  // namespace
}  // namespace tenter::store_faults
