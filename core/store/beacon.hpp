// Says "still here" in a file, again and again: the heartbeat of a core job (rank 0) and the lease of a reader. One write at a
// time; the count grows with each, so who looks sees it move. docs/protocols/store.md, spec A2, B3.7.
//
// Steps are named "beacon.<state>.<event>", for example beacon.resting.timer_fired.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "core/machine.hpp"
#include "core/port.hpp"
#include "core/store/notes.hpp"
#include "core/store/operation.hpp"

namespace tenter::store {

template <class O>
concept BeaconPorts = Files<O> && Timers<O> && Local<O>;

enum class BeaconOperation : std::uint8_t { write = 1, remove = 2, period = 3 };

enum class BeaconState : std::uint8_t {
  silent,    // nothing is announced
  writing,   // a beat is being written
  resting,   // until the next one is due
  removing,  // the file is being removed
};

// As many writes in a row fail before the owner hears of it: one more period, and others may take it for dead.
inline constexpr std::uint32_t failures_to_tell = static_cast<std::uint32_t>(periods_to_expire) - 1;

class Beacon {
 public:
  Beacon() = default;
  explicit Beacon(Role owner) : owner_(owner) {}

  template <BeaconPorts O>
  void on(const event::Started&, O&) {}
  template <BeaconPorts O>
  void on(const event::Told& e, O& out);
  template <BeaconPorts O>
  void on(const event::FileDone& e, O& out);
  template <BeaconPorts O>
  void on(const event::TimerFired& e, O& out);

  std::string_view state_name() const {
    constexpr std::string_view names[] = {"silent", "writing", "resting", "removing"};
    return names[static_cast<std::size_t>(state_)];
  }
  std::uint64_t count() const { return beat_.count; }

 private:
  template <class O>
  void announce(const Announcement& what, Time now, O& out);
  template <class O>
  void write(Time now, O& out);
  template <class O>
  void remove(O& out);
  template <class O>
  void rest(Time now, O& out);
  template <class O>
  void written(Time now, O& out);
  template <class O>
  void not_written(const event::FileDone& e, O& out);
  template <class O>
  void silence(O& out);

  bool speaks() const { return state_ == BeaconState::writing || state_ == BeaconState::resting; }
  Op period() const { return operation(BeaconOperation::period); }

  Role owner_{};
  BeaconState state_ = BeaconState::silent;
  Blob path_;
  Beat beat_;               // as last written or being written
  bool first_ = false;      // no beat was written yet: the owner waits for `announced`
  bool due_ = false;        // writing: the next period has begun meanwhile
  bool leave_ = false;      // writing: to be removed when this write has ended
  bool owed_ = false;       // the owner waits for `said` of beat_.state
  bool next_owed_ = false;  // writing: the owner wants next_state_ said
  BeatState next_state_ = BeatState::open;
  std::uint32_t failures_ = 0;  // in a row
  std::uint64_t writes_ = 0;    // over all announcements: operations are numbered by it

 public:
  friend bool operator==(const Beacon&, const Beacon&) = default;
  TENTER_DESCRIBE(beacon, owner_, state_, path_, beat_, first_, due_, leave_, owed_, next_owed_, next_state_, failures_, writes_)
};

template <BeaconPorts O>
void Beacon::on(const event::Told& e, O& out) {
  if (e.from != owner_) return;
  if (const auto what = read_announce(e.note)) {
    if (state_ == BeaconState::silent) announce(*what, e.now, out);
  } else if (is(e.note, NoteKind::say)) {
    const auto state = read_state(e.note);
    if (!state || !speaks() || leave_) return;
    next_state_ = *state;
    next_owed_ = true;
    if (state_ == BeaconState::resting) write(e.now, out);
  } else if (is(e.note, NoteKind::withdraw)) {
    if (state_ == BeaconState::silent) return out.tell(owner_, plain_note(NoteKind::withdrawn));
    if (state_ == BeaconState::writing) leave_ = true;
    if (state_ == BeaconState::resting) remove(out);
  }
}

// silent --announce--> writing
template <class O>
void Beacon::announce(const Announcement& what, Time now, O& out) {
  path_ = what.path;
  beat_ = what.beat;
  beat_.count = 0;
  next_state_ = beat_.state;
  first_ = true;
  failures_ = 0;
  write(now, out);
}

// The period counts from the beginning of a write, so a slow file system does not stretch it.
template <class O>
void Beacon::write(Time now, O& out) {
  state_ = BeaconState::writing;
  beat_.state = next_state_;
  owed_ = std::exchange(next_owed_, false) || owed_;
  ++beat_.count;
  out.publish_file(operation(BeaconOperation::write, ++writes_), path_, encode_beat(beat_));
  out.arm(period(), now + milliseconds(beat_.period_ms));
}

template <BeaconPorts O>
void Beacon::on(const event::FileDone& e, O& out) {
  if (state_ == BeaconState::writing && e.op == operation(BeaconOperation::write, writes_)) {
    if (e.status == Status::ok) return written(e.now, out);
    return not_written(e, out);
  }
  if (state_ == BeaconState::removing && e.op == operation(BeaconOperation::remove, writes_)) {
    silence(out);
    const bool gone = e.status == Status::ok || e.status == Status::not_found;
    out.tell(owner_, gone ? plain_note(NoteKind::withdrawn) : plain_note(NoteKind::withdrawn, e.status, e.content));
  }
}

// writing --ok--> resting, or on to what became due meanwhile
template <class O>
void Beacon::written(Time now, O& out) {
  failures_ = 0;
  if (std::exchange(first_, false)) out.tell(owner_, plain_note(NoteKind::announced));
  if (std::exchange(owed_, false)) out.tell(owner_, state_note(NoteKind::said, beat_.state));
  rest(now, out);
}

// writing --not ok--> a first beat is given up; a later one is tried again, unless its directory is gone
template <class O>
void Beacon::not_written(const event::FileDone& e, O& out) {
  const bool first = first_, gone = e.status == Status::not_found;
  if (first || gone) {
    if (leave_) return remove(out);  // the owner waits for `withdrawn` only; what a failed write left is removed
    silence(out);
    return out.tell(owner_, plain_note(first ? NoteKind::announced : NoteKind::unheard, e.status, e.content));
  }
  if (++failures_ == failures_to_tell) out.tell(owner_, plain_note(NoteKind::unheard, e.status, e.content));
  rest(e.now, out);
}

template <class O>
void Beacon::rest(Time now, O& out) {
  state_ = BeaconState::resting;
  if (leave_) return remove(out);
  if (std::exchange(due_, false) || next_owed_) write(now, out);
}

// resting, writing --the next is due--> writing, now or when the present write has ended
template <BeaconPorts O>
void Beacon::on(const event::TimerFired& e, O& out) {
  if (e.op != period()) return;
  if (state_ == BeaconState::writing) due_ = true;
  if (state_ == BeaconState::resting) write(e.now, out);
}

template <class O>
void Beacon::remove(O& out) {
  out.cancel(period());
  state_ = BeaconState::removing;
  out.remove_file(operation(BeaconOperation::remove, ++writes_), path_);
}

template <class O>
void Beacon::silence(O& out) {
  if (state_ == BeaconState::writing) out.cancel(period());
  state_ = BeaconState::silent;
  first_ = due_ = leave_ = owed_ = next_owed_ = false;
  failures_ = 0;
}

}  // namespace tenter::store
