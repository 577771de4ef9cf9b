#include "tests/kill/plan_hook.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/mailbox/manifest.hpp"
#include "hw/group/parent_watch.hpp"
#include "hw/group/rank_main.hpp"
#include "hw/posix/process_stat.hpp"
#include "tests/group/watching.hpp"

namespace tenter::kill_matrix {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

ProcessId process_of(std::int64_t pid) {
  const auto stat = hw::stat_of(static_cast<std::uint64_t>(pid));
  return stat ? ProcessId{static_cast<std::uint64_t>(pid), stat->start_time} : ProcessId{};
}

ProcessId reported(std::uint32_t rank) {
  std::ifstream file(variable(hw::directory_variable) + "/" + mailbox::report_name(rank), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto report = mailbox::read_report(text);
  return report ? report->process : ProcessId{};
}

// Does the parent hold a pidfd of it? Which death came first is only known of ranks that are watched when they die; Hydra kills
// the others within milliseconds.
bool watched_by_parent(const ProcessId& process) {
  const auto parent = hw::read_process_id(variable(hw::parent_variable));
  if (!parent) return false;
  const std::string wanted = "Pid:\t" + std::to_string(process.pid);
  std::error_code failure;
  const std::filesystem::path folder = "/proc/" + std::to_string(parent->pid) + "/fdinfo";
  for (std::filesystem::directory_iterator entry(folder, failure), end; !failure && entry != end; entry.increment(failure)) {
    std::ifstream file(entry->path());
    for (std::string line; std::getline(file, line);)
      if (line == wanted) return true;
  }
  return false;
}

}  // namespace

// By name, among the parent's children.
ProcessId guardian_of(ProcessId parent) {
  std::error_code failure;
  for (std::filesystem::directory_iterator entry("/proc", failure), end; !failure && entry != end; entry.increment(failure)) {
    std::ifstream file(entry->path() / "comm");
    std::string name;
    if (!std::getline(file, name) || name != "tenter-guardian") continue;
    const auto pid = std::stoull(entry->path().filename().string());
    const auto stat = hw::stat_of(pid);
    if (stat && static_cast<std::uint64_t>(stat->parent) == parent.pid) return {pid, stat->start_time};
  }
  return {};
}

std::string plan_text(const Cell& cell, const std::string& log) { return cell.name() + ":" + log; }

std::unique_ptr<PlanHook> PlanHook::from_environment() {
  const std::string plan = variable(plan_variable), rank = variable("PMI_RANK");
  const std::size_t colon = plan.find(':');
  if (colon == std::string::npos) return nullptr;
  const auto cell = cell_by_name(plan.substr(0, colon));
  const auto trigger = cell ? cell->trigger() : std::nullopt;
  if (!trigger || rank != std::to_string(trigger->rank)) return nullptr;
  return std::unique_ptr<PlanHook>(new PlanHook(*cell, *trigger, plan.substr(colon + 1)));
}

void PlanHook::at(std::string_view machine, std::string_view state, std::string_view event) {
  const std::string step = std::string(machine) + "." + std::string(state) + "." + std::string(event);
  if (step != trigger_.step || ++seen_ != trigger_.occurrence) return;
  const ProcessId victim = victim_from_rank(cell_.victim);
  if (cell_.victim == Victim::rank_0 || cell_.victim == Victim::rank_k)
    watching::comes_true([&] { return watched_by_parent(victim); });
  const std::string line = step + " " + hw::write_process_id(victim) + " " + variable(hw::directory_variable) + "\n";
  const int log = open(log_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const bool told = log >= 0 && write(log, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  close(log);
  if (!told || victim.pid == 0 || kill(static_cast<pid_t>(victim.pid), cell_.signal) != 0) return;
  // The signal of another process is only on its way: the step waits until it has worked.
  watching::comes_true([&] { return !watching::awake(victim); });
}

ProcessId victim_from_rank(Victim victim) {
  switch (victim) {
    case Victim::parent: {
      const auto parent = hw::read_process_id(variable(hw::parent_variable));
      return parent ? *parent : ProcessId{};
    }
    case Victim::launcher: {
      const auto proxy = hw::stat_of(static_cast<std::uint64_t>(getppid()));
      return proxy ? process_of(proxy->parent) : ProcessId{};
    }
    case Victim::proxy:
      return process_of(getppid());
    case Victim::guardian: {
      const auto parent = hw::read_process_id(variable(hw::parent_variable));
      return parent ? guardian_of(*parent) : ProcessId{};
    }
    case Victim::rank_0:
      return reported(0);
    case Victim::rank_k:
      return reported(rank_k);
  }
  return {};
}

}  // namespace tenter::kill_matrix
