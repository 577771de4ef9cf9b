// The parent's meeting place: the members of one group operation arrive one by one, each from a user thread of its own, and leave
// together as one PER_RANK request. docs/protocols/mailbox.md, spec B4, C4.
//
// A batch is named by slot and generation, so a slot that is used again never merges with a late member of its past. Batches
// gather beside each other: a half-arrived one delays nobody. Until the last member is there, each member waits under a deadline
// of its own, armed once; from then on all wait for the exchange, whose budget begins at that moment. So a member is answered
// exactly once, and never told "timed out" while its task runs.
//
// Steps are named "rendezvous.<state>.<event>", for example rendezvous.gathering.submitted.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/fixed_vector.hpp"
#include "core/machine.hpp"
#include "core/mailbox/join.hpp"
#include "core/mailbox/notes.hpp"
#include "core/mailbox/operation.hpp"
#include "core/mailbox/rendezvous_values.hpp"
#include "core/port.hpp"

namespace tenter::mailbox {

template <class O>
concept RendezvousPorts = Timers<O> && Client<O> && Local<O>;

struct RendezvousConfig {
  std::uint32_t world = 1;          // ranks of the group
  Duration patience = seconds(30);  // of a member that brings none
  Role channel = channel_role;
  Role launch = launch_role;
  friend bool operator==(const RendezvousConfig&, const RendezvousConfig&) = default;
  TENTER_DESCRIBE(rendezvous_config, world, patience, channel, launch)
};

class Rendezvous {
 public:
  Rendezvous() = default;
  explicit Rendezvous(RendezvousConfig config) : config_(config) {}

  template <RendezvousPorts O>
  void on(const event::Started&, O&) {}  // begins with the first member
  template <RendezvousPorts O>
  void on(const event::Submitted& e, O& out);
  template <RendezvousPorts O>
  void on(const event::TimerFired& e, O& out);
  template <RendezvousPorts O>
  void on(const event::Told& e, O& out);

  // ended > exchanging > gathering > empty: the first of them that is true.
  std::string_view state_name() const;
  std::size_t waiting_members() const;  // gathering ones, exchanging ones and directed ones

 private:
  template <class O>
  void direct(Join join, Ticket ticket, O& out);
  template <class O>
  void arrive(Join join, Ticket ticket, Time now, O& out);
  template <class O>
  void dispatch(Batch& batch, O& out);
  template <class O>
  void answered(const Note& answer, O& out);
  template <class O>
  void end(const Blob& reason, O& out);
  Batch* find(const BatchId& id);

  RendezvousConfig config_;
  std::uint64_t arrivals_ = 0;                    // counts members, so that each has a timer of its own
  std::uint64_t exchanges_ = 0;                   // counts requests to the channel: the ticket of its answer
  std::vector<Batch> batches_;                    // at most batches_max, oldest first
  std::vector<Directed> directed_;                // at most directed_max
  fixed_vector<BatchId, finished_max> finished_;  // the last ones that were dispatched, oldest first
  bool ended_ = false;
  Blob reason_;  // ended: why

 public:
  friend bool operator==(const Rendezvous&, const Rendezvous&) = default;
  TENTER_DESCRIBE(rendezvous, config_, arrivals_, exchanges_, batches_, directed_, finished_, ended_, reason_)
};

// any --a member--> refused, sent on alone, or into its batch
template <RendezvousPorts O>
void Rendezvous::on(const event::Submitted& e, O& out) {
  auto join = read_join(e.call);
  if (!join) return out.complete(e.ticket, refused(join.error()));
  if (ended_) return out.complete(e.ticket, refused(ended_error(*join, reason_)));
  if (auto wrong = check_join(*join, config_.world)) return out.complete(e.ticket, refused(*wrong));
  if (number(join->patience) == 0) join->patience = config_.patience;
  if (join->size != config_.world) return direct(std::move(*join), e.ticket, out);
  arrive(std::move(*join), e.ticket, e.now, out);
}

// A part of the group: an ordered directed request, never silently widened. Its deadline counts at the channel.
template <class O>
void Rendezvous::direct(Join join, Ticket ticket, O& out) {
  if (directed_.size() == directed_max) return out.complete(ticket, refused(too_many_directed(join)));
  directed_.push_back({++exchanges_, join.rank, ticket});
  out.tell(config_.channel, directed_request(exchanges_, join.rank, join.patience, std::move(join.payload)));
}

// empty, gathering, exchanging --member--> gathering; the last one of its batch: exchanging
template <class O>
void Rendezvous::arrive(Join join, Ticket ticket, Time now, O& out) {
  if (std::find(finished_.begin(), finished_.end(), join.batch) != finished_.end())
    return out.complete(ticket, refused(already_dispatched(join)));
  Batch* batch = find(join.batch);
  if (batch == nullptr) {
    if (batches_.size() == batches_max) return out.complete(ticket, refused(too_many_batches(join)));
    batch = &batches_.emplace_back(Batch{join.batch, 0, 0, std::vector<std::optional<Arrival>>(config_.world)});
  }
  std::optional<Arrival>& place = batch->members[join.rank];
  if (place) return out.complete(ticket, refused(duplicate_member(join)));
  place = Arrival{++arrivals_, ticket, join.patience, std::move(join.payload)};
  ++batch->arrived;
  if (batch->arrived == config_.world) return dispatch(*batch, out);
  out.arm(operation(RendezvousOperation::patience, arrivals_), now + join.patience);
}

// gathering --all there--> exchanging. The longest patience of the members is the budget of the exchange, counted from now, so
// that a busy lane costs a complete batch nothing that its members spent on each other (spec C4, G5).
template <class O>
void Rendezvous::dispatch(Batch& batch, O& out) {
  batch.exchange = ++exchanges_;
  Duration budget{};
  std::vector<Blob> payloads;
  payloads.reserve(batch.members.size());
  for (std::optional<Arrival>& member : batch.members) {
    budget = std::max(budget, member->patience);
    payloads.push_back(std::exchange(member->payload, Blob()));
    if (member->number != arrivals_) out.cancel(operation(RendezvousOperation::patience, member->number));
  }
  if (finished_.full()) finished_.erase(0);
  finished_.push_back(batch.id);
  out.tell(config_.channel, group_request(batch.exchange, budget, Parts(std::move(payloads))));
}

// gathering --a member's deadline--> it alone is withdrawn; the last one takes the batch along
template <RendezvousPorts O>
void Rendezvous::on(const event::TimerFired& e, O& out) {
  for (auto batch = batches_.begin(); batch != batches_.end(); ++batch) {
    if (batch->exchange != 0) continue;  // its timers were cancelled
    for (std::uint32_t rank = 0; rank < batch->members.size(); ++rank) {
      std::optional<Arrival>& member = batch->members[rank];
      if (!member || e.op != operation(RendezvousOperation::patience, member->number)) continue;
      out.complete(member->ticket, refused(timed_out(*batch, rank)));
      member.reset();
      if (--batch->arrived == 0) batches_.erase(batch);
      return;
    }
  }
}

template <RendezvousPorts O>
void Rendezvous::on(const event::Told& e, O& out) {
  if (e.from == config_.channel && is(e.note, NoteKind::answer)) return answered(e.note, out);
  if (e.from == config_.launch && (is(e.note, NoteKind::group_ended) || is(e.note, NoteKind::group_closed)))
    return end(e.note.text, out);
}

// exchanging --the channel's answer--> every member of that batch has its own, or the directed one has it
template <class O>
void Rendezvous::answered(const Note& answer, O& out) {
  for (auto call = directed_.begin(); call != directed_.end(); ++call) {
    if (call->exchange != answer.ticket) continue;
    const Directed found = *call;
    directed_.erase(call);
    return out.complete(found.ticket, directed_outcome(answer, found.rank));
  }
  for (auto batch = batches_.begin(); batch != batches_.end(); ++batch) {
    if (batch->exchange == 0 || batch->exchange != answer.ticket) continue;
    const Batch found = std::move(*batch);
    batches_.erase(batch);
    for (std::uint32_t rank = 0; rank < found.members.size(); ++rank)
      out.complete(found.members[rank]->ticket, member_outcome(answer, rank, config_.world));
    return;
  }
}

// any --the group is over--> ended: who still gathers would wait in vain; who is at the channel gets the channel's answer
template <class O>
void Rendezvous::end(const Blob& reason, O& out) {
  if (ended_) return;
  ended_ = true;
  reason_ = reason;
  for (Batch& batch : batches_) {
    if (batch.exchange != 0) continue;
    for (std::uint32_t rank = 0; rank < batch.members.size(); ++rank) {
      if (!batch.members[rank]) continue;
      out.cancel(operation(RendezvousOperation::patience, batch.members[rank]->number));
      out.complete(batch.members[rank]->ticket, refused(ended_while_gathering(batch, rank, reason_)));
    }
  }
  std::erase_if(batches_, [](const Batch& batch) { return batch.exchange == 0; });
}

}  // namespace tenter::mailbox
