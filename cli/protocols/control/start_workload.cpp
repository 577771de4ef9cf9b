#include "cli/protocols/control/start_workload.hpp"

#include <algorithm>
#include <utility>

#include "cli/protocols/control/pause.hpp"
#include "core/text.hpp"

namespace tenter::protocols {

using namespace control;

namespace {
constexpr StartNote pause_kind{0};  // in the list of calls; no note has it
}

void StartWorkload::send(sim::ClientPort& port, StartNote kind, Note note, bool wrong) {
  const Role role = kind == pause_kind ? user_pause_role : supervisor_role;
  StartCall call;
  call.kind = kind;
  call.submitted = port.now();
  call.wrong = wrong;
  call.ticket = port.submit(supervisor_process, role, std::move(note));
  calls_.push_back(call);
}

void StartWorkload::start(sim::ClientPort& port) {
  if (shape_.waits_early) send(port, StartNote::wait, start_note(StartNote::wait));
  if (!shape_.wrong_at_first) return start_job(port);
  JobSpec wrong = shape_.job;
  switch (port.choose(4)) {
    case 0:
      wrong.root = "run";
      break;
    case 1:
      wrong.topology = "{}";
      break;
    case 2:
      wrong.plan.program.clear();
      break;
    default:
      wrong.plan.environment = {{std::string(token_variable), "mine"}};
      break;
  }
  send(port, StartNote::start, tenter::control::job_call(wrong), true);
}

void StartWorkload::start_job(sim::ClientPort& port) {
  send(port, StartNote::start, tenter::control::job_call(shape_.job));
  if (shape_.ends_after) send(port, pause_kind, Pause::call(*shape_.ends_after));
}

void StartWorkload::completed(sim::ClientPort& port, Ticket ticket, const Note&) {
  const auto found = std::find_if(calls_.begin(), calls_.end(), [&](const StartCall& call) { return call.ticket == ticket; });
  if (found == calls_.end()) return;
  found->ended = true;
  const StartCall call = *found;
  if (call.kind == pause_kind) send(port, StartNote::stop, start_note(StartNote::stop));
  // One that overtook the start call found no job.
  if (call.kind == StartNote::stop && !job_call()->ended) send(port, pause_kind, Pause::call(*shape_.ends_after));
  if (call.kind != StartNote::start) return;
  if (call.wrong) return start_job(port);
  send(port, StartNote::wait, start_note(StartNote::wait));
}

void StartWorkload::abandoned(sim::ClientPort&, Ticket ticket) {
  for (StartCall& call : calls_)
    if (call.ticket == ticket) call.ended = call.abandoned = true;
}

bool StartWorkload::finished() const {
  return std::all_of(calls_.begin(), calls_.end(), [](const StartCall& call) { return call.ended; });
}

std::string StartWorkload::waiting_for() const {
  constexpr std::string_view names[] = {"a pause", "start", "stop", "wait"};
  for (const StartCall& call : calls_)
    if (!call.ended)
      return "the answer of ticket " + text_of(number(call.ticket)) + ", " +
             std::string(names[static_cast<std::size_t>(call.kind)]);
  return "nothing";
}

const StartCall* StartWorkload::find(Ticket ticket) const {
  for (const StartCall& call : calls_)
    if (call.ticket == ticket && call.kind != pause_kind) return &call;
  return nullptr;
}

const StartCall* StartWorkload::job_call() const {
  for (const StartCall& call : calls_)
    if (call.kind == StartNote::start && !call.wrong) return &call;
  return nullptr;
}

bool StartWorkload::stop_asked() const {
  return std::any_of(calls_.begin(), calls_.end(), [](const StartCall& call) { return call.kind == StartNote::stop; });
}

}  // namespace tenter::protocols
