#include "hw/group/group.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <optional>

#include "core/mailbox/join.hpp"
#include "core/mailbox/start_call.hpp"
#include "hw/group/group_inside.hpp"
#include "hw/group/guardian.hpp"
#include "hw/group/task_frames.hpp"

namespace tenter::hw {

std::string this_program() {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  return length > 0 ? std::string(path.data(), static_cast<std::size_t>(length)) : std::string();
}

namespace {

tl::unexpected<Error> no_such_rank(const char* call, std::uint32_t rank, std::uint32_t ranks) {
  return error(Status::invalid, std::string(call) + ": rank " + std::to_string(rank) + " of a group of " + std::to_string(ranks));
}

}  // namespace

Group::Group(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
Group::~Group() {
  if (inside_) (void)shutdown(inside_->spec.stop_patience);
}

Result<std::unique_ptr<Group>> Group::start(const GroupSpec& spec) {
  if (spec.member.empty() || spec.ranks == 0) return error(Status::invalid, "start: no rank, or no program for the ranks");
  auto inside = Inside::make(spec);
  if (!inside) return tl::unexpected(inside.error());
  if (auto started = (*inside)->start_group(); !started) return tl::unexpected(started.error());
  return std::unique_ptr<Group>(new Group(std::move(*inside)));
}

Result<Blob> Group::submit(std::uint32_t rank, std::string_view callable, const Task& task, Duration budget) {
  if (rank >= ranks()) return no_such_rank("submit", rank, ranks());
  const mailbox::FrameIdentity identity = inside_->identity_for(rank);
  auto frame = task_frame(identity, callable, task);
  if (!frame) return tl::unexpected(frame.error());
  const auto to = static_cast<std::int32_t>(rank);
  auto replies = inside_->request("submit", {mailbox::Opcode::task, mailbox::Target::rank, to, budget, Parts{*frame}});
  if (!replies) return tl::unexpected(replies.error());
  return result_of("submit", identity, (*replies)[0]);
}

Result<std::vector<Blob>> Group::submit_all(std::string_view callable, std::span<const Task> tasks, Duration budget) {
  if (tasks.size() != ranks())
    return error(Status::invalid,
                 "submit_all: " + std::to_string(tasks.size()) + " tasks for " + std::to_string(ranks()) + " ranks");
  std::vector<mailbox::FrameIdentity> identities;
  std::vector<Blob> frames;
  for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
    identities.push_back(inside_->identity_for(rank));
    auto frame = task_frame(identities.back(), callable, tasks[rank]);
    if (!frame) return tl::unexpected(frame.error());
    frames.push_back(std::move(*frame));
  }
  auto replies =
      inside_->request("submit_all", {mailbox::Opcode::task, mailbox::Target::per_rank, -1, budget, Parts(std::move(frames))});
  if (!replies) return tl::unexpected(replies.error());
  std::vector<Blob> results;
  for (std::uint32_t rank = 0; rank < ranks(); ++rank) {
    auto result = result_of("submit_all", identities[rank], (*replies)[rank]);
    if (!result) return tl::unexpected(result.error());
    results.push_back(std::move(*result));
  }
  return results;
}

Result<Blob> Group::join(const GroupOperation& operation, std::uint32_t rank, std::string_view callable, const Task& task,
                         Duration patience) {
  const mailbox::FrameIdentity identity = inside_->identity_for(rank);
  auto frame = task_frame(identity, callable, task);
  if (!frame) return tl::unexpected(frame.error());
  mailbox::Join join;
  join.batch = {operation.slot, operation.generation};
  join.rank = rank;
  join.size = operation.size != 0 ? operation.size : ranks();
  join.of_group = operation.of_group != 0 ? operation.of_group : join.size;
  join.patience = patience;
  join.payload = std::move(*frame);
  const Note answer = inside_->call(mailbox::rendezvous_role, mailbox::join_call(join), patience + patience);
  if (answer.status != Status::ok) return tl::unexpected(call_error("join", answer));
  return result_of("join", identity, answer.parts[0]);
}

Result<Blob> Group::control(std::uint32_t rank, mailbox::ControlName name, Bytes command, Duration budget) {
  if (rank >= ranks()) return no_such_rank("control", rank, ranks());
  return inside_->control(mailbox::Target::rank, static_cast<std::int32_t>(rank), name, command, budget);
}

Result<Blob> Group::control_group(mailbox::ControlName name, Bytes command, Duration budget) {
  return inside_->control(mailbox::Target::group, -1, name, command, budget);
}

Result<void> Group::ping(Duration budget) {
  auto replies = inside_->request("ping", {mailbox::Opcode::ping, mailbox::Target::group, -1, budget, Parts{Blob()}});
  if (!replies) return tl::unexpected(replies.error());
  return {};
}

Result<void> Group::shutdown(Duration budget) {
  const Note answer = inside_->call(mailbox::launch_role, mailbox::stop_call(budget), budget);
  if (answer.status != Status::ok) return tl::unexpected(call_error("shutdown", answer));
  return {};
}

Result<void> Group::finish_recording() { return inside_->finish_recording(); }

std::uint32_t Group::ranks() const { return inside_->spec.ranks; }
bool Group::ended() const { return inside_->ended; }
const std::string& Group::page() const { return inside_->page; }
const std::string& Group::folder() const { return inside_->folder.path(); }
ProcessId Group::launcher() const { return inside_->launcher; }
std::vector<ProcessId> Group::processes() const { return inside_->rank_processes(); }

}  // namespace tenter::hw
