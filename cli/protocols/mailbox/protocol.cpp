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

// Mutants that change nothing which the ports' contracts promise (docs/ports/).
void explain_equivalents(sim::Protocol& protocol) {
  constexpr std::pair<const char*, const char*> idempotent[] = {
      {"arm", "arming an armed timer moves it, here to the same time"},
      {"cancel", "cancelling twice is cancelling"},
      {"watch", "a watch with the same op replaces the one before"},
      {"unwatch", "an op that is not watched may be unwatched"},
      {"close_page", "closing a closed page is allowed"},
      {"unlink_page", "a missing name is fine"},
      {"write_region", "the same bytes again, before they are published"},
      {"publish", "the same value again; the second wake is a spurious one, which every waiter re-checks"},
      {"publish_quiet", "the same value again"},
      {"remove_file", "a missing file is fine"},
      {"remove_directory", "a missing directory is fine"},
      {"kill_processes", "a process that is gone is not signalled"}};
  for (const auto& [action, reason] : idempotent) protocol.equivalent(std::string("repeat_action * ") + action + "#*", reason);
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
  explain_equivalents(registry.protocol("mailbox"));
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
      .sometimes("a group closed in order",
                 [](const sim::View& v) { return v.word(mailbox::group_word) == number(mailbox::GroupState::closed); })
      .sometimes("a rank was lost", [](const sim::View& v) {
        for (sim::ProcessIndex i = 1; i < v.world().process_count(); ++i)
          if (v.world().process(i).exit_signal == 9) return true;
        return false;
      });
}

}  // namespace tenter::protocols
