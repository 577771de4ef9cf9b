// From a variable's name to rows that can be read: looks for its record, has it probed by the Reader, announces a lease. One a
// reading process. docs/protocols/store.md, spec A1, A2, B3.4, B3.7; D1, D16, D19, D21, D23, L1, L6.
//
// A record is believed when every core rank passed its probe, and by nothing else. Until the deadline, what was refused is looked
// at again: a slow file system may show it whole later, a dead job's record may be followed by a living one's. The heartbeat only
// decides what the deadline's text says. All leases of a process are one, so all that it has joined is of one core job.
//
// Steps are named "joiner.<state>.<event>", for example joiner.looking.file_done.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/machine.hpp"
#include "core/port.hpp"
#include "core/store/calls.hpp"
#include "core/store/file_name.hpp"
#include "core/store/layout.hpp"
#include "core/store/notes.hpp"
#include "core/store/operation.hpp"
#include "core/store/record.hpp"

namespace tenter::store {

template <class O>
concept JoinerPorts = Files<O> && Timers<O> && Client<O> && Local<O> && Entropy<O>;

enum class JoinerOperation : std::uint8_t { read = 1, beat = 2, list = 3, look = 4, deadline = 5, draw = 6 };

enum class JoinStage : std::uint8_t {
  reading,     // its record
  attaching,   // the Reader probes it
  explaining,  // the probe failed: its core's heartbeat is read, for the text
  waiting,     // until the next look
  listing,     // the directory, so that no cached "does not exist" is believed
  announcing,  // probed; the lease is being written
  joined,
  undoing,  // the Reader is told to forget it; then it is answered
};

enum class LeaseState : std::uint8_t { none, drawing, writing, held, withdrawing };

struct JoinerConfig {
  Role reader{}, beacon{};
  Duration first_look_again = milliseconds(10);  // doubled with every look, up to
  Duration last_look_again = milliseconds(250);
  std::uint32_t lease_period_ms = 1'000;
  std::uint64_t record_bytes_max = layout::file_bytes(layout::cores_max);
  friend bool operator==(const JoinerConfig&, const JoinerConfig&) = default;
  TENTER_DESCRIBE(joiner_config, reader, beacon, first_look_again, last_look_again, lease_period_ms, record_bytes_max)
};

struct JoinUnderWay {
  std::uint64_t number = 0;  // of its present attempt; the Reader knows it by this
  JoinCall call;
  Ticket ticket{};  // of the join, later of the leave
  JoinStage stage = JoinStage::reading;
  std::uint64_t awaited = 0;  // sequence of the operation
  std::uint64_t deadline = 0;
  Duration look_again{};
  Generation generation;              // of the record that is attached
  Status status = Status::timed_out;  // undoing: what it is answered with
  std::string last;                   // what the last look found
  std::string about;                  // whose the last record was
  std::uint64_t beat_count = 0;
  Time beat_moved{};
  friend bool operator==(const JoinUnderWay&, const JoinUnderWay&) = default;
  TENTER_DESCRIBE(join_under_way, number, call, ticket, stage, awaited, deadline, look_again, generation, status, last, about,
                  beat_count, beat_moved)
};

class Joiner {
 public:
  Joiner() = default;
  explicit Joiner(JoinerConfig config) : config_(config) {}

  template <JoinerPorts O>
  void on(const event::Started&, O&) {}
  template <JoinerPorts O>
  void on(const event::Submitted& e, O& out);  // join, leave
  template <JoinerPorts O>
  void on(const event::FileDone& e, O& out);
  template <JoinerPorts O>
  void on(const event::FilesListed& e, O& out);
  template <JoinerPorts O>
  void on(const event::FilesChanged&, O&) {}
  template <JoinerPorts O>
  void on(const event::TimerFired& e, O& out);
  template <JoinerPorts O>
  void on(const event::Told& e, O& out);  // attached, detached, announced, withdrawn, unheard
  template <JoinerPorts O>
  void on(const event::RandomBytes& e, O& out);

  // Of the least advanced join; "idle" when there is none under way.
  std::string_view state_name() const;
  std::size_t joined() const;
  LeaseState lease() const { return lease_; }

 private:
  // joiner_look.hpp
  template <class O>
  void read_record(JoinUnderWay& join, O& out);
  template <class O>
  void judge_record(JoinUnderWay& join, const event::FileDone& e, O& out);
  template <class O>
  void explain(JoinUnderWay& join, O& out);
  void heard(JoinUnderWay& join, const event::FileDone& e);
  template <class O>
  void wait(JoinUnderWay& join, Time now, O& out);
  // joiner_lease.hpp
  template <class O>
  void announce(O& out);
  template <class O>
  void announced(const Note& note, O& out);
  template <class O>
  void let_go(O& out);
  // joiner_calls.hpp
  template <class O>
  void join(const event::Submitted& e, const JoinCall& call, O& out);
  template <class O>
  void leave(const event::Submitted& e, const Blob& variable, O& out);
  template <class O>
  void attached(JoinUnderWay& join, const event::Told& e, O& out);
  template <class O>
  void finish(JoinUnderWay& join, Status status, const std::string& text, O& out);
  template <class O>
  void undo(JoinUnderWay& join, Status status, O& out);
  JoinUnderWay* numbered(std::uint64_t number);
  JoinUnderWay* awaiting(JoinerOperation kind, Op op);
  JoinUnderWay* named(const Blob& variable);
  void forget(std::uint64_t number);

  JoinerConfig config_;
  std::vector<JoinUnderWay> joins_;
  LeaseState lease_ = LeaseState::none;
  Generation core_;              // that the lease is written for
  Generation reader_;            // who this process is; nobody's: not drawn yet
  std::vector<Ticket> leaving_;  // answered when the lease is gone
  std::uint64_t sequence_ = 0;

 public:
  friend bool operator==(const Joiner&, const Joiner&) = default;
  TENTER_DESCRIBE(joiner, config_, joins_, lease_, core_, reader_, leaving_, sequence_)
};

inline std::string_view Joiner::state_name() const {
  constexpr std::string_view names[] = {"reading", "attaching",  "explaining", "waiting",
                                        "listing", "announcing", "joined",     "undoing"};
  if (joins_.empty()) return lease_ == LeaseState::withdrawing ? "leaving" : "idle";
  return names[static_cast<std::size_t>(
      std::min_element(joins_.begin(), joins_.end(), [](const auto& a, const auto& b) { return a.stage < b.stage; })->stage)];
}
inline std::size_t Joiner::joined() const {
  return static_cast<std::size_t>(
      std::count_if(joins_.begin(), joins_.end(), [](const auto& join) { return join.stage == JoinStage::joined; }));
}
inline JoinUnderWay* Joiner::numbered(std::uint64_t number) {
  for (JoinUnderWay& join : joins_)
    if (join.number == number) return &join;
  return nullptr;
}
inline JoinUnderWay* Joiner::awaiting(JoinerOperation kind, Op op) {
  for (JoinUnderWay& join : joins_)
    if (op == operation(kind, join.awaited)) return &join;
  return nullptr;
}
inline JoinUnderWay* Joiner::named(const Blob& variable) {
  for (JoinUnderWay& join : joins_)
    if (join.call.variable == variable) return &join;
  return nullptr;
}
inline void Joiner::forget(std::uint64_t number) {
  std::erase_if(joins_, [&](const JoinUnderWay& join) { return join.number == number; });
}

}  // namespace tenter::store

#include "core/store/joiner_calls.hpp"
#include "core/store/joiner_lease.hpp"
#include "core/store/joiner_look.hpp"
