// What every Comm keeps, in the simulator and on hardware: docs/ports/comm.md, case by case.
#pragma once
#include <array>
#include <vector>

#include "tests/conformance/comm_user.hpp"

namespace tenter::conformance {

template <CommFixture Fixture>
class CommContract : private CommUser<Fixture> {
 public:
  using Self = CommContract;
  static std::vector<Case<Self>> cases() {
    std::vector<Case<Self>> all = message_cases();
    for (const Case<Self>& one : waiting_cases()) all.push_back(one);
    for (const Case<Self>& one : withdrawal_cases()) all.push_back(one);
    return all;
  }

  // --- messages ---------------------------------------------------------------------------------------------------------------

  static std::vector<Case<Self>> message_cases() {
    return {
        {"a_join_ends_when_every_process_has_joined", &Self::a_join_ends_when_every_process_has_joined},
        {"a_message_arrives_whole_with_sender_tag_and_length", &Self::a_message_arrives_whole_with_sender_tag_and_length},
        {"messages_of_one_sender_arrive_in_the_order_of_the_sends",
         &Self::messages_of_one_sender_arrive_in_the_order_of_the_sends},
        {"their_order_does_not_depend_on_their_tags", &Self::their_order_does_not_depend_on_their_tags},
        {"each_message_arrives_once", &Self::each_message_arrives_once},
        {"each_op_is_answered_once", &Self::each_op_is_answered_once},
        {"a_longer_message_than_the_limit_is_dropped_and_measured",
         &Self::a_longer_message_than_the_limit_is_dropped_and_measured},
        {"a_message_as_long_as_the_limit_arrives", &Self::a_message_as_long_as_the_limit_arrives},
        {"what_was_too_long_is_gone_when_the_next_is_received", &Self::what_was_too_long_is_gone_when_the_next_is_received},
        {"communicators_do_not_mix", &Self::communicators_do_not_mix},
    };
  }

  void a_join_ends_when_every_process_has_joined() {
    const Op op = next_op();
    const Rank late = last();
    for (std::uint32_t rank = 0; rank < number(late); ++rank) perform(Rank{rank}, action::JoinWorld{op});
    world.settle();
    for (std::uint32_t rank = 0; rank < number(late); ++rank) expect_quiet(Rank{rank});
    world.hold();
    perform(late, action::JoinWorld{op});
    for (std::uint32_t rank = 0; rank < world.size(); ++rank) expect_joined(Rank{rank}, op);
    expect_quiet();
  }
  void a_message_arrives_whole_with_sender_tag_and_length() {
    join();
    std::uint32_t tag = 0xFFFF'FFF0u;
    for (const std::size_t bytes : lengths) {
      const Blob content = message_bytes(tag, bytes);
      const Op sent = send(first(), last(), tag, content);
      expect_message(last(), first(), tag, content);
      expect_sent(first(), sent);
      ++tag;
    }
    expect_quiet();
  }
  void messages_of_one_sender_arrive_in_the_order_of_the_sends() { in_order({7, 7, 7, 7, 7, 7, 7, 7, 7}); }
  void their_order_does_not_depend_on_their_tags() { in_order({9, 8, 8, 0xFFFF'FFFFu, 6, 0, 7, 3, 1}); }
  void in_order(const std::vector<std::uint32_t>& tags) {
    join();
    std::vector<Op> sent;
    for (std::size_t i = 0; i < tags.size(); ++i) sent.push_back(send(first(), last(), tags[i], numbered(i)));
    for (std::size_t i = 0; i < tags.size(); ++i) expect_message(last(), first(), tags[i], numbered(i));
    for (const Op op : sent) expect_sent(first(), op);
  }
  void each_message_arrives_once() {
    join();
    for (std::size_t i = 0; i < 12; ++i) {
      const Op sent = send(first(), last(), 1, numbered(i));
      expect_message(last(), first(), 1, numbered(i));
      expect_sent(first(), sent);
    }
    const Op more = receive(last(), first());
    world.settle();
    expect_quiet(last());
    world.hold();
    const Op sent = send(first(), last(), 2, numbered(100));
    expect_arrived(last(), more, first(), 2, numbered(100));
    expect_sent(first(), sent);
  }
  void each_op_is_answered_once() {
    join();
    std::vector<Op> sent, received;
    for (std::size_t i = 0; i < 4; ++i) {
      sent.push_back(send(last(), first(), 1, numbered(i)));
      received.push_back(receive(first(), last()));
      expect_arrived(first(), received.back(), last(), 1, numbered(i));
    }
    for (const Op op : sent) expect_sent(last(), op);
    expect_quiet();
  }
  void a_longer_message_than_the_limit_is_dropped_and_measured() {
    join();
    for (const std::size_t bytes : {1u, 65u, 8'000u, 300'000u}) {
      const Op sent = send(first(), last(), 5, message_bytes(bytes, bytes));
      const auto arrived = this->template answer<event::MessageArrived>(last(), receive(last(), first(), bytes - 1));
      expect_sent(first(), sent);
      if (!arrived) continue;
      EXPECT_EQ(arrived->status, Status::no_space);
      EXPECT_EQ(arrived->length, bytes);
      EXPECT_EQ(arrived->tag, MessageTag{5});
      EXPECT_EQ(arrived->from, first());
      EXPECT_TRUE(arrived->content.empty());
    }
  }
  void a_message_as_long_as_the_limit_arrives() {
    join();
    for (const std::size_t bytes : {0u, 1u, 64u, 100'000u}) {
      const Op sent = send(first(), last(), 5, message_bytes(bytes, bytes));
      expect_arrived(last(), receive(last(), first(), bytes), first(), 5, message_bytes(bytes, bytes));
      expect_sent(first(), sent);
    }
  }
  void what_was_too_long_is_gone_when_the_next_is_received() {
    join();
    for (const std::size_t bytes : {100u, 300'000u}) {
      const std::array sent = {send(first(), last(), 1, message_bytes(1, bytes)), send(first(), last(), 2, message_bytes(2, 10))};
      const Op too_small = receive(last(), first(), 10);
      (void)this->template answer<event::MessageArrived>(last(), too_small);
      expect_message(last(), first(), 2, message_bytes(2, 10));
      for (const Op op : sent) expect_sent(first(), op);
    }
  }
  void communicators_do_not_mix() {
    join();
    const Communicator other{3};
    const Op made = next_op();
    for (std::uint32_t rank = 0; rank < world.size(); ++rank)
      perform(Rank{rank}, action::Duplicate{made, world_communicator, other});
    for (std::uint32_t rank = 0; rank < world.size(); ++rank)
      (void)this->template answer<event::CollectiveDone>(Rank{rank}, made);
    const Op one = send(first(), last(), 1, numbered(1));
    const Op two = send(first(), last(), 2, numbered(2), other);
    expect_message(last(), first(), 2, numbered(2), other);
    expect_message(last(), first(), 1, numbered(1));
    expect_sent(first(), one);
    expect_sent(first(), two);
    const Op freed = next_op();
    for (std::uint32_t rank = 0; rank < world.size(); ++rank) perform(Rank{rank}, action::FreeCommunicator{freed, other});
    for (std::uint32_t rank = 0; rank < world.size(); ++rank)
      (void)this->template answer<event::CollectiveDone>(Rank{rank}, freed);
    expect_quiet();
  }

  // --- who waits, and who does not --------------------------------------------------------------------------------------------

  static std::vector<Case<Self>> waiting_cases() {
    return {
        {"a_message_that_nobody_receives_waits", &Self::a_message_that_nobody_receives_waits},
        {"a_receive_waits_for_its_message", &Self::a_receive_waits_for_its_message},
        {"a_silent_sender_delays_no_message_of_another", &Self::a_silent_sender_delays_no_message_of_another},
        {"long_messages_cross_each_other", &Self::long_messages_cross_each_other},
        {"every_rank_sends_to_every_rank_in_order", &Self::every_rank_sends_to_every_rank_in_order},
    };
  }

  void a_message_that_nobody_receives_waits() {
    join();
    const std::array sent = {send(first(), last(), 1, message_bytes(1, 20)), send(first(), last(), 2, message_bytes(2, 300'000))};
    world.settle();
    if (first() != last()) expect_quiet(last());
    world.hold();
    expect_message(last(), first(), 1, message_bytes(1, 20));
    expect_message(last(), first(), 2, message_bytes(2, 300'000));
    for (const Op op : sent) expect_sent(first(), op);
  }
  void a_receive_waits_for_its_message() {
    join();
    for (const std::size_t bytes : {0u, 20u, 300'000u}) {
      const Op received = receive(last(), first());
      world.settle();
      expect_quiet(last());
      world.hold();
      const Op sent = send(first(), last(), 1, message_bytes(1, bytes));
      expect_arrived(last(), received, first(), 1, message_bytes(1, bytes));
      expect_sent(first(), sent);
    }
  }
  void a_silent_sender_delays_no_message_of_another() {
    join();
    if (world.size() < 3) return;
    const Rank silent{0}, speaks{1};
    const Op from_silent = receive(last(), silent), from_other = receive(last(), speaks);
    const Op spoken = send(speaks, last(), 1, message_bytes(1, 300'000));
    expect_arrived(last(), from_other, speaks, 1, message_bytes(1, 300'000));
    expect_sent(speaks, spoken);
    world.hold();
    const Op sent = send(silent, last(), 2, message_bytes(2, 20));
    expect_arrived(last(), from_silent, silent, 2, message_bytes(2, 20));
    expect_sent(silent, sent);
  }
  void long_messages_cross_each_other() {
    join();
    const Blob one = message_bytes(1, 2'000'000), two = message_bytes(2, 3'000'000);
    const Op there = send(first(), last(), 1, one), back = send(last(), first(), 2, two);
    if (first() != last()) {
      const Op received = receive(first(), last());
      expect_message(last(), first(), 1, one);
      expect_arrived(first(), received, last(), 2, two);
    } else {  // to itself: both in their order
      expect_message(last(), first(), 1, one);
      expect_message(last(), first(), 2, two);
    }
    expect_sent(first(), there);
    expect_sent(last(), back);
    expect_quiet();
  }
  void every_rank_sends_to_every_rank_in_order() {
    join();
    constexpr std::size_t rounds = 6;
    const auto all_pairs = [&](auto&& act) {
      for (std::uint32_t from = 0; from < world.size(); ++from)
        for (std::uint32_t to = 0; to < world.size(); ++to) act(Rank{from}, Rank{to});
    };
    std::vector<std::pair<Rank, Op>> sent;
    for (std::size_t round = 0; round < rounds; ++round)
      all_pairs([&](Rank from, Rank to) { sent.emplace_back(from, send(from, to, number(from), of_pair(from, to, round))); });
    for (std::size_t round = 0; round < rounds; ++round) {
      std::vector<Op> received;
      all_pairs([&](Rank from, Rank to) { received.push_back(receive(to, from)); });
      std::size_t i = 0;
      all_pairs([&](Rank from, Rank to) { expect_arrived(to, received[i++], from, number(from), of_pair(from, to, round)); });
    }
    for (const auto& [from, op] : sent) expect_sent(from, op);
    expect_quiet();
  }

  // --- what is given up -------------------------------------------------------------------------------------------------------

  static std::vector<Case<Self>> withdrawal_cases() {
    return {
        {"an_abandoned_send_is_answered_no_more", &Self::an_abandoned_send_is_answered_no_more},
        {"an_abandoned_message_arrives_whole_or_never", &Self::an_abandoned_message_arrives_whole_or_never},
        {"a_withdrawn_receive_is_answered_no_more", &Self::a_withdrawn_receive_is_answered_no_more},
        {"a_message_sent_after_a_withdrawal_waits_for_the_next_receive",
         &Self::a_message_sent_after_a_withdrawal_waits_for_the_next_receive},
    };
  }

  void an_abandoned_send_is_answered_no_more() {
    join();
    for (const std::size_t bytes : {20u, 300'000u}) {
      const Op given_up = send(first(), last(), 1, message_bytes(1, bytes));
      perform(first(), action::AbandonSend{given_up});
      perform(first(), action::AbandonSend{given_up});  // of what is given up already: nothing
      drain_to_marker(message_bytes(1, bytes));
      expect_quiet();
    }
  }
  void an_abandoned_message_arrives_whole_or_never() {
    join();
    for (const std::size_t bytes : {20u, 9'000u, 300'000u}) {
      const Op before = send(first(), last(), 1, message_bytes(2, bytes));
      const Op given_up = send(first(), last(), 1, message_bytes(1, bytes));
      world.settle();
      perform(first(), action::AbandonSend{given_up});
      expect_message(last(), first(), 1, message_bytes(2, bytes));
      expect_sent(first(), before);
      drain_to_marker(message_bytes(1, bytes));
    }
  }
  // The receiver takes what is on its way before a message of tag 9.
  void drain_to_marker(const Blob& may_come) {
    const Op marked = send(first(), last(), 9, message_bytes(9, 9));
    for (int messages = 0; world.drives(last()) && messages < 2; ++messages) {
      const Op op = next_op();
      perform(last(), action::ReceiveMessage{op, world_communicator, first(), 64u << 20});
      const auto arrived = this->template answer<event::MessageArrived>(last(), op);
      if (!arrived) break;
      EXPECT_EQ(arrived->status, Status::ok);
      if (arrived->tag == MessageTag{9}) break;
      EXPECT_EQ(messages, 0) << "a second message that nobody sent";
      EXPECT_TRUE(arrived->content == may_come) << arrived->content.size() << " bytes of " << may_come.size();
    }
    expect_sent(first(), marked);
    world.hold();
  }
  void a_withdrawn_receive_is_answered_no_more() {
    join();
    const Op waits = receive(last(), first());
    world.settle();
    perform(last(), action::WithdrawReceive{waits});
    perform(last(), action::WithdrawReceive{waits});
    expect_quiet(last());
    world.hold();
    for (const std::size_t bytes : {20u, 300'000u}) {  // a message is there: it may have been begun to be taken
      const Op sent = send(first(), last(), 1, message_bytes(1, bytes));
      world.settle();
      world.hold();
      perform(last(), action::WithdrawReceive{receive(last(), first())});
      drain_to_marker(message_bytes(1, bytes));
      expect_sent(first(), sent);
      expect_quiet();
    }
  }
  void a_message_sent_after_a_withdrawal_waits_for_the_next_receive() {
    join();
    for (const std::size_t bytes : {20u, 300'000u}) {
      perform(last(), action::WithdrawReceive{receive(last(), first())});
      world.settle();
      world.hold();
      const Op sent = send(first(), last(), 1, message_bytes(1, bytes));
      world.settle();
      if (first() != last()) expect_quiet(last());
      expect_message(last(), first(), 1, message_bytes(1, bytes));
      expect_sent(first(), sent);
    }
  }

 private:
  static constexpr std::array<std::size_t, 9> lengths = {0, 1, 64, 1'023, 8'191, 8'192, 8'193, 65'536, 1'000'003};
  // Short and long ones in turn.
  static Blob numbered(std::size_t i) { return message_bytes(i, i % 3 == 1 ? 100'000 + i : 10 * i); }
  static Blob of_pair(Rank from, Rank to, std::size_t round) {
    return message_bytes(number(from) * 1'000 + number(to) * 100 + round, round % 3 == 1 ? 50'000 : 16 * round);
  }

  using User = CommUser<Fixture>;
  using User::expect_arrived;
  using User::expect_joined;
  using User::expect_message;
  using User::expect_quiet;
  using User::expect_sent;
  using User::first;
  using User::join;
  using User::last;
  using User::next_op;
  using User::perform;
  using User::receive;
  using User::send;
  using User::world;
};

}  // namespace tenter::conformance
