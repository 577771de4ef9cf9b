// OverStreams: until every rank is connected. Rank 0 takes connections whose hello shows the token, and tells all when the last
// one is there; who connects comes again until its own deadline.
#pragma once
#include <algorithm>

#include "core/control/gate_message.hpp"
#include "core/control/over_streams.hpp"
#include "core/text.hpp"

namespace tenter::control {

inline constexpr std::uint32_t carrier_backlog = 128;

// idle --join_world--> listening (rank 0) | joining
template <class M>
template <class O>
void OverStreams<M>::join(Op op_, Time now, O& out) {
  if (step_ != CarrierStep::idle)
    return later(event::WorldJoined{now, op_, Status::exists, {}, 0, Blob("the world was joined already")});
  join_ = op_;
  rest_ = config_.first_retry;
  out.arm(carrier_timer(CarrierOperation::deadline), now + config_.join_patience);
  step_ = is_controller() ? CarrierStep::listening : CarrierStep::joining;
  if (is_controller())
    return out.listen(op(CarrierOperation::listen), config_.listener, Blob(std::string_view(config_.address)), carrier_backlog);
  for (std::uint32_t lane = 0; lane < lanes; ++lane) connect(lane, out);
}

// listening --ok--> joining; --not--> over
template <class M>
template <CarrierPorts O>
void OverStreams<M>::on(const event::Listening& e, O& out) {
  if (step_ != CarrierStep::listening || e.op != op(CarrierOperation::listen)) return;
  if (e.status != Status::ok) {
    joined(e.status, "cannot listen: " + std::string(e.text.text()), e.now, out);
  } else {
    step_ = CarrierStep::joining;
    address_ = std::string(e.address.text());
    accept_next(out);
    look_for_all(e.now, out);
  }
  deliver_due(out);
}

template <class M>
template <class O>
void OverStreams<M>::accept_next(O& out) {
  if (step_ != CarrierStep::joining || accepting_ != 0) return;
  accepting_ = ++connections_;
  out.accept(op(CarrierOperation::accept, accepting_), config_.listener, Connection{accepting_});
}

template <class M>
template <class O>
void OverStreams<M>::connect(std::uint32_t lane, O& out) {
  CarrierLine& line = peers_[0].lines[lane];
  line = {};
  line.connection = ++connections_;
  places_[line.connection] = {0, lane};
  out.connect(op(CarrierOperation::connect, line.connection), Connection{line.connection},
              Blob(std::string_view(config_.address)));
}

template <class M>
template <CarrierPorts O>
void OverStreams<M>::on(const event::Connected& e, O& out) {
  const auto connection = static_cast<std::uint32_t>(which_of(e.op));
  if (connection == 0 || step_ != CarrierStep::joining) return;
  if (e.op == op(CarrierOperation::accept, connection) && accepting_ == connection) {
    accepting_ = 0;
    if (e.status != Status::ok) return out.arm(carrier_timer(CarrierOperation::retry), e.now + config_.last_retry);
    if (strangers_.size() >= config_.strangers_max) turn_away(strangers_.begin()->first, out);
    if (strangers_.empty()) out.arm(carrier_timer(CarrierOperation::strangers), e.now + config_.stranger_wait);
    strangers_[connection].since = e.now;
    out.read_stream(op(CarrierOperation::read, connection), Connection{connection}, carrier_hello_bytes);
    return accept_next(out);
  }
  const auto place = places_.find(connection);
  if (e.op != op(CarrierOperation::connect, connection) || place == places_.end()) return;
  CarrierLine& line = line_at(place->second);
  if (e.status != Status::ok) {
    line_failed(place->second, "connect: " + (e.text.empty() ? to_string(e.status) : std::string(e.text.text())), e.now, out);
    return;
  }
  line.connected = line.reading = true;
  out.write_stream(
      op(CarrierOperation::greet, connection), Connection{connection},
      write_carrier_hello({config_.session, config_.rank, config_.world, StreamLane{place->second.lane}, config_.token}));
  out.read_stream(op(CarrierOperation::read, connection), Connection{connection}, carrier_welcome_bytes);
}

// The side that connects: the line is to be made anew.
template <class M>
template <class O>
void OverStreams<M>::line_failed(const CarrierPlace& place, std::string why, Time now, O& out) {
  CarrierLine& line = line_at(place);
  last_ = std::move(why);
  const std::uint32_t connection = std::exchange(line, {}).connection;
  places_.erase(connection);
  out.close_stream(Connection{connection}, true);
  out.arm(carrier_timer(CarrierOperation::retry), now + rest_);
  rest_ = std::min(rest_ * 2, config_.last_retry);
}

template <class M>
template <class O>
void OverStreams<M>::heard_of_stranger(const event::StreamRead& e, std::uint32_t connection, O& out) {
  Hidden& pending = strangers_[connection].pending;
  if (e.status != Status::ok || e.content.empty()) return turn_away(connection, out);
  pending.bytes += e.content.text();
  std::size_t whole = carrier_hello_bytes;
  if (pending.bytes.size() >= whole) {
    const auto token = carrier_token_length(pending.span().first(whole));
    if (!token) return turn_away(connection, out);
    whole += *token;
  }
  if (pending.bytes.size() < whole)
    return out.read_stream(op(CarrierOperation::read, connection), Connection{connection}, whole - pending.bytes.size());
  const auto hello = read_carrier_hello(pending.span());
  if (!hello || !refusal(*hello).empty()) return turn_away(connection, out);
  admit(connection, *hello, e.now, out);
}

// Empty: it is one of ours.
template <class M>
std::string OverStreams<M>::refusal(const CarrierHello& hello) const {
  if (!same_token(hello.token.span(), config_.token.span())) return "its token is not ours";
  if (hello.session != config_.session || hello.world != config_.world) return "it is of another session";
  if (hello.rank == 0 || hello.rank >= config_.world) return "it is no rank of this world";
  return {};
}

// Who shows the token again for a line knows that its older connection is dead.
template <class M>
template <class O>
void OverStreams<M>::admit(std::uint32_t connection, const CarrierHello& hello, Time now, O& out) {
  strangers_.erase(connection);
  const CarrierPlace place{hello.rank, number(hello.lane)};
  CarrierLine& line = line_at(place);
  if (line.connection != 0) {
    places_.erase(line.connection);
    out.close_stream(Connection{line.connection}, true);
  }
  line = {};
  line.connection = connection;
  line.connected = true;
  places_[connection] = place;
  look_for_all(now, out);
}

template <class M>
template <class O>
void OverStreams<M>::turn_away(std::uint32_t connection, O& out) {
  strangers_.erase(connection);
  ++turned_away_;
  out.close_stream(Connection{connection}, true);
}

// Rank 0: joining --all are here--> running
template <class M>
template <class O>
void OverStreams<M>::look_for_all(Time now, O& out) {
  for (std::uint32_t rank = 1; rank < config_.world; ++rank)
    for (const CarrierLine& line : peers_[rank].lines)
      if (!line.connected) return;
  for (const auto& [connection, place] : places_)
    out.write_stream(op(CarrierOperation::greet, connection), Connection{connection}, write_carrier_welcome(config_.world));
  joined(Status::ok, {}, now, out);
}

template <class M>
template <class O>
void OverStreams<M>::read_welcome(const event::StreamRead& e, const CarrierPlace& place, O& out) {
  CarrierLine& line = line_at(place);
  if (e.status != Status::ok || e.content.empty())
    return line_failed(place, "the connection ended before the world was whole", e.now, out);
  line.head.bytes += e.content.text();
  if (line.head.bytes.size() < carrier_welcome_bytes) {
    line.reading = true;
    return out.read_stream(op(CarrierOperation::read, line.connection), Connection{line.connection},
                           carrier_welcome_bytes - line.head.bytes.size());
  }
  const auto world = read_carrier_welcome(std::exchange(line.head, {}).span());
  if (!world || *world != config_.world) return line_failed(place, "no controller of this world answers there", e.now, out);
  line.welcomed = true;
  const auto& lines = peers_[0].lines;
  if (std::all_of(lines.begin(), lines.end(), [](const CarrierLine& one) { return one.welcomed; }))
    joined(Status::ok, {}, e.now, out);
}

// --> running, or over with nothing left open
template <class M>
template <class O>
void OverStreams<M>::joined(Status status, std::string_view text, Time now, O& out) {
  const bool listens = is_controller() && step_ == CarrierStep::joining;
  for (const CarrierOperation timer : {CarrierOperation::deadline, CarrierOperation::retry, CarrierOperation::strangers})
    out.cancel(carrier_timer(timer));
  step_ = status == Status::ok ? CarrierStep::running : CarrierStep::over;
  config_.token = {};
  accepting_ = 0;
  if (listens) out.close_listener(config_.listener);
  for (const auto& [connection, stranger] : strangers_) out.close_stream(Connection{connection}, true);
  turned_away_ += strangers_.size();
  strangers_.clear();
  if (status != Status::ok) {
    for (const auto& [connection, place] : places_) out.close_stream(Connection{connection}, true);
    places_.clear();
    for (CarrierPeer& peer : peers_) peer = {};
  }
  later(event::WorldJoined{now, join_, status, Rank{config_.rank}, config_.world, Blob(text)});
}

template <class M>
std::string OverStreams<M>::missing() const {
  if (!is_controller()) return "rank 0 at " + config_.address + (last_.empty() ? "" : ": " + last_);
  constexpr std::uint32_t named_max = 16;
  std::string text;
  std::uint32_t count = 0;
  for (std::uint32_t rank = 1; rank < config_.world; ++rank) {
    const auto& lines = peers_[rank].lines;
    if (lines[0].connected && lines[1].connected) continue;
    if (++count <= named_max) text += (text.empty() ? "rank " : ", rank ") + text_of(rank);
  }
  return count > named_max ? text + " and " + text_of(count - named_max) + " more" : text;
}

template <class M>
template <class O>
void OverStreams<M>::connect_again(Time, O& out) {
  for (std::uint32_t lane = 0; lane < lanes; ++lane)
    if (peers_[0].lines[lane].connection == 0) connect(lane, out);
}

template <class M>
template <class O>
void OverStreams<M>::fired(const event::TimerFired& e, O& out) {
  if (e.op == carrier_timer(CarrierOperation::deadline)) {
    if (step_ == CarrierStep::parting) return leave(out);
    if (step_ != CarrierStep::listening && step_ != CarrierStep::joining) return;
    joined(Status::timed_out, "not connected in time: " + missing(), e.now, out);
    return deliver_due(out);
  }
  if (step_ != CarrierStep::joining) return;
  if (e.op == carrier_timer(CarrierOperation::retry)) return is_controller() ? accept_next(out) : connect_again(e.now, out);
  if (e.op != carrier_timer(CarrierOperation::strangers)) return;
  while (!strangers_.empty() && number(e.now - strangers_.begin()->second.since) >= number(config_.stranger_wait))
    turn_away(strangers_.begin()->first, out);
  if (!strangers_.empty())
    out.arm(carrier_timer(CarrierOperation::strangers), strangers_.begin()->second.since + config_.stranger_wait);
}

}  // namespace tenter::control
