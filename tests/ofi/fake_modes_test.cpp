// Which obligations a provider returns decides where a read starts, whose key is used, what is bound and what is registered
// (spec B2.4, D29, B37): every combination, every length of key and address.
#include "tests/ofi/fabric_calls.hpp"
#include "tests/ofi/fake_fabric.hpp"

namespace tenter::hw {
namespace {

using fake_provider::Traits;
constexpr int every_obligation = FI_MR_LOCAL | FI_MR_RAW | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;

// Two regions, read from their start, their middle and their end.
void read_two_regions(FabricCalls& calls) {
  ASSERT_NO_FATAL_FAILURE(calls.meet());
  const Blob contents[] = {bytes_from(5'000, 3), bytes_from(300, 90)};
  const event::RegionRegistered regions[] = {calls.serve(Region{1}, contents[0]), calls.serve(Region{2}, contents[1])};
  EXPECT_FALSE(regions[0].key == regions[1].key);
  for (int round = 0; round < 2; ++round)
    for (std::size_t which = 0; which < 2; ++which)
      for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{77}, contents[which].size() - 200}) {
        const auto got = calls.read(regions[which], offset, 200);
        ASSERT_EQ(got.status, Status::ok) << got.text.text();
        EXPECT_TRUE(got.content == Blob(contents[which].bytes().subspan(offset, 200)));
      }
}

TEST(FabricObligations, every_combination_that_a_provider_may_return_gives_the_right_bytes) {
  int combinations = 0;
  for (int mr_mode = every_obligation;; mr_mode = (mr_mode - 1) & every_obligation) {  // every subset
    for (const std::uint64_t mode : {std::uint64_t{0}, std::uint64_t{FI_CONTEXT}, std::uint64_t{FI_CONTEXT2}}) {
      SCOPED_TRACE(mode_text(mr_mode) + (mode == 0 ? "" : mode == std::uint64_t{FI_CONTEXT} ? ", CONTEXT" : ", CONTEXT2"));
      Traits traits;
      traits.mr_mode = mr_mode;
      traits.mode = mode;
      traits.key_bytes = (mr_mode & FI_MR_RAW) != 0 ? 24 : 8;
      const FakeProvider provider(traits);
      FabricCalls calls(fake_provider::provider_name);
      read_two_regions(calls);
      if (HasFatalFailure()) return;
      ++combinations;
    }
    if (mr_mode == 0) break;
  }
  EXPECT_EQ(combinations, 64 * 3);
}

TEST(FabricObligations, a_raw_key_of_any_length_up_to_64_bytes_arrives_whole) {
  for (std::size_t bytes = 1; bytes <= 64; ++bytes) {
    SCOPED_TRACE(bytes);
    Traits traits;
    traits.mr_mode = FI_MR_RAW | (bytes % 2 == 0 ? FI_MR_PROV_KEY : 0);
    traits.key_bytes = bytes;
    const FakeProvider provider(traits);
    FabricCalls calls(fake_provider::provider_name);
    read_two_regions(calls);
  }
}

TEST(FabricObligations, a_raw_key_longer_than_64_bytes_is_an_error_that_names_the_call_and_leaves_nothing_registered) {
  Traits traits;
  traits.mr_mode = FI_MR_RAW;
  traits.key_bytes = 65;
  const FakeProvider provider(traits);
  FabricCalls calls(fake_provider::provider_name);
  ASSERT_NO_FATAL_FAILURE(calls.meet());
  const auto objects = provider->open_objects();
  const auto refused = calls.region(Region{1}, 64);
  EXPECT_NE(refused.status, Status::ok);
  EXPECT_TRUE(says(refused.text, "fi_mr_raw_attr")) << refused.text.text();
  EXPECT_EQ(provider->open_objects(), objects);
}

// FI_THREAD_DOMAIN: one thread at a time in a domain. The provider counts who is inside, and here a close takes its time.
TEST(FabricObligations, what_a_refused_region_leaves_is_closed_beside_nobody) {
  Traits traits;
  traits.mr_mode = FI_MR_RAW;
  traits.key_bytes = 65;
  traits.wait_object = false;
  traits.slow_close = true;
  const FakeProvider provider(traits);
  FabricCalls calls(fake_provider::provider_name);
  ASSERT_NO_FATAL_FAILURE(calls.meet());
  for (std::uint32_t i = 1; i <= 10; ++i) EXPECT_NE(calls.region(Region{i}, 64).status, Status::ok);
}

TEST(FabricObligations, landing_memory_that_is_too_large_to_keep_is_closed_beside_nobody) {
  Traits traits;
  traits.mr_mode = FI_MR_LOCAL;
  traits.wait_object = false;
  traits.slow_close = true;
  const FakeProvider provider(traits);
  FabricCalls calls(fake_provider::provider_name);
  ASSERT_NO_FATAL_FAILURE(calls.meet());
  const std::size_t bytes = (std::size_t{64} << 20) + 1;
  const auto served = calls.serve(Region{1}, bytes_from(bytes, 1));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(calls.read(served, 0, bytes).status, Status::ok);
}

TEST(FabricObligations, a_peers_key_of_another_length_is_refused_before_anything_is_read) {
  for (const int mr_mode : {0, int{FI_MR_RAW}}) {
    SCOPED_TRACE(mode_text(mr_mode));
    Traits traits;
    traits.mr_mode = mr_mode;
    const FakeProvider provider(traits);
    FabricCalls calls(fake_provider::provider_name);
    ASSERT_NO_FATAL_FAILURE(calls.meet());
    const Blob content = bytes_from(64, 1);
    const auto good = calls.serve(Region{1}, content);
    for (const std::size_t bytes : {0u, 1u, 7u, 9u, 64u, 65u, 4'096u}) {
      auto wrong = good;
      wrong.key = bytes_from(bytes, 0);
      const auto refused = calls.read(wrong, 0, 8);
      EXPECT_NE(refused.status, Status::ok) << bytes;
      EXPECT_TRUE(says(refused.text, "key of " + std::to_string(bytes) + " bytes") || says(refused.text, "fi_mr_map_raw"))
          << refused.text.text();
    }
    EXPECT_EQ(provider->calls(fake_provider::Step::read), 0u);
    EXPECT_TRUE(calls.read(good, 0, 64).content == content);
  }
}

TEST(FabricObligations, an_address_of_16_to_256_bytes_is_given_and_taken_whole) {
  for (const std::size_t bytes : {16u, 17u, 28u, 56u, 128u, 255u, 256u}) {
    SCOPED_TRACE(bytes);
    Traits traits;
    traits.address_bytes = bytes;
    const FakeProvider provider(traits);
    FabricCalls calls(fake_provider::provider_name);
    read_two_regions(calls);
    EXPECT_EQ(calls.owners_address.size(), bytes);
  }
}

TEST(FabricObligations, an_address_longer_than_256_bytes_is_an_error_of_opening_that_names_the_call) {
  Traits traits;
  traits.address_bytes = 257;
  const FakeProvider provider(traits);
  FabricCalls calls(fake_provider::provider_name);
  const auto refused = calls.open(FabricCalls::owner);
  EXPECT_NE(refused.status, Status::ok);
  EXPECT_TRUE(says(refused.text, "fi_getname")) << refused.text.text();
}

TEST(FabricObligations, a_provider_that_asks_for_what_nobody_here_does_is_refused_at_the_opening) {
  Traits traits;
  traits.mr_mode = FI_MR_MMU_NOTIFY;
  const FakeProvider provider(traits);
  FabricCalls calls(fake_provider::provider_name);
  const auto refused = calls.open(FabricCalls::owner);
  EXPECT_EQ(refused.status, Status::not_found);
  EXPECT_TRUE(says(refused.text, "fake: fi_getinfo")) << refused.text.text();
}

}  // namespace
}  // namespace tenter::hw
