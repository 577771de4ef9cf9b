// OverStreams: messages in both directions, a peer that is lost, and the end.
#pragma once
#include <algorithm>

#include "core/control/over_streams.hpp"
#include "core/text.hpp"
#include "core/wire.hpp"

namespace tenter::control {

inline constexpr std::size_t one_write_bytes_max = 16'384;  // head and content are copied together, which saves a call
inline constexpr std::uint64_t drain_bytes = 65'536;

template <class M>
template <class O>
void OverStreams<M>::send(const action::SendMessage& a, Time now, O& out) {
  const auto refuse = [&](Status status, std::string_view why) { later(event::MessageSent{now, a.op, status, Blob(why)}); };
  if (step_ != CarrierStep::running) return refuse(Status::unavailable, "the world is not joined");
  if (!can_talk_to(a.to) || a.communicator != world_communicator) return refuse(Status::invalid, "there is no connection to it");
  if (a.content.size() > config_.message_bytes_max) return refuse(Status::invalid, "the message is too long");
  const CarrierPeer& peer = peers_[number(a.to)];
  if (peer.lost) return refuse(Status::peer_lost, peer.why);
  const std::uint32_t connection = peer.lines[lane_of(a.tag)].connection;
  const Connection to{connection};
  const Op done = op(CarrierOperation::write_message, ++sent_);
  sends_[sent_] = {a.op, connection, false};
  Blob head = write_message_head(a.tag, static_cast<std::uint32_t>(a.content.size()));
  if (a.content.empty()) return out.write_stream(done, to, std::move(head));
  if (a.content.size() <= one_write_bytes_max)
    return out.write_stream(done, to,
                            wire::Writer(head.size() + a.content.size()).bytes(head.bytes()).bytes(a.content.bytes()).blob());
  out.write_stream(op(CarrierOperation::head, sent_), to, std::move(head));
  out.write_stream(done, to, a.content);
}

template <class M>
template <CarrierPorts O>
void OverStreams<M>::on(const event::StreamWritten& e, O& out) {
  const auto send = sends_.find(which_of(e.op));
  if (e.op != op(CarrierOperation::write_message, which_of(e.op)) || send == sends_.end()) return;
  const CarrierSend done = send->second;
  sends_.erase(send);
  if (done.abandoned || step_ != CarrierStep::running) return;
  const Status status = e.status == Status::ok ? Status::ok : Status::peer_lost;
  later(event::MessageSent{e.now, done.op, status, status == Status::ok ? Blob() : Blob("the connection has ended")});
  deliver_due(out);
}

template <class M>
void OverStreams<M>::abandon(Op op_) {
  for (auto& [which, send] : sends_)
    if (send.op == op_) send.abandoned = true;
}

template <class M>
template <class O>
void OverStreams<M>::receive(const action::ReceiveMessage& a, Time now, O& out) {
  const auto refuse = [&](Status status, std::string_view why) {
    later(event::MessageArrived{now, a.op, status, a.from, {}, 0, Blob(why)});
  };
  if (step_ != CarrierStep::running) return refuse(Status::unavailable, "the world is not joined");
  if (!can_talk_to(a.from) || a.communicator != world_communicator)
    return refuse(Status::invalid, "there is no connection to it");
  CarrierPeer& peer = peers_[number(a.from)];
  if (peer.receive) return refuse(Status::exists, "a receive of it is open already");
  peer.receive = a.op;
  peer.limit = a.limit;
  give(number(a.from), now, out);
}

// What has begun to be read stays for the next receive.
template <class M>
void OverStreams<M>::withdraw(Op op_) {
  for (CarrierPeer& peer : peers_)
    if (peer.receive == op_) peer.receive.reset();
}

template <class M>
template <class O>
void OverStreams<M>::read_on(CarrierLine& line, O& out) {
  if (line.reading || line.ended || line.whole || line.connection == 0) return;
  line.reading = true;
  const std::uint64_t want = line.headed ? line.bytes - line.body.bytes.size() : message_head_bytes - line.head.bytes.size();
  out.read_stream(op(CarrierOperation::read, line.connection), Connection{line.connection}, want);
}

template <class M>
template <CarrierPorts O>
void OverStreams<M>::on(const event::StreamRead& e, O& out) {
  const auto connection = static_cast<std::uint32_t>(which_of(e.op));
  if (e.op != op(CarrierOperation::read, connection)) return;
  if (strangers_.contains(connection)) {
    heard_of_stranger(e, connection, out);
    return deliver_due(out);
  }
  const auto found = places_.find(connection);
  if (found == places_.end()) return;
  const CarrierPlace place = found->second;
  CarrierLine& line = line_at(place);
  line.reading = false;
  if (step_ == CarrierStep::parting) return drained(e, line, out);
  if (step_ == CarrierStep::joining)
    read_welcome(e, place, out);
  else if (step_ == CarrierStep::running)
    read_message(e, place, out);
  deliver_due(out);
}

template <class M>
template <class O>
void OverStreams<M>::read_message(const event::StreamRead& e, const CarrierPlace& place, O& out) {
  CarrierLine& line = line_at(place);
  if (e.status != Status::ok || e.content.empty()) {
    line.ended = true;
    if (place.lane == number(StreamLane::command)) lose(place.rank, "its connection has ended", e.now, out);
    return;
  }
  take(line, e.content);
  if (line.headed && line.bytes > config_.message_bytes_max)
    return lose(place.rank, "it announces a message of " + text_of(line.bytes) + " bytes", e.now, out);
  give(place.rank, e.now, out);
}

// A piece of a head or of a message, never of both: no more than what is missing was asked for.
template <class M>
void OverStreams<M>::take(CarrierLine& line, const Blob& piece) {
  if (!line.headed) {
    line.head.bytes += piece.text();
    if (line.head.bytes.size() < message_head_bytes) return;
    const MessageHead head = read_message_head(std::exchange(line.head, {}).span());
    line.headed = true;
    line.tag = head.tag;
    line.bytes = head.bytes;
    line.whole = head.bytes == 0;
  } else if (line.body.bytes.empty() && piece.size() == line.bytes) {
    line.content = piece;
    line.whole = true;
  } else {
    line.body.bytes += piece.text();
    line.whole = line.body.bytes.size() == line.bytes;
    if (line.whole) line.content = Blob(std::exchange(line.body, {}).span());
  }
}

// The receive is answered when there is a message, else more is read. A heartbeat goes first: it may have overtaken.
template <class M>
template <class O>
void OverStreams<M>::give(std::uint32_t rank, Time now, O& out) {
  CarrierPeer& peer = peers_[rank];
  if (!peer.receive) return;
  for (std::uint32_t lane = lanes; lane-- > 0;) {
    CarrierLine& line = peer.lines[lane];
    if (!line.whole) continue;
    event::MessageArrived arrived{now, *std::exchange(peer.receive, std::nullopt), Status::ok, Rank{rank}, line.tag, line.bytes,
                                  {}};
    if (line.bytes > peer.limit)
      arrived.status = Status::no_space;
    else
      arrived.content = std::move(line.content);
    line.headed = line.whole = false;
    line.content = {};
    return later(std::move(arrived));
  }
  if (peer.lost)
    return later(event::MessageArrived{
        now, *std::exchange(peer.receive, std::nullopt), Status::peer_lost, Rank{rank}, {}, 0, Blob(std::string_view(peer.why))});
  for (CarrierLine& line : peer.lines) read_on(line, out);
}

// Of this rank nothing will come or go any more.
template <class M>
template <class O>
void OverStreams<M>::lose(std::uint32_t rank, std::string why, Time now, O& out) {
  CarrierPeer& peer = peers_[rank];
  peer.lost = true;
  peer.why = std::move(why);
  for (CarrierLine& line : peer.lines) {
    const std::uint32_t connection = std::exchange(line, {}).connection;
    line.ended = true;
    if (places_.erase(connection) == 0) continue;
    out.close_stream(Connection{connection}, true);
    for (const auto& [which, send] : sends_)
      if (send.connection == connection && !send.abandoned)
        later(event::MessageSent{now, send.op, Status::peer_lost, Blob(std::string_view(peer.why))});
    std::erase_if(sends_, [&](const auto& entry) { return entry.second.connection == connection; });
  }
  give(rank, now, out);
}

// running --orderly--> parting: what was written is to be taken before the connections close, because a close with something
// unread resets them, and what the other side has not read yet may be lost then.
template <class M>
template <class O>
void OverStreams<M>::exit(const action::ExitProcess& a, Time now, O& out) {
  if (step_ == CarrierStep::parting) return;
  if (!a.orderly || step_ != CarrierStep::running) {
    step_ = CarrierStep::over;
    return out.exit_process(a.code, a.orderly);
  }
  step_ = CarrierStep::parting;
  exit_code_ = a.code;
  if (places_.empty()) return leave(out);
  out.arm(carrier_timer(CarrierOperation::deadline), now + config_.part_patience);
  for (const auto& [connection, place] : places_) {
    CarrierLine& line = line_at(place);
    out.finish_stream(Connection{connection});
    if (line.reading || line.ended) continue;
    line.reading = true;
    out.read_stream(op(CarrierOperation::read, connection), Connection{connection}, drain_bytes);
  }
}

template <class M>
template <class O>
void OverStreams<M>::drained(const event::StreamRead& e, CarrierLine& line, O& out) {
  line.ended = e.status != Status::ok || e.content.empty();
  if (!line.ended) {
    line.reading = true;
    return out.read_stream(op(CarrierOperation::read, line.connection), Connection{line.connection}, drain_bytes);
  }
  const bool all = std::all_of(places_.begin(), places_.end(), [&](const auto& one) { return line_at(one.second).ended; });
  if (all) leave(out);
}

// parting --all has been taken, or the patience is over--> over
template <class M>
template <class O>
void OverStreams<M>::leave(O& out) {
  step_ = CarrierStep::over;
  out.cancel(carrier_timer(CarrierOperation::deadline));
  for (const auto& [connection, place] : places_) out.close_stream(Connection{connection}, false);
  places_.clear();
  for (CarrierPeer& peer : peers_) peer = {};
  out.exit_process(exit_code_, true);
}

}  // namespace tenter::control
