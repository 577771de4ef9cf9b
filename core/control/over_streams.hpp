// Comm over byte streams: a machine that sends and receives messages, on Stream instead of MPI. Its Comm actions become actions
// of Stream, and what the streams say becomes its Comm events; every other action and event passes. docs/ports/comm.md; spec A1.
//
// The world is a star: rank 0 listens, every other rank connects to it with two connections, one for messages of the tag
// `express` (heartbeats, which then wait behind no long message) and one for all others. Each connection has an order of its own.
// A rank is lost when its command connection ends.
//
// Nothing is read of a peer while no receive of it is posted, and never beyond the message that is being taken: what is kept here
// is one message a connection. What is to be sent is with the port, bounded by the machine's own window.
//
// over_streams_join.hpp: until all are here; over_streams_messages.hpp: messages, and the end.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/control/over_streams_values.hpp"
#include "core/machine.hpp"
#include "core/port.hpp"

namespace tenter::control {

template <class O>
concept CarrierPorts = Stream<O> && Timers<O> && Performs<O, action::ExitProcess>;

template <class M>
class OverStreams {
 public:
  OverStreams() = default;
  OverStreams(CarrierConfig config, M machine);

  // What the machine acts on: its Comm actions and its exit are ours, the others go on.
  template <class O>
  class Out : public Actions<Out<O>> {
   public:
    Out(OverStreams& carrier, O& out, Time now) : carrier_(carrier), out_(out), now_(now) {}
    void perform(const action::JoinWorld& a) { carrier_.join(a.op, now_, out_); }
    void perform(const action::SendMessage& a) { carrier_.send(a, now_, out_); }
    void perform(const action::AbandonSend& a) { carrier_.abandon(a.op); }
    void perform(const action::ReceiveMessage& a) { carrier_.receive(a, now_, out_); }
    void perform(const action::WithdrawReceive& a) { carrier_.withdraw(a.op); }
    void perform(const action::ExitProcess& a) { carrier_.exit(a, now_, out_); }
    template <class A>
    requires PerformsOne<O, A>
    void perform(const A& a) { out_.perform(a); }

   private:
    OverStreams& carrier_;
    O& out_;
    Time now_;
  };

  template <CarrierPorts O>
  void on(const event::Listening& e, O& out);
  template <CarrierPorts O>
  void on(const event::Connected& e, O& out);
  template <CarrierPorts O>
  void on(const event::StreamRead& e, O& out);
  template <CarrierPorts O>
  void on(const event::StreamWritten& e, O& out);
  template <CarrierPorts O>
  void on(const event::TimerFired& e, O& out) {
    if (is_carrier_timer(e.op)) return fired(e, out);
    hand_over(e, out);
  }
  // Everything else is the machine's.
  template <class E, CarrierPorts O>
  requires Handles<M, E, Out<O>>
  void on(const E& e, O& out) { hand_over(e, out); }

  const M& machine() const { return machine_; }
  CarrierStep step() const { return step_; }
  // Rank 0, once it listens: with the real port.
  const std::string& address() const { return address_; }
  std::string_view state_name() const { return machine_.state_name(); }
  std::size_t strangers() const { return strangers_.size(); }
  std::uint64_t turned_away() const { return turned_away_; }

 private:
  // over_streams_join.hpp
  template <class O>
  void join(Op op, Time now, O& out);
  template <class O>
  void accept_next(O& out);
  template <class O>
  void connect(std::uint32_t lane, O& out);
  template <class O>
  void connect_again(Time now, O& out);
  template <class O>
  void heard_of_stranger(const event::StreamRead& e, std::uint32_t connection, O& out);
  template <class O>
  void admit(std::uint32_t connection, const CarrierHello& hello, Time now, O& out);
  template <class O>
  void turn_away(std::uint32_t connection, O& out);
  template <class O>
  void read_welcome(const event::StreamRead& e, const CarrierPlace& place, O& out);
  template <class O>
  void line_failed(const CarrierPlace& place, std::string why, Time now, O& out);
  template <class O>
  void look_for_all(Time now, O& out);
  template <class O>
  void joined(Status status, std::string_view text, Time now, O& out);
  template <class O>
  void fired(const event::TimerFired& e, O& out);
  std::string missing() const;
  std::string refusal(const CarrierHello& hello) const;
  // over_streams_messages.hpp
  template <class O>
  void send(const action::SendMessage& a, Time now, O& out);
  void abandon(Op op);
  template <class O>
  void receive(const action::ReceiveMessage& a, Time now, O& out);
  void withdraw(Op op);
  template <class O>
  void read_on(CarrierLine& line, O& out);
  template <class O>
  void read_message(const event::StreamRead& e, const CarrierPlace& place, O& out);
  void take(CarrierLine& line, const Blob& piece);
  template <class O>
  void give(std::uint32_t rank, Time now, O& out);
  template <class O>
  void lose(std::uint32_t rank, std::string why, Time now, O& out);
  template <class O>
  void exit(const action::ExitProcess& a, Time now, O& out);
  template <class O>
  void drained(const event::StreamRead& e, CarrierLine& line, O& out);
  template <class O>
  void leave(O& out);

  template <class E, class O>
  void hand_over(const E& e, O& out) {
    Out<O> inner(*this, out, e.now);
    machine_.on(e, inner);
    deliver_due(out);
  }
  // What came of the machine's own actions, once its handler has returned.
  template <class O>
  void deliver_due(O& out);
  template <class E>
  void later(E e) {
    due_.push_back(Event(std::move(e)));
  }

  bool is_controller() const { return config_.rank == 0; }
  bool can_talk_to(Rank rank) const {
    return number(rank) < peers_.size() && number(rank) != config_.rank && (is_controller() || number(rank) == 0);
  }
  std::uint32_t lane_of(MessageTag tag) const { return config_.express && *config_.express == tag ? 1 : 0; }
  CarrierLine& line_at(const CarrierPlace& place) { return peers_[place.rank].lines[place.lane]; }
  static Op op(CarrierOperation what, std::uint64_t which = 0) { return start_operation(what, which); }

  CarrierConfig config_;
  M machine_;
  CarrierStep step_ = CarrierStep::idle;
  Op join_{};
  std::string address_;
  std::vector<CarrierPeer> peers_;  // by rank; of another rank than 0, only the first is used
  CarrierPlaces places_;
  CarrierStrangers strangers_;
  std::uint32_t connections_ = 0;  // named so far
  std::uint32_t accepting_ = 0;    // the connection that the open accept is for; 0: none
  std::uint64_t turned_away_ = 0;
  Duration rest_{};
  CarrierSends sends_;
  std::uint64_t sent_ = 0;
  std::int32_t exit_code_ = 0;
  std::string last_;        // why the last attempt to connect failed
  std::vector<Event> due_;  // empty between events

 public:
  friend bool operator==(const OverStreams&, const OverStreams&) = default;
  static constexpr std::string_view name = "over_streams";
  static constexpr std::string_view labels =
      "config_, machine_, step_, join_, address_, peers_, places_, strangers_, connections_, accepting_, turned_away_, rest_, "
      "sends_, sent_, exit_code_, last_";
  template <class Self>
  static constexpr auto fields(Self& self) {
    return std::tie(self.config_, self.machine_, self.step_, self.join_, self.address_, self.peers_, self.places_,
                    self.strangers_, self.connections_, self.accepting_, self.turned_away_, self.rest_, self.sends_, self.sent_,
                    self.exit_code_, self.last_);
  }
};

template <class M>
OverStreams<M>::OverStreams(CarrierConfig config, M machine) : config_(std::move(config)), machine_(std::move(machine)) {
  peers_.resize(is_controller() ? config_.world : 1);
  connections_ = config_.first_connection - 1;
}

template <class M>
template <class O>
void OverStreams<M>::deliver_due(O& out) {
  while (!due_.empty()) {
    const std::vector<Event> now_due = std::exchange(due_, {});
    for (const Event& event : now_due) {
      std::visit(
          [&](const auto& e) {
            Out<O> inner(*this, out, e.now);
            if constexpr (Handles<M, std::remove_cvref_t<decltype(e)>, Out<O>>) machine_.on(e, inner);
          },
          event);
    }
  }
}

}  // namespace tenter::control

#include "core/control/over_streams_join.hpp"
#include "core/control/over_streams_messages.hpp"
