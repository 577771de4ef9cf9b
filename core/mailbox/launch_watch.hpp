// Launch, the watch: ranks report themselves, each is then watched by pid and start time; the first exit begins a suspicion, and
// after a moment's grace for the exits that belong to it, the culprit is named.
#pragma once
#include "core/mailbox/launch.hpp"

namespace tenter::mailbox {

// spawning .. killing --the directory may have changed--> watched again, then listed, so that no report is missed; in a start
// also when all ranks have reported, because rank 0 leaves the reason there when it refuses the page
template <LaunchPorts O>
void Launch::on(const event::FilesChanged& e, O& out) {
  if (e.op != op(LaunchOperation::watch_directory) || !made_manifest_) return;
  if (state_ < LaunchState::spawning || state_ > LaunchState::surveying || (processes_.all_reported() && !starting())) return;
  out.watch_files(op(LaunchOperation::watch_directory), directory_);
  if (std::exchange(listing_, true)) return;
  out.list_files(op(LaunchOperation::list_directory), directory_);
}

// spawning .. killing --names--> the reports that are new are read
template <LaunchPorts O>
void Launch::on(const event::FilesListed& e, O& out) {
  if (e.op != op(LaunchOperation::list_directory) || !std::exchange(listing_, false)) return;
  if (e.status != Status::ok && starting())
    return fail(e.status, "StartError", "start: directory " + std::string(directory_.text()) + " could not be listed", e.now,
                out);
  for (const Blob& file : e.names) {
    if (file == start_failure_path() && starting())
      out.read_file(op(LaunchOperation::read_reason), path(file.text()), layout::error_bytes_max);
    const std::optional<std::uint32_t> rank = rank_of_report(file.text(), config_.world);
    if (!rank || processes_.ranks[*rank].reported || processes_.ranks[*rank].reading) continue;
    processes_.ranks[*rank].reading = true;
    out.read_file(op(LaunchOperation::read_report, *rank), path(file.text()), manifest_bytes_max);
  }
  clean_if_all_gone(e.now, out);
}

// spawning .. killing --a report--> that rank is watched; when the group is being killed, it is killed too
template <class O>
void Launch::report_read(const event::FileDone& e, O& out) {
  const std::uint32_t index = index_of(e.op);
  if (index >= processes_.ranks.size() || e.op != op(LaunchOperation::read_report, index)) return;
  RankProcess& rank = processes_.ranks[index];
  if (!std::exchange(rank.reading, false)) return;
  const auto report =
      e.status == Status::ok ? read_report(e.content.text()) : Result<RankReport>(error(e.status, std::string(e.content.text())));
  if (report && report->rank == index) {
    rank.reported = true;
    rank.process = report->process;
    out.watch_process(op(LaunchOperation::watch_rank, index), rank.process);
    if (ending()) out.kill_processes(9, {rank.process});
  } else if (starting() && e.status != Status::not_found) {  // not found: it was replaced just now, and changes again
    const std::string cause = report ? "it is of rank " + text_of(report->rank) : report.error().what;
    return fail(report ? Status::mismatch : report.error().status,
                {RankError{static_cast<std::int32_t>(index), "ReportInvalid",
                           "start: " + std::string(path(report_name(index)).text()) + ": " + cause}},
                e.now, out);
  }
  clean_if_all_gone(e.now, out);
}

template <LaunchPorts O>
void Launch::on(const event::ProcessExited& e, O& out) {
  const bool first = !processes_.any_gone();
  const std::uint32_t index = index_of(e.op);
  if (e.op == op(LaunchOperation::spawn)) {
    LauncherProcess& launcher = processes_.launcher;
    if (!launcher.spawned || std::exchange(launcher.gone, true)) return;
    launcher.code = e.code;
    launcher.signal = e.signal;
  } else if (index < processes_.ranks.size() && e.op == op(LaunchOperation::watch_rank, index)) {
    RankProcess& rank = processes_.ranks[index];
    if (!rank.reported || std::exchange(rank.gone, true)) return;
    rank.orphaned = e.code != -1 || e.signal != -1;
    if (processes_.first_gone == nobody) processes_.first_gone = static_cast<std::int32_t>(index);
  } else {
    return;  // of an earlier attempt
  }
  exited(first, e.now, out);
}

// awaiting_ready, running --first exit--> suspecting; closing: the channel has a moment to say that it was the shutdown
template <class O>
void Launch::exited(bool first, Time now, O& out) {
  switch (state_) {
    case LaunchState::awaiting_ready:
    case LaunchState::running:
      state_ = LaunchState::suspecting;
      return out.arm(op(LaunchOperation::grace), now + config_.grace);
    case LaunchState::closing:
      if (first) out.arm(op(LaunchOperation::grace), now + config_.grace);
      return;
    case LaunchState::leaving:
    case LaunchState::terminating:
    case LaunchState::killing:
    case LaunchState::surveying:
      return clean_if_all_gone(now, out);
    default:
      return;  // remembered; the present step has its own end
  }
}

// suspecting --grace or start deadline--> the start fails | condemning; closing --grace--> condemning
template <class O>
void Launch::suspicion_is_due(Time now, O& out) {
  if (state_ == LaunchState::suspecting && !attached_) {
    out.cancel(op(LaunchOperation::grace));
    return fail(Status::peer_lost, blame_exits("start", processes_), now, out);
  }
  if (state_ == LaunchState::suspecting || state_ == LaunchState::closing) condemn(blame_exits(phase(), processes_), now, out);
}

// running, suspecting, closing --culprit--> condemning: the channel wins TERMINAL, wakes everyone and answers group_ended
template <class O>
void Launch::condemn(std::vector<RankError> errors, Time now, O& out) {
  state_ = LaunchState::condemning;
  out.cancel(op(LaunchOperation::grace));
  reason_ = encode_error_list(errors);
  out.tell(config_.channel, text_note(NoteKind::group_broken, reason_));
  out.arm(op(LaunchOperation::patience), now + config_.answer_wait);
}

// The channel asks: exits are known, else the processes are looked at.
template <class O>
void Launch::blame(O& out) {
  const bool looks = attached_ && state_ >= LaunchState::running && state_ <= LaunchState::leaving;
  if (looks && !processes_.any_gone()) return inspect(LaunchOperation::inspect_blame, out);
  std::vector<RankError> errors = processes_.any_gone() ? blame_exits(phase(), processes_) : std::vector<RankError>();
  out.tell(config_.channel, text_note(NoteKind::culprit, errors.empty() ? Blob() : encode_error_list(errors)));
}

template <class O>
void Launch::inspect(LaunchOperation purpose, O& out) {
  look_ = {purpose, processes_.alive()};
  out.inspect_processes(op(purpose), processes_.ids(look_.who));
}

template <LaunchPorts O>
void Launch::on(const event::ProcessesInspected& e, O& out) {
  if (!look_.purpose || e.op != op(*look_.purpose)) return;
  const Inspection look = std::exchange(look_, {});
  const std::vector<RankError> errors = blame_inspected(phase(), processes_, look, e.states.text());
  switch (*look.purpose) {
    case LaunchOperation::inspect_start:
      if (state_ == LaunchState::inspecting)
        fail(Status::timed_out, errors.empty() ? nobody_to_blame("start") : errors, e.now, out);
      return;
    case LaunchOperation::inspect_leavers:
      return fail_later(Status::timed_out, errors);
    case LaunchOperation::inspect_blame:
      return out.tell(config_.channel, text_note(NoteKind::culprit, errors.empty() ? Blob() : encode_error_list(errors)));
    default:
      if (state_ == LaunchState::surveying) surveyed(survivors(processes_, look, e.states.text()), e.now, out);
  }
}

template <LaunchPorts O>
void Launch::on(const event::TimerFired& e, O& out) {
  if (e.op == op(LaunchOperation::start_deadline) && starting()) return start_deadline(e.now, out);
  if (e.op == op(LaunchOperation::grace)) return suspicion_is_due(e.now, out);
  if (e.op == op(LaunchOperation::patience)) patience_is_over(e.now, out);
}

// What each step does when the answer that it waits for does not come.
template <class O>
void Launch::patience_is_over(Time now, O& out) {
  switch (state_) {
    case LaunchState::explaining:
      return fail(Status::failed, "TerminalReason",
                  "start: the group is TERMINAL, and rank 0 wrote no reason within " +
                      text_of(number(config_.reason_wait) / 1'000'000) + " ms",
                  now, out);
    case LaunchState::spawning:
      return retreat(now, out);  // nobody knows of a launcher, so there is nobody to end
    case LaunchState::inspecting: {
      std::vector<RankError> errors = blame_inspected("start", processes_, std::exchange(look_, {}), "");
      errors.push_back({no_culprit, "InspectionFailed", "start: the processes could not be inspected"});
      return fail(Status::timed_out, std::move(errors), now, out);
    }
    case LaunchState::closing:
      return condemn({RankError{no_culprit, "DeadlineExceeded", "shutdown: the request was not answered"}}, now, out);
    case LaunchState::condemning:
      return group_ended(reason_, now, out);
    case LaunchState::leaving:
      fail_later(Status::timed_out, "DeadlineExceeded",
                 "shutdown: after SHUTDOWN_DONE the time is over, still there: " + names_of(processes_, processes_.alive()));
      inspect(LaunchOperation::inspect_leavers, out);  // before the signals change what there is to see
      return terminate(true, now, out);
    case LaunchState::terminating:
      return kill(now, out);
    case LaunchState::killing:
      state_ = LaunchState::surveying;
      out.arm(op(LaunchOperation::patience), now + config_.answer_wait);
      return inspect(LaunchOperation::inspect_survivors, out);
    case LaunchState::surveying:
      return surveyed(survivors(processes_, std::exchange(look_, {}), ""), now, out);
    case LaunchState::cleaning:
      leftovers_.push_back({no_culprit, "CleanUpError",
                            "clean-up: no answer within " + text_of(number(config_.clean_wait) / 1'000'000) + " ms for " +
                                std::string(directory_.text())});
      return finish(out);
    default:
      return;  // cancelled, or of a step that is over
  }
}

}  // namespace tenter::mailbox
