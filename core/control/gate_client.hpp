// A rank before MPI starts: it tells the gate that it is ready, or why it is not, waits for go, and says after MPI_Init that it
// has joined. Whatever becomes of a connection, it comes again until its own deadline. Spec B4.5; P-C4, P-X10.
//
// The rank orders with check_in and joined (start_notes.hpp) and is told go and checked_out. An end that is read after the last
// word says that the gate has taken it; so nothing that was said is lost with a connection.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "core/control/gate_message.hpp"
#include "core/control/hidden.hpp"
#include "core/control/start_notes.hpp"
#include "core/control/start_operation.hpp"
#include "core/machine.hpp"
#include "core/port.hpp"

namespace tenter::control {

template <class O>
concept GateClientPorts = Stream<O> && Timers<O> && Local<O>;

struct GateClientConfig {
  Role owner{0};
  std::uint32_t first_connection = 1;                                       // as GateConfig's
  Duration connect_wait = seconds(1);                                       // an attempt to connect
  Duration taken_wait = seconds(2);                                         // from a last word to the end that says it was taken
  Duration first_retry = milliseconds(10), last_retry = milliseconds(250);  // rests between attempts, doubled
  Duration joined_patience = seconds(10);                                   // for "joined", from the rank's order
  friend bool operator==(const GateClientConfig&, const GateClientConfig&) = default;
  TENTER_DESCRIBE(gate_client_config, owner, first_connection, connect_wait, taken_wait, first_retry, last_retry, joined_patience)
};

// which: the connection, where there is one
enum class GateClientOperation : std::uint8_t { connect = 1, read, write, attempt, rest, deadline };

enum class GateClientStep : std::uint8_t {
  idle,  // no order yet
  connecting,
  waiting,  // said it: go, or the end that means "taken", is awaited
  resting,  // until the next attempt
  going,    // go was told to the rank; MPI starts
  over,
};

class GateClient {
 public:
  GateClient() = default;
  explicit GateClient(GateClientConfig config) : config_(config) {}

  template <GateClientPorts O>
  void on(const event::Started&, O&) {}  // begins with the rank's order
  template <GateClientPorts O>
  void on(const event::Told& e, O& out);
  template <GateClientPorts O>
  void on(const event::Connected& e, O& out);
  template <GateClientPorts O>
  void on(const event::StreamRead& e, O& out);
  template <GateClientPorts O>
  void on(const event::StreamWritten& e, O& out);
  template <GateClientPorts O>
  void on(const event::TimerFired& e, O& out);
  // Not asked for.
  template <GateClientPorts O>
  void on(const event::Listening&, O&) {}
  template <GateClientPorts O>
  void on(const event::ParentExited&, O&) {}  // the rank's own affair

  std::string_view state_name() const {
    constexpr std::string_view names[] = {"idle", "connecting", "waiting", "resting", "going", "over"};
    return names[static_cast<std::size_t>(step_)];
  }
  GateClientStep step() const { return step_; }
  std::uint32_t attempts() const { return attempts_; }

 private:
  template <class O>
  void check_in(const Note& note, Time now, O& out);
  template <class O>
  void connect(Time now, O& out);
  template <class O>
  void say(O& out);
  template <class O>
  void read_on(O& out);
  template <class O>
  void take_go(Time now, O& out);
  template <class O>
  void ended(Status status, Time now, O& out);
  template <class O>
  void lost(std::string_view why, Time now, O& out);
  template <class O>
  void drop(bool abort, O& out);
  template <class O>
  void finish(Status status, const std::string& text, O& out);

  Op op(GateClientOperation what) const { return start_operation(what, connection_); }
  // "joined" may be said while it is not yet known that "ready" has left.
  Op write_op() const { return start_operation(GateClientOperation::write, connection_ | std::uint64_t(report_.state) << 32); }
  static Op timer(GateClientOperation what) { return start_operation(what); }
  std::string who() const { return "rank " + std::to_string(report_.rank) + ": the gate at " + address_; }

  GateClientConfig config_;
  GateClientStep step_ = GateClientStep::idle;
  std::string address_;
  Hidden token_;
  GateReport report_;  // without its token; state: what is being said
  Duration patience_{};
  bool open_ = false;  // the connection, or its opening
  std::uint32_t connection_ = 0;
  std::uint32_t attempts_ = 0;
  Duration rest_{};
  Hidden pending_;
  std::string last_;  // why the last attempt ended

 public:
  friend bool operator==(const GateClient&, const GateClient&) = default;
  TENTER_DESCRIBE(gate_client, config_, step_, address_, token_, report_, patience_, open_, connection_, attempts_, rest_,
                  pending_, last_)
};

}  // namespace tenter::control

#include "core/control/gate_client_steps.hpp"
