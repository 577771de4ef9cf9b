// The memory models against the known litmus tests, each with the exact set of outcomes that each mode allows. Names and shapes:
// Alglave, Maranget, Tautschnig, "Herding Cats" (TOPLAS 2014); tso column: x86-TSO; ra column: C++ release/acquire without load
// buffering (RC11). The outcome digits are the loads and compare-exchanges in thread order, then the final values asked for.
#include "tests/litmus/litmus.hpp"

#include <gtest/gtest.h>

namespace tenter::litmus {
namespace {

constexpr Order relaxed = Order::relaxed, acquire = Order::acquire, release = Order::release, both = Order::acquire_release,
                sequential = Order::sequential;

// All strings of `digits` digits 0 and 1.
Outcomes binary(std::size_t digits) {
  Outcomes all{""};
  for (std::size_t i = 0; i < digits; ++i) {
    Outcomes longer;
    for (const std::string& prefix : all) {
      longer.insert(prefix + "0");
      longer.insert(prefix + "1");
    }
    all = longer;
  }
  return all;
}
Outcomes without(Outcomes all, const Outcomes& some) {
  for (const std::string& one : some) all.erase(one);
  return all;
}

void expect(const Program& program, const Outcomes& sc, const Outcomes& tso, const Outcomes& ra) {
  EXPECT_EQ(outcomes(program, MemoryMode::sc), sc) << "sc";
  EXPECT_EQ(outcomes(program, MemoryMode::tso), tso) << "tso";
  EXPECT_EQ(outcomes(program, MemoryMode::ra), ra) << "ra";
}
void expect_everywhere(const Program& program, const Outcomes& allowed) { expect(program, allowed, allowed, allowed); }

TEST(Litmus, SB_store_buffering_is_weak_in_tso_and_ra) {
  const Program program{{{store(x, 1, release), load(y, acquire)}, {store(y, 1, release), load(x, acquire)}}, {}};
  expect(program, {"01", "10", "11"}, {"00", "01", "10", "11"}, {"00", "01", "10", "11"});
}

TEST(Litmus, SB_with_a_sequential_fence_on_both_sides_is_strong) {
  const Program program{{{store(x, 1), fence(sequential), load(y)}, {store(y, 1), fence(sequential), load(x)}}, {}};
  expect_everywhere(program, {"01", "10", "11"});
}

TEST(Litmus, SB_with_a_fence_on_one_side_only_is_still_weak) {
  const Program program{{{store(x, 1), fence(sequential), load(y)}, {store(y, 1), load(x)}}, {}};
  expect(program, {"01", "10", "11"}, binary(2), binary(2));
}

TEST(Litmus, SB_with_compare_exchange_is_strong_where_it_drains_the_buffer) {
  const Program program{{{swap(x, 0, 1, both), load(y, acquire)}, {swap(y, 0, 1, both), load(x, acquire)}}, {}};
  // Digits: seen by the swap (always 0), load, seen, load.
  expect(program, {"0001", "0100", "0101"}, {"0001", "0100", "0101"}, {"0000", "0001", "0100", "0101"});
}

TEST(Litmus, MP_message_passing_by_release_and_acquire_is_strong) {
  const Program program{{{store(x, 1), store(y, 1, release)}, {load(y, acquire), load(x)}}, {}};
  expect_everywhere(program, {"00", "01", "11"});
}

TEST(Litmus, MP_with_a_relaxed_publish_is_weak_in_ra) {
  const Program program{{{store(x, 1), store(y, 1, relaxed)}, {load(y, acquire), load(x)}}, {}};
  expect(program, {"00", "01", "11"}, {"00", "01", "11"}, binary(2));
}

TEST(Litmus, MP_with_a_relaxed_load_is_weak_in_ra) {
  const Program program{{{store(x, 1), store(y, 1, release)}, {load(y, relaxed), load(x)}}, {}};
  expect(program, {"00", "01", "11"}, {"00", "01", "11"}, binary(2));
}

TEST(Litmus, MP_with_a_release_and_an_acquire_fence_is_strong) {
  const Program program{{{store(x, 1), fence(release), store(y, 1)}, {load(y), fence(acquire), load(x)}}, {}};
  expect_everywhere(program, {"00", "01", "11"});
}

TEST(Litmus, LB_load_buffering_never_happens) {
  const Program program{{{load(x), store(y, 1)}, {load(y), store(x, 1)}}, {}};
  expect_everywhere(program, {"00", "01", "10"});
}

TEST(Litmus, CoRR_two_loads_of_one_word_never_go_back) {
  const Program program{{{store(x, 1)}, {load(x), load(x)}}, {}};
  expect_everywhere(program, {"00", "01", "11"});
}

// The axiomatic answer: some order of the two stores that both readers' pairs follow.
Outcomes two_writers_two_readers() {
  Outcomes allowed;
  for (const std::string& order : {std::string("012"), std::string("021")})
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = a; b < 3; ++b)
        for (std::size_t c = 0; c < 3; ++c)
          for (std::size_t d = c; d < 3; ++d) allowed.insert({order[a], order[b], order[c], order[d]});
  return allowed;
}

TEST(Litmus, CoRR_two_readers_agree_on_the_order_of_two_writers) {
  const Program program{{{store(x, 1)}, {store(x, 2)}, {load(x), load(x)}, {load(x), load(x)}}, {}};
  expect_everywhere(program, two_writers_two_readers());
}

TEST(Litmus, CoWW_the_later_store_of_one_thread_wins) {
  const Program program{{{store(x, 1), store(x, 2)}}, {x}};
  expect_everywhere(program, {"2"});
}

TEST(Litmus, CoWR_a_thread_reads_its_own_store_or_a_later_one) {
  const Program program{{{store(x, 1), load(x)}, {store(x, 2)}}, {x}};
  expect_everywhere(program, {"11", "12", "22"});
}

TEST(Litmus, CoRW_a_store_comes_after_what_its_thread_has_read) {
  const Program program{{{load(x), store(x, 1)}, {store(x, 2)}}, {x}};
  expect_everywhere(program, {"01", "02", "21"});
}

TEST(Litmus, 2p2W_two_times_two_stores_is_weak_in_ra_only) {
  const Program program{{{store(x, 1, release), store(y, 2, release)}, {store(y, 1, release), store(x, 2, release)}}, {x, y}};
  expect(program, {"12", "21", "22"}, {"12", "21", "22"}, {"11", "12", "21", "22"});
}

TEST(Litmus, 2p2W_with_sequential_fences_is_strong) {
  const Program program{{{store(x, 1), fence(sequential), store(y, 2)}, {store(y, 1), fence(sequential), store(x, 2)}}, {x, y}};
  expect_everywhere(program, {"12", "21", "22"});
}

TEST(Litmus, IRIW_independent_readers_may_disagree_in_ra_only) {
  const Program program{{{store(x, 1, release)},
                         {store(y, 1, release)},
                         {load(x, acquire), load(y, acquire)},
                         {load(y, acquire), load(x, acquire)}},
                        {}};
  expect(program, without(binary(4), {"1010"}), without(binary(4), {"1010"}), binary(4));
}

TEST(Litmus, IRIW_with_sequential_fences_between_the_loads_is_strong) {
  const Program program{
      {{store(x, 1)}, {store(y, 1)}, {load(x), fence(sequential), load(y)}, {load(y), fence(sequential), load(x)}}, {}};
  expect_everywhere(program, without(binary(4), {"1010"}));
}

TEST(Litmus, S_is_strong_by_release_and_acquire) {
  const Program program{{{store(x, 2), store(y, 1, release)}, {load(y, acquire), store(x, 1)}}, {x}};
  expect_everywhere(program, {"01", "02", "11"});
}

TEST(Litmus, S_relaxed_is_weak_in_ra_only) {
  const Program program{{{store(x, 2), store(y, 1)}, {load(y), store(x, 1)}}, {x}};
  expect(program, {"01", "02", "11"}, {"01", "02", "11"}, {"01", "02", "11", "12"});
}

TEST(Litmus, R_is_weak_in_tso_and_ra) {
  const Program program{{{store(x, 1, release), store(y, 1, release)}, {store(y, 2, release), load(x, acquire)}}, {y}};
  expect(program, {"01", "11", "12"}, {"01", "02", "11", "12"}, {"01", "02", "11", "12"});
}

TEST(Litmus, R_with_sequential_fences_is_strong) {
  const Program program{{{store(x, 1), fence(sequential), store(y, 1)}, {store(y, 2), fence(sequential), load(x)}}, {y}};
  expect_everywhere(program, {"01", "11", "12"});
}

TEST(Litmus, WRC_write_to_read_causality_holds_by_release_and_acquire) {
  const Program program{{{store(x, 1)}, {load(x, acquire), store(y, 1, release)}, {load(y, acquire), load(x)}}, {}};
  expect_everywhere(program, without(binary(3), {"110"}));
}

TEST(Litmus, WRC_relaxed_is_weak_in_ra_only) {
  const Program program{{{store(x, 1)}, {load(x), store(y, 1)}, {load(y), load(x)}}, {}};
  expect(program, without(binary(3), {"110"}), without(binary(3), {"110"}), binary(3));
}

TEST(Litmus, ISA2_a_chain_of_two_publishes_carries_the_first_payload) {
  const Program program{
      {{store(x, 1), store(y, 1, release)}, {load(y, acquire), store(z, 1, release)}, {load(z, acquire), load(x)}}, {}};
  expect_everywhere(program, without(binary(3), {"110"}));
}

TEST(Litmus, RMW_of_two_compare_exchanges_exactly_one_stores) {
  const Program program{{{swap(x, 0, 1, both)}, {swap(x, 0, 2, both)}}, {x}};
  expect_everywhere(program, {"011", "202"});
}

TEST(Litmus, RMW_a_relaxed_compare_exchange_continues_the_release_sequence) {
  const Program program{{{store(x, 1), store(y, 1, release)}, {swap(y, 1, 2, relaxed)}, {load(y, acquire), load(x)}}, {}};
  expect_everywhere(program, {"000", "001", "011", "100", "101", "111", "121"});
}

TEST(Litmus, RMW_nothing_comes_between_what_it_read_and_what_it_stored) {
  const Program program{{{store(x, 1)}, {swap(x, 0, 3, both), swap(x, 1, 2, both)}}, {x}};
  expect_everywhere(program, {"012", "031", "112"});
}

TEST(Litmus, every_mode_explores_fast) {
  const Program program{
      {{store(x, 1), store(y, 1, release)}, {load(y, acquire), store(z, 1, release)}, {load(z, acquire), load(x)}}, {}};
  for (const MemoryMode mode : {MemoryMode::sc, MemoryMode::tso, MemoryMode::ra}) {
    Rate rate(sim::to_string(mode));
    std::uint64_t executions = 0;
    for (int i = 0; i < 50; ++i) outcomes(program, mode, &executions);
    rate.add(executions);
    EXPECT_GE(executions, 50u * 90u);  // 6! / (2! 2! 2!) interleavings at least
  }
}

}  // namespace
}  // namespace tenter::litmus
