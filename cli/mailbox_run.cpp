// `tenter mailbox run`: the tasks of a file, one after the other, on a group of its own.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <optional>
#include <sstream>
#include <vector>

#include "cli/mailbox_commands.hpp"
#include "cli/mailbox_tasks.hpp"
#include "cli/report/json_writer.hpp"
#include "cli/report/terminal.hpp"
#include "cli/tell.hpp"
#include "hw/group/bus_error.hpp"

namespace tenter::cli {
namespace {

constexpr Duration at_once = milliseconds(1);

struct TaskOutcome {
  TaskLine task;
  std::vector<std::uint32_t> ranks;  // that did it
  std::vector<Blob> results;         // one a rank
  std::optional<Error> error;
};

bool printable(std::string_view text) {
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7E) return false;
  return true;
}

// Text as it is, other bytes as hexadecimal digits.
std::string shown(const Blob& result) {
  if (printable(result.text())) return std::string(result.text());
  std::string hex = "0x";
  for (const std::byte byte : result.bytes()) hex += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return hex;
}

std::string worker_text(const TaskOutcome& outcome) {
  return outcome.task.worker == Worker::all ? "all" : fmt::format("rank {}", outcome.ranks.at(0));
}

TaskOutcome do_task(hw::Group& group, TaskLine task, std::uint32_t& next_rank) {
  TaskOutcome outcome;
  const Duration budget{static_cast<std::int64_t>(task.deadline_seconds * 1e9)};
  if (task.worker == Worker::all) {
    for (std::uint32_t rank = 0; rank < group.ranks(); ++rank) outcome.ranks.push_back(rank);
    auto results = group.submit_all(task.callable, std::vector<hw::Task>(group.ranks(), task.task), budget);
    if (results)
      outcome.results = std::move(*results);
    else
      outcome.error = results.error();
  } else {
    const std::uint32_t rank = task.worker == Worker::one ? task.rank : next_rank++ % group.ranks();
    outcome.ranks.push_back(rank);
    auto result = group.submit(rank, task.callable, task.task, budget);
    if (result)
      outcome.results.push_back(std::move(*result));
    else
      outcome.error = result.error();
  }
  outcome.task = std::move(task);
  return outcome;
}

void print(const TaskOutcome& outcome) {
  const std::string head = fmt::format("{} {} {}", outcome.task.line, outcome.task.callable, worker_text(outcome));
  if (outcome.error) {
    fmt::print("{}: FAILED ({}): {}\n", head, to_string(outcome.error->status), shown_text(outcome.error->what));
  } else {
    std::string results;
    for (const Blob& result : outcome.results) results += (results.empty() ? "" : " | ") + shown(result);
    fmt::print("{}: ok: {}\n", head, results);
  }
  std::fflush(stdout);
}

void write_json(const Context& context, const std::vector<TaskOutcome>& outcomes, std::size_t tasks, const std::string& trouble) {
  if (context.common.json.empty()) return;
  std::ostringstream text;
  {
    std::size_t failed = 0;
    for (const TaskOutcome& outcome : outcomes) failed += outcome.error ? 1 : 0;
    report::JsonWriter json(text);
    json.begin_object().member("schema", "tenter.mailbox_run/1").member("command", "mailbox run");
    json.member("verdict", interrupted() ? "unknown" : failed == 0 && trouble.empty() ? "pass" : "fail");
    json.member("tasks", tasks).member("done", outcomes.size()).member("failed", failed).member("group_error", trouble);
    json.key("results").begin_array();
    for (const TaskOutcome& outcome : outcomes) {
      json.begin_object().member("line", outcome.task.line).member("callable", outcome.task.callable);
      json.member("status", outcome.error ? to_string(outcome.error->status) : "ok");
      json.member("error", outcome.error ? outcome.error->what : std::string());
      json.key("ranks").begin_array();
      for (const std::uint32_t rank : outcome.ranks) json.value(rank);
      json.end_array().key("results").begin_array();
      for (const Blob& result : outcome.results) json.value(shown(result));
      json.end_array().end_object();
    }
    json.end_array().end_object();
  }
  write_result_text(context, text.str() + "\n", "");
}

}  // namespace

void warn_of_recording(hw::Group& group) {
  if (auto recorded = group.finish_recording(); !recorded)
    tell("warning: the recording is not complete: {}\n", recorded.error().what);
}

int mailbox_run(const Context& context, const MailboxRunOptions& options) {
  auto tasks = read_tasks(options.tasks, options.ranks);
  if (!tasks) return usage_error(tasks.error().what);
  hw::GroupSpec spec;
  spec.ranks = options.ranks;
  spec.launcher = options.launcher;
  spec.member = {hw::this_program(), "member"};
  spec.record = options.record;
  spec.start_patience = Duration{static_cast<std::int64_t>(options.start_seconds * 1e9)};
  tell_orphans();
  watch_interrupt();
  auto group = hw::Group::start(spec);
  if (!group) {
    tell("{}: {}\n", program_name(), shown_text(group.error().what));
    write_json(context, {}, tasks->size(), group.error().what);
    if (interrupted()) return exit_code::interrupted;
    return mailbox_exit::group_failed;
  }
  if (!context.common.quiet) tell("group of {} is ready, page {}\n", options.ranks, (*group)->page());
  report::Progress progress(std::cerr, isatty(2) != 0, std::chrono::steady_clock::now());
  std::vector<TaskOutcome> outcomes;
  std::uint32_t next_rank = 0;
  bool all_ok = true;
  const std::size_t count = tasks->size();
  hw::tell_bus_errors(program_name(), (*group)->page());
  std::optional<OnInterrupt> stop(std::in_place, [&] { (void)(*group)->shutdown(at_once); });  // with the task that is under way
  for (TaskLine& task : *tasks) {
    if (interrupted()) break;
    outcomes.push_back(do_task(**group, std::move(task), next_rank));
    const bool cut_short = interrupted() && outcomes.back().error && outcomes.back().error->status == Status::peer_lost;
    if (cut_short) outcomes.pop_back();
    if (cut_short) break;
    all_ok &= !outcomes.back().error;
    if (context.human_output()) {
      progress.clear();
      print(outcomes.back());
    }
    if (!context.common.quiet)
      progress.update(fmt::format("{} of {} tasks", outcomes.size(), count), std::chrono::steady_clock::now());
    if ((*group)->ended()) break;
  }
  stop.reset();
  progress.clear();
  std::string trouble;
  if (interrupted())
    trouble = fmt::format("interrupted after {} of {} tasks", outcomes.size(), count);
  else if ((*group)->ended())
    trouble = outcomes.empty() ? "the group ended" : outcomes.back().error ? outcomes.back().error->what : "the group ended";
  if (auto closed = (*group)->shutdown(seconds(30)); !closed && trouble.empty()) trouble = closed.error().what;
  warn_of_recording(**group);
  if (!trouble.empty()) tell("{}: {}{}\n", program_name(), interrupted() ? "" : "the group failed: ", shown_text(trouble));
  write_json(context, outcomes, count, trouble);
  if (interrupted()) return exit_code::interrupted;
  if (!trouble.empty()) return mailbox_exit::group_failed;
  return all_ok ? mailbox_exit::all_ok : mailbox_exit::task_failed;
}

}  // namespace tenter::cli
