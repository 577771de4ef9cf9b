#include "cli/protocols/control/start_scenario.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "cli/protocols/control/pause.hpp"
#include "cli/protocols/control/start_workload.hpp"
#include "cli/protocols/control/starting_rank.hpp"
#include "cli/protocols/control/stranger.hpp"
#include "core/control/launcher.hpp"
#include "core/text.hpp"

namespace tenter::protocols {

using namespace control;

StartMachines shipped_start() {
  StartMachines machines;
  machines.supervisor = [](SupervisorConfig config) { return AnyMachine(Supervisor(config)); };
  machines.gate = [](GateConfig config) { return AnyMachine(Gate(config)); };
  machines.gate_client = [](GateClientConfig config) { return AnyMachine(GateClient(config)); };
  return machines;
}

namespace {

constexpr std::string_view controller_address = "10.0.0.1", near_host = "host0", far_host = "host1";
constexpr std::string_view gate_of_the_run = "10.0.0.1:49152";  // the simulated system's first free port: the gate is alone here
constexpr std::uint32_t first_of_impostor = 1'000;              // connections; the GateClient beside it counts from 1

// What a launcher was told that a rank finds in its environment.
std::string variable_of(const action::Spawn& spawn, std::string_view name) {
  const std::string begin = std::string(name) + "=";
  for (const Blob& entry : spawn.environment)
    if (entry.text().starts_with(begin)) return std::string(entry.text().substr(begin.size()));
  for (std::size_t i = 0; i + 1 < spawn.arguments.size(); ++i)
    if (spawn.arguments[i].text() == name) return std::string(spawn.arguments[i + 1].text());
  return {};
}

bool has_argument(const action::Spawn& spawn, std::string_view argument) {
  return std::any_of(spawn.arguments.begin(), spawn.arguments.end(), [&](const Blob& a) { return a.text() == argument; });
}

RankFate draw_fate(sim::Scenario& scenario, std::uint32_t rank) {
  constexpr RankFate fates[] = {RankFate::works,           RankFate::works,          RankFate::works,
                                RankFate::works,           RankFate::works,          RankFate::works,
                                RankFate::works,           RankFate::cannot_start,   RankFate::leaves_unheard,
                                RankFate::never_speaks,    RankFate::leaves_at_go,   RankFate::fails_at_work,
                                RankFate::ends_by_request, RankFate::deaf_to_sigterm};
  const RankFate fate = fates[scenario.choose(std::size(fates))];
  return rank == 0 && fate == RankFate::deaf_to_sigterm ? RankFate::works : fate;
}

bool ends_by_itself(const StartShape& shape) {
  return std::all_of(shape.fates.begin(), shape.fates.end(), [](RankFate f) { return f < RankFate::ends_by_request; });
}

Topology topology_of(const std::vector<std::string>& hosts) {
  Topology topology;
  topology.controller_host = hosts[0];
  for (std::uint32_t worker = 0; worker + 1 < hosts.size(); ++worker) {
    ExecutorPlace& executor = topology.executors.emplace_back();
    executor.rank = worker + 1;
    executor.worker = worker;
    executor.host = hosts[worker + 1];
  }
  return topology;
}

StartShape draw_shape(sim::Scenario& scenario, const StartScenario& wanted) {
  constexpr Duration patiences[] = {seconds(40), seconds(40), seconds(40), seconds(3)};
  constexpr Duration ends[] = {milliseconds(1), milliseconds(40), milliseconds(400), seconds(2), seconds(10)};
  StartShape shape;
  const std::uint32_t world = 2 + scenario.choose(4);
  const bool far = scenario.choose(2) != 0;
  for (std::uint32_t rank = 0; rank < world; ++rank)
    shape.hosts.emplace_back(far && rank > world / 2 ? far_host : near_host);  // one host's ranks are beside each other
  shape.job.topology = print_topology(topology_of(shape.hosts));
  shape.job.root = "/";
  shape.job.listen = std::string(controller_address);
  shape.job.plan.program = {"tenter", "control", "rank"};
  shape.job.plan.launcher = std::string(launcher_program);
  shape.job.plan.family = scenario.choose(3) == 2 ? LauncherFamily::open_mpi : LauncherFamily::hydra;
  shape.job.patience = patiences[wanted.faults ? scenario.choose(std::size(patiences)) : 0];
  const bool fated = wanted.faults && scenario.choose(2) != 0;
  for (std::uint32_t rank = 0; rank < world; ++rank) shape.fates.push_back(fated ? draw_fate(scenario, rank) : RankFate::works);
  shape.wrong_at_first = scenario.choose(6) == 5;
  shape.waits_early = scenario.choose(6) == 5;
  shape.has_impostor = wanted.impostors;
  if (wanted.faults && scenario.choose(4) == 3) shape.ends_after = ends[scenario.choose(std::size(ends))];
  if (!shape.ends_after && !ends_by_itself(shape)) shape.ends_after = seconds(50);
  shape.strangers_max = 2 + scenario.choose(3);
  return shape;
}

void allow_faults(sim::Scenario& scenario) {
  scenario.allow(sim::Tag::crash, 1);
  scenario.allow(sim::Tag::stop, 1);
  scenario.allow(sim::Tag::launcher_crash, 1);
  scenario.allow(sim::Tag::proxy_crash, 1);
  scenario.allow(sim::Tag::connect_failure, 2);
  scenario.allow(sim::Tag::stream_reset, 2);
  if (scenario.choose(8) == 7) scenario.allow(sim::Tag::join_failure, 1);
  if (scenario.choose(8) == 7) scenario.allow(sim::Tag::no_space, 1);
}

StrangerConfig draw_stranger(sim::Scenario& scenario, const StartScenario& wanted) {
  constexpr Duration rests[] = {milliseconds(20), milliseconds(1), milliseconds(200)};
  StrangerConfig config;
  config.manner = static_cast<Manner>(scenario.choose(strange_manners));
  config.gate = std::string(gate_of_the_run);
  config.rest = rests[scenario.choose(std::size(rests))];
  config.visits = wanted.crowd ? 60 : 4 + 8 * scenario.choose(4);
  return config;
}

StrangerConfig draw_impostor(sim::Scenario& scenario, std::uint32_t world) {
  StrangerConfig config;
  config.manner = static_cast<Manner>(strange_manners + scenario.choose(false_manners));
  config.rank = scenario.choose(world);
  config.visits = 1 + scenario.choose(3);
  config.first_connection = first_of_impostor;
  return config;
}

}  // namespace

void build_start(sim::Scenario& scenario, const StartMachines& machines, const StartScenario& wanted) {
  constexpr Duration preparations[] = {milliseconds(5), Duration{0}, milliseconds(100), seconds(1)};
  constexpr Duration works[] = {milliseconds(100), Duration{0}, seconds(1), seconds(8)};
  StartShape shape = draw_shape(scenario, wanted);
  if (wanted.faults) allow_faults(scenario);
  scenario.files_outlive_crashes();  // the host file of a supervisor that was killed
  scenario.phases(seconds(8), seconds(300));
  GateConfig gate;
  gate.owner = supervisor_role;
  gate.strangers_max = shape.strangers_max;
  shape.stranger_wait = gate.stranger_wait;
  sim::ProcessSpec& supervisor = scenario.process("supervisor");
  supervisor.machines = {machines.supervisor({}), machines.gate(gate)};
  supervisor.runs(Pause()).crashes().stops_for_a_while().on_host(std::string(near_host));

  std::vector<StartingRankConfig> programs(shape.world());
  for (std::uint32_t rank = 0; rank < shape.world(); ++rank) {
    programs[rank].rank = rank;
    programs[rank].fate = shape.fates[rank];
    programs[rank].prepares = preparations[scenario.choose(std::size(preparations))];
    programs[rank].works = works[scenario.choose(std::size(works))];
    programs[rank].patience = shape.job.patience;
  }
  std::optional<StrangerConfig> impostor;
  if (shape.has_impostor) impostor = draw_impostor(scenario, shape.world());
  const std::uint32_t host_of_impostor = impostor ? scenario.choose(shape.world()) : 0;
  const bool somebody_ends_it = shape.ends_after.has_value();
  const auto make_rank = [=, gate_client = machines.gate_client, hosts = shape.hosts](Rank rank, const action::Spawn& spawn) {
    StartingRankConfig program = programs[number(rank)];
    program.gate = variable_of(spawn, gate_variable);
    program.token = Hidden(variable_of(spawn, token_variable));
    program.has_impostor = impostor && number(rank) == host_of_impostor;
    GateClientConfig client;
    client.owner = program_role;
    sim::ProcessSpec spec;
    spec.name = "rank " + text_of(number(rank));
    spec.runs(StartingRank(program)).crashes();
    somebody_ends_it ? spec.stops() : spec.stops_for_a_while();  // who waits for a job has no deadline
    spec.on_host(hosts[number(rank)]);
    spec.machines.push_back(gate_client(client));
    if (program.has_impostor) spec.runs(Stranger(*impostor));
    if (program.fate == RankFate::deaf_to_sigterm) spec.deaf_to_sigterm();
    return spec;
  };
  scenario.launcher({std::string(launcher_program), shape.world(), make_rank,
                     [](const action::Spawn& spawn) { return !has_argument(spawn, "-disable-auto-cleanup"); }});
  const std::uint32_t strangers = wanted.crowd ? shape.strangers_max + 3 : wanted.strangers ? scenario.choose(4) : 0;
  for (std::uint32_t i = 0; i < strangers; ++i)
    scenario.process("stranger " + text_of(i)).runs(Stranger(draw_stranger(scenario, wanted))).on_host("elsewhere");
  scenario.client(std::make_unique<StartWorkload>(std::move(shape)));
}

}  // namespace tenter::protocols
