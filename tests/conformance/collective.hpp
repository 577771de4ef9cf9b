// What the Collective port promises (docs/ports/collective.md), as cases for any backend.
//
// A World is a group of ranks, each with a Collective port. The cases are written once for both kinds of backend: the simulator
// holds all ranks in one process, an MPI process holds one of them and runs the same case beside the others.
//
//   World world;                                    default constructible; destroying it ends the group
//   std::uint32_t world.size()                      ranks of the group, >= 1
//   std::vector<Rank> world.local()                 the ranks that this process drives
//   std::size_t world.bcast_block(), gather_block() bytes of a payload that ride with the first block; 0 where there is none
//   std::uint64_t world.payload_limit()             largest payload of one rank
//   void world.perform(Rank, Action)                only for a local rank
//   void world.settle()                             lets the others get as far as they can without this rank
//   void world.hold()                               no rank goes on before every process came here; nothing in a one-process
//   world bool world.run(std::size_t n)                   until each local rank has n events in all; false: it did not within the
//   deadline std::vector<event::CollectiveDone>& world.events(Rank)   of a local rank, in order of arrival std::size_t
//   world.held()                        communicators and requests that the local ranks hold beyond the start
//
// A case never stops half-way (EXPECT only): a rank that left alone would leave the others in a collective.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/action.hpp"
#include "core/event.hpp"

namespace tenter::conformance {

// Content that tells rank, round and position apart.
inline Blob pattern(std::uint32_t rank, std::uint32_t round, std::size_t bytes) {
  return Blob(bytes, [&](MutableBytes to) {
    std::uint64_t state = 0x9E3779B97F4A7C15ull * (rank * 1000003ull + round + 1);
    for (std::byte& byte : to) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      byte = static_cast<std::byte>(state >> 56);
    }
  });
}

template <class World>
class CollectiveConformance : public ::testing::Test {
 protected:
  World world;
  std::uint64_t next_op = 1;
  std::size_t expected = 0;  // events a local rank so far

  // Performs `action_of(rank)` on each local rank but `late`, lets the others wait, then on `late` too. Returns its number.
  template <class ActionOf>
  Op everywhere(ActionOf action_of, Rank late = no_rank) {
    const Op op{next_op++};
    for (const Rank rank : world.local())
      if (rank != late) start(rank, op, action_of(rank));
    if (late != no_rank) {
      world.settle();
      for (const Rank rank : world.local())
        if (rank == late) start(rank, op, action_of(rank));
    }
    ++expected;
    return op;
  }
  template <class A>
  void start(Rank rank, Op op, A action) {
    action.op = op;
    world.perform(rank, Action(std::move(action)));
  }
  // Runs until all that was started is done; then each local rank's last event is handed to `look(rank, event)`.
  template <class Look>
  void finish(Look look) {
    EXPECT_TRUE(world.run(expected)) << "the group did not complete " << expected << " collectives within the deadline";
    for (const Rank rank : world.local()) {
      EXPECT_EQ(world.events(rank).size(), expected) << "rank " << number(rank);
      if (world.events(rank).size() == expected && expected > 0) look(rank, world.events(rank).back());
    }
  }
  void finish_well() {
    finish([](Rank rank, const event::CollectiveDone& done) {
      EXPECT_EQ(done.status, Status::ok) << number(rank) << done.content.text();
    });
  }

  std::vector<std::size_t> lengths(std::size_t block) const {
    std::vector<std::size_t> all{0, 1, 64};
    if (block > 0) all.insert(all.end(), {block - 1, block, block + 1, 2 * block});
    all.push_back(100'000);
    return all;
  }

  void bcast_case(Communicator communicator, Rank root, std::size_t bytes, std::uint32_t round, Rank late = no_rank) {
    const Blob payload = pattern(number(root), round, bytes);
    const Op op = everywhere(
        [&](Rank rank) {
          return action::Bcast{{}, communicator, root, rank == root ? payload : Blob()};
        },
        late);
    finish([&](Rank rank, const event::CollectiveDone& done) {
      EXPECT_EQ(done.op, op);
      EXPECT_EQ(done.status, Status::ok) << done.content.text();
      EXPECT_TRUE(done.content == payload) << "rank " << number(rank) << " got " << done.content.size() << " bytes of " << bytes;
      EXPECT_TRUE(done.parts.empty());
    });
  }
  void parts_case(bool everyone, Communicator communicator, Rank root, const std::vector<std::size_t>& bytes, std::uint32_t round,
                  Rank late = no_rank) {
    const auto given = [&](Rank rank) { return pattern(number(rank), round, bytes[number(rank) % bytes.size()]); };
    const Op op = everyone ? everywhere(
                                 [&](Rank rank) {
                                   return action::Allgather{{}, communicator, given(rank)};
                                 },
                                 late)
                           : everywhere(
                                 [&](Rank rank) {
                                   return action::Gather{{}, communicator, root, given(rank)};
                                 },
                                 late);
    finish([&](Rank rank, const event::CollectiveDone& done) {
      EXPECT_EQ(done.op, op);
      EXPECT_EQ(done.status, Status::ok) << done.content.text();
      EXPECT_TRUE(done.content.empty());
      const bool receives = everyone || rank == root;
      EXPECT_EQ(done.parts.size(), receives ? world.size() : 0u) << "rank " << number(rank);
      if (!receives || done.parts.size() != world.size()) return;
      for (std::uint32_t from = 0; from < world.size(); ++from)
        EXPECT_TRUE(done.parts[from] == given(Rank{from})) << "part " << from << " has " << done.parts[from].size() << " bytes";
    });
  }
};

TYPED_TEST_SUITE_P(CollectiveConformance);

TYPED_TEST_P(CollectiveConformance, a_bcast_brings_the_roots_bytes_to_every_rank_whatever_their_length) {
  std::uint32_t round = 0;
  for (const std::size_t bytes : this->lengths(this->world.bcast_block()))
    this->bcast_case(world_communicator, Rank{0}, bytes, round++);
}

TYPED_TEST_P(CollectiveConformance, every_rank_can_be_the_root) {
  for (std::uint32_t root = 0; root < this->world.size(); ++root) {
    this->bcast_case(world_communicator, Rank{root}, 64, root);
    this->bcast_case(world_communicator, Rank{root}, 50'000, root);
    this->parts_case(false, world_communicator, Rank{root}, {64}, root);
    this->parts_case(false, world_communicator, Rank{root}, {50'000, 3}, root);
  }
}

TYPED_TEST_P(CollectiveConformance, a_gather_brings_the_parts_in_rank_order_to_the_root_only) {
  std::uint32_t round = 0;
  const auto lengths = this->lengths(this->world.gather_block());
  for (const std::size_t bytes : lengths) this->parts_case(false, world_communicator, Rank{0}, {bytes}, round++);
  this->parts_case(false, world_communicator, Rank{0}, {0, 100'000, 1, 3'000}, round++);
  this->parts_case(false, world_communicator, Rank{0}, {3'000, 0, 100'000}, round++);
}

TYPED_TEST_P(CollectiveConformance, an_allgather_brings_the_parts_in_rank_order_to_every_rank) {
  std::uint32_t round = 0;
  for (const std::size_t bytes : this->lengths(this->world.gather_block()))
    this->parts_case(true, world_communicator, Rank{0}, {bytes}, round++);
  this->parts_case(true, world_communicator, Rank{0}, {0, 100'000, 1, 3'000}, round++);
  this->parts_case(true, world_communicator, Rank{0}, {100'000, 0}, round++);
}

TYPED_TEST_P(CollectiveConformance, sixteen_mebibytes_pass) {
  constexpr std::size_t bytes = 16u << 20;
  this->bcast_case(world_communicator, Rank{0}, bytes, 1);
  this->parts_case(false, world_communicator, Rank{0}, {bytes}, 2);
  this->bcast_case(world_communicator, Rank{this->world.size() - 1}, bytes - 1, 3);
}

TYPED_TEST_P(CollectiveConformance, a_barrier_completes_nowhere_before_the_last_rank_entered) {
  const Rank late{this->world.size() - 1};
  const Op op{this->next_op++};
  for (const Rank rank : this->world.local())
    if (rank != late) this->start(rank, op, action::Barrier{{}, world_communicator});
  this->world.settle();
  for (const Rank rank : this->world.local()) {
    const bool entered_alone = this->world.size() > 1 && !this->world.events(rank).empty();
    EXPECT_FALSE(entered_alone) << "rank " << number(rank) << " passed before rank " << number(late);
  }
  this->world.hold();  // nobody looks any more: now the last one may enter
  for (const Rank rank : this->world.local())
    if (rank == late) this->start(rank, op, action::Barrier{{}, world_communicator});
  ++this->expected;
  this->finish_well();
}

TYPED_TEST_P(CollectiveConformance, a_late_rank_delays_and_loses_nothing) {
  for (std::uint32_t late = 0; late < this->world.size(); ++late) {
    this->bcast_case(world_communicator, Rank{0}, 64, 10 + late, Rank{late});
    this->bcast_case(world_communicator, Rank{0}, 300'000, 20 + late, Rank{late});
    this->parts_case(false, world_communicator, Rank{0}, {64}, 30 + late, Rank{late});
    this->parts_case(false, world_communicator, Rank{0}, {300'000, 10}, 40 + late, Rank{late});
    this->parts_case(true, world_communicator, Rank{0}, {300'000, 10}, 50 + late, Rank{late});
  }
}

TYPED_TEST_P(CollectiveConformance, the_root_of_a_short_bcast_may_leave_before_the_others_enter) {
  const Op op{this->next_op++};
  const Blob payload = pattern(0, 7, 64);
  for (const Rank rank : this->world.local())
    if (rank == Rank{0}) this->start(rank, op, action::Bcast{{}, world_communicator, Rank{0}, payload});
  this->world.settle();
  this->world.hold();
  for (const Rank rank : this->world.local())
    if (rank != Rank{0}) this->start(rank, op, action::Bcast{{}, world_communicator, Rank{0}, Blob()});
  ++this->expected;
  this->finish([&](Rank, const event::CollectiveDone& done) { EXPECT_TRUE(done.content == payload); });
}

TYPED_TEST_P(CollectiveConformance, several_collectives_of_one_communicator_end_in_the_order_they_were_posted) {
  std::vector<Op> ops;
  std::vector<Blob> sent;
  for (std::uint32_t i = 0; i < 12; ++i) {
    const std::size_t bytes = i % 3 == 0 ? 200'000 : 64 * i;
    sent.push_back(pattern(0, i, bytes));
    if (i % 4 == 1) {
      ops.push_back(this->everywhere([&](Rank) { return action::Gather{{}, world_communicator, Rank{0}, sent[i]}; }));
    } else if (i % 4 == 3) {
      ops.push_back(this->everywhere([&](Rank) { return action::Allgather{{}, world_communicator, sent[i]}; }));
    } else {
      ops.push_back(this->everywhere([&](Rank rank) {
        return action::Bcast{{}, world_communicator, Rank{0}, rank == Rank{0} ? sent[i] : Blob()};
      }));
    }
  }
  this->finish_well();
  for (const Rank rank : this->world.local()) {
    const auto& events = this->world.events(rank);
    for (std::size_t i = 0; i < std::min(events.size(), ops.size()); ++i) {
      EXPECT_EQ(events[i].op, ops[i]) << "rank " << number(rank);
      const bool parts = rank == Rank{0} || i % 4 == 3;
      if (i % 2 == 0) {
        EXPECT_TRUE(events[i].content == sent[i]) << i;
      } else if (parts) {
        EXPECT_TRUE(events[i].parts == Parts(std::vector<Blob>(this->world.size(), sent[i]))) << i;
      }
    }
  }
}

TYPED_TEST_P(CollectiveConformance, communicators_do_not_wait_for_each_other) {
  const Communicator other{7};
  this->everywhere([&](Rank) { return action::Duplicate{{}, world_communicator, other}; });
  this->finish_well();
  // On the world all ranks wait for rank 0, which first takes part in a round on the other one.
  const Blob held_back = pattern(0, 1, 64);
  const Blob first = pattern(0, 2, 30'000);
  const Op waits{this->next_op++};
  for (const Rank rank : this->world.local())
    if (rank != Rank{0}) this->start(rank, waits, action::Bcast{{}, world_communicator, Rank{0}, Blob()});
  const Op passes = this->everywhere([&](Rank rank) {
    return action::Bcast{{}, other, Rank{0}, rank == Rank{0} ? first : Blob()};
  });
  this->finish([&](Rank, const event::CollectiveDone& done) {
    EXPECT_EQ(done.op, passes);
    EXPECT_TRUE(done.content == first);
  });
  this->world.hold();  // all have that round behind them
  for (const Rank rank : this->world.local())
    if (rank == Rank{0}) this->start(rank, waits, action::Bcast{{}, world_communicator, Rank{0}, held_back});
  ++this->expected;
  this->finish([&](Rank, const event::CollectiveDone& done) {
    EXPECT_EQ(done.op, waits);
    EXPECT_TRUE(done.content == held_back);
  });
}

TYPED_TEST_P(CollectiveConformance, duplicates_that_are_freed_leave_nothing) {
  for (std::uint32_t round = 0; round < 3; ++round) {
    this->everywhere([&](Rank) { return action::Duplicate{{}, world_communicator, Communicator{1}}; });
    this->finish_well();
    this->everywhere([&](Rank) { return action::Duplicate{{}, Communicator{1}, Communicator{2}}; });
    this->finish_well();
    EXPECT_GT(this->world.held(), 0u);
    this->bcast_case(Communicator{2}, Rank{0}, 9'000, round);
    this->everywhere([&](Rank) { return action::FreeCommunicator{{}, Communicator{1}}; });
    this->finish_well();
    this->parts_case(true, Communicator{2}, Rank{0}, {5, 2'000}, round);
    this->everywhere([&](Rank) { return action::FreeCommunicator{{}, Communicator{2}}; });
    this->finish_well();
    EXPECT_EQ(this->world.held(), 0u);
  }
}

TYPED_TEST_P(CollectiveConformance, what_has_no_communicator_or_no_root_is_refused_on_that_rank_alone) {
  const auto refused = [&](Status status) {
    this->finish([&](Rank, const event::CollectiveDone& done) {
      EXPECT_EQ(done.status, status);
      EXPECT_FALSE(done.content.empty()) << "no reason given";
    });
  };
  this->everywhere([&](Rank) { return action::Barrier{{}, Communicator{99}}; });
  refused(Status::unavailable);
  this->everywhere([&](Rank) { return action::FreeCommunicator{{}, world_communicator}; });
  refused(Status::unavailable);
  this->everywhere([&](Rank) { return action::Duplicate{{}, world_communicator, world_communicator}; });
  refused(Status::exists);
  this->everywhere([&](Rank) { return action::Bcast{{}, world_communicator, Rank{this->world.size()}, Blob()}; });
  refused(Status::invalid);
  this->everywhere([&](Rank) { return action::Gather{{}, world_communicator, Rank{this->world.size()}, Blob()}; });
  refused(Status::invalid);
  this->bcast_case(world_communicator, Rank{0}, 64, 1);
}

TYPED_TEST_P(CollectiveConformance, a_payload_over_the_limit_fails_that_collective_and_leaves_the_group_usable) {
  const std::size_t over = static_cast<std::size_t>(this->world.payload_limit()) + 1;
  const Blob large(over, [](MutableBytes to) { to.front() = std::byte{1}; });
  const auto fails = [&](Rank rank, const event::CollectiveDone& done) {
    EXPECT_EQ(done.status, Status::invalid) << number(rank);
    EXPECT_NE(done.content.text().find(std::to_string(over)), std::string_view::npos) << "does not name the length";
  };
  this->everywhere([&](Rank rank) { return action::Bcast{{}, world_communicator, Rank{0}, rank == Rank{0} ? large : Blob()}; });
  this->finish(fails);
  this->bcast_case(world_communicator, Rank{0}, 64, 1);
  const Rank last{this->world.size() - 1};
  this->everywhere([&](Rank rank) {
    return action::Gather{{}, world_communicator, Rank{0}, rank == last ? large : pattern(0, 1, 20'000)};
  });
  this->finish([&](Rank rank, const event::CollectiveDone& done) {
    EXPECT_EQ(done.status, rank == Rank{0} || rank == last ? Status::invalid : Status::ok) << "rank " << number(rank);
  });
  this->parts_case(false, world_communicator, Rank{0}, {64, 9'000}, 2);
  this->everywhere([&](Rank rank) {
    return action::Allgather{{}, world_communicator, rank == last ? large : pattern(0, 1, 20'000)};
  });
  this->finish(fails);
  this->parts_case(true, world_communicator, Rank{0}, {64, 9'000}, 3);
}

REGISTER_TYPED_TEST_SUITE_P(CollectiveConformance, a_bcast_brings_the_roots_bytes_to_every_rank_whatever_their_length,
                            every_rank_can_be_the_root, a_gather_brings_the_parts_in_rank_order_to_the_root_only,
                            an_allgather_brings_the_parts_in_rank_order_to_every_rank, sixteen_mebibytes_pass,
                            a_barrier_completes_nowhere_before_the_last_rank_entered, a_late_rank_delays_and_loses_nothing,
                            the_root_of_a_short_bcast_may_leave_before_the_others_enter,
                            several_collectives_of_one_communicator_end_in_the_order_they_were_posted,
                            communicators_do_not_wait_for_each_other, duplicates_that_are_freed_leave_nothing,
                            what_has_no_communicator_or_no_root_is_refused_on_that_rank_alone,
                            a_payload_over_the_limit_fails_that_collective_and_leaves_the_group_usable);

}  // namespace tenter::conformance
