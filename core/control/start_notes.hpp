// Every note of a start: between Supervisor and Gate, between a rank and its GateClient, and the calls of the supervisor's user.
// Built and read here, nowhere else. The token travels inside an encoding, so that no trace of a note shows it.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/control/gate_message.hpp"
#include "core/control/hidden.hpp"
#include "core/describe.hpp"
#include "core/error.hpp"
#include "core/event.hpp"
#include "core/names.hpp"

namespace tenter::control {

inline constexpr Role supervisor_role{0}, gate_role{1};  // in the supervisor's process

enum class StartNote : std::uint32_t {
  // calls of the supervisor's user; all are answered by `answer`
  start = 1,   // a JobSpec (supervisor_values.hpp); answered at GO
  stop = 2,    // end it
  wait = 3,    // until nothing of the job is left
  answer = 9,  // status; text: for people; of wait and of a start that failed, a: the launcher's exit code, b: its signal

  // Supervisor -> Gate
  open_gate = 10,   // text: a GateOrder
  close_gate = 11,  // whatever it is at; answered by gate_failed, unless it is over already

  // Gate -> Supervisor
  gate_listening = 20,  // text: the address with its real port
  rank_seen = 21,       // a: rank; text: its host; b, c: its process, 0: not told
  gate_passed = 22,     // every rank has said that it joined; text: whom it turned away, empty: nobody
  gate_failed = 23,     // status; a: the first culprit, -1: none; text: a sentence; parts: a sentence a rank

  // a rank -> GateClient
  check_in = 30,  // text: a CheckIn
  joined = 31,    // MPI has started

  // GateClient -> the rank
  go = 40,           // start MPI; text: the address that rank 0 reported, for a carrier that needs it
  checked_out = 41,  // status, text: the gate has taken what was said last, or not
};
constexpr bool is(const Note& note, StartNote kind) { return note.kind == number(kind); }

// What a Gate is opened with. hosts: one a rank, rank 0 first.
struct GateOrder {
  std::string address;  // of the controller, "host:0"
  Hidden token;
  Duration patience{};  // from now to the last "joined", both phases
  std::vector<std::string> hosts;
  friend bool operator==(const GateOrder&, const GateOrder&) = default;
  TENTER_DESCRIBE(gate_order, address, token, patience, hosts)
};
Note gate_order_note(const GateOrder& order);
// invalid: not an order; no host, no token, no patience. The text names the field.
Result<GateOrder> read_gate_order(const Note& note);

// What a rank says first, and for how long it tries.
struct CheckIn {
  std::string address;
  Duration patience{};  // until go, or until a failure was taken
  GateReport report;    // state ready or failed
  friend bool operator==(const CheckIn&, const CheckIn&) = default;
};
Note check_in_note(const CheckIn& check_in);
Result<CheckIn> read_check_in(const Note& note);

Note start_note(StartNote kind, Status status = Status::ok, std::string_view text = {});
Note rank_seen_note(std::uint32_t rank, ProcessId process, std::string_view host);

}  // namespace tenter::control
