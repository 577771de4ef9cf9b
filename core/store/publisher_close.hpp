// Publisher: the end. Readers first, then files, then what is read from; so nobody reads from memory that is gone (D3, D31).
// Also the answers of files, timers and notes, which belong to one step each.
#pragma once
#include "core/store/publisher.hpp"
#include "core/text.hpp"

namespace tenter::store {

template <class O>
void Publisher::close(O& out) {
  next_ = 0;
  outcome_ = Status::ok;
  if (!writes_files()) return conclude(Status::ok, {}, out);
  step_ = PublisherStep::saying;
  out.tell(config_.beacon, state_note(NoteKind::say, BeatState::closing));
}

template <PublisherPorts O>
void Publisher::on(const event::Told& e, O& out) {
  const auto number = static_cast<std::uint64_t>(e.note.a);
  if (e.from == config_.beacon) {
    if (step_ == PublisherStep::announcing && is(e.note, NoteKind::announced)) {
      outcome_ = e.note.status;
      outcome_text_ = "the heartbeat was not written: " + std::string(e.note.text.text());
      if (outcome_ == Status::ok) return conclude(Status::ok, {}, out);
      ++sequence_;
      step_ = PublisherStep::clearing;
      return out.remove_directory(op(PublisherOperation::file), Blob(std::string_view(readers_directory(generation_))));
    }
    // A heartbeat that is not heard any more ends the wait for `said`, too.
    if (step_ == PublisherStep::saying && (is(e.note, NoteKind::said) || is(e.note, NoteKind::unheard))) {
      step_ = PublisherStep::draining;
      return out.tell(config_.leases, drain_note({generation_, Duration{calls_.front().note.a}}));
    }
    if (step_ == PublisherStep::withdrawing && is(e.note, NoteKind::withdrawn)) {
      step_ = PublisherStep::clearing;
      ++sequence_;
      return out.remove_directory(op(PublisherOperation::file), Blob(std::string_view(readers_directory(generation_))));
    }
  } else if (e.from == config_.leases && step_ == PublisherStep::draining && is(e.note, NoteKind::drained)) {
    outcome_ = e.note.status;
    outcome_text_ = std::string(e.note.text.text());
    next_ = 0;
    remove_next(out);
  } else if (e.from == config_.reader && step_ == PublisherStep::attaching && is(e.note, NoteKind::attached) &&
             number == adding_.number && outcome_ == Status::ok) {
    out.cancel(op(PublisherOperation::attach));
    variables_.back().attached = e.note.status == Status::ok;
    const std::string text = e.note.status == Status::ok
                                 ? std::string()
                                 : "published, but this rank cannot read it: " + std::string(e.note.text.text());
    finish(e.note.status, text, out);
  } else if (e.from == config_.reader && is(e.note, NoteKind::detached)) {
    if (step_ == PublisherStep::attaching && number == adding_.number)
      return finish(Status::timed_out, "published, but the other ranks did not answer this rank's probes in time", out);
    if (step_ != PublisherStep::detaching || next_ >= variables_.size() || number != variables_[next_].number) return;
    ++next_;
    detach_next(out);
  }
}

// Each record is looked at before it is removed: by now it may be another job's (S10).
template <class O>
void Publisher::remove_next(O& out) {
  ++sequence_;
  if (next_ < variables_.size()) {
    step_ = PublisherStep::checking;
    return out.read_file(op(PublisherOperation::file), Blob(std::string_view(path_of(variables_[next_].variable))),
                         layout::file_bytes(layout::cores_max));
  }
  step_ = PublisherStep::withdrawing;
  out.tell(config_.beacon, plain_note(NoteKind::withdraw));
}

// The close goes on; its answer names the first file that stays.
inline void Publisher::left_behind(std::string_view what, const event::FileDone& e) {
  if (e.status == Status::ok || outcome_ != Status::ok) return;
  outcome_ = e.status;
  outcome_text_ = "left behind: " + std::string(what) + ": " + std::string(e.content.text());
}

template <class O>
void Publisher::detach_next(O& out) {
  step_ = PublisherStep::detaching;
  while (next_ < variables_.size() && !variables_[next_].attached) ++next_;
  if (next_ < variables_.size()) return out.tell(config_.reader, number_note(NoteKind::detach, variables_[next_].number));
  step_ = PublisherStep::leaving;
  ++sequence_;
  out.barrier(op(PublisherOperation::collective), config_.communicator);
}

template <PublisherPorts O>
void Publisher::on(const event::FileDone& e, O& out) {
  if (e.op != op(PublisherOperation::file)) return;
  const std::string why(e.content.text());
  switch (step_) {
    case PublisherStep::making: {
      if (e.status != Status::ok) return conclude(e.status, "the readers' directory was not made: " + why, out);
      step_ = PublisherStep::announcing;
      const Beat heartbeat{BeatKind::core, BeatState::open, generation_, {}, 0, config_.heartbeat_ms};
      return out.tell(config_.beacon, announce_note({Blob(std::string_view(heartbeat_file_name(generation_))), heartbeat}));
    }
    case PublisherStep::looking:
      return found_another(e, out);
    case PublisherStep::listening:
      return heard_another(e, out);
    case PublisherStep::publishing:
      return conclude(e.status, e.status == Status::ok ? std::string() : "its record was not published: " + why, out);
    case PublisherStep::checking: {
      const auto record = e.status == Status::ok ? decode_record(e.content.bytes()) : Result<Record>(error(e.status, {}));
      if (e.status != Status::ok && e.status != Status::not_found) left_behind("a record, which cannot be read", e);
      ++next_;
      if (!record || record->generation != generation_) return remove_next(out);
      step_ = PublisherStep::removing;
      ++sequence_;
      return out.remove_file(op(PublisherOperation::file), Blob(std::string_view(path_of(variables_[next_ - 1].variable))));
    }
    case PublisherStep::removing:
      left_behind("a record", e);
      return remove_next(out);
    case PublisherStep::clearing:
      left_behind("the readers' directory", e);
      return conclude(outcome_, outcome_text_, out);
    default:
      return;
  }
}

template <PublisherPorts O>
void Publisher::on(const event::TimerFired& e, O& out) {
  const bool looks = step_ == PublisherStep::looking || step_ == PublisherStep::listening;
  if (looks && e.op == op(PublisherOperation::look)) {
    ++sequence_;
    return out.list_files(op(PublisherOperation::list), Blob());
  }
  if (step_ != PublisherStep::attaching || e.op != op(PublisherOperation::attach)) return;
  outcome_ = Status::timed_out;
  out.tell(config_.reader, number_note(NoteKind::detach, adding_.number));
}

template <PublisherPorts O>
void Publisher::on(const event::FabricDone& e, O& out) {
  if (e.op != op(PublisherOperation::local)) return;
  if (step_ == PublisherStep::undoing) return finish(outcome_, outcome_text_, out);
  if (step_ != PublisherStep::closing) return;
  link_ = open_ = epoch_ = false;
  variables_.clear();
  finish(outcome_, outcome_text_, out);
}

}  // namespace tenter::store
