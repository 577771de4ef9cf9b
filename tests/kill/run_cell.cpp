#include "tests/kill/run_cell.hpp"

#include <signal.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "hw/group/group_files.hpp"
#include "hw/group/parent_watch.hpp"
#include "tests/group/watching.hpp"
#include "tests/kill/parent_process.hpp"
#include "tests/kill/plan_hook.hpp"

namespace tenter::kill_matrix {
namespace {

namespace fs = std::filesystem;

constexpr Duration cell_deadline = seconds(60);

// What a run has told so far.
struct Told {
  std::map<std::string, std::string> outcomes;  // by step; empty text: ok
  std::vector<std::string> failed_steps;        // in order
  bool end = false;
  std::string page;
  std::vector<ProcessId> processes;  // launcher, rank 0, rank 1, …

  std::string errors() const {
    std::string all;
    for (const std::string& step : failed_steps) all += (all.empty() ? "" : " || ") + step + ": " + outcomes.at(step);
    return all;
  }
};

void take(Told& told, const std::string& line) {
  std::istringstream words(line);
  std::string step, outcome;
  words >> step;
  if (step == "end") told.end = true;
  if (step == "idle") {
    words >> told.page;
    for (std::string word; words >> word;)
      if (const auto process = hw::read_process_id(word)) told.processes.push_back(*process);
  }
  if (step == "end" || step == "idle") return;
  words >> outcome;
  std::string text;
  std::getline(words >> std::ws, text);
  told.outcomes[step] = outcome == "ok" ? "" : text;
  if (outcome != "ok") told.failed_steps.push_back(step);
}

ProcessId from_outside(Victim victim, const ParentProcess& parent, const Told& told) {
  if (victim == Victim::parent) return parent.id();
  if (victim == Victim::guardian) return guardian_of(parent.id());
  if (told.processes.size() != 1 + ranks) return {};
  if (victim == Victim::launcher) return told.processes[0];
  if (victim != Victim::proxy) return told.processes[victim == Victim::rank_0 ? 1 : 1 + rank_k];
  const auto rank = hw::stat_of(told.processes[1].pid);
  const auto proxy = rank ? hw::stat_of(static_cast<std::uint64_t>(rank->parent)) : std::nullopt;
  return proxy ? ProcessId{static_cast<std::uint64_t>(rank->parent), proxy->start_time} : ProcessId{};
}

bool asleep(const ProcessId& process) {
  const auto stat = hw::stat_of(process.pid);
  return stat && stat->state == 'S';
}

// Parked: nobody does anything any more. A death must be noticed before anybody asks.
void signal_parked(const Cell& cell, ParentProcess& parent, const Told& told, CellResult& result) {
  const ProcessId victim = from_outside(cell.victim, parent, told);
  const bool parked = watching::comes_true([&] {
    for (const ProcessId& process : told.processes)
      if (!asleep(process)) return false;
    return asleep(parent.id());
  });
  if (!parked) result.faults.push_back("the group does not park");
  if (victim.pid == 0 || kill(static_cast<pid_t>(victim.pid), cell.signal) != 0)
    return result.faults.push_back("the victim was not found");
  const bool noticed = cell.signal == SIGSTOP || cell.victim == Victim::parent || cell.victim == Victim::guardian ||
                       watching::comes_true([&] { return !watching::page_exists(told.page); });
  if (!noticed) result.faults.push_back("an idle group did not notice the death");
  parent.go_on();
}

Told follow(const Cell& cell, ParentProcess& parent, CellResult& result) {
  Told told;
  const Time deadline = hw::now() + cell_deadline;
  bool stopped = false;
  while (!told.end && hw::now() < deadline) {
    if (const auto line = parent.line(hw::now() + milliseconds(100))) {
      take(told, *line);
      if (line->starts_with("idle") && cell.phase == Phase::parked) signal_parked(cell, parent, told, result);
      continue;
    }
    if (parent.wait_for_end(hw::now())) break;
    // A stopped parent goes on when nothing has happened for a moment.
    const bool is_stopped = hw::state_letter(parent.id()) == 'T';
    if (is_stopped && stopped) kill(static_cast<pid_t>(parent.id().pid), SIGCONT);
    stopped = is_stopped;
  }
  if (!parent.wait_for_end(deadline))
    result.faults.push_back("the parent did not end within " + std::to_string(number(cell_deadline) / 1'000'000'000) + " s");
  return told;
}

std::string culprit_text(Victim victim) {
  switch (victim) {
    case Victim::launcher:
      return "the launcher (pid ";
    case Victim::proxy:
      return "proxy";
    case Victim::rank_0:
      return "rank 0 (pid ";
    case Victim::rank_k:
      return "rank " + std::to_string(rank_k) + " (pid ";
    case Victim::parent:
    case Victim::guardian:
      break;
  }
  return "?";
}

void judge(const Cell& cell, const Told& told, CellResult& result) {
  const auto fault = [&](const std::string& what) { result.faults.push_back(what); };
  if (cell.victim == Victim::parent && cell.signal == SIGKILL) {
    if (told.end) fault("the parent was to die and came to its end");
    return;
  }
  if (!told.end) fault("the parent did not come to its end");
  if (cell.victim == Victim::parent || cell.victim == Victim::guardian) {  // it was only late; nobody needs a guardian meanwhile
    if (!told.failed_steps.empty()) fault("what stops neither ranks nor launcher is no error");
    return;
  }
  if (told.failed_steps.empty()) return fault("no error was told");
  const bool ranks_go_on = cell.signal == SIGSTOP && (cell.victim == Victim::launcher || cell.victim == Victim::proxy);
  const std::string& first = told.outcomes.at(told.failed_steps[0]);
  const std::string phase = cell.phase == Phase::during_shutdown || ranks_go_on ? "shutdown"
                            : cell.phase == Phase::before_ready                 ? "start"
                                                                                : "running";
  if (first.find(phase) == std::string::npos) fault("the error does not name the phase, " + phase);
  if (first.find(culprit_text(cell.victim)) == std::string::npos)
    fault("the error does not name the culprit, " + culprit_text(cell.victim));
  const std::string what = cell.signal == SIGSTOP ? "stopped" : "";
  if (first.find(what) == std::string::npos) fault("the error does not say that it is stopped");
}

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Of the line "step process directory".
std::string page_of_log(const std::string& log) {
  const std::size_t group = log.rfind("/group-");
  return group == std::string::npos ? "" : hw::page_by_directory(log.substr(group + 1, log.find('\n', group) - group - 1));
}

void look_for_leftovers(const std::string& base, const std::string& page, CellResult& result) {
  if (!watching::comes_true([&] { return marked_processes(base).empty(); })) {
    std::string names;
    for (const std::string& one : marked(base)) names += " " + one;
    result.faults.push_back("processes are left:" + names);
  }
  if (page.empty()) result.faults.push_back("the name of the page is not known");
  if (!watching::comes_true([&] { return !watching::page_exists(page); })) result.faults.push_back("the page is left: " + page);
  if (!watching::comes_true([&] { return fs::is_empty(base); })) result.faults.push_back("files are left in " + base);
}

void start_again(const std::string& base, CellResult& result) {
  ParentProcess parent(base, "", false);
  const Time deadline = hw::now() + cell_deadline;
  Told told;
  while (!told.end) {
    const auto line = parent.line(deadline);
    if (!line) break;
    take(told, *line);
  }
  if (!parent.wait_for_end(deadline) || !told.end || !told.failed_steps.empty() || told.outcomes.size() != 5)
    result.faults.push_back("a new start does not work: " + told.errors());
}

}  // namespace

CellResult run_cell(const Cell& cell) {
  CellResult result;
  std::string root = "/tmp/tenter-kill-XXXXXX";
  if (mkdtemp(root.data()) == nullptr) {
    result.faults.push_back("no folder for the cell");
    return result;
  }
  const std::string base = root + "/base", log = root + "/log";
  fs::create_directory(base);
  const Time begin = hw::now();
  {
    ParentProcess parent(base, plan_text(cell, log), cell.phase == Phase::parked);
    const Told told = follow(cell, parent, result);
    result.told = told.errors();
    const std::string reached = content_of(log);
    if (cell.trigger() && reached.find(cell.trigger()->step) == std::string::npos)
      result.faults.push_back("its step was not reached");
    judge(cell, told, result);
    look_for_leftovers(base, told.page.empty() ? page_of_log(reached) : told.page, result);
  }
  result.took = hw::now() - begin;
  start_again(base, result);
  std::error_code failure;
  fs::remove_all(root, failure);
  return result;
}

}  // namespace tenter::kill_matrix
