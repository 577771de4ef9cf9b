// Rank 0's side of the page: attaches, takes one request at a time out of it, has it done by the group, puts the answer back.
// docs/protocols/mailbox.md, spec B2, B3.
//
// Steps are named "dispatcher.<state>.<event>", for example dispatcher.accepting.swapped.
#pragma once
#include <cstdint>
#include <string_view>

#include "core/machine.hpp"
#include "core/mailbox/dispatcher_values.hpp"
#include "core/mailbox/notes.hpp"
#include "core/port.hpp"

namespace tenter::mailbox {

template <class O>
concept DispatcherPorts = SharedPage<O> && Timers<O> && Local<O>;

struct DispatcherConfig {
  Duration stall = seconds(30);  // an answer that nobody takes for so long ends the group
  Role member = member_role;
  friend bool operator==(const DispatcherConfig&, const DispatcherConfig&) = default;
  TENTER_DESCRIBE(dispatcher_config, stall, member)
};

enum class DispatcherState : std::uint8_t {
  unattached,  // the start-up of the ranks is not over
  opening,     // the page is being opened
  attaching,   // its header is copied and checked
  announcing,  // compare-exchange INITIALIZING -> READY, or -> TERMINAL with the ranks' reasons
  parked,      // the lane is idle, or an answer waits to be taken
  doubting,    // the answer was not taken for too long: the request word is read once more
  reading,     // a request is copied: header fields, then the vector
  accepting,   // the copy is valid: compare-exchange *_READY -> TASK_ACCEPTED
  gathering,   // the group works
  closing,     // after SHUTDOWN was gathered: compare-exchange READY -> CLOSED
  completing,  // the answer is written: compare-exchange TASK_ACCEPTED -> its outcome
  condemning,  // we want TERMINAL: the compare-exchange on the group word is under way
  releasing,   // we won TERMINAL: the request word goes to TASK_FAILED, so that the parent wakes
  left,        // the member was told to leave
};
const char* to_string(DispatcherState state);

class Dispatcher {
 public:
  Dispatcher() = default;
  explicit Dispatcher(DispatcherConfig config) : config_(config) {}

  template <DispatcherPorts O>
  void on(const event::Started&, O&) {}  // the member says when to attach
  template <DispatcherPorts O>
  void on(const event::Told& e, O& out);
  template <DispatcherPorts O>
  void on(const event::PageOpened& e, O& out);
  template <DispatcherPorts O>
  void on(const event::Copied& e, O& out);
  template <DispatcherPorts O>
  void on(const event::WordChanged& e, O& out);
  template <DispatcherPorts O>
  void on(const event::Swapped& e, O& out);
  template <DispatcherPorts O>
  void on(const event::TimerFired& e, O& out);

  std::string_view state_name() const { return to_string(state_); }
  DispatcherState state() const { return state_; }
  std::uint64_t last_sequence() const { return last_sequence_; }
  const Blob& reason() const { return reason_; }

 private:
  // Attaching: dispatcher_attach.hpp.
  template <class O>
  void attach(O& out);
  template <class O>
  void refuse(std::string_view why, O& out);
  template <class O>
  void announced(std::uint32_t seen, O& out);

  // A request: dispatcher_request.hpp.
  template <class O>
  void park(std::uint32_t lane, O& out);
  template <class O>
  void lane_changed(std::uint32_t value, O& out);
  template <class O>
  void read(const event::Copied& e, O& out);
  template <class O>
  void accepted(std::uint32_t seen, O& out);
  template <class O>
  void gathered(const Parts& records, O& out);
  template <class O>
  void closed(std::uint32_t seen, O& out);
  template <class O>
  void complete(RequestState outcome, O& out);
  template <class O>
  void completed(Time now, std::uint32_t seen, O& out);

  // The end: dispatcher_end.hpp.
  template <class O>
  void group_changed(std::uint32_t value, O& out);
  template <class O>
  void condemn(Blob reason, std::uint32_t expected, O& out);
  template <class O>
  void condemned(std::uint32_t seen, O& out);
  template <class O>
  void release(std::uint32_t expected, O& out);
  template <class O>
  void released(std::uint32_t seen, O& out);
  template <class O>
  void leave(bool orderly, O& out);

  DispatcherConfig config_;
  DispatcherState state_ = DispatcherState::unattached;
  std::uint32_t world_ = 0;
  PageHead head_;                    // attaching: what was copied so far
  bool lane_known_ = false;          // attaching: lane_ was loaded
  std::uint32_t lane_ = 0;           // the request word, as last seen or written
  std::uint64_t looks_ = 0;          // watches of the request word; numbers the operations
  std::uint64_t last_sequence_ = 0;  // of the last accepted request
  RequestFields request_;            // reading .. completing: the private copy
  Blob envelope_;                    // accepting
  RequestState outcome_{};           // completing: what the request word shall say
  bool closed_ = false;              // CLOSED is ours
  std::uint32_t expected_ = 0;       // announcing, condemning, releasing: what the compare-exchange expects
  std::uint32_t attempts_ = 0;       // condemning, releasing: compare-exchanges that met yet another value
  Blob reason_;                      // why the group ended, or did not start: an error list

 public:
  friend bool operator==(const Dispatcher&, const Dispatcher&) = default;
  TENTER_DESCRIBE(dispatcher, config_, state_, world_, head_, lane_known_, lane_, looks_, last_sequence_, request_, envelope_,
                  outcome_, closed_, expected_, attempts_, reason_)
};

}  // namespace tenter::mailbox

#include "core/mailbox/dispatcher_attach.hpp"
#include "core/mailbox/dispatcher_end.hpp"
#include "core/mailbox/dispatcher_request.hpp"
