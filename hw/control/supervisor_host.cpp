#include "hw/control/supervisor_host.hpp"

#include <exception>
#include <filesystem>

#include "core/control/gate.hpp"
#include "core/control/supervisor.hpp"
#include "hw/control/resolve.hpp"
#include "hw/group/group_files.hpp"
#include "hw/group/guardian.hpp"
#include "hw/group/private_folder.hpp"
#include "hw/loop/local_part.hpp"
#include "hw/loop/process.hpp"
#include "hw/posix/client_part.hpp"
#include "hw/posix/entropy_part.hpp"
#include "hw/posix/files_part.hpp"
#include "hw/posix/host_part.hpp"
#include "hw/posix/processes_part.hpp"
#include "hw/posix/spawn.hpp"
#include "hw/posix/stream_part.hpp"
#include "hw/posix/timers_part.hpp"

namespace tenter::hw {
namespace {

using SupervisorPort = Port<StreamPart, ProcessesPart, FilesPart, TimersPart, ClientPart, LocalPart, EntropyPart, HostPart>;

}  // namespace

struct SupervisorHost::Inside {
  Inside(PrivateFolder own, Guardian guard)
      : folder(std::move(own)),
        guardian(std::move(guard)),
        port{{context}, {context}, {context, folder.path()}, {context}, {context}, {context}, {context}, {context}, {}},
        process(context, port, control::Supervisor(), control::Gate()) {
    process.start();
  }
  ~Inside() {
    tell_undelivered("tenter control", process.undelivered());
    if (folder.remove()) guardian.dismiss();
  }

  // Every step of the machine has a deadline, so every call is answered.
  Result<void> call(Note note, const std::function<bool()>& stop) {
    ClientPart& client = port;
    const auto ticket = client.submit(control::supervisor_role, std::move(note), ClientPart::Wake::nobody);
    if (!ticket) return tl::unexpected(ticket.error());
    process.run_until(
        [&] {
          if (!stopped && stop()) {
            stopped = true;
            if (const auto asked = client.submit(control::supervisor_role, control::start_note(control::StartNote::stop)))
              client.abandon(*asked);
          }
          return client.done(*ticket);
        },
        end_of_time);
    const Note answer = *client.take(*ticket);
    if (answer.status != Status::ok) return error(answer.status, std::string(answer.text.text()));
    return {};
  }

  PrivateFolder folder;
  Guardian guardian;
  Context context;
  SupervisorPort port;
  Process<SupervisorPort, control::Supervisor, control::Gate> process;
  bool stopped = false;
};

SupervisorHost::SupervisorHost(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
SupervisorHost::~SupervisorHost() {
  (void)inside_->call(control::start_note(control::StartNote::stop), [] { return false; });
}

Result<std::unique_ptr<SupervisorHost>> SupervisorHost::open(const std::vector<std::string>& guardian, const std::string& base) {
  auto folder = PrivateFolder::create(base);
  if (!folder) return tl::unexpected(folder.error());
  auto guard = Guardian::start(folder->path(), guardian);  // before the launcher
  if (!guard) return tl::unexpected(guard.error());
  try {
    return std::unique_ptr<SupervisorHost>(new SupervisorHost(std::make_unique<Inside>(std::move(*folder), std::move(*guard))));
  } catch (const std::exception& failure) {
    return error(Status::failed, std::string("start: ") + failure.what());
  }
}

const std::string& SupervisorHost::folder() const { return inside_->folder.path(); }

// By the mark in their environment the guardian finds the ranks.
Result<void> SupervisorHost::start(control::JobSpec spec, const std::function<bool()>& stop) {
  const auto topology = control::parse_topology(spec.topology);
  if (!topology) return error(topology.error().status, "start: topology: " + topology.error().what);
  auto listen = numeric_address(topology->controller_host, control::host_slots(*topology).size() > 1);
  if (!listen) return error(listen.error().status, "start: controller_host: " + listen.error().what);
  spec.listen = std::move(*listen);
  spec.root = folder();
  spec.plan.environment.emplace_back(directory_variable, folder() + "/control");
  return inside_->call(control::job_call(spec), stop);
}
Result<void> SupervisorHost::wait(const std::function<bool()>& stop) {
  return inside_->call(control::start_note(control::StartNote::wait), stop);
}
void SupervisorHost::nudge() { inside_->context.nudge(); }

control::LauncherFamily family_of_launcher(const std::string& launcher) {
  for (const std::string& place : places_of_program(launcher)) {
    std::error_code missing;
    const auto file = std::filesystem::canonical(place, missing);
    if (missing) continue;
    const std::string name = file.filename().string();
    if (name.find("orterun") != std::string::npos || name.find("prte") != std::string::npos)
      return control::LauncherFamily::open_mpi;
    break;
  }
  return control::LauncherFamily::hydra;
}

}  // namespace tenter::hw
