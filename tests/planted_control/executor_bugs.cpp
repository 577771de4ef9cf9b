#include <algorithm>

#include "core/control/inbound.hpp"
#include "core/control/slr3.hpp"
#include "tests/planted_control/control_bugs.hpp"

namespace tenter::planted {

using namespace control;

namespace {

ExecutorBug then(std::function<void(Executor&, const Event&, Outbox&)> edit) {
  ExecutorBug bug;
  bug.then = std::move(edit);
  return bug;
}
ExecutorBug hears(std::function<bool(Executor&, Event&, Actions&)> edit) {
  ExecutorBug bug;
  bug.hears = std::move(edit);
  return bug;
}
FrameType type_of(const action::SendMessage& send) { return read_frame(send.content.bytes())->type; }
bool is_frame(const Action& action, FrameType type) {
  const auto* send = std::get_if<action::SendMessage>(&action);
  return send && type_of(*send) == type;
}
bool ticks(const Event& event) {
  const auto* fired = std::get_if<event::TimerFired>(&event);
  return fired && kind_of(fired->op) == OperationKind::tick;
}

ExecutorBug answers_twice() {
  return then([ops = std::uint64_t{1'000'000}](Executor&, const Event&, Outbox& out) mutable {
    Actions again;
    for (const Action& action : out.actions())
      if (is_frame(action, FrameType::completion)) {
        again.push_back(action);
        std::get<action::SendMessage>(again.back()).op = Op{++ops << 24};
      }
    out.actions().insert(out.actions().begin(), again.begin(), again.end());
  });
}

ExecutorBug runs_twice() {
  return then([ops = std::uint64_t{1'000'000}](Executor&, const Event&, Outbox& out) mutable {
    Actions again;
    for (const Action& action : out.actions())
      if (const auto* execute = std::get_if<action::Execute>(&action))
        again.push_back(action::Execute{Op{++ops << 24}, execute->callable, execute->argument});
    out.actions().insert(out.actions().end(), again.begin(), again.end());
  });
}

ExecutorBug beats_behind_its_task() {
  return then([](Executor& executor, const Event& event, Outbox& out) {
    if (executor.queue().empty() || !ticks(event)) return;
    std::vector<Op> held;
    std::erase_if(out.actions(), [&](const Action& action) {
      if (!is_frame(action, FrameType::health)) return false;
      held.push_back(std::get<action::SendMessage>(action).op);
      return true;
    });
    for (const Op op : held) executor.on(event::MessageSent{std::get<event::TimerFired>(event).now, op, Status::ok, {}}, out);
  });
}

ExecutorBug leaves_before_its_task() {
  return then([](Executor& executor, const Event&, Outbox& out) {
    if (executor.state() == ExecutorState::leaving) out.exit_process(1, false);
  });
}

ExecutorBug never_doubts_its_controller() {
  return hears([](Executor& executor, Event& event, Actions& actions) {
    if (!ticks(event)) return true;
    const Executor before = executor;
    Outbox box;
    executor.on(std::get<event::TimerFired>(event), box);
    if (executor.state() != ExecutorState::gone) {
      actions = box.actions();
      return false;
    }
    executor = before;
    actions.push_back(action::Arm{std::get<event::TimerFired>(event).op, std::get<event::TimerFired>(event).now + seconds(1)});
    return false;
  });
}

ExecutorBug says_no_goodbye() {
  return then([](Executor& executor, const Event&, Outbox& out) {
    if (executor.state() != ExecutorState::parting) return;
    std::erase_if(out.actions(), [](const Action& action) { return is_frame(action, FrameType::hello); });
  });
}

ExecutorBug an_error_is_the_end() {
  return then([](Executor&, const Event& event, Outbox& out) {
    const auto* executed = std::get_if<event::Executed>(&event);
    if (executed && executed->status == Status::failed) out.exit_process(1, false);
  });
}

ExecutorBug result_of_the_task_before() {
  return then([before = Blob()](Executor&, const Event&, Outbox& out) mutable {
    for (Action& action : out.actions()) {
      if (!is_frame(action, FrameType::control_reply)) continue;
      auto& send = std::get<action::SendMessage>(action);
      const auto frame = read_frame(send.content.bytes());
      const auto reply = read_any_reply(*frame);
      if (!reply || reply->name != task_result) continue;
      const Blob result(reply->result);
      if (!before.empty()) {
        const Blob payload = write_control_reply({reply->sequence, reply->name, reply->version, 0, {}, before.bytes()});
        const Blob content = write_frame(frame->type, frame->identity, payload.bytes()).value();
        send.content = content;
      }
      before = result;
    }
  });
}

ExecutorBug failure_is_a_success() {
  return hears([](Executor&, Event& event, Actions&) {
    if (auto* executed = std::get_if<event::Executed>(&event)) executed->status = Status::ok;
    return true;
  });
}

ExecutorBug ends_without_a_word() {
  return then([](Executor&, const Event&, Outbox& out) {
    std::erase_if(out.actions(), [](const Action& action) { return std::holds_alternative<action::Complete>(action); });
  });
}

}  // namespace

std::vector<PlantedControl> executor_bugs() {
  constexpr auto cause = "S7 nothing fails without a cause of its own", own = "S1 an answer is the call's own";
  constexpr auto doubt = "P-X18 a controller that is heard is not doubted";
  return {
      {"answers_twice", "a completion is sent once more", "S3 a command is answered once", with_executor(answers_twice())},
      {"runs_twice", "a task is executed once more", "S3 a task runs at most once", with_executor(runs_twice())},
      {"beats_behind_its_task", "no beat is sent while a task runs", cause, with_executor(beats_behind_its_task())},
      {"leaves_before_its_task", "SHUTDOWN ends it with a task in hand", doubt, with_executor(leaves_before_its_task())},
      {"never_doubts_its_controller", "it waits for a controller that is gone", "P-X11 every executor leaves",
       with_executor(never_doubts_its_controller())},
      {"doubts_its_controller_too_soon", "one silent interval is enough", doubt,
       with_executor_configured([](ExecutorConfig& c) { c.heartbeat_interval = milliseconds(100); })},
      {"says_no_goodbye", "its last word is not said", cause, with_executor(says_no_goodbye())},
      {"an_error_is_the_end", "a task that fails ends its executor", doubt, with_executor(an_error_is_the_end())},
      {"result_of_the_task_before", "a result is sent one task late", own, with_executor(result_of_the_task_before())},
      {"failure_is_a_success", "a callable's status is not looked at", own, with_executor(failure_is_a_success())},
      {"ends_without_a_word", "who serves is not told of the end", "an executor that ends says so",
       with_executor(ends_without_a_word())},
  };
}

}  // namespace tenter::planted
