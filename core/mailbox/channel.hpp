// The parent's side of the page: one request at a time through the lane, a bounded queue before it, and the end of the group
// when an answer does not come or is not legal. docs/protocols/mailbox.md, spec B2, B3.
//
// Steps are named "channel.<state>.<event>", for example channel.taking.copied.
#pragma once
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/fixed_vector.hpp"
#include "core/machine.hpp"
#include "core/mailbox/channel_values.hpp"
#include "core/mailbox/operation.hpp"
#include "core/port.hpp"

namespace tenter::mailbox {

template <class O>
concept ChannelPorts = SharedPage<O> && Timers<O> && Client<O> && Local<O>;

struct ChannelConfig {
  std::uint32_t world = 1;            // ranks of the group
  Duration deadline = seconds(30);    // of a call that brings none
  Duration reason_wait = seconds(1);  // for the reason that rank 0 is still writing
  Duration blame_wait = seconds(2);   // for Launch's look at the processes
  Role launch = launch_role;
  friend bool operator==(const ChannelConfig&, const ChannelConfig&) = default;
  TENTER_DESCRIBE(channel_config, world, deadline, reason_wait, blame_wait, launch)
};

enum class ChannelState : std::uint8_t {
  starting,     // no group yet: calls are refused
  idle,         // the lane is free
  waiting,      // a request is published; rank 0 was not seen accepting it
  accepted,     // rank 0 was seen accepting it
  taking,       // an answer is there: the group word is read again, then lengths, prefix, replies are copied
  failing,      // a failure is there: the group word is read again, then the error list is copied
  condemning,   // we want TERMINAL: the compare-exchange on the group word is under way
  withdrawing,  // we won TERMINAL: the request word is taken from rank 0, which tells how far the request was
  blaming,      // Launch looks for the culprit
  explaining,   // another set TERMINAL: its reason is read from the page
  terminal,     // for good; reason_ says why
  closed,       // after an orderly shutdown
};
const char* to_string(ChannelState state);

class Channel {
 public:
  Channel() = default;
  explicit Channel(ChannelConfig config) : config_(config) {}

  template <ChannelPorts O>
  void on(const event::Started&, O&) {}  // Launch says when there is a group
  template <ChannelPorts O>
  void on(const event::PageOpened&, O&) {}  // Launch owns the page's name and mapping
  template <ChannelPorts O>
  void on(const event::Submitted& e, O& out);
  template <ChannelPorts O>
  void on(const event::Told& e, O& out);
  template <ChannelPorts O>
  void on(const event::WordChanged& e, O& out);
  template <ChannelPorts O>
  void on(const event::Copied& e, O& out);
  template <ChannelPorts O>
  void on(const event::Swapped& e, O& out);
  template <ChannelPorts O>
  void on(const event::TimerFired& e, O& out);

  std::string_view state_name() const { return to_string(state_); }
  ChannelState state() const { return state_; }
  std::uint64_t sequence() const { return sequence_; }
  std::size_t waiting_calls() const { return queue_.size(); }
  bool busy() const { return busy_; }
  const Blob& reason() const { return reason_; }

 private:
  // The request lane: channel_request.hpp.
  template <class O>
  void call(const Note& note, Role from, std::uint64_t ticket, Time now, O& out);
  template <class O>
  void begin(LaneCall call, O& out);
  template <class O>
  void lane_changed(std::uint32_t value, O& out);
  template <class O>
  void group_reread(Time now, std::uint32_t value, O& out);
  template <class O>
  void taken(const event::Copied& e, O& out);
  template <class O>
  void take_head(Time now, O& out);
  template <class O>
  void finish(Time now, O& out);
  template <class O>
  void failed(const event::Copied& e, O& out);
  template <class O>
  void next(Time now, O& out);
  template <class O>
  void watch_queue(O& out);
  template <class O>
  void queue_timed_out(Time now, O& out);
  template <class O>
  void answer(Role from, std::uint64_t ticket, Note outcome, O& out);
  bool closing() const;

  // The end of the group: channel_end.hpp.
  template <class O>
  void group_changed(Time now, std::uint32_t value, O& out);
  template <class O>
  void condemn(LaneFailure failure, std::uint32_t expected, O& out);
  template <class O>
  void condemned(const event::Swapped& e, O& out);
  template <class O>
  void withdrawn(const event::Swapped& e, O& out);
  template <class O>
  void look_first(Time now, O& out);
  template <class O>
  void blame(Time now, O& out);
  template <class O>
  void blamed(const Blob& errors, O& out);
  template <class O>
  void explain(Time now, O& out);
  template <class O>
  void error_length_seen(const event::WordChanged& e, O& out);
  template <class O>
  void end(Blob reason, O& out);
  template <class O>
  void close(O& out);
  template <class O>
  void release_watches(O& out);

  ChannelConfig config_;
  ChannelState state_ = ChannelState::starting;
  std::uint64_t sequence_ = 0;  // of the last published request; 0 before the first
  bool busy_ = false;           // current_ is in the lane
  LaneCall current_;
  fixed_vector<LaneCall, waiting_calls_max> queue_;
  Time queue_deadline_ = end_of_time;  // what the queue's timer is armed for; end_of_time: not armed

  ResponseHead head_;              // taking: what was copied so far
  std::vector<Blob> replies_;      // taking: one a rank (or one), filled as they are copied
  std::uint32_t copies_left_ = 0;  // taking: replies not copied yet

  LaneFailure failure_;         // condemning .. blaming: why
  std::uint32_t expected_ = 0;  // condemning: what the compare-exchange expects
  std::uint32_t attempts_ = 0;  // condemning: compare-exchanges that met yet another value
  bool won_ = false;            // TERMINAL is ours, and so is the error area, once no rank can write it
  Blob reason_;                 // terminal: the first reason, an error list

 public:
  friend bool operator==(const Channel&, const Channel&) = default;
  TENTER_DESCRIBE(channel, config_, state_, sequence_, busy_, current_, queue_, queue_deadline_, head_, replies_, copies_left_,
                  failure_, expected_, attempts_, won_, reason_)
};

}  // namespace tenter::mailbox

#include "core/mailbox/channel_end.hpp"
#include "core/mailbox/channel_request.hpp"
