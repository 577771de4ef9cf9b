#include "cli/protocols/control/control_scenario.hpp"

#include <utility>

#include "cli/protocols/control/hostile_executor.hpp"
#include "cli/protocols/control/pause.hpp"

namespace tenter::protocols {

using namespace control;

ControlMachines shipped_control() {
  ControlMachines machines;
  machines.hub = [](HubConfig config) { return AnyMachine(Hub(std::move(config))); };
  machines.executor = [](ExecutorConfig config) { return AnyMachine(Executor(std::move(config))); };
  return machines;
}

namespace {

constexpr std::uint64_t session = 0x1122'3344'5566'7788;
constexpr std::uint64_t largest_frame = 64u << 10;  // modelled small: sixteen of these are the wire's largest

ControlShape draw_shape(sim::Scenario& scenario, const ControlScenario& wanted) {
  ControlShape shape;
  shape.executors = 2 + scenario.choose(3);
  shape.window = 1 + scenario.choose(3);
  shape.threads = 1 + scenario.choose(4);
  shape.operations = 1 + scenario.choose(10);
  shape.share_bytes = scenario.choose(2) == 0 ? 1'024 : 8'192;
  shape.pool_bytes = largest_frame;
  shape.faults = wanted.faults;
  shape.starved = wanted.faults && scenario.choose(4) == 3;
  shape.hostile.assign(shape.executors, false);
  if (wanted.hostile) shape.hostile[scenario.choose(shape.executors)] = true;
  for (std::uint32_t worker = 0; worker < shape.executors; ++worker) shape.without_results.push_back(scenario.choose(6) == 5);
  return shape;
}

void allow_faults(sim::Scenario& scenario, const ControlShape& shape) {
  scenario.allow(sim::Tag::crash, 2);
  scenario.allow(sim::Tag::stop, 2);
  scenario.allow(sim::Tag::work_failure, 2);
  scenario.allow(sim::Tag::work_hang, 1);
  if (scenario.choose(8) == 7) scenario.allow(sim::Tag::join_failure, 1);
  if (shape.starved) scenario.allow(sim::Tag::starvation, 2);
}

// A callable does what its task says.
sim::WorkResult work(sim::ProcessIndex process, const Blob&, const Blob& argument) {
  sim::WorkResult result;
  const auto order = read_order(argument);
  if (!order) return result;
  result.takes = Duration{static_cast<std::int64_t>(order->takes)};
  result.status = order->fails != 0 ? Status::failed : Status::ok;
  result.reply =
      order->fails != 0 ? Blob("task " + std::to_string(order->id) + " fails as it was told to") : result_of(*order, process - 1);
  return result;
}

}  // namespace

void build_control(sim::Scenario& scenario, const ControlMachines& machines, const ControlScenario& wanted) {
  const ControlShape shape = draw_shape(scenario, wanted);
  if (shape.faults) allow_faults(scenario, shape);
  if (wanted.eager_below) scenario.eager_below(*wanted.eager_below);
  scenario.ranks_outlive_each_other();
  scenario.phases(seconds(8), seconds(400));
  HubConfig hub;
  hub.session = session;
  hub.profiles = std::vector<std::string>(shape.executors, "sim");
  hub.window = shape.window;
  hub.credit = {shape.share_bytes, shape.pool_bytes, milliseconds(500), largest_frame};
  hub.startup_patience = seconds(40);
  hub.heartbeat_interval = shape.heartbeat_interval;
  hub.silent_ticks_max = shape.silent_ticks_max;
  sim::ProcessSpec& first = scenario.process("controller");
  first.machines = {machines.hub(hub)};
  first.runs(Pause()).in_job("ranks").crashes().stops_for_a_while();
  for (std::uint32_t worker = 0; worker < shape.executors; ++worker) {
    ExecutorConfig executor;
    executor.session = session;
    executor.worker = worker;
    executor.world = shape.executors + 1;
    executor.features = all_features & ~(shape.without_results[worker] ? returns_results : 0);
    executor.callables = {{callable_number(echo_callable), Blob("builtin:echo"), true}};
    executor.heartbeat_interval = shape.heartbeat_interval;
    executor.silent_ticks_max = shape.silent_ticks_max;
    executor.queued_max = 1 + scenario.choose(4);
    sim::ProcessSpec& rank = scenario.process("executor " + std::to_string(worker));
    AnyMachine machine = machines.executor(executor);
    if (shape.is_hostile(worker)) {
      const auto says = static_cast<Hostility>(scenario.choose(hostilities));
      machine = AnyMachine(HostileExecutor(Executor(executor), {says, 1 + scenario.choose(8), session, worker}));
    }
    rank.machines = {std::move(machine)};
    rank.in_job("ranks").crashes().stops_for_a_while();
  }
  scenario.work(work);
  scenario.client(std::make_unique<ControlWorkload>(shape));
}

}  // namespace tenter::protocols
