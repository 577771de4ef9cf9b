// GateClient: its steps, from an order to the end of its last word.
#pragma once
#include <algorithm>

#include "core/control/gate_client.hpp"
#include "core/control/gate_values.hpp"
#include "core/text.hpp"

namespace tenter::control {

template <GateClientPorts O>
void GateClient::on(const event::Told& e, O& out) {
  if (e.from != config_.owner) return;
  if (is(e.note, StartNote::check_in) && step_ == GateClientStep::idle) return check_in(e.note, e.now, out);
  if (!is(e.note, StartNote::joined) || step_ != GateClientStep::going) return;
  report_.state = GateState::joined;
  patience_ = config_.joined_patience;
  rest_ = config_.first_retry;
  attempts_ = 0;
  out.arm(timer(GateClientOperation::deadline), e.now + patience_);
  if (!open_) return connect(e.now, out);
  step_ = GateClientStep::waiting;
  say(out);
  out.arm(timer(GateClientOperation::attempt), e.now + config_.taken_wait);
}

// idle --order--> connecting; --none--> over
template <class O>
void GateClient::check_in(const Note& note, Time now, O& out) {
  auto order = read_check_in(note);
  if (!order) return finish(order.error().status, order.error().what, out);
  address_ = std::move(order->address);
  token_ = Hidden(order->report.token.text());
  report_ = std::move(order->report);
  report_.token = {};
  report_.error = cut_reason(report_.error);
  patience_ = order->patience;
  rest_ = config_.first_retry;
  connection_ = config_.first_connection - 1;
  out.arm(timer(GateClientOperation::deadline), now + patience_);
  connect(now, out);
}

// --> connecting, by a name that was never used
template <class O>
void GateClient::connect(Time now, O& out) {
  step_ = GateClientStep::connecting;
  ++connection_;
  ++attempts_;
  open_ = true;
  out.connect(op(GateClientOperation::connect), Connection{connection_}, Blob(address_));
  out.arm(timer(GateClientOperation::attempt), now + config_.connect_wait);
}

// connecting --connected--> waiting; --refused--> resting
template <GateClientPorts O>
void GateClient::on(const event::Connected& e, O& out) {
  if (step_ != GateClientStep::connecting || e.op != op(GateClientOperation::connect)) return;
  if (e.status != Status::ok) {
    open_ = false;  // it does not exist
    return lost("connect: " + (e.text.empty() ? std::string(to_string(e.status)) : cut_reason(e.text.text())), e.now, out);
  }
  step_ = GateClientStep::waiting;
  say(out);
  read_on(out);
  // A rank that is ready waits for all others, with no time of its own; a last word is taken at once.
  if (report_.state == GateState::ready) return out.cancel(timer(GateClientOperation::attempt));
  out.arm(timer(GateClientOperation::attempt), e.now + config_.taken_wait);
}

template <class O>
void GateClient::say(O& out) {
  GateReport report = report_;
  report.token = Blob(std::string_view(token_.bytes));
  out.write_stream(write_op(), Connection{connection_}, write_gate_report(report));
}

template <class O>
void GateClient::read_on(O& out) {
  const std::size_t have = pending_.bytes.size();
  std::uint64_t want = gate_prefix_bytes;
  if (have >= gate_prefix_bytes) want += *gate_body_bytes(pending_.span().first(gate_prefix_bytes));
  out.read_stream(op(GateClientOperation::read), Connection{connection_}, want - have);
}

template <GateClientPorts O>
void GateClient::on(const event::StreamWritten& e, O& out) {
  const bool ours = start_kind<GateClientOperation>(e.op) == GateClientOperation::write &&
                    static_cast<std::uint32_t>(which_of(e.op)) == connection_;
  if (step_ != GateClientStep::waiting || !open_ || !ours || e.status == Status::ok) return;
  lost("the report could not be sent: " + std::string(to_string(e.status)), e.now, out);
}

template <GateClientPorts O>
void GateClient::on(const event::StreamRead& e, O& out) {
  if (!open_ || e.op != op(GateClientOperation::read)) return;
  if (step_ != GateClientStep::waiting && step_ != GateClientStep::going) return;
  if (e.status != Status::ok || e.content.empty()) return ended(e.status, e.now, out);
  pending_.bytes += e.content.text();
  if (pending_.bytes.size() < gate_prefix_bytes) return read_on(out);
  const auto length = gate_body_bytes(pending_.span().first(gate_prefix_bytes));
  if (!length) return lost("no gate answers there: " + length.error().what, e.now, out);
  if (pending_.bytes.size() < gate_prefix_bytes + std::size_t{*length}) return read_on(out);
  take_go(e.now, out);
}

// waiting --go--> going. Who does not know the token is no gate of ours; a go that comes again changes nothing.
template <class O>
void GateClient::take_go(Time now, O& out) {
  const Hidden whole = std::exchange(pending_, {});
  const auto said = read_gate_go(whole.span().subspan(gate_prefix_bytes));
  if (!said) return lost("no gate answers there: " + said.error().what, now, out);
  if (!same_token(said->token.bytes(), token_.span())) return lost("it answers with another token", now, out);
  if (report_.state == GateState::ready && step_ == GateClientStep::waiting) {
    step_ = GateClientStep::going;
    out.cancel(timer(GateClientOperation::deadline));
    out.tell(config_.owner, start_note(StartNote::go, Status::ok, said->address));
  }
  read_on(out);
}

// The gate has closed. After a last word that means it was taken; the reference's gate closes after go.
template <class O>
void GateClient::ended(Status status, Time now, O& out) {
  if (step_ == GateClientStep::going) return drop(false, out);
  if (status == Status::ok && report_.state != GateState::ready) return finish(Status::ok, {}, out);
  lost(status == Status::ok ? "it closed the connection" : "the connection was lost", now, out);
}

// --> resting; going stays, because what is to be said comes later
template <class O>
void GateClient::lost(std::string_view why, Time now, O& out) {
  last_ = std::string(why);
  drop(true, out);
  if (step_ == GateClientStep::going) return;
  step_ = GateClientStep::resting;
  out.arm(timer(GateClientOperation::rest), now + rest_);
  rest_ = std::min(rest_ * 2, config_.last_retry);
}

template <class O>
void GateClient::drop(bool abort, O& out) {
  if (std::exchange(open_, false)) out.close_stream(Connection{connection_}, abort);
  out.cancel(timer(GateClientOperation::attempt));
  pending_ = {};
}

template <GateClientPorts O>
void GateClient::on(const event::TimerFired& e, O& out) {
  if (e.op == timer(GateClientOperation::rest) && step_ == GateClientStep::resting) return connect(e.now, out);
  if (e.op == timer(GateClientOperation::attempt)) {
    if (step_ == GateClientStep::connecting) return lost("connect: no answer", e.now, out);
    if (step_ == GateClientStep::waiting) return lost("it did not take what was said", e.now, out);
  }
  if (e.op != timer(GateClientOperation::deadline)) return;
  if (step_ < GateClientStep::connecting || step_ > GateClientStep::resting) return;
  const std::string what = report_.state == GateState::ready ? "did not let it pass" : "did not take what it said";
  finish(Status::timed_out,
         who() + " " + what + " within " + text_of(number(patience_) / 1'000'000) + " ms, " + text_of(attempts_) + " attempts" +
             (last_.empty() ? "" : ", the last: " + last_),
         out);
}

template <class O>
void GateClient::finish(Status status, const std::string& text, O& out) {
  drop(status != Status::ok, out);
  out.cancel(timer(GateClientOperation::deadline));
  out.cancel(timer(GateClientOperation::rest));
  step_ = GateClientStep::over;
  token_ = {};
  out.tell(config_.owner, start_note(StartNote::checked_out, status, text));
}

}  // namespace tenter::control
