// Supervisor: the watch over its processes, and the one way out: close the gate, SIGTERM, SIGKILL, host file, answers.
#pragma once
#include "core/control/supervisor.hpp"
#include "core/text.hpp"

namespace tenter::control {

// any --stop call--> answered once nothing is left
template <class O>
void Supervisor::stop(Ticket ticket, const Note&, Time now, O& out) {
  if (state_ == SupervisorState::idle || state_ == SupervisorState::ended)
    return out.complete(ticket, start_note(StartNote::answer, leftovers_.empty() ? Status::ok : Status::failed, leftovers_));
  if (stop_calls_.full())
    return out.complete(ticket, start_note(StartNote::answer, Status::no_space, "stop: too many calls wait for the end already"));
  stop_calls_.push_back(ticket);
  end_job("stopped by a call", now, out);
}

// Who started the supervisor is gone: the job does not outlive it.
template <SupervisorPorts O>
void Supervisor::on(const event::ParentExited& e, O& out) {
  if (state_ != SupervisorState::idle && state_ != SupervisorState::ended) end_job("who started it is gone", e.now, out);
}

template <class O>
void Supervisor::end_job(std::string_view why, Time now, O& out) {
  if (std::exchange(stopped_, true)) return;
  if (starting()) return fail(Status::cancelled, "start: " + std::string(why) + " while " + std::string(state_name()), now, out);
  if (state_ != SupervisorState::running && state_ != SupervisorState::leaving) return;
  blame(Status::cancelled, "run: " + std::string(why));
  retreat(now, out);
}

template <class O>
void Supervisor::wait(Ticket ticket, O& out) {
  if (state_ == SupervisorState::idle)
    return out.complete(ticket, start_note(StartNote::answer, Status::unavailable, "wait: there is no job"));
  if (state_ == SupervisorState::ended) return out.complete(ticket, outcome());
  if (wait_calls_.full())
    return out.complete(ticket, start_note(StartNote::answer, Status::no_space, "wait: too many calls wait for the end already"));
  wait_calls_.push_back(ticket);
}

template <SupervisorPorts O>
void Supervisor::on(const event::ProcessExited& e, O& out) {
  const std::uint64_t which = which_of(e.op);
  if (e.op == op(SupervisorOperation::spawn)) {
    if (!processes_.spawned || std::exchange(processes_.launcher_gone, true)) return;
    processes_.code = e.code;
    processes_.signal = e.signal;
  } else if (which < processes_.ranks.size() && e.op == op(SupervisorOperation::watch_rank, which)) {
    JobRank& rank = processes_.ranks[which];
    if (!rank.watched || std::exchange(rank.gone, true)) return;
    if (processes_.first_gone < 0) processes_.first_gone = static_cast<std::int64_t>(which);
  } else {
    return;
  }
  exited(e.now, out);
}

// gathering --an exit--> suspecting: a rank that leaves before MPI_Init never comes back, and the launcher does not notice it.
// running --an exit--> leaving: MPI_Finalize is everybody's, so the others follow (P-X19).
template <class O>
void Supervisor::exited(Time now, O& out) {
  switch (state_) {
    case SupervisorState::gathering:
      state_ = SupervisorState::suspecting;
      return out.arm(op(SupervisorOperation::grace), now + config_.grace);
    case SupervisorState::running:
    case SupervisorState::leaving:
      if (processes_.all_gone()) {
        if (processes_.failed()) blame(Status::failed, "run: " + processes_.exits());
        return clean(now, out);
      }
      if (state_ == SupervisorState::running) out.arm(op(SupervisorOperation::patience), now + config_.leave_wait);
      if (processes_.launcher_gone) out.arm(op(SupervisorOperation::patience), now + config_.grace);
      state_ = SupervisorState::leaving;
      return;
    case SupervisorState::terminating:
    case SupervisorState::killing:
      if (processes_.all_gone()) clean(now, out);
      return;
    default:
      return;  // remembered; the present step has its own end
  }
}

inline void Supervisor::blame(Status status, const std::string& why) {
  if (failures_.empty()) status_ = status;
  failures_.push_back(why);
}

template <class O>
void Supervisor::fail(Status status, const std::string& why, Time now, O& out) {
  blame(status, why);
  if (state_ != SupervisorState::spawning) return retreat(now, out);
  out.arm(op(SupervisorOperation::patience), now + config_.answer_wait);  // whom to end is known with the answer only
}

// --> terminating, or cleaning when no process is left
template <class O>
void Supervisor::retreat(Time now, O& out) {
  out.cancel(op(SupervisorOperation::deadline));
  out.cancel(op(SupervisorOperation::grace));
  if (processes_.all_gone()) return clean(now, out);
  terminate(now, out);
}

template <class O>
void Supervisor::terminate(Time now, O& out) {
  state_ = SupervisorState::terminating;
  out.kill_processes(15, processes_.alive());
  out.arm(op(SupervisorOperation::patience), now + config_.terminate_wait);
  if (gate_open_) out.tell(config_.gate, start_note(StartNote::close_gate));
}

// --> cleaning; ended when the host file is gone and the gate has told its end
template <class O>
void Supervisor::clean(Time now, O& out) {
  if (gate_open_ && state_ < SupervisorState::terminating) out.tell(config_.gate, start_note(StartNote::close_gate));
  state_ = SupervisorState::cleaning;
  token_ = {};
  if (made_hosts_) out.remove_file(op(SupervisorOperation::remove_hosts), hosts_file());
  out.arm(op(SupervisorOperation::patience), now + config_.clean_wait);
  finish_if_clean(out);
}

template <class O>
void Supervisor::finish_if_clean(O& out) {
  if (!made_hosts_ && !gate_open_) finish(out);
}

template <class O>
void Supervisor::finish(O& out) {
  out.cancel(op(SupervisorOperation::patience));
  state_ = SupervisorState::ended;
  const Note end = outcome();
  if (start_call_) out.complete(*std::exchange(start_call_, std::nullopt), end);
  for (const Ticket ticket : wait_calls_) out.complete(ticket, end);
  for (const Ticket ticket : stop_calls_)
    out.complete(ticket, start_note(StartNote::answer, leftovers_.empty() ? Status::ok : Status::failed, leftovers_));
  wait_calls_.clear();
  stop_calls_.clear();
}

// a: the launcher's exit code, b: its signal
inline Note Supervisor::outcome() const {
  std::string text;
  for (const std::string& failure : failures_) text += (text.empty() ? "" : "; ") + failure;
  if (!leftovers_.empty()) text += (text.empty() ? "left behind: " : "; left behind: ") + leftovers_;
  Note note = start_note(StartNote::answer, failures_.empty() && !leftovers_.empty() ? Status::failed : status_, text);
  note.a = processes_.code;
  note.b = processes_.signal;
  return note;
}

template <SupervisorPorts O>
void Supervisor::on(const event::TimerFired& e, O& out) {
  if (e.op == op(SupervisorOperation::deadline) && starting()) return deadline_is_over(e.now, out);
  if (e.op == op(SupervisorOperation::patience)) return patience_is_over(e.now, out);
  if (e.op == op(SupervisorOperation::grace) && state_ == SupervisorState::suspecting)
    fail(Status::peer_lost, "start: " + processes_.exits(), e.now, out);
}

template <class O>
void Supervisor::deadline_is_over(Time now, O& out) {
  if (state_ == SupervisorState::suspecting) return fail(Status::peer_lost, "start: " + processes_.exits(), now, out);
  fail(Status::timed_out, "start: not started in time, " + std::string(state_name()), now, out);
}

// What each step does when what it waits for does not come.
template <class O>
void Supervisor::patience_is_over(Time now, O& out) {
  switch (state_) {
    case SupervisorState::spawning:  // nobody knows of a launcher, so there is nobody to end
      return retreat(now, out);
    case SupervisorState::leaving:
      blame(Status::timed_out, "run: " + processes_.exits() + "; still there: " + processes_.names());
      return retreat(now, out);
    case SupervisorState::terminating:
      state_ = SupervisorState::killing;
      out.kill_processes(9, processes_.alive());
      return out.arm(op(SupervisorOperation::patience), now + config_.kill_wait);
    case SupervisorState::killing:
      leftovers_ = "after SIGKILL still there: " + processes_.names();
      return clean(now, out);
    case SupervisorState::cleaning:
      if (made_hosts_) leftovers_ += (leftovers_.empty() ? "" : "; ") + ("no answer about the host file " + hosts_name_);
      return finish(out);
    default:
      return;  // of a step that is over
  }
}

}  // namespace tenter::control
