#include "cli/protocols/mailbox/group_scenario.hpp"

#include "cli/protocols/mailbox/group_workload.hpp"

namespace tenter::protocols {

using namespace mailbox;

GroupMachines shipped_machines() {
  GroupMachines machines;
  machines.channel = [](ChannelConfig config) { return AnyMachine(Channel(config)); };
  machines.rendezvous = [](RendezvousConfig config) { return AnyMachine(Rendezvous(config)); };
  machines.launch = [](LaunchConfig config) { return AnyMachine(Launch(config)); };
  machines.member = [](MemberConfig config) { return AnyMachine(Member(config)); };
  machines.dispatcher = [](DispatcherConfig config) { return AnyMachine(Dispatcher(config)); };
  return machines;
}

namespace {

// The folder that a rank's Files are rooted in, as the launcher's environment names it, without the leading slash of the root.
std::string directory_of(const action::Spawn& spawn) {
  constexpr std::string_view variable = "TENTER_MAILBOX_DIRECTORY=";
  for (const Blob& entry : spawn.environment) {
    std::string_view text = entry.text();
    if (!text.starts_with(variable)) continue;
    text.remove_prefix(variable.size());
    while (text.starts_with('/')) text.remove_prefix(1);
    return std::string(text);
  }
  return "no-directory";
}

void allow_faults(sim::Scenario& scenario, const GroupShape& shape) {
  if (shape.faults) {
    scenario.allow(sim::Tag::crash, 1);
    scenario.allow(sim::Tag::stop, 1);
    scenario.allow(sim::Tag::work_failure, 2);
    scenario.allow(sim::Tag::work_hang, 1);
    scenario.allow(sim::Tag::launcher_crash, 1);
    scenario.allow(sim::Tag::proxy_crash, 1);
    scenario.allow(sim::Tag::lost_stores, 4);
    if (shape.faults_from_the_start) scenario.allow(sim::Tag::no_space, 1);
  }
  if (shape.scribbles) scenario.allow(sim::Tag::scribble, 1);
}

}  // namespace

void build_group(sim::Scenario& scenario, const GroupMachines& machines, const GroupShape& shape) {
  constexpr std::uint32_t worlds[] = {1, 2, 3, 4, 4, 4, 4, 4};
  const std::uint32_t world = shape.ranks != 0 ? shape.ranks : worlds[scenario.choose(8)];
  const std::uint32_t requests = scenario.choose(shape.requests_max + 1);
  const std::uint32_t at_once = 1 + scenario.choose(3);
  allow_faults(scenario, shape);
  scenario.phases(seconds(5), seconds(120));
  auto& parent = scenario.process("parent");
  ChannelConfig channel;
  channel.world = world;
  RendezvousConfig rendezvous;
  rendezvous.world = world;
  LaunchConfig launch;
  launch.world = world;
  parent.machines = {machines.channel(channel), machines.rendezvous(rendezvous), machines.launch(launch)};
  if (shape.faults) parent.crashes();
  scenario.launcher({"mpiexec", world, [machines, world](Rank rank, const action::Spawn& spawn) {
                       sim::ProcessSpec spec;
                       spec.name = "rank " + std::to_string(number(rank));
                       spec.rooted_at(directory_of(spawn)).crashes().stops();
                       MemberConfig member;
                       member.rank = number(rank);
                       member.world = world;
                       spec.machines.push_back(machines.member(member));
                       if (rank == Rank{0}) spec.machines.push_back(machines.dispatcher(DispatcherConfig{}));
                       return spec;
                     }});
  scenario.work(&simulated_work);
  StartSpec start;
  start.world = world;
  start.root = Blob("/");
  start.arguments = Parts{Blob("mpiexec"), Blob("-n"), Blob(std::to_string(world)), Blob("tenter"), Blob("member")};
  scenario.client(std::make_unique<GroupWorkload>(std::move(start), GroupWorkload::Shape{requests, at_once}));
  if (!shape.faults_from_the_start)
    scenario.quiet_boot([](const sim::Workload& workload) { return static_cast<const GroupWorkload&>(workload).started(); });
}

}  // namespace tenter::protocols
