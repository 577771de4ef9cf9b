// Worlds with one bug each, which the cases of tests/conformance/comm.hpp must find.
#pragma once
#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "tests/conformance/comm.hpp"

namespace tenter::conformance {

// A world whose actions and events go through a bug.
template <CommFixture Fixture>
struct TamperedComm : Fixture {
  virtual ~TamperedComm() = default;
  virtual void ask(Rank rank, Action action) { Fixture::perform(rank, std::move(action)); }
  virtual void tell(Rank, Event&) {}

  void perform(Rank rank, Action action) { ask(rank, std::move(action)); }
  std::optional<Event> next(Rank rank) {
    return pass(rank, [&] { return Fixture::next(rank); });
  }
  std::optional<Event> soon(Rank rank) {
    return pass(rank, [&] { return Fixture::soon(rank); });
  }

 protected:
  static constexpr std::uint64_t own_ops = std::uint64_t{1} << 40;  // answers to these go to nobody
  std::map<Rank, std::deque<Event>> made_up;
  std::uint64_t next_own_op = own_ops;

 private:
  template <class Read>
  std::optional<Event> pass(Rank rank, Read&& read) {
    std::deque<Event>& mine = made_up[rank];
    if (!mine.empty()) {
      Event event = std::move(mine.front());
      mine.pop_front();
      return event;
    }
    std::optional<Event> event = read();
    while (event && is_own(*event)) event = read();
    if (event) tell(rank, *event);
    return event;
  }
  static bool is_own(const Event& event) {
    const auto* sent = std::get_if<event::MessageSent>(&event);
    return sent && number(sent->op) >= own_ops;
  }
};

// The first of two sends to one rank goes after the second; OtherTag: only when their tags differ.
template <CommFixture Fixture, bool OtherTag>
struct Overtakes : TamperedComm<Fixture> {
  void ask(Rank rank, Action action) override {
    const auto* send = std::get_if<action::SendMessage>(&action);
    std::optional<action::SendMessage>& held = first[rank];
    if (!send) return Fixture::perform(rank, std::move(action));
    if (!held && (sends[rank]++ % 4) == 0 && send->tag != MessageTag{9}) {
      held = *send;
      return;
    }
    const bool swap = held && (!OtherTag || held->tag != send->tag);
    if (held && !swap) Fixture::perform(rank, *std::exchange(held, std::nullopt));
    Fixture::perform(rank, action);
    if (held) Fixture::perform(rank, *std::exchange(held, std::nullopt));
  }
  std::map<Rank, std::optional<action::SendMessage>> first;
  std::map<Rank, std::size_t> sends;
};

// Every third message is lost, and said to be sent.
template <CommFixture Fixture>
struct LosesMessages : TamperedComm<Fixture> {
  void ask(Rank rank, Action action) override {
    const auto* send = std::get_if<action::SendMessage>(&action);
    if (!send || ++sends % 3 != 0) return Fixture::perform(rank, std::move(action));
    this->made_up[rank].push_back(event::MessageSent{Time{}, send->op, Status::ok, {}});
  }
  std::size_t sends = 0;
};

// What arrives at no posted receive is lost.
template <CommFixture Fixture>
struct KeepsNothing : TamperedComm<Fixture> {
  void ask(Rank rank, Action action) override {
    if (const auto* receive = std::get_if<action::ReceiveMessage>(&action)) posted.insert({receive->from, rank});
    const auto* send = std::get_if<action::SendMessage>(&action);
    if (!send || posted.erase({rank, send->to}) != 0) return Fixture::perform(rank, std::move(action));
    this->made_up[rank].push_back(event::MessageSent{Time{}, send->op, Status::ok, {}});
  }
  std::set<std::pair<Rank, Rank>> posted;
};

template <CommFixture Fixture>
struct SendsTwice : TamperedComm<Fixture> {
  void ask(Rank rank, Action action) override {
    const Action again = action;
    Fixture::perform(rank, std::move(action));
    const auto* send = std::get_if<action::SendMessage>(&again);
    if (!send || send->content.size() != 60) return;  // the sixth of numbered ones
    action::SendMessage second = *send;
    second.op = Op{this->next_own_op++};
    Fixture::perform(rank, second);
  }
};

// One answer twice.
template <CommFixture Fixture, class Answer>
struct AnswersTwice : TamperedComm<Fixture> {
  void tell(Rank rank, Event& event) override {
    if (std::holds_alternative<Answer>(event) && !std::exchange(done, true)) this->made_up[rank].push_back(event);
  }
  bool done = false;
};

// Takes no back of what was asked for.
template <CommFixture Fixture, class GivesUp>
struct Ignores : TamperedComm<Fixture> {
  void ask(Rank rank, Action action) override {
    if (!std::holds_alternative<GivesUp>(action)) Fixture::perform(rank, std::move(action));
  }
};

// Changes what arrives.
template <CommFixture Fixture, void (*Change)(event::MessageArrived&)>
struct ChangesArrivals : TamperedComm<Fixture> {
  void tell(Rank, Event& event) override {
    if (auto* arrived = std::get_if<event::MessageArrived>(&event)) Change(*arrived);
  }
};
inline void drop_tag(event::MessageArrived& e) { e.tag = MessageTag{number(e.tag) & 0x7FFFu}; }  // a tag of MPI's least width
inline void wrong_sender(event::MessageArrived& e) { e.from = Rank{number(e.from) + 1}; }
inline void half_of_it(event::MessageArrived& e) {
  if (e.content.size() > 100) e.content = Blob(e.content.bytes().first(e.content.size() / 2));
}
inline void no_length_of_too_long(event::MessageArrived& e) {
  if (e.status == Status::no_space) e.length = 0;
}
inline void too_long_is_ok(event::MessageArrived& e) {
  if (e.status == Status::no_space) e.status = Status::ok;
}
inline void shows_too_long(event::MessageArrived& e) {
  if (e.status == Status::no_space) e.content = Blob(std::string_view("the first bytes of it"));
}

// Changes what is asked for.
template <CommFixture Fixture, void (*Change)(Action&)>
struct ChangesActions : TamperedComm<Fixture> {
  void ask(Rank rank, Action action) override {
    Change(action);
    Fixture::perform(rank, std::move(action));
  }
};
inline void on_the_world(Action& action) {
  if (auto* send = std::get_if<action::SendMessage>(&action)) send->communicator = world_communicator;
  if (auto* receive = std::get_if<action::ReceiveMessage>(&action)) receive->communicator = world_communicator;
}
inline void one_byte_less(Action& action) {
  if (auto* receive = std::get_if<action::ReceiveMessage>(&action)) receive->limit -= receive->limit > 0 ? 1 : 0;
}

// A message that was too long stays: it is what the next receive is given, cut to what fits.
template <CommFixture Fixture>
struct KeepsTooLong : TamperedComm<Fixture> {
  void ask(Rank rank, Action action) override {
    const auto* receive = std::get_if<action::ReceiveMessage>(&action);
    if (!receive || !kept.contains(rank)) return Fixture::perform(rank, std::move(action));
    event::MessageArrived again = kept[rank];
    kept.erase(rank);
    again.op = receive->op;
    again.status = Status::ok;
    this->made_up[rank].push_back(again);
  }
  void tell(Rank rank, Event& event) override {
    const auto* arrived = std::get_if<event::MessageArrived>(&event);
    if (arrived && arrived->status == Status::no_space) kept[rank] = *arrived;
  }
  std::map<Rank, event::MessageArrived> kept;
};

// A receive waits until the one before it is answered, whoever it is from.
template <CommFixture Fixture>
struct ReceivesInTurn : TamperedComm<Fixture> {
  void ask(Rank rank, Action action) override {
    if (!std::holds_alternative<action::ReceiveMessage>(action)) return Fixture::perform(rank, std::move(action));
    waiting[rank].push_back(std::move(action));
    if (!std::exchange(busy[rank], true)) post(rank);
  }
  void tell(Rank rank, Event& event) override {
    if (!std::holds_alternative<event::MessageArrived>(event)) return;
    if (waiting[rank].empty())
      busy[rank] = false;
    else
      post(rank);
  }
  void post(Rank rank) {
    Fixture::perform(rank, std::move(waiting[rank].front()));
    waiting[rank].pop_front();
  }
  std::map<Rank, std::deque<Action>> waiting;
  std::map<Rank, bool> busy;
};

// Says that all are there before they are.
template <CommFixture Fixture>
struct JoinsAlone : TamperedComm<Fixture> {
  void ask(Rank rank, Action action) override {
    if (const auto* join = std::get_if<action::JoinWorld>(&action))
      this->made_up[rank].push_back(event::WorldJoined{Time{}, join->op, Status::ok, rank, this->size(), {}});
    Fixture::perform(rank, std::move(action));
  }
};

template <CommFixture Fixture>
struct MiscountsRanks : TamperedComm<Fixture> {
  void tell(Rank, Event& event) override {
    if (auto* joined = std::get_if<event::WorldJoined>(&event)) ++joined->ranks;
  }
};

template <CommFixture Bug>
void expect_found_by(const char* name) {
  const std::vector<std::string> failing = failing_cases<CommContract<AnyComm>>(AnyComm::of<Bug>);
  std::string all;
  for (const std::string& one : failing) all += one + " ";
  EXPECT_TRUE(std::find(failing.begin(), failing.end(), name) != failing.end()) << name << " is not among: " << all;
}

template <CommFixture F>
void expect_comm_bugs_found() {
  EXPECT_EQ(failing_cases<CommContract<AnyComm>>(AnyComm::of<TamperedComm<F>>), std::vector<std::string>{}) << "without a bug";
  expect_found_by<JoinsAlone<F>>("a_join_ends_when_every_process_has_joined");
  expect_found_by<MiscountsRanks<F>>("a_join_ends_when_every_process_has_joined");
  expect_found_by<ChangesArrivals<F, drop_tag>>("a_message_arrives_whole_with_sender_tag_and_length");
  expect_found_by<ChangesArrivals<F, wrong_sender>>("a_message_arrives_whole_with_sender_tag_and_length");
  expect_found_by<ChangesArrivals<F, half_of_it>>("a_message_arrives_whole_with_sender_tag_and_length");
  expect_found_by<Overtakes<F, false>>("messages_of_one_sender_arrive_in_the_order_of_the_sends");
  expect_found_by<Overtakes<F, true>>("their_order_does_not_depend_on_their_tags");
  expect_found_by<LosesMessages<F>>("each_message_arrives_once");
  expect_found_by<SendsTwice<F>>("each_message_arrives_once");
  expect_found_by<AnswersTwice<F, event::MessageSent>>("each_op_is_answered_once");
  expect_found_by<AnswersTwice<F, event::MessageArrived>>("each_op_is_answered_once");
  expect_found_by<ChangesArrivals<F, no_length_of_too_long>>("a_longer_message_than_the_limit_is_dropped_and_measured");
  expect_found_by<ChangesArrivals<F, too_long_is_ok>>("a_longer_message_than_the_limit_is_dropped_and_measured");
  expect_found_by<ChangesArrivals<F, shows_too_long>>("a_longer_message_than_the_limit_is_dropped_and_measured");
  expect_found_by<ChangesActions<F, one_byte_less>>("a_message_as_long_as_the_limit_arrives");
  expect_found_by<KeepsTooLong<F>>("what_was_too_long_is_gone_when_the_next_is_received");
  expect_found_by<ChangesActions<F, on_the_world>>("communicators_do_not_mix");
  expect_found_by<KeepsNothing<F>>("a_message_that_nobody_receives_waits");
  expect_found_by<ReceivesInTurn<F>>("a_silent_sender_delays_no_message_of_another");
  expect_found_by<Ignores<F, action::AbandonSend>>("an_abandoned_send_is_answered_no_more");
  expect_found_by<Ignores<F, action::WithdrawReceive>>("a_withdrawn_receive_is_answered_no_more");
}

}  // namespace tenter::conformance
