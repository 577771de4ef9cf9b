#include "hw/group/group_inside.hpp"

#include <unistd.h>

#include <filesystem>

#include "core/mailbox/start_call.hpp"
#include "hw/group/group_recording.hpp"
#include "hw/group/parent_watch.hpp"
#include "hw/group/rank_main.hpp"
#include "hw/group/task_frames.hpp"
#include "hw/posix/spawn.hpp"

namespace tenter::hw {
namespace {

// Beyond a call's own deadline: the machines look for the culprit, kill and clean up, each step with a deadline of its own.
constexpr Duration answer_slack = seconds(60);

ProcessId self() {
  const auto pid = static_cast<std::uint64_t>(getpid());
  return {pid, start_time_of(pid)};
}

mailbox::ChannelConfig channel_config(const GroupSpec& spec) {
  mailbox::ChannelConfig config;
  config.world = spec.ranks;
  return config;
}
mailbox::RendezvousConfig rendezvous_config(const GroupSpec& spec) {
  mailbox::RendezvousConfig config;
  config.world = spec.ranks;
  return config;
}
mailbox::LaunchConfig launch_config(const GroupSpec& spec) {
  mailbox::LaunchConfig config;
  config.world = spec.ranks;
  config.start_patience = spec.start_patience;
  config.stop_patience = spec.stop_patience;
  return config;
}

// Told by the name of the file that a launcher leads to (mpiexec is a link to mpiexec.hydra), so that no launcher runs to say it.
bool is_hydra(const std::string& launcher) {
  for (const std::string& place : places_of_program(launcher)) {
    std::error_code missing;
    const auto file = std::filesystem::canonical(place, missing);
    if (!missing) return file.filename().string().find("hydra") != std::string::npos;
  }
  return false;
}

Parts launcher_arguments(const GroupSpec& spec) {
  std::vector<Blob> arguments{Blob(std::string_view(spec.launcher))};
  // Hydra kills all ranks when one dies, and at times another is gone before the dead one's exit is told. Launch ends the group
  // itself.
  if (is_hydra(spec.launcher)) arguments.emplace_back(std::string_view("-disable-auto-cleanup"));
  arguments.emplace_back(std::string_view("-n"));
  arguments.emplace_back(std::string_view(std::to_string(spec.ranks)));
  for (const std::string& argument : spec.member) arguments.emplace_back(std::string_view(argument));
  return Parts(std::move(arguments));
}

Parts rank_environment(const GroupSpec& spec) {
  // Absolute: a rank may start elsewhere. Empty hides a value that this process has inherited.
  const std::string record = spec.record.empty() ? "" : std::filesystem::absolute(spec.record).string();
  return Parts{Blob(std::string_view(std::string(parent_variable) + "=" + write_process_id(self()))),
               Blob(std::string_view(std::string(world_variable) + "=" + std::to_string(spec.ranks))),
               Blob(std::string_view(std::string(record_variable) + "=" + record))};
}

std::vector<recording::RoleHeader> recorded_roles(const GroupSpec& spec) {
  return {recorded_role<mailbox::Channel>(channel_config(spec)), recorded_role<mailbox::Rendezvous>(rendezvous_config(spec)),
          recorded_role<mailbox::Launch>(launch_config(spec))};
}

bool is_over(const mailbox::Channel& channel) {
  return channel.state() == mailbox::ChannelState::terminal || channel.state() == mailbox::ChannelState::closed;
}

}  // namespace

Group::Inside::Running::Running(const GroupSpec& spec, const std::string& root, Recorder* recorder, std::atomic<bool>& ended)
    : context(spec.step_hook, spec.ranks + 1 > usable_cpus()),
      port{{context}, {context}, {context}, {context}, {context, root}, {context}, {context}, {context}, {}},
      process(context, port, PerhapsRecorded(recorder), mailbox::Channel(channel_config(spec)),
              mailbox::Rendezvous(rendezvous_config(spec)), mailbox::Launch(launch_config(spec))),
      driver({[this, &ended](const std::function<bool()>& until, Time deadline, SleepWatch* watch) {
                process.run_until(
                    [&] {
                      ended.store(is_over(process.machine<0>()), std::memory_order_relaxed);
                      return until();
                    },
                    deadline, watch);
              },
              [this] { return process.sleep_holds(); }, [this] { context.nudge(); }}) {}

Result<std::unique_ptr<Group::Inside>> Group::Inside::make(const GroupSpec& spec) {
  auto recorder = record_parent(spec.record, recorded_roles(spec));
  if (!recorder) return tl::unexpected(recorder.error());
  auto folder = PrivateFolder::create(spec.base);
  if (!folder) return tl::unexpected(folder.error());
  auto guardian = Guardian::start(folder->path(), spec.member);  // before the launcher
  if (!guardian) return tl::unexpected(guardian.error());
  auto inside = std::make_unique<Inside>(spec, std::move(*folder), std::move(*guardian));
  inside->recorder = std::move(*recorder);
  inside->session = self().start_time << 32 | self().pid;
  try {
    inside->running = std::make_unique<Running>(inside->spec, inside->folder.path(), inside->recorder.get(), inside->ended);
  } catch (const std::exception& failure) {
    return error(Status::failed, std::string("start: ") + failure.what());
  }
  return inside;
}

Group::Inside::~Inside() {
  if (running) tell_undelivered("tenter parent", running->process.undelivered());
  running.reset();
  if (folder.remove()) guardian.dismiss();
}

mailbox::StartSpec Group::Inside::start_spec() const {
  mailbox::StartSpec start;
  start.world = spec.ranks;
  start.patience = spec.start_patience;
  start.root = Blob(std::string_view(folder.path()));
  start.arguments = launcher_arguments(spec);
  start.environment = rank_environment(spec);
  return start;
}

// The driver's own thread spawns the launcher: a child's death signal follows the thread that started it.
Result<void> Group::Inside::start_group() {
  ClientPart& client = running->port;
  const auto ticket = client.submit(mailbox::launch_role, mailbox::start_call(start_spec()));
  if (!ticket) return tl::unexpected(ticket.error());
  const auto answer = client.wait(*ticket, now() + spec.start_patience + answer_slack);
  if (!answer) return error(answer.error().status, "start: " + answer.error().what);
  if (answer->status != Status::ok) return tl::unexpected(call_error("start", *answer));
  auto started = mailbox::read_started(*answer);
  if (!started) return tl::unexpected(started.error());
  page = std::string(started->page.text());
  launcher = started->launcher;
  return {};
}

Note Group::Inside::call(Role role, const Note& note, Duration budget) {
  ClientPart& client = running->port;
  const Time deadline = now() + budget + answer_slack;
  Result<Ticket> ticket = error(Status::unavailable, "");
  std::optional<Note> answer;
  const auto begin = [&](bool drives) {
    ticket = client.submit(role, note, drives ? ClientPart::Wake::nobody : ClientPart::Wake::loop);
    return ticket.has_value();
  };
  const auto wait = [&] {
    if (auto waited = client.wait(*ticket, deadline)) answer = std::move(*waited);
  };
  running->driver.drive(
      begin, [&] { return client.done(*ticket); }, wait, deadline);
  if (!ticket) return mailbox::answer_error(ticket.error().status, "CallRefused", ticket.error().what);
  if (!answer) answer = client.take(*ticket);
  if (answer) return std::move(*answer);
  client.abandon(*ticket);
  return mailbox::answer_error(Status::timed_out, "NoAnswer", "the loop of the parent did not answer");
}

Result<Parts> Group::Inside::request(std::string_view what, const mailbox::RequestCall& call_) {
  const Note answer = call(mailbox::channel_role, mailbox::request_note(call_), call_.patience);
  if (answer.status != Status::ok) return tl::unexpected(call_error(what, answer));
  return answer.parts;
}

Result<Blob> Group::Inside::control(mailbox::Target target, std::int32_t rank, mailbox::ControlName name, Bytes command,
                                    Duration budget) {
  const mailbox::FrameIdentity identity = identity_for(rank < 0 ? 0 : static_cast<std::uint32_t>(rank));
  auto frame = control_frame(identity, name, command, target);
  if (!frame) return tl::unexpected(frame.error());
  auto replies = request("control", {mailbox::Opcode::control, target, rank, budget, Parts{*frame}});
  if (!replies) return tl::unexpected(replies.error());
  return result_of("control", identity, (*replies)[0]);
}

Result<void> Group::Inside::finish_recording() {
  Result<void> finished;
  if (recorder) running->driver.between([&] { finished = recorder->finish(); });
  return finished;
}

std::vector<ProcessId> Group::Inside::rank_processes() {
  std::vector<ProcessId> ids;
  running->driver.between([&] {
    for (const mailbox::RankProcess& rank : running->process.machine<2>().processes().ranks) ids.push_back(rank.process);
  });
  return ids;
}

}  // namespace tenter::hw
