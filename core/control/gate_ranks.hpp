// Gate: who has shown the token. A rank has a seat; it is here while it has a connection. Go is sent when all are here at once,
// and the start has succeeded when all of them have said that they joined (P-X10).
#pragma once
#include <algorithm>

#include "core/control/gate.hpp"
#include "core/text.hpp"

namespace tenter::control {

template <class O>
void Gate::message(std::uint32_t connection, Bytes body, Time now, O& out) {
  const auto report = read_gate_report(body);
  if (!report) return turn_away(connection, TurnedAway::malformed, report.error().what, out);
  if (!same_token(report->token.bytes(), token_.span()))
    return turn_away(connection, TurnedAway::wrong_token, "its token is not ours", out);
  if (report->rank >= seats_.size())
    return turn_away(connection, TurnedAway::not_a_rank,
                     "it says it is rank " + text_of(report->rank) + " of " + text_of(std::uint64_t{seats_.size()}), out);
  const std::uint32_t rank = peers_.at(connection).rank;
  if (rank != nobody && rank != report->rank)
    return turn_away(connection, TurnedAway::not_a_rank,
                     "rank " + text_of(rank) + " says there that it is rank " + text_of(report->rank), out);
  if (rank == nobody) return admit(connection, *report, now, out);
  seat_of_report(connection, *report, now, out);
}

// The token was shown. While a rank is here, another process does not displace it (X12, B32); the same process does, because it
// knows better than this side that its older connection is dead (P-X10). Who tells no process is not known again.
template <class O>
void Gate::admit(std::uint32_t connection, const GateReport& report, Time now, O& out) {
  GateSeat& seat = seats_[report.rank];
  const bool here = seat.connection != no_connection, same = report.process == seat.process;
  if ((here && (!same || report.process.pid == 0)) || (seat.state == SeatState::joined && !same))
    return turn_away(connection, TurnedAway::duplicate, text_of_seat(seats_, report.rank) + " is here already", out);
  if (here) {
    peers_.erase(seat.connection);
    out.close_stream(Connection{seat.connection}, true);
  }
  std::erase(strangers_, connection);
  peers_.at(connection).rank = report.rank;
  seat.connection = connection;
  seat.process = report.process;
  if (!std::exchange(seat.seen, true) || !same) out.tell(config_.owner, rank_seen_note(report.rank, report.process, report.host));
  seat_of_report(connection, report, now, out);
}

template <class O>
void Gate::seat_of_report(std::uint32_t connection, const GateReport& report, Time now, O& out) {
  GateSeat& seat = seats_[report.rank];
  if (seat.state == SeatState::failed) return part(report.rank, out);  // its first reason counts
  if (report.version && (*report.version != config_.version || report.features != config_.features))
    return rank_failed(report.rank, text_of_mismatch("it", report, config_), now, out);
  switch (report.state) {
    case GateState::failed:
      return rank_failed(report.rank, report.error.empty() ? "it gave no reason" : report.error, now, out);
    case GateState::joined:
      if (step_ == GateStep::releasing && (seat.state == SeatState::released || seat.state == SeatState::joined))
        return rank_joined(report.rank, out);
      return turn_away(connection, TurnedAway::malformed, "it says that it joined before it was told to", out);
    default:
      break;
  }
  seat.confirms = report.version.has_value();
  seat.reason.clear();
  if (report.rank == 0) controller_address_ = report.address;
  if (step_ == GateStep::releasing) return release(report.rank, out);
  seat.state = SeatState::ready;
  release_if_all_are_here(out);
}

// --> collecting; when everyone has spoken there is nothing to wait for
template <class O>
void Gate::rank_failed(std::uint32_t rank, std::string_view why, Time now, O& out) {
  seats_[rank].state = SeatState::failed;
  seats_[rank].reason = cut_reason(why);
  part(rank, out);
  if (everyone([](SeatState s) { return s != SeatState::absent; }))  // after go always
    return finish(Status::failed, "not every rank can start", out);
  if (step_ == GateStep::collecting) return;
  step_ = GateStep::collecting;
  out.arm(op(GateOperation::collect), now + config_.collect_wait);
}

// gathering --all are here--> releasing
template <class O>
void Gate::release_if_all_are_here(O& out) {
  if (step_ == GateStep::collecting && everyone([](SeatState s) { return s != SeatState::absent; }))
    return finish(Status::failed, "not every rank can start", out);
  if (step_ != GateStep::gathering || !everyone([](SeatState s) { return s == SeatState::ready; })) return;
  step_ = GateStep::releasing;
  for (std::uint32_t rank = 0; rank < seats_.size(); ++rank) release(rank, out);
}

template <class O>
void Gate::release(std::uint32_t rank, O& out) {
  GateSeat& seat = seats_[rank];
  if (seat.state != SeatState::joined) seat.state = SeatState::released;
  if (std::exchange(peers_.at(seat.connection).told_go, true)) return;
  out.write_stream(op(GateOperation::write, seat.connection), Connection{seat.connection},
                   write_gate_go(token_.bytes, controller_address_));
}

// Of one that never says joined, that go has left is all that can be known.
template <GatePorts O>
void Gate::on(const event::StreamWritten& e, O& out) {
  const std::uint32_t connection = static_cast<std::uint32_t>(which_of(e.op));
  if (step_ != GateStep::releasing || e.op != op(GateOperation::write, connection) || !peers_.contains(connection)) return;
  const std::uint32_t rank = peers_.at(connection).rank;
  if (e.status == Status::ok && !seats_[rank].confirms) rank_joined(rank, out);
}

template <class O>
void Gate::rank_joined(std::uint32_t rank, O& out) {
  seats_[rank].state = SeatState::joined;
  seats_[rank].reason.clear();
  part(rank, out);
  if (everyone([](SeatState s) { return s == SeatState::joined; })) return finish(Status::ok, {}, out);
}

// It has said all that it has to: the end that it reads tells it that this was taken.
template <class O>
void Gate::part(std::uint32_t rank, O& out) {
  const std::uint32_t connection = std::exchange(seats_[rank].connection, no_connection);
  if (peers_.erase(connection) != 0) out.close_stream(Connection{connection}, false);
}

// It may come back. What it has said stands only as long as it is here, until it has joined.
inline void Gate::lose(std::uint32_t rank, std::string_view how) {
  GateSeat& seat = seats_[rank];
  seat.connection = no_connection;
  if (seat.state == SeatState::ready) {
    seat.state = SeatState::absent;
    seat.reason = "it was ready, then " + std::string(how);
  } else if (seat.state == SeatState::released) {
    seat.reason = "it was told to start MPI, then " + std::string(how);
  } else if (seat.state == SeatState::absent) {
    seat.reason = std::string(how);
  }
}

inline bool Gate::everyone(bool (*is)(SeatState)) const {
  return std::all_of(seats_.begin(), seats_.end(), [&](const GateSeat& seat) { return is(seat.state); });
}

}  // namespace tenter::control
