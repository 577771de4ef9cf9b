// How the reference's rendezvous went wrong, as variants of ours: each is found by a claim that ours keeps. G2, G3, G4, G7; MP7,
// MP8.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/mailbox/error_list.hpp"
#include "rendezvous_kit.hpp"

namespace tenter::mailbox {
namespace rendezvous_planted_test {
namespace {

using namespace tenter::mailbox::kit;

// ---- variants: the shipped machine answers, and what it answered is changed

void perform(const std::vector<Action>& actions, Outbox& out) {
  for (const Action& action : actions) std::visit([&](const auto& a) { out.perform(a); }, action);
}

// A member's own deadline goes on while its exchange runs (G2).
struct TimesOutDuringTheExchange {
  explicit TimesOutDuringTheExchange(RendezvousConfig config) : machine(config) {}
  template <class E>
  void on(const E& e, Outbox& out) {
    Outbox box;
    machine.on(e, box);
    std::vector<Action> kept;
    for (const Action& action : box.actions()) {
      if constexpr (std::is_same_v<E, event::Submitted>)
        if (const auto* arm = std::get_if<action::Arm>(&action)) deadlines[arm->op] = e.ticket;
      const auto* complete = std::get_if<action::Complete>(&action);
      const bool told = complete && answered.contains(complete->ticket);
      if (!told && !std::holds_alternative<action::Cancel>(action)) kept.push_back(action);
    }
    if constexpr (std::is_same_v<E, event::TimerFired>)
      if (box.actions().empty() && deadlines.contains(e.op)) {
        answered.insert(deadlines[e.op]);
        kept.push_back(action::Complete{deadlines[e.op], answer_error(Status::timed_out, "TimedOut", "too late")});
      }
    perform(kept, out);
  }
  Rendezvous machine;
  std::map<Op, Ticket> deadlines;
  std::set<Ticket> answered;
};

// Whoever comes joins the batch that gathers under its slot, whichever generation it is of (G3).
struct MatchesBySlotAlone {
  explicit MatchesBySlotAlone(RendezvousConfig config) : machine(config) {}
  template <class E>
  void on(const E& e, Outbox& out) {
    if constexpr (std::is_same_v<E, event::Submitted>) {
      Join join = *read_join(e.call);
      join.batch.generation = generations.emplace(join.batch.slot, join.batch.generation).first->second;
      machine.on(event::Submitted{e.now, e.ticket, join_call(join)}, out);
    } else {
      machine.on(e, out);
    }
  }
  Rendezvous machine;
  std::map<std::uint64_t, std::uint64_t> generations;
};

// The next batch begins when the one before it has ended (G4).
struct OneBatchAtATime {
  explicit OneBatchAtATime(RendezvousConfig config) : machine(config) {}
  template <class E>
  void on(const E& e, Outbox& out) {
    if constexpr (std::is_same_v<E, event::Submitted>) {
      const BatchId batch = read_join(e.call)->batch;
      if (machine.state_name() != "empty" && !(batch == current)) return held.push_back(e);
      current = batch;
    }
    machine.on(e, out);
    std::vector<event::Submitted> again;
    if (machine.state_name() == "empty") again.swap(held);
    for (const event::Submitted& one : again) on(one, out);
  }
  Rendezvous machine;
  BatchId current;
  std::vector<event::Submitted> held;
};

// What one member's callable came to is told to all (G7).
struct OneErrorForAll {
  explicit OneErrorForAll(RendezvousConfig config) : machine(config) {}
  template <class E>
  void on(const E& e, Outbox& out) {
    Outbox box;
    machine.on(e, box);
    const Note* first = nullptr;
    for (Action& action : box.actions())
      if (auto* complete = std::get_if<action::Complete>(&action)) {
        if (first) complete->outcome = *first;
        first = &complete->outcome;
      }
    perform(box.actions(), out);
  }
  Rendezvous machine;
};

// ---- claims: true of a right one

constexpr Duration short_patience = milliseconds(10);

template <class M>
bool nobody_is_told_timed_out_while_its_task_runs() {
  MeetingOf<M> meeting(2);
  meeting.arrive(1, {0, 1}, 0, "first", short_patience);
  meeting.pass(milliseconds(5));
  meeting.arrive(2, {0, 1}, 1, "second", short_patience);
  meeting.pass(milliseconds(7));
  if (meeting.requests().size() != 1) return false;
  meeting.answer(0, answer_note(Status::ok, Parts{blob("first"), blob("second")}));
  return meeting.outcome(1).status == Status::ok && meeting.outcome(2).status == Status::ok;
}

template <class M>
bool two_tasks_of_one_slot_stay_two() {
  MeetingOf<M> meeting(2);
  meeting.arrive(1, {0, 1}, 0, "of the old task", short_patience);
  meeting.arrive(2, {0, 2}, 1, "of the new task", short_patience);
  return meeting.requests().empty();
}

template <class M>
bool a_half_arrived_batch_delays_nobody() {
  MeetingOf<M> meeting(2);
  meeting.arrive(1, {0, 1}, 0, "alone", short_patience);
  meeting.arrive(2, {1, 2}, 0, "one", short_patience);
  meeting.arrive(3, {1, 2}, 1, "two", short_patience);
  return meeting.requests().size() == 1;
}

template <class M>
bool an_error_is_that_members_own() {
  MeetingOf<M> meeting(2);
  meeting.arrive(1, {0, 1}, 0, "good", short_patience);
  meeting.arrive(2, {0, 1}, 1, "bad", short_patience);
  meeting.answer(0, answer_note(Status::failed, {}, encode_error(1, "ValueError", "no")));
  return meeting.outcome(1).status == Status::cancelled && meeting.outcome(2).status == Status::failed;
}

TEST(RendezvousPlanted, a_member_that_times_out_during_the_exchange_is_found) {
  EXPECT_TRUE(nobody_is_told_timed_out_while_its_task_runs<Rendezvous>());
  EXPECT_FALSE(nobody_is_told_timed_out_while_its_task_runs<TimesOutDuringTheExchange>());
}

TEST(RendezvousPlanted, batches_that_match_by_their_slot_alone_are_found) {
  EXPECT_TRUE(two_tasks_of_one_slot_stay_two<Rendezvous>());
  EXPECT_FALSE(two_tasks_of_one_slot_stay_two<MatchesBySlotAlone>());
}

TEST(RendezvousPlanted, one_batch_at_a_time_is_found) {
  EXPECT_TRUE(a_half_arrived_batch_delays_nobody<Rendezvous>());
  EXPECT_FALSE(a_half_arrived_batch_delays_nobody<OneBatchAtATime>());
}

TEST(RendezvousPlanted, one_error_for_all_members_is_found) {
  EXPECT_TRUE(an_error_is_that_members_own<Rendezvous>());
  EXPECT_FALSE(an_error_is_that_members_own<OneErrorForAll>());
}

}  // namespace
}  // namespace rendezvous_planted_test
}  // namespace tenter::mailbox
