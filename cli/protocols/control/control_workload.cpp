#include "cli/protocols/control/control_workload.hpp"

#include <algorithm>
#include <utility>

#include "cli/protocols/control/pause.hpp"
#include "core/text.hpp"

namespace tenter::protocols {

using namespace control;

namespace {

constexpr std::size_t no_thread = SIZE_MAX;        // of who ends the session and who serves
constexpr std::size_t fuse_thread = SIZE_MAX - 1;  // ends the session when nobody does
constexpr Duration fuse = seconds(60);             // beyond every stop and every task that ends
constexpr std::uint32_t inline_sizes[] = {0, 100, 700, 6'000, 20'000, 60'000};
constexpr std::uint32_t result_sizes[] = {0, 50, 900, 9'000, 70'000};

}  // namespace

CallableDigest callable_number(std::uint8_t number) {
  CallableDigest digest{};
  digest[0] = std::byte{number};
  return digest;
}

Blob task_of(const TaskOrder& order, std::size_t inline_bytes) {
  const Blob content(inline_bytes, [&](MutableBytes to) { std::fill(to.begin(), to.end(), static_cast<std::byte>(order.id)); });
  TaskCall call;
  call.callable = callable_number(echo_callable);
  call.scalars = {order.id, order.result_bytes, order.takes, order.fails};
  call.inline_bytes = content.bytes();
  return write_task(call).value();
}

std::optional<TaskOrder> read_order(const Blob& payload) {
  const auto task = read_task(payload.bytes());
  if (!task || task->scalars.size() != 4) return std::nullopt;
  return TaskOrder{task->scalars[0], task->scalars[1], task->scalars[2], task->scalars[3]};
}

Blob result_of(const TaskOrder& order, std::uint32_t worker) {
  if (order.result_bytes == 0) return {};
  std::string text = "task " + std::to_string(order.id) + " by worker " + std::to_string(worker) + " ";
  text.resize(std::max<std::size_t>(text.size(), order.result_bytes), '.');
  return Blob(text);
}

void ControlWorkload::start(sim::ClientPort& port) {
  cancelled_routes_.resize(shape_.executors, false);
  for (std::uint32_t worker = 0; worker < shape_.executors; ++worker) {
    ControlCall call;
    call.kind = CallKind::serve;
    call.thread = no_thread;
    call.worker = worker;
    call.submitted = port.now();
    call.ticket = port.submit(worker + 1, executor_role, call_note(CallKind::serve));
    calls_.push_back(call);
  }
  ControlCall call;
  call.thread = no_thread;
  send(port, call_note(CallKind::start), call);
  for (Thread& thread : threads_) thread.left = shape_.operations;
  if (port.choose(6) == 5) begin(port);  // a user who does not wait for the start
  const std::uint32_t moment = port.choose(24);
  pause(port, fuse_thread, moment < 8 ? fuse : microseconds(std::int64_t{1} << moment));
}

std::size_t ControlWorkload::send(sim::ClientPort& port, Note note, ControlCall call, Role role) {
  call.submitted = port.now();
  call.kind = CallKind{note.kind};
  call.was_open = open_;
  call.ticket = port.submit(controller, role, std::move(note));
  calls_.push_back(call);
  return calls_.size() - 1;
}

void ControlWorkload::begin(sim::ClientPort& port) {
  if (std::exchange(begun_, true)) return;
  for (std::size_t thread = 0; thread < threads_.size(); ++thread) next(port, thread);
}

void ControlWorkload::pause(sim::ClientPort& port, std::size_t thread, Duration length) {
  ControlCall call;
  call.thread = thread;
  send(port, Pause::call(length), call, pause_role);
}

void ControlWorkload::next(sim::ClientPort& port, std::size_t i) {
  Thread& thread = threads_[i];
  if (thread.left == 0) {
    thread.done = true;
    if (std::all_of(threads_.begin(), threads_.end(), [](const Thread& t) { return t.done; })) end_session(port);
    return;
  }
  --thread.left;
  switch (port.choose(16)) {
    case 15:
      return cancel_route(port, i);
    case 14:
      return static_cast<void>(send(port, call_note(CallKind::health), ControlCall{.thread = i}));
    case 13:
    case 12:
      return cancel(port, i);
    case 11:
    case 10:
      return pause(port, i, milliseconds(std::int64_t{1} << port.choose(13)));
    case 9:
    case 8:
    case 7:
      return send_control(port, i);
    default:
      return submit(port, i);
  }
}

void ControlWorkload::submit(sim::ClientPort& port, std::size_t thread) {
  ControlCall call;
  call.thread = thread;
  call.order.id = ++tasks_;
  call.worker = port.choose(3) == 2 ? any_worker : some_worker(port);
  call.order.result_bytes = result_sizes[port.choose(std::size(result_sizes))];
  call.order.takes = 1'000ull << port.choose(25);
  call.order.fails = port.choose(6) == 5 ? 1 : 0;
  call.patience = port.choose(3) == 2 ? milliseconds(std::int64_t{1} << port.choose(13)) : Duration{0};
  SubmitCall submit;
  submit.worker = call.worker;
  submit.patience = call.patience;
  submit.payload = task_of(call.order, inline_sizes[port.choose(std::size(inline_sizes))]);
  call.bytes = layout::header_bytes + submit.payload.size();
  send(port, submit_note(submit), call);
}

void ControlWorkload::send_control(sim::ClientPort& port, std::size_t thread) {
  constexpr ControlName names[] = {ControlName::prepare_callable,          ControlName::alloc_remote_buffer,
                                   ControlName::prepare_register_callable, ControlName::commit_register_callable,
                                   ControlName::abort_register_callable,   ControlName::unregister_callable};
  ControlCall call;
  call.thread = thread;
  call.worker = some_worker(port);
  call.control = names[port.choose(std::size(names))];
  call.callable = call.control == ControlName::prepare_callable ? echo_callable : static_cast<std::uint8_t>(2 + port.choose(2));
  call.patience = port.choose(3) == 2 ? milliseconds(std::int64_t{1} << port.choose(13)) : Duration{0};
  SendControlCall control;
  control.worker = call.worker;
  control.patience = call.patience;
  control.control = call.control;
  const CallableName name{TargetRegistry::task_dispatcher, CallableKind::python_import, callable_number(call.callable)};
  const Blob code("module:function");
  if (call.control == ControlName::alloc_remote_buffer)
    control.command = write_alloc(4'096);
  else if (call.control == ControlName::prepare_register_callable)
    control.command = write_callable_payload({name, 1, code.bytes()});
  else
    control.command = write_callable_name(name);
  call.bytes = layout::header_bytes + control_head_bytes + control.command.size();
  send(port, control_note(control), call);
}

// What another thread has sent last and waits for.
void ControlWorkload::cancel(sim::ClientPort& port, std::size_t thread) {
  const auto other = std::find_if(calls_.rbegin(), calls_.rend(), [&](const ControlCall& call) {
    return !call.ended && call.thread != thread && (call.kind == CallKind::submit || call.kind == CallKind::control);
  });
  if (other == calls_.rend()) return pause(port, thread, milliseconds(1));
  other->cancelled = true;
  const Ticket ticket = other->ticket;
  send(port, cancel_note(ticket), ControlCall{.thread = thread});
}

void ControlWorkload::cancel_route(sim::ClientPort& port, std::size_t thread) {
  if (port.choose(4) != 3) return pause(port, thread, milliseconds(1));
  const std::uint32_t worker = some_worker(port);
  cancelled_routes_[worker] = true;
  send(port, cancel_route_note(worker), ControlCall{.thread = thread, .worker = worker});
}

// A second one now and then, which may abort.
void ControlWorkload::end_session(sim::ClientPort& port) {
  if (gone_ || (shutdown() && second_)) return;
  constexpr Duration patiences[] = {seconds(20), seconds(5), seconds(1), milliseconds(100)};
  ControlCall call;
  call.thread = no_thread;
  call.patience = patiences[port.choose(std::size(patiences))];
  const bool abort = port.choose(3) == 2;
  aborted_ = aborted_ || abort;
  const std::size_t sent = send(port, shutdown_note(call.patience, abort), call);
  if (shutdown()) {
    second_ = true;
    return;
  }
  shutdown_ = sent;
  if (port.choose(3) == 2) end_session(port);
}

void ControlWorkload::completed(sim::ClientPort& port, Ticket ticket, const Note& outcome) {
  const auto found = std::find_if(calls_.begin(), calls_.end(), [&](const ControlCall& c) { return c.ticket == ticket; });
  found->ended = true;
  const ControlCall call = *found;
  if (call.kind == CallKind::start) {
    open_ = outcome.status == Status::ok;
    return begin(port);
  }
  if (call.thread == fuse_thread) return end_session(port);
  if (call.thread == no_thread) return;
  if (outcome.status == Status::no_space && port.choose(2) == 0) {
    ++threads_[call.thread].left;  // tried again, with what was drawn anew
    return pause(port, call.thread, milliseconds(50));
  }
  next(port, call.thread);
}

void ControlWorkload::abandoned(sim::ClientPort&, Ticket ticket) {
  const auto found = std::find_if(calls_.begin(), calls_.end(), [&](const ControlCall& c) { return c.ticket == ticket; });
  found->ended = found->abandoned = true;
  if (found->kind != CallKind::serve) gone_ = true;
}

const ControlCall* ControlWorkload::find(Ticket ticket) const {
  const auto found = std::find_if(calls_.rbegin(), calls_.rend(), [&](const ControlCall& c) { return c.ticket == ticket; });
  return found == calls_.rend() ? nullptr : &*found;
}

const ControlCall* ControlWorkload::find_task(std::uint64_t id) const {
  const auto found = std::find_if(calls_.begin(), calls_.end(),
                                  [&](const ControlCall& c) { return c.kind == CallKind::submit && c.order.id == id; });
  return found == calls_.end() ? nullptr : &*found;
}

std::string ControlWorkload::name_of(const ControlCall& call) const {
  const std::string to = call.worker == any_worker ? "any worker" : "worker " + std::to_string(call.worker);
  switch (call.kind) {
    case CallKind::submit:
      return "task " + std::to_string(call.order.id) + " of " + std::to_string(call.bytes) + " bytes for " + to;
    case CallKind::control:
      return std::string(to_string(call.control)) + " for " + to;
    case CallKind::serve:
      return "serve at " + to;
    case CallKind::shutdown:
      return "the shutdown";
    default:
      return call.thread == fuse_thread ? "a pause" : "call " + std::to_string(static_cast<std::uint32_t>(call.kind));
  }
}

bool ControlWorkload::finished() const {
  if (!gone_ && !shutdown()) return false;
  return std::all_of(calls_.begin(), calls_.end(), [](const ControlCall& c) { return c.ended || c.kind == CallKind::serve; });
}

// Who waits for whom: a thread of the user for its call, the call for a worker. What the processes themselves wait for is said
// by the world.
std::string ControlWorkload::waiting_for() const {
  std::string text;
  for (const ControlCall& call : calls_)
    if (!call.ended && call.kind != CallKind::serve)
      text += (text.empty() ? "" : ", ") + name_of(call) + " (sent at " + text_of(call.submitted) + ")";
  return text.empty() ? "the shutdown to be called" : text;
}

}  // namespace tenter::protocols
