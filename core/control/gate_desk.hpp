// A rank's own side of its check-in: the calls of the rank become orders to its GateClient, and what that says becomes answers.
// Spec B4.5. Two calls, in this order: check_in, answered at go or when there will be none; joined, answered when the gate has
// taken it.
#pragma once
#include <optional>
#include <string_view>
#include <utility>

#include "core/control/start_notes.hpp"
#include "core/machine.hpp"
#include "core/port.hpp"

namespace tenter::control {

template <class O>
concept GateDeskPorts = Client<O> && Local<O>;

class GateDesk {
 public:
  explicit GateDesk(Role gate_client = Role{1}) : gate_client_(gate_client) {}

  template <GateDeskPorts O>
  void on(const event::Started&, O&) {}
  // The notes check_in and joined of start_notes.hpp. Answers: the note answer; of go, ok with rank 0's address as its text; of a
  // last word, how it was taken. unavailable: another call waits, or it is not this call's turn.
  template <GateDeskPorts O>
  void on(const event::Submitted& e, O& out);
  template <GateDeskPorts O>
  void on(const event::Told& e, O& out);

  std::string_view state_name() const {
    constexpr std::string_view names[] = {"idle", "checking_in", "going", "telling", "over"};
    return names[static_cast<std::size_t>(step_)];
  }

 private:
  enum class Step : std::uint8_t { idle, checking_in, going, telling, over };
  template <class O>
  void answer(Status status, std::string_view text, O& out) {
    if (call_) out.complete(*std::exchange(call_, std::nullopt), start_note(StartNote::answer, status, text));
  }

  Role gate_client_;
  Step step_ = Step::idle;
  std::optional<Ticket> call_;

 public:
  friend bool operator==(const GateDesk&, const GateDesk&) = default;
  TENTER_DESCRIBE(gate_desk, gate_client_, step_, call_)
};

template <GateDeskPorts O>
void GateDesk::on(const event::Submitted& e, O& out) {
  const bool checks_in = is(e.call, StartNote::check_in) && step_ == Step::idle;
  const bool joins = is(e.call, StartNote::joined) && step_ == Step::going;
  if (!checks_in && !joins)
    return out.complete(e.ticket, start_note(StartNote::answer, Status::unavailable, "check-in: it is not this call's turn"));
  step_ = checks_in ? Step::checking_in : Step::telling;
  call_ = e.ticket;
  out.tell(gate_client_, e.call);
}

// checking_in --go--> going; --checked out--> over; telling --checked out--> over
template <GateDeskPorts O>
void GateDesk::on(const event::Told& e, O& out) {
  if (e.from != gate_client_) return;
  if (is(e.note, StartNote::go) && step_ == Step::checking_in) {
    step_ = Step::going;
    return answer(Status::ok, e.note.text.text(), out);
  }
  if (!is(e.note, StartNote::checked_out)) return;
  step_ = Step::over;
  answer(e.note.status, e.note.text.text(), out);
}

}  // namespace tenter::control
