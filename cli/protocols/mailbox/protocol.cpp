#include "cli/protocols/mailbox/protocol.hpp"

#include "cli/protocols/mailbox/contract_monitor.hpp"
#include "cli/protocols/mailbox/group_monitors.hpp"
#include "cli/protocols/mailbox/group_scenario.hpp"
#include "core/mailbox/layout.hpp"
#include "sim/world.hpp"

namespace tenter::protocols {
namespace {

sim::ScenarioFunction shaped(GroupShape shape) {
  return [shape](sim::Scenario& scenario) { build_group(scenario, shipped_machines(), shape); };
}

}  // namespace

void add_mailbox(Registry& registry) {
  GroupShape start;
  start.faults_from_the_start = true;
  start.requests_max = 8;
  GroupShape healthy;
  healthy.faults = false;
  GroupShape four;
  four.ranks = 4;
  four.requests_max = 64;
  registry.protocol("mailbox")
      .about("a shared-memory page that feeds an MPI group")
      .scenario("group", shaped({}))
      .scenario("start", shaped(start))
      .scenario("healthy", shaped(healthy))
      .scenario("four_ranks", shaped(four))
      .monitor<AnswersMonitor>("answers")
      .monitor<ExecutionsMonitor>("executions")
      .monitor<WordsMonitor>("words")
      .monitor<PatienceMonitor>("patience")
      .monitor<HealthyMonitor>("healthy")
      .monitor<ContractMonitor>("contract")
      .sometimes("a group became terminal")
      .sometimes("a callable's error came back")
      .sometimes("a call timed out")
      .sometimes("a group closed in order")
      .sometimes("a rank was lost");
}

}  // namespace tenter::protocols
