// Supervisor: the steps of a start, in this order: judge, name the host, draw the token, gate, host file, launcher, ranks, GO.
#pragma once
#include <algorithm>

#include "core/control/supervisor.hpp"
#include "core/text.hpp"

namespace tenter::control {

template <SupervisorPorts O>
void Supervisor::on(const event::Submitted& e, O& out) {
  if (is(e.call, StartNote::stop)) return stop(e.ticket, e.call, e.now, out);
  if (is(e.call, StartNote::wait)) return wait(e.ticket, out);
  start(e.ticket, e.call, e.now, out);
}

// idle --start call--> describing. What is wrong with the call is found before anything is made (S8).
template <class O>
void Supervisor::start(Ticket ticket, const Note& call, Time now, O& out) {
  const auto refuse = [&](Status status, std::string_view why) {
    out.complete(ticket, start_note(StartNote::answer, status, why));
  };
  auto spec = read_job(call);
  if (!spec) return refuse(spec.error().status, spec.error().what);
  auto topology = parse_topology(spec->topology);
  if (!topology) return refuse(topology.error().status, "start: topology: " + topology.error().what);
  if (state_ != SupervisorState::idle)
    return refuse(Status::unavailable, "start: the job is " + std::string(state_name()) + " already; one job a supervisor");
  topology_ = std::move(*topology);
  plan_ = std::move(spec->plan);
  root_ = std::move(spec->root);
  gate_address_ = (spec->listen.empty() ? topology_.controller_host : spec->listen) + ":0";
  start_call_ = ticket;
  deadline_ = now + (number(spec->patience) == 0 ? topology_.startup_timeout : spec->patience);
  processes_.ranks.resize(topology_.world());
  processes_.ranks[0].host = topology_.controller_host;
  for (const ExecutorPlace& executor : topology_.executors) processes_.ranks[executor.rank].host = executor.host;
  state_ = SupervisorState::describing;
  out.arm(op(SupervisorOperation::deadline), deadline_);
  out.describe_host(op(SupervisorOperation::describe));
}

template <SupervisorPorts O>
void Supervisor::on(const event::HostDescribed& e, O& out) {
  if (state_ != SupervisorState::describing || e.op != op(SupervisorOperation::describe)) return;
  host_ = std::string(e.host.text());
  state_ = SupervisorState::drawing;
  out.draw_random(op(SupervisorOperation::draw), token_bytes + name_bytes);
}

// drawing --bytes--> opening. What is left of the time is the gate's.
template <SupervisorPorts O>
void Supervisor::on(const event::RandomBytes& e, O& out) {
  if (state_ != SupervisorState::drawing || e.op != op(SupervisorOperation::draw)) return;
  if (e.content.size() != token_bytes + name_bytes)
    return fail(Status::failed, "start: too few random bytes came for a token", e.now, out);
  token_ = Hidden(token_text(e.content.bytes().first(token_bytes)));
  hosts_name_ = "hosts-" + hex_text(e.content.bytes().subspan(token_bytes));
  GateOrder order{gate_address_, token_, deadline_ - e.now, {}};
  if (number(order.patience) <= 0) return fail(Status::timed_out, "start: no time was left for the gate", e.now, out);
  for (const JobRank& rank : processes_.ranks) order.hosts.push_back(rank.host);
  state_ = SupervisorState::opening;
  gate_open_ = true;
  out.tell(config_.gate, gate_order_note(order));
}

template <SupervisorPorts O>
void Supervisor::on(const event::Told& e, O& out) {
  if (e.from != config_.gate || !gate_open_) return;
  if (is(e.note, StartNote::gate_listening) && state_ == SupervisorState::opening) return listening(e.note.text.text(), out);
  if (is(e.note, StartNote::rank_seen)) return rank_seen(e.note, out);
  if (!is(e.note, StartNote::gate_passed) && !is(e.note, StartNote::gate_failed)) return;
  gate_open_ = false;
  if (is(e.note, StartNote::gate_passed) && state_ == SupervisorState::gathering) return go(out);
  if (is(e.note, StartNote::gate_passed) && state_ == SupervisorState::suspecting) {  // a job that was quicker than this word
    go(out);
    return exited(e.now, out);
  }
  if (is(e.note, StartNote::gate_failed)) {
    const std::string why(e.note.text.text());
    const bool nobody_is_missing = e.note.status == Status::cancelled && e.note.parts.empty();
    if (starting() && state_ != SupervisorState::suspecting) return fail(e.note.status, why, e.now, out);
    if (!nobody_is_missing) blame(e.note.status, why);
  }
  if (state_ == SupervisorState::cleaning) finish_if_clean(out);
}

// opening --listening--> writing | spawning
template <class O>
void Supervisor::listening(std::string_view address, O& out) {
  gate_address_ = std::string(address);
  if (plan_.family != LauncherFamily::hydra) return spawn(out);
  state_ = SupervisorState::writing;
  made_hosts_ = true;
  out.publish_file(op(SupervisorOperation::write_hosts), hosts_file(),
                   Blob(std::string_view(print_host_file(host_slots(topology_)))));
}

template <SupervisorPorts O>
void Supervisor::on(const event::FileDone& e, O& out) {
  if (e.op == op(SupervisorOperation::write_hosts) && state_ == SupervisorState::writing) {
    if (e.status == Status::ok) return spawn(out);
    made_hosts_ = false;
    return fail(e.status, "start: the host file could not be written: " + std::string(e.content.text()), e.now, out);
  }
  if (e.op != op(SupervisorOperation::remove_hosts) || state_ != SupervisorState::cleaning) return;
  if (e.status != Status::ok)
    leftovers_ += (leftovers_.empty() ? "" : "; ") +
                  ("the host file " + hosts_name_ + " could not be removed: " + std::string(e.content.text()));
  made_hosts_ = false;
  finish_if_clean(out);
}

// --> spawning. Where every rank is on this host they are all watched, so it is us who end them: the launcher's own clean-up
// would kill others before it is seen who went first.
template <class O>
void Supervisor::spawn(O& out) {
  state_ = SupervisorState::spawning;
  plan_.cleans_up = !std::all_of(processes_.ranks.begin(), processes_.ranks.end(),
                                 [&](const JobRank& rank) { return rank.host == host_ || is_loopback(rank.host); });
  LaunchCommand command = launch_command(plan_, topology_, root_ + "/" + hosts_name_, gate_address_, token_);
  out.spawn(op(SupervisorOperation::spawn), std::move(command.arguments), std::move(command.environment));
}

// spawning --spawned--> gathering. If it is over meanwhile, only now it is known whom to end.
template <SupervisorPorts O>
void Supervisor::on(const event::Spawned& e, O& out) {
  if (e.op != op(SupervisorOperation::spawn) || processes_.spawned) return;
  if (state_ != SupervisorState::spawning && state_ != SupervisorState::cleaning && state_ != SupervisorState::ended) return;
  if (e.status == Status::ok) {
    processes_.spawned = true;
    processes_.launcher = e.process;
  }
  if (state_ != SupervisorState::spawning) {  // far too late: nobody waited for it any more
    if (e.status == Status::ok) out.kill_processes(9, {e.process});
    return;
  }
  if (e.status != Status::ok)
    blame(e.status, "start: the launcher " + plan_.launcher + " could not be started: " + std::string(e.text.text()));
  if (!failures_.empty()) return retreat(e.now, out);
  state_ = SupervisorState::gathering;
  // The gate ends at the deadline and names who is missing; this is for a gate that does not.
  out.arm(op(SupervisorOperation::deadline), deadline_ + config_.answer_wait);
  if (!gate_open_) go(out);  // the ranks were faster than the answer
  if (processes_.any_gone()) exited(e.now, out);
}

// A rank on this host is watched from its report on; one of another host goes with the launcher.
template <class O>
void Supervisor::rank_seen(const Note& note, O& out) {
  if (note.a < 0 || note.a >= static_cast<std::int64_t>(processes_.ranks.size())) return;
  JobRank& rank = processes_.ranks[static_cast<std::size_t>(note.a)];
  const ProcessId process{static_cast<std::uint64_t>(note.b), static_cast<std::uint64_t>(note.c)};
  if (process.pid == 0 || note.text.text() != host_ || rank.watched) return;
  rank.process = process;
  rank.watched = true;
  out.watch_process(op(SupervisorOperation::watch_rank, static_cast<std::uint64_t>(note.a)), process);
  if (state_ >= SupervisorState::terminating) out.kill_processes(9, {process});
}

// gathering --every rank has joined--> running
template <class O>
void Supervisor::go(O& out) {
  state_ = SupervisorState::running;
  token_ = {};
  out.cancel(op(SupervisorOperation::deadline));
  out.cancel(op(SupervisorOperation::grace));
  out.complete(*std::exchange(start_call_, std::nullopt), start_note(StartNote::answer));
}

}  // namespace tenter::control
