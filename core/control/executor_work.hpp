// Executor: commands, one after the other. Whatever is wrong with one is its answer (P-X14), and the next one runs. Spec B2.6 to
// B2.9.
#pragma once
#include "core/control/executor.hpp"

namespace tenter::control {

// Until a task runs, or nothing is left.
template <class O>
void Executor::work(O& out) {
  while (!running_ && !queue_.empty() && state_ != ExecutorState::gone) {
    const QueuedCommand command = queue_.front();
    if (command.type == FrameType::control) {
      run_control(command, out);
      continue;
    }
    const auto callable = callable_of(command);
    if (!callable) {
      complete_task(1, callable.error().what, {}, out);
      continue;
    }
    running_ = true;
    out.execute(operation(OperationKind::execute, 0, command.sequence), *callable, command.payload);
  }
}

template <ExecutorPorts O>
void Executor::on(const event::Executed& e, O& out) {
  if (!running_ || state_ == ExecutorState::gone || e.op != operation(OperationKind::execute, 0, queue_.front().sequence)) return;
  running_ = false;
  if (e.status == Status::ok)
    complete_task(0, {}, e.reply.bytes(), out);
  else
    complete_task(1, e.reply.empty() ? to_string(e.status) : e.reply.text(), {}, out);
  work(out);
  receive_if_room(out);
  leave_if_done(e.now, out);
}

template <class O>
void Executor::reply(FrameType type, std::uint64_t sequence, const Blob& payload, O& out) {
  unsent_.push_back(++replies_);
  out.send_message(operation(OperationKind::reply, 0, replies_), config_.communicator, Rank{0}, tag_of(type),
                   write_frame(type, identity(sequence), payload.bytes()).value());
}

// The answer of the first command, which is a task, is done with it.
template <class O>
void Executor::complete_task(std::int32_t code, std::string_view error, Bytes result, O& out) {
  const std::uint64_t sequence = queue_.front().sequence;
  queued_bytes_ -= queue_.front().payload.size();
  queue_.erase(queue_.begin());
  constexpr std::uint32_t result_bytes_max = payload_bytes_max - control_reply_head_bytes;
  if (result.size() > result_bytes_max)
    return reply(FrameType::completion, sequence,
                 write_completion({sequence, 1,
                                   "the result of " + text_of(std::uint64_t{result.size()}) + " bytes is larger than " +
                                       text_of(result_bytes_max)}),
                 out);
  if (result.empty() || !can(returns_results))
    return reply(FrameType::completion, sequence, write_completion({sequence, code, std::string(error)}), out);
  reply(FrameType::control_reply, sequence, write_control_reply({sequence, task_result, control_version, code, {}, result}), out);
}

template <class O>
void Executor::run_control(const QueuedCommand& command, O& out) {
  const auto call = read_control(command.payload.bytes());
  const auto applied = call ? apply(*call) : Result<void>(tl::unexpected(call.error()));
  ControlReply answer;
  answer.sequence = command.sequence;
  answer.name = call ? call->name : control_name_of(command.payload.bytes());
  answer.version = call ? call->version : control_version;
  answer.code = applied ? 0 : 1;
  if (!applied) answer.error = applied.error().what;
  queued_bytes_ -= command.payload.size();
  queue_.erase(queue_.begin());
  reply(FrameType::control_reply, answer.sequence, write_control_reply(answer), out);
}

}  // namespace tenter::control
