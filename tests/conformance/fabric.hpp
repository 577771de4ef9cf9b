// What the Fabric port promises (docs/ports/fabric.md), as cases for any backend.
//
// A World is two processes with a Fabric port each: 0 owns memory, 1 reads it. (In hardware both may live in one process.)
//
//   World world;                                     default constructible; destroying it ends both
//   Blob world.provider()                            what both open
//   void world.perform(std::size_t side, Action)
//   std::optional<Event> world.next(std::size_t side)   the next event, waited for; none: the deadline of seconds is over
//   bool world.quiet(std::size_t side)               nothing more comes for a while
//   Buffer world.lend(std::size_t side, std::uint64_t bytes)    a caller's memory, of 0xBB
//   Blob world.look(std::size_t side, Buffer)        its bytes
//   void world.fill(std::size_t side, Buffer, Blob)
//   bool world.refuses()                             wrong keys and ranges are refused (else other bytes may come, M4)
//   bool world.closes_under_reads()                  an endpoint may be closed while its reads are on their way
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/action.hpp"
#include "core/event.hpp"
#include "core/text.hpp"

namespace tenter::conformance {

inline Blob counted_bytes(std::size_t bytes, std::uint32_t from = 1) {
  return Blob(bytes, [&](MutableBytes to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<std::byte>(from + i * 7);
  });
}

template <class World>
class FabricConformance : public ::testing::Test {
 protected:
  static constexpr std::size_t owner = 0, reader = 1;
  World world;
  std::uint64_t next_op = 1;
  event::FabricOpened owners, readers;

  template <class E>
  E answer(std::size_t side, Op op) {
    for (;;) {
      const auto e = world.next(side);
      if (!e) {
        ADD_FAILURE() << "no answer";
        return E{};
      }
      if (const E* found = std::get_if<E>(&*e); found && found->op == op) return *found;
      ADD_FAILURE() << "unexpected " << text_of(*e);
    }
  }
  Op op() { return Op{next_op++}; }

  event::FabricOpened open(std::size_t side, Endpoint endpoint = Endpoint{1}) {
    const Op asked = op();
    world.perform(side, action::OpenFabric{asked, endpoint, world.provider(), {}, side == owner});
    return answer<event::FabricOpened>(side, asked);
  }
  void close(std::size_t side, Endpoint endpoint = Endpoint{1}) {
    const Op asked = op();
    world.perform(side, action::CloseFabric{asked, endpoint});
    EXPECT_EQ(answer<event::FabricDone>(side, asked).status, Status::ok);
  }
  event::RegionRegistered region(std::uint64_t bytes, Region name = Region{1}) {
    const Op asked = op();
    world.perform(owner, action::RegisterRegion{asked, Endpoint{1}, name, bytes});
    return answer<event::RegionRegistered>(owner, asked);
  }
  event::FabricDone insert(const Blob& address, Peer peer = Peer{1}, Endpoint endpoint = Endpoint{1}) {
    const Op asked = op();
    world.perform(reader, action::InsertPeer{asked, endpoint, peer, address});
    return answer<event::FabricDone>(reader, asked);
  }
  Op post(const event::RegionRegistered& of, std::uint64_t offset, std::uint64_t bytes, Buffer buffer = no_buffer,
          std::uint64_t at = 0, Endpoint endpoint = Endpoint{1}) {
    const Op asked = op();
    world.perform(reader, action::ReadRemote{asked, endpoint, Peer{1}, of.key, of.base, offset, bytes, buffer, at});
    return asked;
  }
  event::ReadDone read(const event::RegionRegistered& of, std::uint64_t offset, std::uint64_t bytes, Buffer buffer = no_buffer,
                       std::uint64_t at = 0) {
    return answer<event::ReadDone>(reader, post(of, offset, bytes, buffer, at));
  }
  // Both open, a region of `content`, the reader knows its owner.
  event::RegionRegistered served(const Blob& content) {
    owners = open(owner);
    readers = open(reader);
    const event::RegionRegistered of = region(content.size());
    EXPECT_EQ(of.status, Status::ok) << of.text.text();
    world.perform(owner, action::StoreRegion{Region{1}, 0, content});
    EXPECT_EQ(insert(owners.address).status, Status::ok);
    return of;
  }
};

TYPED_TEST_SUITE_P(FabricConformance);

TYPED_TEST_P(FabricConformance, an_endpoint_has_an_address_and_says_how_large_a_read_may_be) {
  const auto opened = this->open(this->owner);
  EXPECT_EQ(opened.status, Status::ok) << opened.text.text();
  EXPECT_GE(opened.address.size(), 1u);
  EXPECT_LE(opened.address.size(), 256u);
  EXPECT_GE(opened.read_bytes_max, 1'024u);
  this->close(this->owner);
}

TYPED_TEST_P(FabricConformance, an_unknown_provider_is_an_error_that_names_it_and_leaves_nothing) {
  const Op asked = this->op();
  this->world.perform(this->owner, action::OpenFabric{asked, Endpoint{1}, Blob("no-such-provider"), {}});
  const auto opened = this->template answer<event::FabricOpened>(this->owner, asked);
  EXPECT_NE(opened.status, Status::ok);
  EXPECT_NE(opened.text.text().find("no-such-provider"), std::string_view::npos) << opened.text.text();
  this->close(this->owner);  // closing what did not open is allowed
}

TYPED_TEST_P(FabricConformance, a_registered_region_is_zeroed_until_something_is_stored) {
  this->owners = this->open(this->owner);
  this->open(this->reader);
  const auto of = this->region(100);
  EXPECT_GE(of.key.size(), 1u);
  EXPECT_LE(of.key.size(), 64u);
  this->insert(this->owners.address);
  const auto got = this->read(of, 0, 100);
  ASSERT_EQ(got.status, Status::ok) << got.text.text();
  EXPECT_TRUE(got.content == Blob(100, [](MutableBytes to) { std::fill(to.begin(), to.end(), std::byte{0}); }));
}

TYPED_TEST_P(FabricConformance, a_read_gives_the_bytes_of_its_range_with_the_event_or_in_a_buffer) {
  const Blob content = counted_bytes(1'000);
  const auto of = this->served(content);
  for (const std::uint64_t offset : {0u, 1u, 7u, 8u, 513u})
    for (const std::uint64_t bytes : {1u, 8u, 64u, 487u}) {
      const Blob wanted(content.bytes().subspan(offset, bytes));
      const auto got = this->read(of, offset, bytes);
      ASSERT_EQ(got.status, Status::ok) << got.text.text();
      EXPECT_TRUE(got.content == wanted) << offset << " " << bytes;
      const Buffer buffer = this->world.lend(this->reader, 500);
      const auto into = this->read(of, offset, bytes, buffer, 5);
      ASSERT_EQ(into.status, Status::ok);
      EXPECT_TRUE(into.content.empty());
      const Blob seen = this->world.look(this->reader, buffer);
      EXPECT_TRUE(Blob(seen.bytes().subspan(5, bytes)) == wanted);
      EXPECT_EQ(seen.bytes()[4], std::byte{0xBB});
      EXPECT_EQ(seen.bytes()[5 + bytes], std::byte{0xBB});
    }
}

TYPED_TEST_P(FabricConformance, many_reads_in_flight_are_each_answered_once_with_their_own_bytes) {
  const Blob content = counted_bytes(1'024);
  const auto of = this->served(content);
  std::vector<Op> ops;
  for (std::uint64_t i = 0; i < 32; ++i) ops.push_back(this->post(of, i * 32, 32));
  std::vector<bool> seen(32, false);
  for (int i = 0; i < 32; ++i) {
    const auto e = this->world.next(this->reader);
    ASSERT_TRUE(e);
    const auto& got = std::get<event::ReadDone>(*e);
    ASSERT_EQ(got.status, Status::ok) << got.text.text();
    const auto which = static_cast<std::size_t>(number(got.op) - number(ops[0]));
    ASSERT_LT(which, 32u);
    EXPECT_FALSE(seen[which]);
    seen[which] = true;
    EXPECT_TRUE(got.content == Blob(content.bytes().subspan(which * 32, 32)));
  }
  EXPECT_TRUE(this->world.quiet(this->reader));
}

TYPED_TEST_P(FabricConformance, a_later_read_sees_a_later_store_and_a_copy_out_of_a_buffer) {
  const auto of = this->served(counted_bytes(64));
  this->world.perform(this->owner, action::StoreRegion{Region{1}, 8, counted_bytes(16, 99)});
  EXPECT_TRUE(this->read(of, 8, 16).content == counted_bytes(16, 99));
  const Buffer buffer = this->world.lend(this->owner, 32);
  this->world.fill(this->owner, buffer, counted_bytes(32, 55));
  this->world.perform(this->owner, action::CopyToRegion{Region{1}, 40, buffer, 8, 24});
  EXPECT_TRUE(this->read(of, 40, 24).content == Blob(counted_bytes(32, 55).bytes().subspan(8, 24)));
}

TYPED_TEST_P(FabricConformance, a_filled_buffer_holds_what_was_filled) {
  const Buffer buffer = this->world.lend(this->reader, 16);
  this->world.perform(this->reader, action::FillBuffer{buffer, 4, counted_bytes(8)});
  EXPECT_TRUE(Blob(this->world.look(this->reader, buffer).bytes().subspan(4, 8)) == counted_bytes(8));
}

TYPED_TEST_P(FabricConformance, an_address_that_is_none_is_refused) {
  this->open(this->reader);
  EXPECT_NE(this->insert(Blob("\x01")).status, Status::ok);
}

TYPED_TEST_P(FabricConformance, a_wrong_key_a_range_past_the_end_and_a_region_given_back_give_no_good_bytes) {
  if (!this->world.refuses()) GTEST_SKIP() << "this provider does not enforce keys (M4): identities do";
  const Blob content = counted_bytes(64);
  auto of = this->served(content);
  auto wrong = of;
  wrong.key = Blob(of.key.size(), [](MutableBytes to) { std::fill(to.begin(), to.end(), std::byte{0x5A}); });
  EXPECT_NE(this->read(wrong, 0, 8).status, Status::ok);
  EXPECT_NE(this->read(of, 60, 8).status, Status::ok);
  const Op asked = this->op();
  this->world.perform(this->owner, action::UnregisterRegion{asked, Region{1}});
  EXPECT_EQ(this->template answer<event::FabricDone>(this->owner, asked).status, Status::ok);
  EXPECT_NE(this->read(of, 0, 8).status, Status::ok);
}

TYPED_TEST_P(FabricConformance, a_new_endpoint_reads_well_after_a_refused_read_broke_the_old_one) {
  const Blob content = counted_bytes(64);
  const auto of = this->served(content);
  this->read(of, 60, 8);
  this->close(this->reader);
  this->open(this->reader, Endpoint{2});
  this->insert(this->owners.address, Peer{1}, Endpoint{2});
  const Op asked = this->post(of, 0, 64, no_buffer, 0, Endpoint{2});
  const auto got = this->template answer<event::ReadDone>(this->reader, asked);
  ASSERT_EQ(got.status, Status::ok) << got.text.text();
  EXPECT_TRUE(got.content == content);
}

TYPED_TEST_P(FabricConformance, a_close_answers_what_is_posted_and_nothing_lands_afterwards) {
  if (!this->world.closes_under_reads())
    GTEST_SKIP() << "this provider ends the process when an endpoint is closed under its reads";
  const auto of = this->served(counted_bytes(512));
  const Buffer buffer = this->world.lend(this->reader, 512);
  std::vector<Op> ops;
  for (std::uint64_t i = 0; i < 8; ++i) ops.push_back(this->post(of, i * 64, 64, buffer, i * 64));
  const Op asked = this->op();
  this->world.perform(this->reader, action::CloseFabric{asked, Endpoint{1}});
  std::size_t answered = 0;
  for (;;) {
    const auto e = this->world.next(this->reader);
    ASSERT_TRUE(e);
    if (const auto* got = std::get_if<event::ReadDone>(&*e)) {
      EXPECT_TRUE(got->status == Status::ok || got->status == Status::cancelled) << to_string(got->status);
      ++answered;
      continue;
    }
    EXPECT_EQ(std::get<event::FabricDone>(*e).op, asked);
    break;
  }
  EXPECT_EQ(answered, ops.size()) << "every posted read is answered before the close is";
  const Blob before = this->world.look(this->reader, buffer);
  EXPECT_TRUE(this->world.quiet(this->reader));
  EXPECT_TRUE(this->world.look(this->reader, buffer) == before);
}

REGISTER_TYPED_TEST_SUITE_P(FabricConformance, an_endpoint_has_an_address_and_says_how_large_a_read_may_be,
                            an_unknown_provider_is_an_error_that_names_it_and_leaves_nothing,
                            a_registered_region_is_zeroed_until_something_is_stored,
                            a_read_gives_the_bytes_of_its_range_with_the_event_or_in_a_buffer,
                            many_reads_in_flight_are_each_answered_once_with_their_own_bytes,
                            a_later_read_sees_a_later_store_and_a_copy_out_of_a_buffer, a_filled_buffer_holds_what_was_filled,
                            an_address_that_is_none_is_refused,
                            a_wrong_key_a_range_past_the_end_and_a_region_given_back_give_no_good_bytes,
                            a_new_endpoint_reads_well_after_a_refused_read_broke_the_old_one,
                            a_close_answers_what_is_posted_and_nothing_lands_afterwards);

}  // namespace tenter::conformance
