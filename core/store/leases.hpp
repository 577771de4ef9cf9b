// Who still reads from a core job that wants to close: looks at the readers' leases until none is alive, or patience ends. Only
// core rank 0 has one. docs/protocols/store.md, spec A2, B3.7; D31.
//
// A lease is alive until its count has stood still for four of its periods by this process's clock, counted from when this
// process saw it first: no clock is compared with another, and a lease of a reader that died long ago costs one such time. A file
// that cannot be read or believed counts as a lease that stands still: it may be one that a slow file system does not show whole
// yet.
//
// Steps are named "leases.<state>.<event>", for example leases.waiting.timer_fired.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/machine.hpp"
#include "core/port.hpp"
#include "core/store/file_name.hpp"
#include "core/store/notes.hpp"
#include "core/store/operation.hpp"

namespace tenter::store {

template <class O>
concept LeasesPorts = Files<O> && Timers<O> && Local<O>;

enum class LeasesOperation : std::uint8_t { list = 1, read = 2, look = 3, patience = 4 };

enum class LeasesState : std::uint8_t {
  idle,     // nobody asked
  listing,  // which leases there are
  reading,  // one after the other
  waiting,  // some reader is alive: until the next look
};

struct LeasesConfig {
  Role owner{};
  Duration first_look_again = milliseconds(10);  // doubled with every look, up to
  Duration last_look_again = milliseconds(250);
  std::uint32_t unread_period_ms = 1'000;  // of a lease that says none
  std::uint32_t period_ms_max = 60'000;    // of a lease that says more: a stranger's number holds no core for ever
  std::uint32_t readers_max = 65'536;      // that are judged one by one; further ones count as alive
  friend bool operator==(const LeasesConfig&, const LeasesConfig&) = default;
  TENTER_DESCRIBE(leases_config, owner, first_look_again, last_look_again, unread_period_ms, period_ms_max, readers_max)
};

struct ReaderSeen {
  Blob file;                // its name in the readers' directory
  std::uint64_t count = 0;  // 0: not read yet; a beat counts from 1
  std::uint32_t period_ms = 0;
  Time moved{};  // when its count was last another than before
  bool lives(Time now) const { return now - moved < milliseconds(period_ms) * periods_to_expire; }
  friend bool operator==(const ReaderSeen&, const ReaderSeen&) = default;
  TENTER_DESCRIBE(reader_seen, file, count, period_ms, moved)
};

// The reader of a lease's file name; all 0 when it is none.
Generation reader_of_file_name(std::string_view file);

// "close: 3 readers may still read, by …: 01ab….lease (count 5, unchanged for 800 ms), …", at most three by name. No reader: not
// all leases were looked at.
std::string readers_text(const std::vector<ReaderSeen>& readers, std::uint64_t others, std::string_view directory, Time now);

class Leases {
 public:
  Leases() = default;
  explicit Leases(LeasesConfig config) : config_(config) {}

  template <LeasesPorts O>
  void on(const event::Started&, O&) {}
  template <LeasesPorts O>
  void on(const event::Told& e, O& out);
  template <LeasesPorts O>
  void on(const event::FilesListed& e, O& out);
  template <LeasesPorts O>
  void on(const event::FileDone& e, O& out);
  template <LeasesPorts O>
  void on(const event::TimerFired& e, O& out);

  std::string_view state_name() const {
    constexpr std::string_view names[] = {"idle", "listing", "reading", "waiting"};
    return names[static_cast<std::size_t>(state_)];
  }

 private:
  template <class O>
  void look(O& out);
  template <class O>
  void read_next(Time now, O& out);
  template <class O>
  void wait(Time now, O& out);
  template <class O>
  void finish(Status status, std::uint64_t readers, std::string text, O& out);

  void keep_listed(const Parts& names, Time now);
  std::vector<ReaderSeen> living(Time now) const;
  bool judge(ReaderSeen& reader, const event::FileDone& e) const;
  Op op(LeasesOperation kind) const { return operation(kind, sequence_); }
  Op patience_op() const { return operation(LeasesOperation::patience, drains_); }
  Blob directory() const { return Blob(std::string_view(readers_directory(drain_.generation))); }

  LeasesConfig config_;
  LeasesState state_ = LeasesState::idle;
  Drain drain_;                      // its patience is 0 again when it has ended
  std::vector<ReaderSeen> readers_;  // by name; the expired ones too, or they would be new at the next look
  std::uint64_t others_ = 0;         // listed beyond readers_max
  std::uint32_t next_ = 0;           // reading: of readers_
  std::uint32_t list_failures_ = 0;  // in a row
  Duration look_again_{};
  std::uint64_t sequence_ = 0;  // over all operations
  std::uint64_t drains_ = 0;

 public:
  friend bool operator==(const Leases&, const Leases&) = default;
  TENTER_DESCRIBE(leases, config_, state_, drain_, readers_, others_, next_, list_failures_, look_again_, sequence_, drains_)
};

// idle --drain--> listing
template <LeasesPorts O>
void Leases::on(const event::Told& e, O& out) {
  const auto drain = read_drain(e.note);
  if (e.from != config_.owner || !drain || state_ != LeasesState::idle) return;
  drain_ = *drain;
  readers_.clear();
  others_ = 0;
  list_failures_ = 0;
  look_again_ = config_.first_look_again;
  ++drains_;
  if (number(drain_.patience) != 0) out.arm(patience_op(), e.now + drain_.patience);
  look(out);
}

template <class O>
void Leases::look(O& out) {
  state_ = LeasesState::listing;
  ++sequence_;
  out.list_files(op(LeasesOperation::list), directory());
}

// listing --names--> reading; no directory: nobody reads; another failure: another look, a few times
template <LeasesPorts O>
void Leases::on(const event::FilesListed& e, O& out) {
  if (state_ != LeasesState::listing || e.op != op(LeasesOperation::list)) return;
  if (e.status == Status::not_found) return finish(Status::ok, 0, {}, out);
  if (e.status != Status::ok) {
    if (++list_failures_ < periods_to_expire) return wait(e.now, out);
    return finish(
        Status::failed, living(e.now).size() + others_,
        "close: the readers' directory " + std::string(directory().text()) + " cannot be listed: " + to_string(e.status), out);
  }
  list_failures_ = 0;
  keep_listed(e.names, e.now);
  next_ = 0;
  read_next(e.now, out);
}

// reading --all read--> waiting, or nobody reads
template <class O>
void Leases::read_next(Time now, O& out) {
  if (next_ < readers_.size()) {
    state_ = LeasesState::reading;
    ++sequence_;
    const Blob path(std::string(directory().text()) + "/" + std::string(readers_[next_].file.text()));
    return out.read_file(op(LeasesOperation::read), path, beat_bytes);
  }
  if (living(now).empty() && others_ == 0) return finish(Status::ok, 0, {}, out);
  wait(now, out);
}

// reading --a lease, or none--> the next one
template <LeasesPorts O>
void Leases::on(const event::FileDone& e, O& out) {
  if (state_ != LeasesState::reading || e.op != op(LeasesOperation::read)) return;
  if (judge(readers_[next_], e))
    ++next_;
  else
    readers_.erase(readers_.begin() + next_);
  read_next(e.now, out);
}

template <class O>
void Leases::wait(Time now, O& out) {
  state_ = LeasesState::waiting;
  ++sequence_;
  out.arm(op(LeasesOperation::look), now + look_again_);
  look_again_ = std::min(look_again_ * 2, config_.last_look_again);
}

// waiting --time--> listing; listing, reading, waiting --patience ends--> idle
template <LeasesPorts O>
void Leases::on(const event::TimerFired& e, O& out) {
  if (state_ == LeasesState::idle) return;
  if (state_ == LeasesState::waiting && e.op == op(LeasesOperation::look)) return look(out);
  if (e.op != patience_op() || number(drain_.patience) == 0) return;
  drain_.patience = {};
  const bool all_known = state_ == LeasesState::waiting;
  if (all_known) out.cancel(op(LeasesOperation::look));
  const std::vector<ReaderSeen> left = living(e.now);
  const std::uint64_t count = left.size() + others_;
  if (all_known && count == 0) return finish(Status::ok, 0, {}, out);  // they expired since the last look
  finish(Status::timed_out, count, readers_text(left, others_, directory().text(), e.now), out);
}

template <class O>
void Leases::finish(Status status, std::uint64_t readers, std::string text, O& out) {
  state_ = LeasesState::idle;
  if (number(drain_.patience) != 0) out.cancel(patience_op());
  out.tell(config_.owner, drained_note(status, readers, std::move(text)));
}

}  // namespace tenter::store
