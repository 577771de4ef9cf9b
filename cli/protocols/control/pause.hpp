// A user thread's clock: a call that ends after a while, so that the work of a run is spread over its time. No part of control.
#pragma once
#include <cstdint>
#include <map>
#include <string_view>

#include "core/event.hpp"
#include "core/machine.hpp"
#include "core/port.hpp"

namespace tenter::protocols {

class Pause {
 public:
  static constexpr std::uint32_t call_kind = 1;
  static Note call(Duration length) {
    Note note;
    note.kind = call_kind;
    note.a = tenter::number(length);
    return note;
  }

  template <class O>
  void on(const event::Submitted& e, O& out) {
    tickets_.push_back(e.ticket);
    out.arm(Op{tenter::number(e.ticket)}, e.now + Duration{e.call.a});
  }
  template <class O>
  void on(const event::TimerFired& e, O& out) {
    if (std::erase(tickets_, Ticket{tenter::number(e.op)}) == 0) return;
    Note note;
    note.kind = call_kind;
    out.complete(Ticket{tenter::number(e.op)}, note);
  }
  std::string_view state_name() const { return "open"; }

 private:
  std::vector<Ticket> tickets_;  // at most one a user thread

 public:
  friend bool operator==(const Pause&, const Pause&) = default;
  TENTER_DESCRIBE(pause, tickets_)
};

}  // namespace tenter::protocols
