// Launch, the end: an orderly shutdown, or whatever went wrong, leads to: no process, no manifest, no page, no directory. Every
// step is tried, also when one before it failed; what could not be undone is told.
#pragma once
#include "core/mailbox/launch.hpp"

namespace tenter::mailbox {

// any --stop call--> answered once nothing is left; a second one waits for the same end, after that it is a success without
// effect
template <class O>
void Launch::stop(Ticket ticket, const Note& call, Time now, O& out) {
  auto patience = read_stop(call);
  if (!patience) return out.complete(ticket, answer_error(patience.error().status, "ShutdownError", patience.error().what));
  if (state_ == LaunchState::idle) return out.complete(ticket, answer_note(Status::ok, {}));
  if (state_ == LaunchState::ended) {  // what the end left behind, once
    out.complete(ticket, leftovers_.empty() ? answer_note(Status::ok, {})
                                            : answer_note(Status::failed, {}, encode_error_list(leftovers_)));
    return leftovers_.clear();
  }
  if (stop_calls_.full())
    return out.complete(ticket, answer_error(Status::no_space, "ShutdownError", "shutdown: too many calls wait for it already"));
  stop_calls_.push_back(ticket);
  if (stop_calls_.size() > 1) return;
  stop_deadline_ = now + (number(*patience) == 0 ? config_.stop_patience : *patience);
  if (state_ == LaunchState::running) return shut_down(now, out);
  if (!starting()) return;
  if (state_ == LaunchState::spawning) {  // whom to end is known with the answer only
    fail_later(Status::cancelled, "StartError", "start: cancelled by a shutdown while spawning");
    return out.arm(op(LaunchOperation::patience), now + config_.answer_wait);
  }
  fail(Status::cancelled, "StartError", std::string("start: cancelled by a shutdown while ") + to_string(state_), now, out);
}

// running --stop call--> closing: a SHUTDOWN request through the lane, behind the one that is in it
template <class O>
void Launch::shut_down(Time now, O& out) {
  state_ = LaunchState::closing;
  out.tell(config_.channel, request_note({Opcode::shutdown, Target::group, -1, stop_deadline_ - now, Parts{Blob()}}, attempt_));
  out.arm(op(LaunchOperation::patience), stop_deadline_ + config_.answer_wait);
}

template <LaunchPorts O>
void Launch::on(const event::Told& e, O& out) {
  if (e.from != config_.channel) return;
  if (is(e.note, NoteKind::who_is_to_blame)) return blame(out);
  if (is(e.note, NoteKind::group_ended)) return group_ended(e.note.text, e.now, out);
  if (is(e.note, NoteKind::group_closed)) return closed(e.now, out);
  if (!is(e.note, NoteKind::answer) || e.note.ticket != attempt_ || state_ != LaunchState::closing) return;
  if (e.note.status == Status::ok) return closed(e.now, out);
  if (e.note.status == Status::peer_lost) return;  // TERMINAL: group_ended follows, else the patience ends it
  std::vector<RankError> errors = decode_error_list(e.note.text.bytes());
  errors.insert(errors.begin(),
                RankError{no_culprit, "ShutdownError", "shutdown: the request failed, so the group is ended by force"});
  condemn(std::move(errors), e.now, out);
}

// running, suspecting, condemning, closing --SHUTDOWN was answered, whoever asked for it--> leaving
template <class O>
void Launch::closed(Time now, O& out) {
  if (!attached_ || state_ < LaunchState::suspecting || state_ > LaunchState::closing) return;
  if (stop_calls_.empty()) stop_deadline_ = now + config_.stop_patience;
  state_ = LaunchState::leaving;
  out.cancel(op(LaunchOperation::grace));
  out.tell(config_.rendezvous, plain_note(NoteKind::group_closed));
  out.arm(op(LaunchOperation::patience), stop_deadline_);
  clean_if_all_gone(now, out);
}

// running .. leaving --TERMINAL--> everyone is killed
template <class O>
void Launch::group_ended(const Blob& reason, Time now, O& out) {
  if (!attached_ || state_ < LaunchState::suspecting || state_ > LaunchState::leaving) return;
  reason_ = reason;
  out.tell(config_.rendezvous, text_note(NoteKind::group_ended, reason_));
  if (!stop_calls_.empty()) {
    fail_later(Status::peer_lost, "ShutdownError", "shutdown: not orderly, the group ended first");
    for (RankError& error : decode_error_list(reason_.bytes())) failure_.push_back(std::move(error));
  }
  retreat(now, out);
}

// --> terminating, or cleaning when no process was made
template <class O>
void Launch::retreat(Time now, O& out) {
  out.cancel(op(LaunchOperation::start_deadline));
  out.cancel(op(LaunchOperation::grace));
  look_ = {};
  if (!attached_ && processes_.launcher.spawned) {
    out.unwatch(op(LaunchOperation::watch_group));
    out.unwatch(op(LaunchOperation::error_length));
    out.publish_if(op(LaunchOperation::condemn), group_word, number(GroupState::initializing), number(GroupState::terminal));
    if (!processes_.all_reported() && !std::exchange(listing_, true))
      out.list_files(op(LaunchOperation::list_directory), directory_);
  }
  if (processes_.all_gone() && !listing_) return clean(now, out);
  terminate(false, now, out);
}

// leaving, or a failure --> terminating. The launcher is asked first, because it alone knows ranks that have not reported; ranks
// that we know are not asked, unless they were leaving by themselves.
template <class O>
void Launch::terminate(bool orderly, Time now, O& out) {
  state_ = LaunchState::terminating;
  std::vector<std::int32_t> ranks = processes_.alive();
  std::erase(ranks, the_launcher);
  if (!ranks.empty()) out.kill_processes(orderly ? 15 : 9, processes_.ids(ranks));
  if (processes_.launcher.spawned && !processes_.launcher.gone) out.kill_processes(15, {processes_.launcher.process});
  out.arm(op(LaunchOperation::patience), now + config_.terminate_wait);
}

// terminating --still there--> killing
template <class O>
void Launch::kill(Time now, O& out) {
  state_ = LaunchState::killing;
  const std::vector<std::int32_t> who = processes_.alive();
  if (!who.empty()) out.kill_processes(9, processes_.ids(who));
  out.arm(op(LaunchOperation::patience), now + config_.kill_wait);
}

// surveying --who survived--> cleaning all the same
template <class O>
void Launch::surveyed(std::vector<RankError> errors, Time now, O& out) {
  leftovers_.insert(leftovers_.end(), std::make_move_iterator(errors.begin()), std::make_move_iterator(errors.end()));
  clean(now, out);
}

// leaving, terminating, killing, surveying --last exit--> cleaning
template <class O>
void Launch::clean_if_all_gone(Time now, O& out) {
  if (state_ < LaunchState::leaving || state_ > LaunchState::surveying || !processes_.all_gone() || listing_) return;
  if (state_ == LaunchState::leaving && (processes_.launcher.code != 0 || processes_.launcher.signal > 0))
    fail_later(Status::failed, blame_exits("shutdown", processes_));  // MPI_Finalize is collective: who went first did not leave
  clean(now, out);
}

// --> cleaning, in the reverse order of the start; each step is tried whatever became of the others
template <class O>
void Launch::clean(Time now, O& out) {
  state_ = LaunchState::cleaning;
  look_ = {};
  if (made_manifest_) out.remove_file(op(LaunchOperation::remove_manifest), path(manifest_path().text()));
  if (made_page_) {
    out.close_page();
    out.unlink_page(page_);
  }
  if (made_directory_) out.remove_directory(op(LaunchOperation::remove_directory), directory_);
  removing_ = static_cast<std::uint8_t>(int{made_manifest_} + int{made_directory_});
  if (removing_ == 0) return finish(out);
  out.arm(op(LaunchOperation::patience), now + config_.clean_wait);
}

// cleaning --removed, or not--> cleaning; the last answer: idle | ended
template <class O>
void Launch::removed(const event::FileDone& e, O& out) {
  const bool manifest = e.op == op(LaunchOperation::remove_manifest);
  if (state_ != LaunchState::cleaning || (!manifest && e.op != op(LaunchOperation::remove_directory))) return;
  bool& made = manifest ? made_manifest_ : made_directory_;
  if (!std::exchange(made, false)) return;
  if (e.status != Status::ok)
    leftovers_.push_back({no_culprit, "CleanUpError",
                          "clean-up: " + std::string((manifest ? path(manifest_path().text()) : directory_).text()) +
                              " could not be removed: " + std::string(e.content.text())});
  if (--removing_ == 0) finish(out);
}

// cleaning --done--> idle after a failed start: it can be tried again; ended after a group
template <class O>
void Launch::finish(O& out) {
  out.cancel(op(LaunchOperation::patience));
  if (start_call_) out.complete(*start_call_, answer_note(status_, {}, failures(true)));
  const bool orderly = start_call_.has_value() || failure_.empty();
  for (Ticket ticket : stop_calls_) {
    if (orderly && leftovers_.empty())
      out.complete(ticket, answer_note(Status::ok, {}));
    else
      out.complete(ticket, answer_note(orderly ? Status::failed : status_, {}, failures(!start_call_)));
  }
  Launch next(config_);
  next.attempt_ = attempt_ + 1;  // every answer that is still to come is of the past
  next.state_ = attached_ ? LaunchState::ended : LaunchState::idle;
  next.reason_ = std::move(reason_);
  if (attached_ && stop_calls_.empty()) next.leftovers_ = std::move(leftovers_);
  *this = std::move(next);
}

}  // namespace tenter::mailbox
