#include "cli/protocols/store/store_workload.hpp"

#include <algorithm>
#include <utility>

namespace tenter::protocols {

using namespace store;

namespace {
constexpr Duration plenty = seconds(20);
}  // namespace

StoreWorkload::StoreWorkload(StoreShape shape, std::vector<StoreVariable> variables)
    : shape_(shape), truth_(std::move(variables)), published_(truth_.variables().size(), false) {
  for (std::uint32_t i = 0; i < shape_.cores + shape_.readers; ++i) {
    Actor actor;
    actor.name = i < shape_.cores ? "core " + std::to_string(i) : "reader " + std::to_string(i - shape_.cores);
    actor.left = shape_.operations;
    actor.tries = 3;
    actor.joined.resize(truth_.variables().size(), false);
    actors_.push_back(std::move(actor));
  }
}

void StoreWorkload::start(sim::ClientPort& port) {
  for (Actor& actor : actors_) actor.process = port.process(actor.name);
  open_job(port);
  for (std::size_t i = shape_.cores; i < actors_.size(); ++i) {
    actors_[i].doing = Doing::joining;
    join_next(port, i);
  }
}

StoreCall& StoreWorkload::send(sim::ClientPort& port, std::size_t actor, Role role, Note note, StoreCall call) {
  call.actor = actor;
  call.process = actors_[actor].process;
  call.run = run();
  call.submitted = port.now();
  call.kind = CallKind{note.kind};
  call.ticket = port.submit(call.process, role, std::move(note));
  calls_.push_back(std::move(call));
  return calls_.back();
}

const StoreCall* StoreWorkload::find(Ticket ticket) const {
  const auto found = std::find_if(calls_.rbegin(), calls_.rend(), [&](const StoreCall& call) { return call.ticket == ticket; });
  return found == calls_.rend() ? nullptr : &*found;
}

const StoreCall* StoreWorkload::find_buffer(sim::ProcessIndex process, Buffer buffer) const {
  const auto found = std::find_if(calls_.rbegin(), calls_.rend(), [&](const StoreCall& call) {
    return call.kind == CallKind::get && call.process == process && call.buffer == buffer;
  });
  return found == calls_.rend() ? nullptr : &*found;
}

std::string StoreWorkload::name_of(const StoreCall& call) const {
  std::string text = actors_[call.actor].name + ", " + to_string(call.kind);
  if (call.kind != CallKind::open && call.kind != CallKind::close) text += " \"" + truth_.variables()[call.variable].name + "\"";
  return text;
}

std::vector<sim::ProcessIndex> StoreWorkload::joined_readers() const {
  std::vector<sim::ProcessIndex> processes;
  for (std::size_t i = shape_.cores; i < actors_.size(); ++i) {
    const Actor& actor = actors_[i];
    const bool joined = std::find(actor.joined.begin(), actor.joined.end(), true) != actor.joined.end();
    if (!actor.gone && actor.doing == Doing::working && joined) processes.push_back(actor.process);
  }
  return processes;
}

// ---------------------------------------------------------------- the core job

void StoreWorkload::collective(sim::ClientPort& port, const std::vector<Note>& notes) {
  answers_ = 0;
  step_status_ = Status::ok;
  for (std::size_t rank = 0; rank < shape_.cores; ++rank) {
    StoreCall call;
    call.variable = adding_ < truth_.variables().size() ? adding_ : 0;
    send(port, rank, publisher_role, notes[rank], std::move(call));
  }
}

void StoreWorkload::open_job(sim::ClientPort& port) {
  truth_.begin_run();
  std::fill(published_.begin(), published_.end(), false);
  job_ = JobStep::opening;
  adding_ = 0;
  collective(port, std::vector<Note>(shape_.cores, call_note(CallKind::open)));
}

void StoreWorkload::add_next(sim::ClientPort& port) {
  if (adding_ == truth_.variables().size()) return run_job(port);
  job_ = JobStep::adding;
  const StoreVariable& variable = truth_.variables()[adding_];
  truth_.added(adding_);
  std::vector<Note> notes;
  for (std::uint32_t rank = 0; rank < shape_.cores; ++rank) {
    AddCall call;
    call.variable = Blob(variable.name);
    call.dtype = variable.dtype;
    call.row_shape = variable.row_shape;
    call.versioned = variable.versioned;
    call.rows = variable.rows[rank];
    const Blob rows = truth_.rows(run(), adding_, variable.map().first_of(Rank{rank}), call.rows, 1);
    if (variable.versioned) {
      call.content = rows;
    } else if (call.rows != 0) {
      call.buffer = port.lend(actors_[rank].process, rows.size());
      port.fill(actors_[rank].process, call.buffer, rows);
    }
    notes.push_back(add_note(call));
  }
  collective(port, notes);
  update_beside_a_collective(port);
}

// Another thread of a core updates what was published before, while a collective call is under way.
void StoreWorkload::update_beside_a_collective(sim::ClientPort& port) {
  if (port.choose(4) == 3) update(port, port.choose(shape_.cores), true);
}

void StoreWorkload::job_answered(sim::ClientPort& port, const StoreCall& call, const Note& outcome) {
  if (outcome.status != Status::ok) step_status_ = outcome.status;
  if (++answers_ < shape_.cores) return;
  switch (call.kind) {
    case CallKind::open:
      if (step_status_ == Status::ok) return add_next(port);
      if (--open_tries_ != 0) return open_job(port);
      job_ = JobStep::given_up;
      return;
    case CallKind::add:
      published_[adding_] = step_status_ == Status::ok;
      ++adding_;
      return add_next(port);
    default:
      job_ = JobStep::closed;
  }
}

void StoreWorkload::run_job(sim::ClientPort& port) {
  job_ = JobStep::running;
  for (std::size_t rank = 0; rank < shape_.cores; ++rank) {
    actors_[rank].doing = Doing::working;
    next_operation(port, rank);
  }
  close_when_due(port);
}

void StoreWorkload::close_when_due(sim::ClientPort& port) {
  if (job_ != JobStep::running) return;
  for (std::size_t i = 0; i < actors_.size(); ++i)
    if (actors_[i].doing != Doing::done && (is_core(i) || !shape_.closes_early)) return;
  job_ = JobStep::closing;
  collective(port, std::vector<Note>(shape_.cores, close_note(shape_.close_patience)));
  update_beside_a_collective(port);
}

// ---------------------------------------------------------------- operations

void StoreWorkload::next_operation(sim::ClientPort& port, std::size_t i) {
  Actor& actor = actors_[i];
  if (actor.left == 0 || port.choose(4 * shape_.operations) == 0) {
    actor.left = 0;
    if (is_core(i)) return done(port, i);
    actor.doing = Doing::leaving;
    actor.next = 0;
    return leave_next(port, i);
  }
  --actor.left;
  if (is_core(i) && port.choose(2) == 0 && !actor.updating)
    update(port, i);
  else
    get(port, i);
}

void StoreWorkload::get(sim::ClientPort& port, std::size_t actor, bool beside) {
  StoreCall call;
  call.beside = beside;
  call.variable = port.choose(static_cast<std::uint32_t>(truth_.variables().size()));
  const StoreVariable& variable = truth_.variables()[call.variable];
  const auto rows = static_cast<std::uint32_t>(variable.map().rows());
  const std::uint32_t ranges = 1 + port.choose(3);
  GetCall get;
  for (std::uint32_t i = 0; i < ranges; ++i) {
    const std::uint32_t first = port.choose(rows + 1);
    call.ranges.push_back({first, port.choose(rows - first + 1)});
    get.buffer_bytes += call.ranges.back().rows * variable.format().row_bytes;
  }
  call.hurried = shape_.hurried && port.choose(8) == 7;
  any_hurried_ = any_hurried_ || call.hurried;
  call.patience = call.hurried ? microseconds(5) * (1 + port.choose(400)) : plenty;
  for (std::uint32_t run_of = 0; run_of < truth_.runs(); ++run_of)
    call.acknowledged.push_back(truth_.acknowledged_now(run_of, call.variable));
  call.buffer = get.buffer = port.lend(actors_[actor].process, get.buffer_bytes);
  get.variable = Blob(variable.name);
  get.rows = call.ranges;
  get.patience = call.patience;
  get.wanted = variable.dtype;
  send(port, actor, reader_role, get_note(get), std::move(call));
  if (is_core(actor) || job_ != JobStep::running) return;
  if (shape_.hot) {
    actors_[actor].reading = true;
    beside_left_ = 64;
    return beside_a_get(port, port.choose(shape_.cores), true);
  }
  while (port.choose(3) != 0) update(port, port.choose(shape_.cores), true);
}

// A core updates and reads in turn, as reads take time, until no reader reads any more.
void StoreWorkload::beside_a_get(sim::ClientPort& port, std::size_t core, bool updates) {
  const bool wanted = std::any_of(actors_.begin(), actors_.end(), [](const Actor& actor) { return actor.reading; });
  if (!wanted || job_ != JobStep::running || beside_left_ == 0) return;
  --beside_left_;
  if (updates)
    update(port, core, true);
  else
    get(port, core, true);
}

void StoreWorkload::update(sim::ClientPort& port, std::size_t actor, bool beside) {
  if (actors_[actor].updating) return;
  actors_[actor].updating = true;
  StoreCall call;
  call.beside = beside;
  call.variable = port.choose(static_cast<std::uint32_t>(truth_.variables().size()));
  const StoreVariable& variable = truth_.variables()[call.variable];
  const auto mine = static_cast<std::uint32_t>(variable.rows[actor]);
  UpdateCall update;
  update.variable = Blob(variable.name);
  update.first = port.choose(mine + 1);
  const std::uint64_t count = published_[call.variable] ? port.choose(mine - static_cast<std::uint32_t>(update.first) + 1) : 0;
  call.first = variable.map().first_of(Rank{static_cast<std::uint32_t>(actor)}) + update.first;
  wire::Writer content;
  for (std::uint64_t i = 0; i < count; ++i) {
    call.versions.push_back(truth_.stored(call.variable, call.first + i));
    content.bytes(truth_.row(run(), call.variable, call.first + i, call.versions.back()).bytes());
  }
  update.content = content.blob();
  send(port, actor, publisher_role, update_note(update), std::move(call));
}

// ---------------------------------------------------------------- readers

void StoreWorkload::join_next(sim::ClientPort& port, std::size_t i) {
  Actor& actor = actors_[i];
  while (actor.next < actor.joined.size() && actor.joined[actor.next]) ++actor.next;
  if (actor.next == actor.joined.size()) {
    actor.doing = Doing::working;
    return next_operation(port, i);
  }
  StoreCall call;
  call.variable = actor.next;
  call.patience = plenty;
  JoinCall join;
  join.variable = Blob(truth_.variables()[actor.next].name);
  join.patience = call.patience;
  join.cores = shape_.cores;
  send(port, i, joiner_role, join_note(join), std::move(call));
}

void StoreWorkload::leave_next(sim::ClientPort& port, std::size_t i) {
  Actor& actor = actors_[i];
  while (actor.next < actor.joined.size() && !actor.joined[actor.next]) ++actor.next;
  if (actor.next == actor.joined.size()) {
    if (!std::exchange(actor.rejoins, false)) return done(port, i);
    actor.doing = Doing::joining;
    actor.next = 0;
    return join_next(port, i);
  }
  actor.joined[actor.next] = false;
  StoreCall call;
  call.variable = actor.next;
  send(port, i, joiner_role, leave_note(Blob(truth_.variables()[actor.next].name)), std::move(call));
}

void StoreWorkload::reader_answered(sim::ClientPort& port, const StoreCall& call, const Note& outcome) {
  const std::size_t i = call.actor;
  Actor& actor = actors_[i];
  switch (call.kind) {
    case CallKind::join:
      if (outcome.status == Status::ok) {
        actor.joined[call.variable] = true;
        return join_next(port, i);
      }
      actor.doing = Doing::leaving;
      actor.next = 0;
      actor.rejoins = actor.tries != 0 && --actor.tries != 0 && job_ != JobStep::closed && job_ != JobStep::given_up;
      return leave_next(port, i);
    case CallKind::leave:
      return leave_next(port, i);
    default:
      break;
  }
  actor.reading = false;
  if (outcome.status == Status::ok || call.hurried) return next_operation(port, i);
  actor.doing = Doing::leaving;  // a read failed: the job may be another one by now
  actor.next = 0;
  actor.rejoins = actor.tries != 0 && --actor.tries != 0;
  leave_next(port, i);
}

void StoreWorkload::done(sim::ClientPort& port, std::size_t i) {
  actors_[i].doing = Doing::done;
  close_when_due(port);
}

// ---------------------------------------------------------------- answers

void StoreWorkload::completed(sim::ClientPort& port, Ticket ticket, const Note& outcome) {
  const StoreCall* found = find(ticket);
  if (!found) return;
  const StoreCall call = *found;
  ended(ticket);
  if (call.buffer != no_buffer) port.take_back(call.process, call.buffer);
  if (call.kind == CallKind::update && outcome.status == Status::ok && call.run == run())
    for (std::size_t i = 0; i < call.versions.size(); ++i) truth_.acknowledged(call.variable, call.first + i, call.versions[i]);
  if (!is_core(call.actor)) return reader_answered(port, call, outcome);
  if (job_ == JobStep::killed || actors_[call.actor].process != call.process) return;  // of a run that has ended
  if (call.kind == CallKind::update) actors_[call.actor].updating = false;
  if (call.beside && shape_.hot) return beside_a_get(port, call.actor, call.kind == CallKind::get);
  if (call.beside) return;
  if (call.kind == CallKind::get || call.kind == CallKind::update) return next_operation(port, call.actor);
  job_answered(port, call, outcome);
}

void StoreWorkload::abandoned(sim::ClientPort& port, Ticket ticket) {
  const StoreCall* call = find(ticket);
  if (!call) return;
  ended(ticket);
  Actor& actor = actors_[call->actor];
  actor.gone = true;
  actor.reading = false;
  std::fill(actor.joined.begin(), actor.joined.end(), false);
  if (is_core(call->actor)) {
    if (job_ != JobStep::killed) ++kills_;
    job_ = JobStep::killed;
  } else {
    done(port, call->actor);
  }
}

void StoreWorkload::restarted(sim::ClientPort& port, sim::ProcessIndex process) {
  const auto born =
      std::find_if(actors_.begin(), actors_.end(), [&](const Actor& actor) { return port.process(actor.name) == process; });
  if (born == actors_.end()) return;
  const auto i = static_cast<std::size_t>(born - actors_.begin());
  born->process = process;
  born->gone = born->updating = false;
  born->left = shape_.operations / 2;
  born->doing = is_core(i) ? Doing::nothing : Doing::joining;
  born->next = 0;
  born->tries = 2;
  std::fill(born->joined.begin(), born->joined.end(), false);
  if (!is_core(i)) return join_next(port, i);
  if (job_ != JobStep::killed) ++kills_;
  job_ = JobStep::killed;
  if (++born_again_ < shape_.cores) return;
  born_again_ = 0;
  open_tries_ = 3;
  open_job(port);
}

bool StoreWorkload::finished() const {
  return (job_ == JobStep::closed || job_ == JobStep::given_up) && beside_open() == 0 &&
         std::all_of(actors_.begin() + shape_.cores, actors_.end(), [](const Actor& a) { return a.doing == Doing::done; });
}

void StoreWorkload::ended(Ticket ticket) {
  const auto found = std::find_if(calls_.rbegin(), calls_.rend(), [&](const StoreCall& call) { return call.ticket == ticket; });
  if (found != calls_.rend()) found->ended = true;
}

// Calls of other threads that are still owed an answer: a process that was killed owes none, nor does one that was dead already.
std::size_t StoreWorkload::beside_open() const {
  return static_cast<std::size_t>(std::count_if(calls_.begin(), calls_.end(), [&](const StoreCall& call) {
    return call.beside && !call.ended && call.process == actors_[call.actor].process && !actors_[call.actor].gone;
  }));
}

std::string StoreWorkload::waiting_for() const {
  constexpr const char* steps[] = {"opens", "adds", "runs", "closes", "has closed", "was killed", "gave up"};
  constexpr const char* doings[] = {"nothing", "joining", "working", "leaving", "done"};
  std::string text = "the job that " + std::string(steps[static_cast<std::size_t>(job_)]);
  for (const Actor& actor : actors_) text += ", " + actor.name + " " + doings[static_cast<std::size_t>(actor.doing)];
  if (beside_open() != 0) text += ", " + std::to_string(beside_open()) + " calls beside";
  return text;
}

}  // namespace tenter::protocols
