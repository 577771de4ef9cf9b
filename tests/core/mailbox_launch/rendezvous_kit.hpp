// Drives a Rendezvous, or a variant of it, and keeps account: what went to the channel, who was answered, which timers are armed.
#pragma once
#include <gtest/gtest.h>

#include <map>
#include <string_view>
#include <vector>

#include "core/mailbox/rendezvous.hpp"

namespace tenter::mailbox::kit {

inline Blob blob(std::string_view text) { return Blob(text); }

template <class M>
struct MeetingOf {
  explicit MeetingOf(std::uint32_t world)
      : machine(RendezvousConfig{world, seconds(30), channel_role, launch_role}), world_(world) {}

  template <class E>
  void deliver(const E& event) {
    Outbox out;
    machine.on(event, out);
    for (const Action& action : out.actions()) {
      if (const auto* told = std::get_if<action::Tell>(&action)) {
        EXPECT_EQ(told->to, channel_role);
        requests_.push_back(told->note);
      } else if (const auto* done = std::get_if<action::Complete>(&action)) {
        EXPECT_TRUE(outcomes_.emplace(number(done->ticket), done->outcome).second)
            << "ticket " << number(done->ticket) << " is completed twice";
      } else if (const auto* arm = std::get_if<action::Arm>(&action)) {
        EXPECT_TRUE(timers_.emplace(arm->op, arm->when).second) << "a deadline is armed once";
      } else if (const auto* cancel = std::get_if<action::Cancel>(&action)) {
        EXPECT_EQ(timers_.erase(cancel->op), 1u) << "only an armed timer is cancelled";
      } else {
        ADD_FAILURE() << "unexpected " << name_of(action);
      }
    }
  }

  void submit(std::uint64_t ticket, const Join& join) { deliver(event::Submitted{now, Ticket{ticket}, join_call(join)}); }
  void arrive(std::uint64_t ticket, BatchId id, std::uint32_t rank, std::string_view payload, Duration patience = {}) {
    submit(ticket, Join{id, rank, world_, world_, patience, Blob(payload)});
  }
  void fire(Op op) {
    timers_.erase(op);
    deliver(event::TimerFired{now, op});
  }
  // Lets time pass and fires what becomes due, earliest first.
  void pass(Duration duration) {
    now = now + duration;
    for (;;) {
      auto due = timers_.end();
      for (auto t = timers_.begin(); t != timers_.end(); ++t)
        if (t->second <= now && (due == timers_.end() || t->second < due->second)) due = t;
      if (due == timers_.end()) return;
      fire(due->first);
    }
  }
  void answer(std::size_t request, Note note) {
    note.ticket = requests_.at(request).ticket;
    deliver(event::Told{now, channel_role, std::move(note)});
  }
  void end(std::string_view reason) { deliver(event::Told{now, launch_role, text_note(NoteKind::group_ended, Blob(reason))}); }

  const std::vector<Note>& requests() const { return requests_; }
  RequestCall request(std::size_t index) const {
    auto call = read_request(requests_.at(index));
    EXPECT_TRUE(call);
    return call ? *call : RequestCall{};
  }
  bool is_complete(std::uint64_t ticket) const { return outcomes_.contains(ticket); }
  Note outcome(std::uint64_t ticket) const {
    EXPECT_TRUE(is_complete(ticket)) << "ticket " << ticket << " is not completed";
    return is_complete(ticket) ? outcomes_.at(ticket) : Note{};
  }
  std::size_t completions() const { return outcomes_.size(); }
  std::vector<Op> armed() const {
    std::vector<Op> ops;
    for (const auto& [op, when] : timers_) ops.push_back(op);
    return ops;
  }

  Time now{0};
  M machine;

 private:
  std::uint32_t world_;
  std::vector<Note> requests_;
  std::map<std::uint64_t, Note> outcomes_;
  std::map<Op, Time> timers_;
};
using Meeting = MeetingOf<Rendezvous>;

}  // namespace tenter::mailbox::kit
