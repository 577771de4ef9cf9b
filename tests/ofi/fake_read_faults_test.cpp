// Reads that fail, come late, or never (spec B2.6, M1, D11 to D14).
#include <set>

#include "tests/ofi/fabric_calls.hpp"
#include "tests/ofi/fake_fabric.hpp"

namespace tenter::hw {
namespace {

using fake_provider::Step;
using fake_provider::Traits;

class FabricReadFaults : public ::testing::Test {
 protected:
  event::RegionRegistered start(const Traits& traits = {}) {
    provider->set(traits);
    calls.meet();
    return calls.serve(Region{1}, content);
  }
  void expect_good_read(const event::RegionRegistered& of, Endpoint endpoint = Endpoint{1}) {
    const auto got = calls.read(of, 0, content.size(), endpoint);
    EXPECT_EQ(got.status, Status::ok) << got.text.text();
    EXPECT_TRUE(got.content == content);
  }
  const Blob content = bytes_from(600, 11);
  FakeProvider provider;
  FabricCalls calls{fake_provider::provider_name};
};

TEST_F(FabricReadFaults, a_provider_that_says_try_again_for_long_is_asked_until_it_takes_the_read) {
  const auto of = start();
  provider->fail(Step::read, FI_EAGAIN, 0, 300);
  expect_good_read(of);
  EXPECT_GE(provider->calls(Step::read), 301u);
}

TEST_F(FabricReadFaults, a_provider_that_says_try_again_for_ever_is_silence_until_the_close) {
  const auto of = start();
  provider->fail(Step::read, FI_EAGAIN, 0, ~std::uint64_t{0});
  const Op asked = calls.post(of, 0, 8);
  EXPECT_TRUE(calls.sides.quiet(FabricCalls::reader));
  const Op closing = calls.op();
  calls.sides.perform(FabricCalls::reader, action::CloseFabric{closing, Endpoint{1}});
  EXPECT_EQ(calls.answer<event::ReadDone>(FabricCalls::reader, asked).status, Status::cancelled);
  EXPECT_EQ(calls.answer<event::FabricDone>(FabricCalls::reader, closing).status, Status::ok);
}

TEST_F(FabricReadFaults, a_completion_with_an_error_has_its_meaning_its_words_and_its_numbers) {
  const auto of = start();
  const std::pair<int, Status> meanings[] = {
      {FI_EACCES, Status::denied},        {FI_EPERM, Status::denied},           {FI_ENOKEY, Status::denied},
      {FI_EKEYREJECTED, Status::denied},  {FI_ECONNREFUSED, Status::peer_lost}, {FI_ECONNABORTED, Status::peer_lost},
      {FI_ECONNRESET, Status::peer_lost}, {FI_ENOTCONN, Status::peer_lost},     {FI_EHOSTUNREACH, Status::peer_lost},
      {FI_EHOSTDOWN, Status::peer_lost},  {FI_ENETUNREACH, Status::peer_lost},  {FI_ETIMEDOUT, Status::peer_lost},
      {FI_ESHUTDOWN, Status::peer_lost},  {FI_ENOMEM, Status::no_space},        {FI_EIO, Status::failed},
      {FI_ECANCELED, Status::failed},     {FI_ETRUNC, Status::failed},          {FI_EMSGSIZE, Status::failed}};
  for (const auto& [error, status] : meanings) {
    SCOPED_TRACE(fi_strerror(error));
    provider->end_next_read({error, 4'711, "the card's own words", false});
    const auto got = calls.read(of, 0, 8);
    EXPECT_EQ(got.status, status) << to_string(got.status);
    EXPECT_TRUE(says(got.text, "fake: read: ")) << got.text.text();
    EXPECT_TRUE(says(got.text, "(" + std::to_string(error) + ")")) << got.text.text();
    EXPECT_TRUE(says(got.text, "the card's own words (4711)")) << got.text.text();
    expect_good_read(of);
  }
}

TEST_F(FabricReadFaults, a_read_that_is_not_taken_says_so_and_the_next_one_works) {
  const auto of = start();
  for (const int error : {FI_EINVAL, FI_EMSGSIZE, FI_ENOMEM}) {
    provider->fail(Step::read, error);
    const auto got = calls.read(of, 0, 8);
    EXPECT_NE(got.status, Status::ok);
    EXPECT_TRUE(says(got.text, "fake: fi_read: ")) << got.text.text();
    expect_good_read(of);
  }
}

TEST_F(FabricReadFaults, a_completion_of_an_abandoned_read_is_never_the_next_reads_success) {
  const auto of = start();
  const auto other = calls.serve(Region{2}, bytes_from(600, 99));
  provider->hold_reads(true);
  const Op abandoned = calls.post(other, 0, 600);
  EXPECT_TRUE(calls.sides.quiet(FabricCalls::reader));
  const Op closing = calls.op();
  calls.sides.perform(FabricCalls::reader, action::CloseFabric{closing, Endpoint{1}});
  EXPECT_EQ(calls.answer<event::ReadDone>(FabricCalls::reader, abandoned).status, Status::cancelled);
  calls.answer<event::FabricDone>(FabricCalls::reader, closing);
  calls.meet(Endpoint{2});
  provider->hold_reads(false);
  expect_good_read(of, Endpoint{2});
  EXPECT_TRUE(calls.sides.quiet(FabricCalls::reader));
}

TEST_F(FabricReadFaults, bytes_that_come_after_an_error_land_nowhere_once_the_endpoint_is_closed) {
  const auto of = start();
  const Buffer buffer = calls.sides.lend(FabricCalls::reader, 600);
  provider->hold_reads(true);
  provider->end_next_read({FI_EIO, 5, "gave up", true});
  const Op asked = calls.post(of, 0, 600, Endpoint{1}, buffer);
  provider->hold_reads(false);
  EXPECT_EQ(calls.answer<event::ReadDone>(FabricCalls::reader, asked).status, Status::failed);
  EXPECT_EQ(calls.close(FabricCalls::reader).status, Status::ok);
  const Blob left = calls.sides.look(FabricCalls::reader, buffer);
  calls.meet(Endpoint{2});
  expect_good_read(of, Endpoint{2});  // the owner's progress that serves it would have written the late bytes before
  EXPECT_TRUE(calls.sides.look(FabricCalls::reader, buffer) == left);
}

// Whoever gives a call up takes its memory back though reads into it are open: they are ended first, and their endpoint with
// them.
TEST_F(FabricReadFaults, a_caller_that_takes_its_memory_back_under_an_open_read_gets_it_untouched_from_then_on) {
  const auto of = start();
  const Buffer buffer = calls.sides.lend(FabricCalls::reader, 600), other = calls.sides.lend(FabricCalls::reader, 600);
  provider->hold_reads(true);
  const Op asked = calls.post(of, 0, 600, Endpoint{1}, buffer);
  EXPECT_TRUE(calls.sides.quiet(FabricCalls::reader));
  calls.sides.take_back(FabricCalls::reader, other);
  EXPECT_TRUE(calls.sides.quiet(FabricCalls::reader)) << "no read was open into this one";
  calls.sides.take_back(FabricCalls::reader, buffer);
  const Blob left = calls.sides.look(FabricCalls::reader, buffer);
  EXPECT_EQ(calls.answer<event::ReadDone>(FabricCalls::reader, asked).status, Status::failed);
  provider->hold_reads(false);
  EXPECT_NE(calls.read(of, 0, 8).status, Status::ok) << "the endpoint is ended";
  calls.meet(Endpoint{2});
  expect_good_read(of, Endpoint{2});
  EXPECT_TRUE(calls.sides.look(FabricCalls::reader, buffer) == left);
}

TEST_F(FabricReadFaults, an_overrun_queue_ends_every_read_and_a_new_endpoint_works) {
  Traits traits;
  traits.small_queue = true;
  const auto of = start(traits);
  provider->hold_reads(true);
  const Op first = calls.post(of, 0, 8), second = calls.post(of, 8, 8);
  EXPECT_TRUE(calls.sides.quiet(FabricCalls::reader));
  provider->hold_reads(false);
  std::set<Op> ended;
  for (int i = 0; i < 2; ++i) {
    const auto e = calls.sides.next(FabricCalls::reader);
    ASSERT_TRUE(e);
    const auto& got = std::get<event::ReadDone>(*e);
    EXPECT_EQ(got.status, Status::failed);
    EXPECT_TRUE(says(got.text, "fake: fi_cq_read: ")) << got.text.text();
    ended.insert(got.op);
  }
  EXPECT_EQ(ended, (std::set<Op>{first, second}));
  const auto refused = calls.read(of, 0, 8);
  EXPECT_EQ(refused.status, Status::failed);
  EXPECT_TRUE(says(refused.text, "the endpoint broke before")) << refused.text.text();
  calls.close(FabricCalls::reader);
  provider->set({});
  calls.meet(Endpoint{2});
  expect_good_read(of, Endpoint{2});
}

TEST_F(FabricReadFaults, a_queue_that_fails_ends_every_read_and_a_new_endpoint_works) {
  const auto of = start();
  provider->hold_reads(true);
  const Op asked = calls.post(of, 0, 8);
  EXPECT_TRUE(calls.sides.quiet(FabricCalls::reader));
  provider->fail(Step::queue_read, FI_EBADF, 0, ~std::uint64_t{0});  // both sides' queues
  provider->hold_reads(false);
  const auto got = calls.answer<event::ReadDone>(FabricCalls::reader, asked);
  EXPECT_EQ(got.status, Status::failed);
  EXPECT_TRUE(says(got.text, "fake: fi_cq_read: ")) << got.text.text();
  provider->fail(Step::queue_read, 0, 0, 0);
  EXPECT_EQ(calls.read(of, 0, 8).status, Status::failed) << "a broken endpoint stays broken";
  calls.close(FabricCalls::reader);
  calls.close(FabricCalls::owner);
  calls.owners_address = {};
  calls.meet(Endpoint{2});
  expect_good_read(calls.serve(Region{2}, content), Endpoint{2});
}

TEST_F(FabricReadFaults, after_a_refused_read_broke_the_path_reads_fail_until_the_endpoint_is_rebuilt) {
  Traits traits;
  traits.breaks_after_an_error = true;
  const auto of = start(traits);
  EXPECT_EQ(calls.read(of, content.size(), 1).status, Status::denied);
  const auto broken = calls.read(of, 0, 8);
  EXPECT_EQ(broken.status, Status::peer_lost) << broken.text.text();
  calls.close(FabricCalls::reader);
  calls.meet(Endpoint{2});
  expect_good_read(of, Endpoint{2});
}

TEST_F(FabricReadFaults, a_peer_that_closes_under_reads_is_lost) {
  const auto of = start();
  provider->hold_reads(true);
  const Op asked = calls.post(of, 0, 8);
  EXPECT_TRUE(calls.sides.quiet(FabricCalls::reader));
  calls.close(FabricCalls::owner);
  const auto got = calls.answer<event::ReadDone>(FabricCalls::reader, asked);
  EXPECT_EQ(got.status, Status::peer_lost) << got.text.text();
  const auto later = calls.read(of, 0, 8);
  EXPECT_EQ(later.status, Status::peer_lost) << later.text.text();
}

TEST_F(FabricReadFaults, a_silent_peer_is_waited_for_without_a_busy_thread) {
  const auto of = start();
  provider->hold_reads(true);
  calls.post(of, 0, 8);
  EXPECT_TRUE(calls.sides.quiet(FabricCalls::reader));
  const std::uint64_t before = provider->calls(Step::queue_read);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(calls.sides.quiet(FabricCalls::reader));
  // Half a second, two threads: a thread that spins would look some 100,000 times.
  EXPECT_LT(provider->calls(Step::queue_read) - before, 2'500u);
}

TEST_F(FabricReadFaults, more_reads_than_the_provider_takes_at_once_are_all_answered) {
  Traits traits;
  traits.transmit_size = 2;
  const auto of = start(traits);
  for (std::uint64_t i = 0; i < 100; ++i) calls.post(of, i, 8);
  for (int i = 0; i < 100; ++i) {
    const auto e = calls.sides.next(FabricCalls::reader);
    ASSERT_TRUE(e);
    EXPECT_EQ(std::get<event::ReadDone>(*e).status, Status::ok);
  }
  EXPECT_TRUE(calls.sides.quiet(FabricCalls::reader));
}

TEST_F(FabricReadFaults, a_refused_registration_of_the_landing_memory_is_the_reads_error) {
  Traits traits;
  traits.mr_mode = FI_MR_LOCAL;
  const auto of = start(traits);
  const auto large = calls.serve(Region{2}, bytes_from(10'000, 3));
  for (const int error : {FI_ENOSPC, FI_ENOMEM}) {
    provider->fail(Step::register_memory, error);
    const auto got = calls.read(large, 0, error == FI_ENOSPC ? 8 : 10'000);  // landing memory of a size that was not used before
    EXPECT_EQ(got.status, Status::no_space);
    EXPECT_TRUE(says(got.text, "fake: fi_mr_reg: ")) << got.text.text();
    expect_good_read(of);
  }
}

TEST_F(FabricReadFaults, a_raw_key_that_cannot_be_mapped_is_the_reads_error_and_the_next_read_maps_it) {
  Traits traits;
  traits.mr_mode = FI_MR_RAW;
  const auto of = start(traits);
  provider->fail(Step::map_key, FI_ENOKEY);
  const auto got = calls.read(of, 0, 8);
  EXPECT_EQ(got.status, Status::denied);
  EXPECT_TRUE(says(got.text, "fake: fi_mr_map_raw: ")) << got.text.text();
  for (int i = 0; i < 10; ++i) expect_good_read(of);
  EXPECT_EQ(provider->calls(Step::map_key), 2u) << "a key is mapped once, not once a read";
}

TEST_F(FabricReadFaults, ten_thousand_reads_leave_no_registration_and_no_mapping) {
  Traits traits;
  traits.mr_mode = FI_MR_LOCAL | FI_MR_RAW | FI_MR_ENDPOINT;
  const auto of = start(traits);
  expect_good_read(of);
  const auto objects = provider->open_objects();
  const auto mappings = Resources::held(Resource::mapping);
  for (int i = 0; i < 10'000; ++i) ASSERT_EQ(calls.read(of, 0, 8).status, Status::ok);
  EXPECT_EQ(provider->open_objects(), objects);
  EXPECT_EQ(Resources::held(Resource::mapping), mappings);
}

}  // namespace
}  // namespace tenter::hw
