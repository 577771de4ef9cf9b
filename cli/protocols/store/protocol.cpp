#include "cli/protocols/store/protocol.hpp"

#include "cli/protocols/store/directory_monitor.hpp"
#include "cli/protocols/store/duty_monitor.hpp"
#include "cli/protocols/store/file_monitors.hpp"
#include "cli/protocols/store/store_equivalents.hpp"
#include "cli/protocols/store/store_monitors.hpp"
#include "cli/protocols/store/store_scenario.hpp"

namespace tenter::protocols {
namespace {

sim::ScenarioFunction shaped(StoreScenario shape) {
  return [shape](sim::Scenario& scenario) { build_store(scenario, shipped_store(), shape); };
}

}  // namespace

void add_store(Registry& registry) {
  StoreScenario fabric;
  fabric.method = store::Method::fabric;
  StoreScenario window;
  window.method = store::Method::window;
  StoreScenario hot;
  hot.hot = true;
  StoreScenario many;
  many.cores_min = many.cores_max = 64;
  many.readers_min = many.readers_max = 1'000;
  many.operations_max = 2;
  many.only_files_fail = true;
  StoreScenario healthy;
  healthy.faults = false;
  registry.protocol("store")
      .about("rows of a running job, read one-sidedly by another job")
      .scenario("file", shaped({}))
      .scenario("fabric", shaped(fabric))
      .scenario("window", shaped(window))
      .scenario("hot", shaped(hot))
      .scenario("healthy", shaped(healthy))
      .scenario("many_readers", shaped(many))
      .monitor<GetsMonitor>("gets")
      .monitor<RowsMonitor>("rows")
      .monitor<RecordsMonitor>("records")
      .monitor<DirectoryMonitor>("directory")
      .monitor<DurabilityMonitor>("durability")
      .monitor<DutyMonitor>("duty")
      .monitor<BelievedRecordsMonitor>("believed records")
      .monitor<WindowMonitor>("window")
      .monitor<TogetherMonitor>("together")
      .monitor<DeadlinesMonitor>("deadlines")
      .monitor<ClosesMonitor>("closes")
      .monitor<StoreHealthyMonitor>("healthy")
      .sometimes("a get succeeded")
      .sometimes("a get timed out")
      .sometimes("a get met another generation")
      .sometimes("a torn row was read again")
      .sometimes("a torn record was looked at again")
      .sometimes("a host crashed")
      .sometimes("a reader joined")
      .sometimes("a join waited")
      .sometimes("a reader reads from the job's next run")
      .sometimes("a job closed")
      .sometimes("a close did not wait for a reader");
  add_store_equivalents(registry.protocol("store"));
}

}  // namespace tenter::protocols
