// What the launchers are called with. B1.3, P-C7, P-C8.
#include <gtest/gtest.h>

#include "core/control/launcher.hpp"
#include "core/text.hpp"

namespace tenter::control {
namespace launcher_test {
namespace {

Topology two_hosts() {
  Topology topology;
  topology.controller_host = "node-a";
  topology.executors.resize(3);
  for (std::uint32_t i = 0; i < 3; ++i) {
    topology.executors[i].rank = i + 1;
    topology.executors[i].worker = i;
    topology.executors[i].host = i == 0 ? "node-a" : "node-b";
  }
  topology.launcher_arguments = {"-v"};
  return topology;
}

LaunchPlan plan_of(LauncherFamily family) {
  LaunchPlan plan;
  plan.family = family;
  plan.program = {"tenter", "control", "member"};
  plan.environment = {{"PATH", "/bin:/usr/bin"}};
  return plan;
}

const Hidden secret("the-secret-of-this-start");

std::string line(const Parts& parts) {
  std::string text;
  for (const Blob& part : parts) text += (text.empty() ? "" : " ") + std::string(part.text());
  return text;
}

TEST(Launcher, of_hydra_has_a_host_file_and_the_token_by_name_only) {
  const auto command = launch_command(plan_of(LauncherFamily::hydra), two_hosts(), "/run/x/hosts", "node-a:4711", secret);
  EXPECT_EQ(line(command.arguments),
            "mpiexec -f /run/x/hosts -genv PATH /bin:/usr/bin -genv TENTER_CONTROL_GATE node-a:4711 "
            "-genvlist TENTER_CONTROL_TOKEN -np 4 -v tenter control member");
  EXPECT_EQ(line(command.environment), "TENTER_CONTROL_TOKEN=the-secret-of-this-start");
  EXPECT_EQ(print_host_file(host_slots(two_hosts())), "node-a:2\nnode-b:2\n");
}

TEST(Launcher, of_open_mpi_has_hosts_in_its_arguments_and_values_in_its_environment) {
  LaunchPlan plan = plan_of(LauncherFamily::open_mpi);
  plan.launcher = "mpirun";
  plan.as_root = true;
  const auto command = launch_command(plan, two_hosts(), "", "node-a:4711", secret);
  EXPECT_EQ(line(command.arguments),
            "mpirun --host node-a:2,node-b:2 --map-by slot --bind-to none --allow-run-as-root -x PATH "
            "-x TENTER_CONTROL_GATE -x TENTER_CONTROL_TOKEN -np 4 -v tenter control member");
  EXPECT_EQ(line(command.environment),
            "TENTER_CONTROL_TOKEN=the-secret-of-this-start PATH=/bin:/usr/bin TENTER_CONTROL_GATE=node-a:4711");
}

TEST(Launcher, that_leaves_the_clean_up_to_us_is_told_so) {
  LaunchPlan plan = plan_of(LauncherFamily::hydra);
  plan.cleans_up = false;
  EXPECT_NE(line(launch_command(plan, two_hosts(), "h", "g", secret).arguments).find(" -disable-auto-cleanup "),
            std::string::npos);
}

TEST(Launcher, never_has_the_token_in_its_arguments) {  // P-C7
  for (const auto family : {LauncherFamily::hydra, LauncherFamily::open_mpi}) {
    const auto command = launch_command(plan_of(family), two_hosts(), "/run/x/hosts", "node-a:4711", secret);
    EXPECT_EQ(line(command.arguments).find(secret.bytes), std::string::npos);
    EXPECT_NE(line(command.environment).find(secret.bytes), std::string::npos);
  }
}

TEST(Launcher, is_known_by_what_it_prints) {
  EXPECT_EQ(launcher_family("mpirun (Open MPI) 4.1.4"), LauncherFamily::open_mpi);
  EXPECT_EQ(launcher_family("mpiexec (OpenRTE) 4.1"), LauncherFamily::open_mpi);
  EXPECT_EQ(launcher_family("HYDRA build details:\n    Version: 4.0.2"), LauncherFamily::hydra);
  EXPECT_EQ(launcher_family("MPICH Version: 4"), LauncherFamily::hydra);
  EXPECT_EQ(launcher_family("srun 23.1"), std::nullopt);
  EXPECT_EQ(*parse_launcher_family("mpich"), LauncherFamily::hydra);
  EXPECT_EQ(*parse_launcher_family("openmpi"), LauncherFamily::open_mpi);
  EXPECT_FALSE(parse_launcher_family("Hydra").has_value());
}

TEST(Launcher, a_plan_that_cannot_be_is_refused_with_its_field) {
  const std::pair<std::string_view, void (*)(LaunchPlan&)> cases[] = {
      {"launcher is empty", [](LaunchPlan& p) { p.launcher.clear(); }},
      {"program: nothing to start", [](LaunchPlan& p) { p.program.clear(); }},
      {"program: nothing to start", [](LaunchPlan& p) { p.program[0].clear(); }},
      {"program: it begins with '-'", [](LaunchPlan& p) { p.program[0] = "-x"; }},
      {"program: argument 1 has a zero byte", [](LaunchPlan& p) { p.program[1] = std::string("a\0b", 3); }},
      {"environment: entry 0 is no NAME", [](LaunchPlan& p) { p.environment[0].first = "A=B"; }},
      {"environment: entry 0 is no NAME", [](LaunchPlan& p) { p.environment[0].first = "1A"; }},
      {"environment: entry 0 has a zero byte", [](LaunchPlan& p) { p.environment[0].second = std::string("\0", 1); }},
      {"environment: entry 0 is there twice",
       [](LaunchPlan& p) {
         p.environment.push_back({"PATH", ""});
       }},
      {"takes a name of ours", [](LaunchPlan& p) { p.environment[0].first = std::string(token_variable); }},
      {"takes a name of ours", [](LaunchPlan& p) { p.environment[0].first = std::string(gate_variable); }}};
  EXPECT_TRUE(check_plan(plan_of(LauncherFamily::hydra)).has_value());
  for (const auto& [says, spoil] : cases) {
    LaunchPlan plan = plan_of(LauncherFamily::hydra);
    spoil(plan);
    const auto checked = check_plan(plan);
    ASSERT_FALSE(checked.has_value()) << says;
    EXPECT_NE(checked.error().what.find(says), std::string::npos) << checked.error().what;
  }
}

}  // namespace
}  // namespace launcher_test
}  // namespace tenter::control
