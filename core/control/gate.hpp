// The startup gate: every rank of a job checks in here over TCP before any of them enters MPI_Init, so that one that cannot start
// fails the start with its reason instead of leaving the others blocked. Spec A2.5, B4; P-C9, P-X8..X10; X10..X12, B13, B32.
// docs/protocols/gate.md; the steps are in gate_peers.hpp (strangers) and gate_ranks.hpp (who has shown the token).
//
// Who has not shown the token costs nobody else anything: such peers are few at once, each has a number of bytes and a time that
// no byte prolongs, and when there are too many the oldest makes room. The deadline is one.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/control/gate_values.hpp"
#include "core/control/start_notes.hpp"
#include "core/control/start_operation.hpp"
#include "core/machine.hpp"
#include "core/port.hpp"

namespace tenter::control {

template <class O>
concept GatePorts = Stream<O> && Timers<O> && Local<O>;

class Gate {
 public:
  Gate() = default;
  explicit Gate(GateConfig config) : config_(config) {}

  template <GatePorts O>
  void on(const event::Started&, O&) {}  // begins with the owner's order
  template <GatePorts O>
  void on(const event::Told& e, O& out);
  template <GatePorts O>
  void on(const event::Listening& e, O& out);
  template <GatePorts O>
  void on(const event::Connected& e, O& out);
  template <GatePorts O>
  void on(const event::StreamRead& e, O& out);
  template <GatePorts O>
  void on(const event::StreamWritten& e, O& out);
  template <GatePorts O>
  void on(const event::TimerFired& e, O& out);

  std::string_view state_name() const {
    constexpr std::string_view names[] = {"closed", "opening", "gathering", "collecting", "releasing", "over"};
    return names[static_cast<std::size_t>(step_)];
  }
  GateStep step() const { return step_; }
  const std::vector<GateSeat>& seats() const { return seats_; }
  const GateTally& turned_away() const { return tally_; }
  std::size_t open_connections() const { return peers_.size(); }

 private:
  // gate.hpp
  template <class O>
  void open(const Note& note, Time now, O& out);
  template <class O>
  void finish(Status status, std::string_view why, O& out);
  // gate_peers.hpp
  template <class O>
  void accept_next(Time now, O& out);
  template <class O>
  void watch_strangers(Time now, O& out);
  template <class O>
  void read_on(std::uint32_t connection, O& out);
  template <class O>
  void take(std::uint32_t connection, const Blob& content, Time now, O& out);
  template <class O>
  void turn_away(std::uint32_t connection, TurnedAway kind, std::string_view why, O& out);
  std::uint32_t strangers() const;
  // gate_ranks.hpp
  template <class O>
  void message(std::uint32_t connection, Bytes body, Time now, O& out);
  template <class O>
  void admit(std::uint32_t connection, const GateReport& report, Time now, O& out);
  template <class O>
  void seat_of_report(std::uint32_t connection, const GateReport& report, Time now, O& out);
  template <class O>
  void rank_failed(std::uint32_t rank, std::string_view why, Time now, O& out);
  template <class O>
  void release(std::uint32_t rank, O& out);
  template <class O>
  void release_if_all_are_here(O& out);
  template <class O>
  void rank_joined(std::uint32_t rank, O& out);
  template <class O>
  void part(std::uint32_t rank, O& out);
  void lose(std::uint32_t rank, std::string_view how);
  bool everyone(bool (*is)(SeatState)) const;

  Op op(GateOperation what, std::uint32_t connection = 0) const { return start_operation(what, connection); }
  bool runs() const { return step_ >= GateStep::gathering && step_ <= GateStep::releasing; }

  GateConfig config_;
  GateStep step_ = GateStep::closed;
  Hidden token_;
  Time deadline_{};
  std::vector<GateSeat> seats_;
  GatePeers peers_;
  std::vector<std::uint32_t> strangers_;  // connections without a rank, in the order of their accepts
  std::uint32_t connections_ = 0;         // numbered so far
  bool accepting_ = false;
  std::optional<Time> accept_after_;  // an accept failed: no other one before
  GateTally tally_;
  std::string controller_address_;  // what rank 0 reports of itself, for all others

 public:
  friend bool operator==(const Gate&, const Gate&) = default;
  TENTER_DESCRIBE(gate, config_, step_, token_, deadline_, seats_, peers_, strangers_, connections_, accepting_, accept_after_,
                  tally_, controller_address_)
};

template <GatePorts O>
void Gate::on(const event::Told& e, O& out) {
  if (e.from != config_.owner) return;
  if (is(e.note, StartNote::open_gate) && step_ == GateStep::closed) return open(e.note, e.now, out);
  if (is(e.note, StartNote::close_gate) && step_ != GateStep::over)
    finish(Status::cancelled, "the gate was closed before every rank had joined", out);
}

// closed --order--> opening; --an order that is none--> over
template <class O>
void Gate::open(const Note& note, Time now, O& out) {
  auto order = read_gate_order(note);
  if (!order) return finish(order.error().status, order.error().what, out);
  token_ = std::move(order->token);
  seats_.resize(order->hosts.size());
  for (std::size_t rank = 0; rank < seats_.size(); ++rank) seats_[rank].host = order->hosts[rank];
  deadline_ = now + order->patience;
  step_ = GateStep::opening;
  out.arm(op(GateOperation::deadline), deadline_);
  out.listen(op(GateOperation::listen), config_.listener, Blob(order->address), config_.backlog);
}

// opening --listening--> gathering; --not--> over
template <GatePorts O>
void Gate::on(const event::Listening& e, O& out) {
  if (step_ != GateStep::opening || e.op != op(GateOperation::listen)) return;
  if (e.status != Status::ok) return finish(e.status, "the gate cannot listen: " + cut_reason(e.text.text()), out);
  step_ = GateStep::gathering;
  out.tell(config_.owner, start_note(StartNote::gate_listening, Status::ok, e.address.text()));
  accept_next(e.now, out);
}

template <GatePorts O>
void Gate::on(const event::TimerFired& e, O& out) {
  if (e.op == op(GateOperation::strangers) && runs()) return watch_strangers(e.now, out);
  if (e.op == op(GateOperation::collect) && step_ == GateStep::collecting)
    return finish(Status::failed, "not every rank can start", out);
  if (e.op != op(GateOperation::deadline) || step_ == GateStep::closed || step_ == GateStep::over) return;
  switch (step_) {
    case GateStep::opening:
      return finish(Status::timed_out, "the gate was not listening in time", out);
    case GateStep::collecting:
      return finish(Status::failed, "not every rank can start", out);
    case GateStep::releasing:
      return finish(Status::timed_out, "not every rank that was told to start MPI has joined in time", out);
    default:
      return finish(Status::timed_out, "not every rank has reported in time", out);
  }
}

// --> over: nothing of the gate is open any more, and the owner knows how it ended
template <class O>
void Gate::finish(Status status, std::string_view why, O& out) {
  const bool released = step_ == GateStep::releasing && status != Status::failed;  // else the failed ones are to blame
  const bool listens = step_ >= GateStep::opening && step_ <= GateStep::releasing;
  step_ = GateStep::over;
  for (const GateOperation timer : {GateOperation::deadline, GateOperation::strangers, GateOperation::collect})
    out.cancel(op(timer));
  if (listens) out.close_listener(config_.listener);
  for (const auto& [connection, peer] : peers_) out.close_stream(Connection{connection}, peer.rank == nobody);
  peers_.clear();
  strangers_.clear();
  accepting_ = false;
  token_ = {};
  std::string turned = text_of_tally(tally_);
  if (status == Status::ok) return out.tell(config_.owner, start_note(StartNote::gate_passed, Status::ok, turned));
  Note note =
      start_note(StartNote::gate_failed, status, text_of_failure(why, seats_, released) + (turned.empty() ? "" : "; " + turned));
  const GateCulprits culprits = culprits_of(seats_, released);
  note.a = !culprits.failed.empty() ? culprits.failed[0] : !culprits.missing.empty() ? culprits.missing[0] : std::int64_t{-1};
  std::vector<Blob> sentences;
  for (const auto* group : {&culprits.failed, &culprits.missing})
    for (const std::uint32_t rank : *group) sentences.emplace_back(std::string_view(text_of_culprit(seats_, rank)));
  note.parts = Parts(std::move(sentences));
  out.tell(config_.owner, std::move(note));
}

}  // namespace tenter::control

#include "core/control/gate_peers.hpp"
#include "core/control/gate_ranks.hpp"
