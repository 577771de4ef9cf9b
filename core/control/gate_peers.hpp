// Gate: connections, from their accept to a whole message. Nothing here knows of ranks but by whom a connection belongs to.
#pragma once
#include <algorithm>

#include "core/control/gate.hpp"
#include "core/text.hpp"

namespace tenter::control {

inline std::uint32_t Gate::strangers() const { return static_cast<std::uint32_t>(strangers_.size()); }

// One accept is open whenever there is room; who is not accepted waits in the backlog.
template <class O>
void Gate::accept_next(Time now, O& out) {
  if (!accepting_ && strangers() < config_.strangers_max && (!accept_after_ || *accept_after_ <= now)) {
    accepting_ = true;
    accept_after_.reset();
    out.accept(op(GateOperation::accept, connections_), config_.listener, Connection{config_.first_connection + connections_});
    ++connections_;
  }
}

template <GatePorts O>
void Gate::on(const event::Connected& e, O& out) {
  const std::uint32_t number = connections_ - 1;
  if (!runs() || !accepting_ || e.op != op(GateOperation::accept, number)) return;
  accepting_ = false;
  if (e.status != Status::ok) {  // of this side, for example out of descriptors: again after a rest
    accept_after_ = e.now + config_.stranger_wait_least;
    ++tally_.failed_accepts;
    tally_.failed_accept = cut_reason(e.text.empty() ? to_string(e.status) : e.text.text());
    return watch_strangers(e.now, out);
  }
  const std::uint32_t connection = config_.first_connection + number;
  GatePeer peer;
  peer.address = e.peer;
  peer.since = e.now;
  peers_.emplace(connection, std::move(peer));
  strangers_.push_back(connection);
  read_on(connection, out);
  watch_strangers(e.now, out);
}

// Whose time is over is turned away; the oldest also when it has had the least time and the next one needs its room. One timer
// for all of them: they are in the order of their accepts.
template <class O>
void Gate::watch_strangers(Time now, O& out) {
  while (!strangers_.empty()) {
    const std::uint32_t oldest = strangers_.front();
    const Time since = peers_.at(oldest).since;
    const bool full = strangers() >= config_.strangers_max;
    if (since + config_.stranger_wait <= now)
      turn_away(oldest, TurnedAway::late, "it did not say in time who it is", out);
    else if (full && since + config_.stranger_wait_least <= now)
      turn_away(oldest, TurnedAway::made_room, "it said nothing while others waited", out);
    else
      break;
  }
  accept_next(now, out);
  Time next = accept_after_.value_or(end_of_time);
  if (!strangers_.empty()) {
    const bool full = strangers() >= config_.strangers_max;
    const Time since = peers_.at(strangers_.front()).since;
    next = std::min(next, since + (full ? config_.stranger_wait_least : config_.stranger_wait));
  }
  if (next == end_of_time) return out.cancel(op(GateOperation::strangers));
  out.arm(op(GateOperation::strangers), next);
}

// Never more than what is missing of one message, so that what is held of a peer is bounded, and its next message waits outside.
template <class O>
void Gate::read_on(std::uint32_t connection, O& out) {
  const std::size_t have = peers_.at(connection).pending.bytes.size();
  std::uint64_t want = gate_prefix_bytes;
  if (have >= gate_prefix_bytes) want += *gate_body_bytes(peers_.at(connection).pending.span().first(gate_prefix_bytes));
  out.read_stream(op(GateOperation::read, connection), Connection{connection}, want - have);
}

template <GatePorts O>
void Gate::on(const event::StreamRead& e, O& out) {
  const std::uint32_t connection = static_cast<std::uint32_t>(which_of(e.op));
  if (!runs() || e.op != op(GateOperation::read, connection) || !peers_.contains(connection)) return;
  if (e.status == Status::ok && !e.content.empty()) {
    take(connection, e.content, e.now, out);
  } else {
    const std::uint32_t rank = peers_.at(connection).rank;
    if (rank == nobody) {
      turn_away(connection, TurnedAway::left, "it left before it had said who it is", out);
    } else {
      peers_.erase(connection);
      out.close_stream(Connection{connection}, false);
      lose(rank, e.status == Status::ok ? "it closed its connection" : "its connection was lost");
    }
  }
  if (runs()) watch_strangers(e.now, out);
}

template <class O>
void Gate::take(std::uint32_t connection, const Blob& content, Time now, O& out) {
  GatePeer& peer = peers_.at(connection);
  peer.bytes += content.size();
  peer.pending.bytes += content.text();
  if (peer.bytes > config_.connection_bytes_max)
    return turn_away(connection, TurnedAway::too_much, "it sent more bytes than a rank has to say", out);
  if (peer.pending.bytes.size() < gate_prefix_bytes) return read_on(connection, out);
  const auto length = gate_body_bytes(peer.pending.span().first(gate_prefix_bytes));
  if (!length) return turn_away(connection, TurnedAway::malformed, length.error().what, out);
  if (peer.pending.bytes.size() < gate_prefix_bytes + std::size_t{*length}) return read_on(connection, out);
  const Hidden whole = std::exchange(peer.pending, {});
  message(connection, whole.span().subspan(gate_prefix_bytes), now, out);
  if (runs() && peers_.contains(connection)) read_on(connection, out);
}

// Closed at once, counted, and if it was a rank's, that rank is not here any more. `why` holds no byte of the peer's.
template <class O>
void Gate::turn_away(std::uint32_t connection, TurnedAway kind, std::string_view why, O& out) {
  const GatePeer peer = peers_.at(connection);
  peers_.erase(connection);
  std::erase(strangers_, connection);
  out.close_stream(Connection{connection}, true);
  ++tally_.counts[static_cast<std::size_t>(kind)];
  tally_.last = cut_reason(peer.address.text()) + ": " + std::string(why);
  if (peer.rank != nobody) lose(peer.rank, "its connection was closed, because " + std::string(why));
}

}  // namespace tenter::control
