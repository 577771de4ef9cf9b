#include "hw/group/rank_main.hpp"

#include <sys/prctl.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/mailbox/dispatcher.hpp"
#include "core/mailbox/member.hpp"
#include "hw/group/bus_error.hpp"
#include "hw/group/group_recording.hpp"
#include "hw/group/guardian.hpp"
#include "hw/group/page_part.hpp"
#include "hw/group/parent_watch.hpp"
#include "hw/loop/local_part.hpp"
#include "hw/loop/process.hpp"
#include "hw/mpi/collective_part.hpp"
#include "hw/mpi/large_buffers.hpp"
#include "hw/posix/files_part.hpp"
#include "hw/posix/host_part.hpp"
#include "hw/posix/processes_part.hpp"
#include "hw/posix/timers_part.hpp"
#include "hw/posix/work_part.hpp"
#include "hw/record/recorded.hpp"

namespace tenter::hw {
namespace {

constexpr Duration parent_grace = seconds(3);  // for the orderly way out, once the parent is gone
constexpr int parent_gone_code = 113;

using MemberPort = Port<CollectivePart, FilesPart, ProcessesPart, WorkPart, TimersPart, LocalPart, HostPart, PagePart>;

int refuse(const std::string& why) {
  std::fprintf(stderr, "tenter member: %s\n", why.c_str());
  return 1;
}

struct Surroundings {
  std::string directory;
  ProcessId parent;
  std::uint32_t world = 0;
  std::string record;  // directory; empty: none
};

Result<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0')
    return error(Status::invalid,
                 std::string("start: the environment has no ") + name + "; ranks are started by `tenter mailbox`, not by hand");
  return std::string(value);
}

Result<Surroundings> surroundings() {
  auto directory = variable(directory_variable);
  if (!directory) return tl::unexpected(directory.error());
  auto parent_text = variable(parent_variable);
  if (!parent_text) return tl::unexpected(parent_text.error());
  auto parent = read_process_id(*parent_text);
  if (!parent) return tl::unexpected(parent.error());
  auto world = variable(world_variable);
  if (!world) return tl::unexpected(world.error());
  const char* record = std::getenv(record_variable);
  Surroundings found{*directory, *parent, 0, record != nullptr ? record : ""};
  const auto [end, bad] = std::from_chars(world->data(), world->data() + world->size(), found.world);
  if (bad != std::errc{} || *end != '\0' || found.world == 0)
    return error(Status::invalid, std::string("start: ") + world_variable + "=" + *world + " is no number of ranks");
  return found;
}

template <class... Machines>
ExitRequest serve(Context& context, MemberPort& port, Recorder* recorder, Machines... machines) {
  ObservedProcess process(context, port, PerhapsRecorded(recorder), std::move(machines)...);
  process.start();
  process.run_until([&] { return port.exit_requested().has_value(); }, end_of_time);
  tell_undelivered("tenter member", process.undelivered());
  return *port.exit_requested();
}

ExitRequest serve_group(const Surroundings& found, const MpiEnvironment& environment, Doorbell& doorbell, ParentWatch& watch,
                        const ServeCall& call, const ServesOnLoop& on_loop, StepHook* hook) {
  Context context(hook, environment.size() + 1 > usable_cpus());  // the parent is on this host too
  MemberPort port{{context, environment, doorbell},
                  {context, found.directory},
                  {context},
                  {context, call, 1, on_loop},
                  {context},
                  {context},
                  {context},
                  {context},
                  {}};
  mailbox::MemberConfig config;
  config.rank = number(environment.rank());
  config.world = environment.size();
  const bool root = config.rank == 0;
  port.watch_lifeline(watch.take_lifeline(), {mailbox::member_role});
  const mailbox::DispatcherConfig dispatcher;
  std::vector<recording::RoleHeader> roles{recorded_role<mailbox::Member>(config)};
  if (root) roles.push_back(recorded_role<mailbox::Dispatcher>(dispatcher));
  auto recorder = record_rank(found.record, environment.rank(), std::move(roles));
  if (!recorder) throw std::runtime_error(recorder.error().what);
  const ExitRequest exit = root ? serve(context, port, recorder->get(), mailbox::Member(config), mailbox::Dispatcher(dispatcher))
                                : serve(context, port, recorder->get(), mailbox::Member(config));
  if (*recorder)
    if (auto whole = (*recorder)->finish(); !whole) refuse(whole.error().what);  // the protocol's work is not worse for it
  // Parts are given back only on the orderly way: a callable may still run, a collective may never complete.
  if (!exit.orderly) MpiEnvironment::leave(exit.code);
  return exit;
}

}  // namespace

int run_member(const Callables& callables, StepHook* hook) {
  return run_member([&](const Blob& callable, const Blob& argument) { return callables.run(callable, argument); }, hook,
                    [&](const Blob& callable) { return callables.runs_on_loop(callable); });
}

int run_member(const ServeCall& call, StepHook* hook, const ServesOnLoop& on_loop) {
  if (const auto guarded = serve_as_guardian()) return *guarded;
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // the launcher's proxy; cannot fail with a legal signal
  keep_large_buffers();
  auto found = surroundings();
  if (!found) return refuse(found.error().what);
  auto watch = ParentWatch::open(found->parent);
  if (!watch) return refuse(watch.error().what);
  watch->start(parent_grace, parent_gone_code);  // before MPI, which may wait for ever for the other ranks
  auto environment = MpiEnvironment::open({found->world, MPI_THREAD_FUNNELED});
  if (!environment) return refuse(environment.error().what);
  const std::string who = "rank " + std::to_string(number(environment->rank())) + ": ";
  const std::string group = std::filesystem::path(found->directory).filename().string();
  tell_bus_errors("tenter member: rank " + std::to_string(number(environment->rank())), page_by_directory(group));
  auto doorbell = Doorbell::open(*environment);
  if (!doorbell) return refuse(who + doorbell.error().what);
  try {
    return serve_group(*found, *environment, *doorbell, *watch, call, on_loop, hook).code;
  } catch (const std::exception& failure) {
    refuse(who + failure.what());
    MpiEnvironment::leave(1);
  }
}

}  // namespace tenter::hw
