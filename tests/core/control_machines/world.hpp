// The smallest world in which a hub and its executors work together: links that keep the order of each sender, messages that are
// done at once or when they are taken, timers, callables as a function. Which event comes next is `choose`'s, 0 being the oldest.
// It holds both to the contract of Comm (docs/ports/comm.md), counts the answers of every ticket, and compares credit after every
// event. The simulator proper is in sim/.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/control/executor.hpp"
#include "core/control/hub.hpp"
#include "samples.hpp"

namespace tenter::control::test {

inline const Hub& hub_of(const Hub& hub) { return hub; }
template <class Variant>
const Hub& hub_of(const Variant& variant) {
  return variant.machine;
}

template <class HubType, class ExecutorType>
class WorldOf {
 public:
  explicit WorldOf(HubConfig config = hub_config(2), ExecutorConfig pattern = executor_config())
      : hub(config), ranks_(static_cast<std::uint32_t>(config.profiles.size()) + 1), config_(config) {
    for (std::uint32_t worker = 0; worker + 1 < ranks_; ++worker) {
      pattern.worker = worker;
      pattern.world = ranks_;
      executors.push_back(ExecutorType(pattern));
    }
  }

  // Every rank starts, and all have joined.
  void start() {
    join();
    run();
  }
  // The same, and nothing that follows from it.
  void join() {
    for (std::uint32_t rank = 0; rank < ranks_; ++rank)
      if (!puppets.contains(rank)) deliver(rank, event::Started{now});
    for (std::uint32_t rank = 0; rank < ranks_; ++rank)
      if (!puppets.contains(rank))
        deliver(rank, event::WorldJoined{now, operation(OperationKind::join), Status::ok, Rank{rank}, ranks_, {}});
  }
  std::uint64_t call(const Note& note) {
    deliver(0, event::Submitted{now, Ticket{++tickets_}, note});
    return tickets_;
  }
  std::uint64_t submit(std::uint32_t worker, std::size_t inline_bytes = 8, Duration patience = {}) {
    return call(submit_note({worker, patience, task_payload(inline_bytes)}));
  }
  std::uint64_t control(std::uint32_t worker, ControlName name, Blob command = {}, Duration patience = {}) {
    return call(control_note({worker, patience, name, std::move(command)}));
  }
  // The one answer of a call; fails the test when there is none, or more.
  Note answer(std::uint64_t ticket) const {
    const auto found = answers.find(ticket);
    if (found == answers.end()) {
      ADD_FAILURE() << "ticket " << ticket << " has no answer";
      return {};
    }
    return found->second.front();
  }
  bool answered(std::uint64_t ticket) const { return answers.contains(ticket); }
  std::vector<RouteHealth> health() {
    std::vector<RouteHealth> rows;
    for (const Blob& row : answer(call(call_note(CallKind::health))).parts) rows.push_back(read_route_health(row).value());
    return rows;
  }

  // Every event that can happen without time passing.
  void run() {
    match();
    while (step()) {
    }
  }
  // One of them; false when there is none.
  bool step() {
    std::vector<std::size_t> ready;
    for (std::size_t i = 0; i < events_.size(); ++i)
      if (!stopped.contains(events_[i].first)) ready.push_back(i);
    if (ready.empty()) return false;
    const std::size_t at = ready[choose(ready.size())];
    auto [rank, e] = std::move(events_[at]);
    events_.erase(events_.begin() + static_cast<std::ptrdiff_t>(at));
    deliver(rank, e);
    return true;
  }
  // Virtual time: every timer that is due until then fires in order, and what follows happens. Those of a stopped rank are late.
  void advance(Duration by) {
    const Time until = now + by;
    for (;;) {
      auto next = timers_.end();
      for (auto timer = timers_.begin(); timer != timers_.end(); ++timer)
        if (!stopped.contains(timer->first.first) && (next == timers_.end() || timer->second < next->second)) next = timer;
      if (next == timers_.end() || next->second > until) break;
      now = std::max(now, next->second);
      const auto [rank, op] = next->first;
      timers_.erase(next);
      deliver(rank, event::TimerFired{now, op});
      run();
    }
    now = until;
  }

  // What a rank that is no executor sends: rank `worker + 1` says these bytes.
  void say(std::uint32_t worker, MessageTag tag, Blob content) {
    messages_.push_back({worker + 1, 0, {}, tag, std::move(content), true});
    match();
  }
  void say(std::uint32_t worker, FrameType type, std::uint64_t sequence, const Blob& payload = {}) {
    say(worker, tag_of(type),
        write_frame(type, {config_.session, static_cast<std::int32_t>(worker), sequence}, payload.bytes()).value());
  }
  void say_hello(std::uint32_t worker, std::uint64_t features = all_features, ReadyState ready = ReadyState::ready) {
    say(worker, FrameType::hello, 0, write_hello({config_.session, static_cast<std::int32_t>(worker), "sim", features, ready}));
  }
  void complete(std::uint32_t worker, std::uint64_t sequence, std::int32_t code = 0) {
    say(worker, FrameType::completion, sequence, write_completion({sequence, code, code == 0 ? "" : "a cause"}));
  }
  // Takes everything that is on its way to a puppet; its types, in order.
  std::vector<FrameType> hear(std::uint32_t worker) {
    std::vector<FrameType> types;
    for (std::size_t i = 0; i < messages_.size();) {
      if (messages_[i].to != worker + 1) {
        ++i;
        continue;
      }
      types.push_back(read_frame(messages_[i].content.bytes())->type);
      if (!messages_[i].sent) post(0, event::MessageSent{now, messages_[i].op, Status::ok, {}});
      messages_.erase(messages_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    run();
    return types;
  }
  // The hung task of an executor ends.
  void release(std::uint32_t worker, Status status = Status::ok) {
    const std::uint32_t rank = worker + 1;
    for (const Op op : std::exchange(hung_[rank], {})) post(rank, event::Executed{now, op, status, {}});
    run();
  }
  // It is gone without a word, and the others' ports say so or do not.
  void kill(std::uint32_t rank, bool notice = false) {
    exits.emplace(rank, action::ExitProcess{9, false});
    drop_what_is_of(rank);
    if (notice) tell_loss(rank);
  }

  HubType hub;
  std::vector<ExecutorType> executors;
  std::map<std::uint64_t, std::vector<Note>> answers;  // by ticket
  std::map<std::uint32_t, std::vector<Note>> served;   // by rank
  std::map<std::uint32_t, action::ExitProcess> exits;  // by rank
  std::set<std::uint32_t> stopped;                     // ranks to which nothing happens
  std::set<std::uint32_t> puppets;                     // ranks that the test speaks for
  std::set<std::uint32_t> hanging;                     // ranks whose tasks end with release()
  std::uint64_t eager_below = 8u << 10;
  std::function<std::size_t(std::size_t)> choose = [](std::size_t) { return std::size_t{0}; };
  std::function<std::pair<Status, Blob>(std::uint32_t, const Blob&, const Blob&)> callable =
      [](std::uint32_t, const Blob&, const Blob&) { return std::pair(Status::ok, Blob()); };
  std::map<std::uint32_t, std::vector<std::uint64_t>> executed;  // by rank: sequences
  std::vector<std::string> breaches;                             // of a contract or of the bookkeeping
  Time now{1};

 private:
  struct Message {
    std::uint32_t from = 0, to = 0;
    Op op{};
    MessageTag tag{};
    Blob content;
    bool sent = false;
  };

  void expect(bool kept, const std::string& what) {
    if (!kept) breaches.push_back(what);
  }
  void post(std::uint32_t rank, Event e) { events_.emplace_back(rank, std::move(e)); }

  void deliver(std::uint32_t rank, const Event& e) {
    if (exits.contains(rank)) return;
    Outbox out;
    const bool handled = rank == 0 ? tenter::deliver(hub, e, out) : tenter::deliver(executors[rank - 1], e, out);
    TENTER_CHECK(handled);
    for (const Action& action : out.actions()) std::visit([&](const auto& a) { perform(rank, a); }, action);
    match();
    if (rank == 0) check_credit();
  }

  // A posted receive takes the oldest message of its sender.
  void match() {
    for (auto receive = receives_.begin(); receive != receives_.end();) {
      const std::uint32_t to = receive->first.first, from = receive->first.second;
      const auto found =
          std::find_if(messages_.begin(), messages_.end(), [&](const Message& m) { return m.from == from && m.to == to; });
      if (found == messages_.end() || stopped.contains(to)) {
        ++receive;
        continue;
      }
      const Status status = found->content.size() > frame_bytes_max ? Status::no_space : Status::ok;
      post(to, event::MessageArrived{now, receive->second, status, Rank{from}, found->tag, found->content.size(),
                                     status == Status::ok ? found->content : Blob()});
      if (!found->sent) post(from, event::MessageSent{now, found->op, Status::ok, {}});
      messages_.erase(found);
      receive = receives_.erase(receive);
    }
  }

  void perform(std::uint32_t rank, const action::Arm& a) { timers_[{rank, a.op}] = a.when; }
  void perform(std::uint32_t rank, const action::Cancel& a) { timers_.erase({rank, a.op}); }
  void perform(std::uint32_t, const action::JoinWorld&) {}
  void perform(std::uint32_t rank, const action::SendMessage& a) {
    expect(used_.emplace(rank, a.op).second, "an op is used once");
    const bool eager = a.content.size() < eager_below;
    if (eager) post(rank, event::MessageSent{now, a.op, Status::ok, {}});
    if (!exits.contains(number(a.to))) messages_.push_back({rank, number(a.to), a.op, a.tag, a.content, eager});
  }
  void perform(std::uint32_t rank, const action::AbandonSend& a) {
    std::erase_if(messages_, [&](const Message& m) { return m.from == rank && m.op == a.op && !m.sent; });
    std::erase_if(events_, [&](const auto& waiting) {
      const auto* sent = std::get_if<event::MessageSent>(&waiting.second);
      return waiting.first == rank && sent && sent->op == a.op;
    });
  }
  void perform(std::uint32_t rank, const action::ReceiveMessage& a) {
    expect(used_.emplace(rank, a.op).second, "an op is used once");
    expect(receives_.emplace(std::pair(rank, number(a.from)), a.op).second, "one receive a source at a time");
  }
  void perform(std::uint32_t rank, const action::WithdrawReceive& a) {
    std::erase_if(receives_, [&](const auto& r) { return r.first.first == rank && r.second == a.op; });
    std::erase_if(events_, [&](const auto& waiting) {
      const auto* arrived = std::get_if<event::MessageArrived>(&waiting.second);
      return waiting.first == rank && arrived && arrived->op == a.op;
    });
  }
  void perform(std::uint32_t rank, const action::Complete& a) {
    auto& notes = rank == 0 ? answers[number(a.ticket)] : served[rank];
    notes.push_back(a.outcome);
    expect(notes.size() == 1, "a call is answered once");
  }
  void perform(std::uint32_t rank, const action::Execute& a) {
    executed[rank].push_back(number_of(a.op));
    if (hanging.contains(rank)) return hung_[rank].push_back(a.op);
    auto [status, reply] = callable(rank - 1, a.callable, a.argument);
    post(rank, event::Executed{now, a.op, status, std::move(reply)});
  }
  // P-X12: an orderly exit leaves nothing unmatched.
  void perform(std::uint32_t rank, const action::ExitProcess& a) {
    expect(exits.emplace(rank, a).second, "a process ends once");
    if (a.orderly)
      for (const Message& m : messages_) {
        expect(m.to != rank,
               "rank " + text_of(rank) + " leaves in order and has not received a message of rank " + text_of(m.from));
        expect(m.from != rank || m.sent, "rank " + text_of(rank) + " leaves in order with a message that was not taken");
      }
    drop_what_is_of(rank);
  }
  template <class A>
  void perform(std::uint32_t, const A&) {
    TENTER_CHECK(!"an action that these machines never perform");
  }

  void drop_what_is_of(std::uint32_t rank) {
    std::erase_if(events_, [&](const auto& waiting) { return waiting.first == rank; });
    std::erase_if(timers_, [&](const auto& timer) { return timer.first.first == rank; });
    std::erase_if(receives_, [&](const auto& r) { return r.first.first == rank; });
    std::erase_if(messages_, [&](const Message& m) { return m.to == rank || (m.from == rank && !m.sent); });
  }
  void tell_loss(std::uint32_t rank) {
    for (auto receive = receives_.begin(); receive != receives_.end();) {
      if (receive->first.second != rank) {
        ++receive;
        continue;
      }
      post(receive->first.first, event::MessageArrived{now, receive->second, Status::peer_lost, Rank{rank}, {}, 0, {}});
      receive = receives_.erase(receive);
    }
  }

  // S6: what is free and what the commands on their way hold is all there is.
  void check_credit() {
    const Hub& machine = hub_of(hub);
    std::uint64_t pool = machine.credit().pool_free();
    for (std::uint32_t worker = 0; worker + 1 < ranks_; ++worker) {
      std::uint64_t share = machine.credit().share_free(worker);
      for (const Command& command : machine.routes()[worker].lane.commands()) {
        if (command.credit == CreditSource::share) share += command.bytes;
        if (command.credit == CreditSource::pool) pool += command.bytes;
      }
      expect(share == config_.credit.share_bytes, "the share of worker " + text_of(worker) + " is whole");
    }
    expect(pool == config_.credit.pool_bytes, "the pool is whole");
  }

  std::uint32_t ranks_;
  HubConfig config_;
  std::deque<std::pair<std::uint32_t, Event>> events_;
  std::vector<Message> messages_;                                   // sent and not received, oldest first
  std::map<std::pair<std::uint32_t, std::uint32_t>, Op> receives_;  // by receiver and sender
  std::map<std::pair<std::uint32_t, Op>, Time> timers_;
  std::map<std::uint32_t, std::vector<Op>> hung_;
  std::set<std::pair<std::uint32_t, Op>> used_;
  std::uint64_t tickets_ = 0;
};

using World = WorldOf<Hub, Executor>;

}  // namespace tenter::control::test
