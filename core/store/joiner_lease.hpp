// Joiner: the one lease of this process, written while anything is joined.
#pragma once
#include "core/store/joiner.hpp"
#include "core/text.hpp"

namespace tenter::store {

// Whoever is probed needs the lease: drawn, written, or held already.
template <class O>
void Joiner::announce(O& out) {
  const auto wants =
      std::find_if(joins_.begin(), joins_.end(), [](const JoinUnderWay& join) { return join.stage == JoinStage::announcing; });
  if (wants == joins_.end()) return;
  if (lease_ == LeaseState::held) return announced(plain_note(NoteKind::announced), out);
  if (lease_ != LeaseState::none) return;
  if (is_nobodys(reader_)) {
    lease_ = LeaseState::drawing;
    return out.draw_random(operation(JoinerOperation::draw), generation_bytes);
  }
  lease_ = LeaseState::writing;
  core_ = wants->generation;
  const Beat lease{BeatKind::reader, BeatState::open, core_, reader_, 0, config_.lease_period_ms};
  out.tell(config_.beacon, announce_note({Blob(std::string_view(lease_path(core_, reader_))), lease}));
}

template <JoinerPorts O>
void Joiner::on(const event::RandomBytes& e, O& out) {
  if (lease_ != LeaseState::drawing || e.content.size() != generation_bytes) return;
  reader_ = generation_of(e.content.bytes());
  lease_ = LeaseState::none;
  announce(out);
}

// writing --ok--> held, and who waited is joined; not ok: the core has closed, or nothing can be written there
template <class O>
void Joiner::announced(const Note& note, O& out) {
  lease_ = note.status == Status::ok ? LeaseState::held : LeaseState::none;
  bool others = false;
  for (JoinUnderWay& join : joins_) {
    if (join.stage != JoinStage::announcing) continue;
    if (join.generation != core_) {
      others = true;
    } else if (note.status == Status::ok) {
      join.stage = JoinStage::joined;
      out.cancel(operation(JoinerOperation::deadline, join.deadline));
      out.complete(join.ticket, answer_note(CallKind::join, Status::ok, {}));
    } else {
      join.last = join.about + (note.status == Status::not_found ? "its job has closed: " : "the lease was not written: ") +
                  std::string(note.text.text());
      undo(join, Status::unavailable, out);
    }
  }
  if (!others) return let_go(out);
  for (JoinUnderWay& join : joins_) {  // one lease a process: what is of another job has to wait for the leave of this one
    if (join.stage != JoinStage::announcing || lease_ != LeaseState::held) continue;
    join.last = join.about + "this process reads from job " + to_string(core_) + "; leave it first";
    undo(join, Status::unavailable, out);
  }
  if (lease_ == LeaseState::none) announce(out);
}

// Nobody needs the lease any more.
template <class O>
void Joiner::let_go(O& out) {
  const bool needed = std::any_of(joins_.begin(), joins_.end(), [](const JoinUnderWay& join) {
    return join.stage == JoinStage::joined || join.stage == JoinStage::announcing || join.stage == JoinStage::undoing;
  });
  if (!needed && (lease_ == LeaseState::held || lease_ == LeaseState::writing)) {
    lease_ = LeaseState::withdrawing;
    return out.tell(config_.beacon, plain_note(NoteKind::withdraw));
  }
  if (lease_ == LeaseState::withdrawing) return;
  for (const Ticket ticket : std::exchange(leaving_, {})) out.complete(ticket, answer_note(CallKind::leave, Status::ok, {}));
}

}  // namespace tenter::store
