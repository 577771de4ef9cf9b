#include "tests/kill/cells.hpp"

#include <signal.h>

#include <algorithm>

namespace tenter::kill_matrix {
namespace {

constexpr Victim victims[] = {Victim::parent, Victim::launcher, Victim::proxy, Victim::guardian, Victim::rank_0, Victim::rank_k};
constexpr Phase phases[] = {Phase::before_ready,      Phase::parked,     Phase::after_accept,
                            Phase::inside_collective, Phase::after_done, Phase::during_shutdown};

std::string underscored(std::string text) {
  std::replace(text.begin(), text.end(), ' ', '_');
  return text;
}

}  // namespace

std::string Cell::victim_text() const {
  switch (victim) {
    case Victim::parent:
      return "parent";
    case Victim::launcher:
      return "mpiexec";
    case Victim::proxy:
      return "proxy";
    case Victim::guardian:
      return "guardian";
    case Victim::rank_0:
      return "rank 0";
    case Victim::rank_k:
      return "rank k";
  }
  return "?";
}

std::string Cell::phase_text() const {
  switch (phase) {
    case Phase::before_ready:
      return "before READY";
    case Phase::parked:
      return "parked";
    case Phase::after_accept:
      return "after accept";
    case Phase::inside_collective:
      return "inside the collective";
    case Phase::after_done:
      return "after done";
    case Phase::during_shutdown:
      return "during shutdown";
  }
  return "?";
}

std::string Cell::signal_text() const { return signal == SIGKILL ? "SIGKILL" : "SIGSTOP"; }

std::string Cell::name() const {
  return underscored(victim_text() + (signal == SIGKILL ? " killed " : " stopped ") + phase_text());
}

// The script (script.hpp) makes a ping first, so a task is the second request.
std::optional<Trigger> Cell::trigger() const {
  switch (phase) {
    case Phase::before_ready:  // every rank is there, rank 0 has opened the page and not looked at it; READY needs no rank k then
      if (victim == Victim::rank_k) return Trigger{rank_k, "member.duplicating.collective_done", 1};
      return Trigger{0, "dispatcher.opening.page_opened", 1};
    case Phase::parked:
      return std::nullopt;
    case Phase::after_accept:
      return Trigger{0, "dispatcher.accepting.swapped", 2};
    case Phase::inside_collective:  // the others are in the gather for as long as the task took
      return Trigger{rank_k, "member.executing.executed", 1};
    case Phase::after_done:  // TASK_DONE is in the page
      return Trigger{0, "dispatcher.completing.swapped", 2};
    case Phase::during_shutdown:  // CLOSED is in the page, SHUTDOWN_DONE is not; the others free their communicators
      return Trigger{0, "dispatcher.closing.swapped", 1};
  }
  return std::nullopt;
}

std::vector<Cell> all_cells() {
  std::vector<Cell> cells;
  for (const Victim victim : victims) {
    for (const int signal : {SIGKILL, SIGSTOP}) {
      for (const Phase phase : phases) cells.push_back({signal, victim, phase});
    }
  }
  return cells;
}

std::vector<Cell> sample_cells() {
  return {
      {SIGKILL, Victim::parent, Phase::before_ready},
      {SIGKILL, Victim::parent, Phase::inside_collective},
      {SIGSTOP, Victim::parent, Phase::after_done},
      {SIGKILL, Victim::launcher, Phase::parked},
      {SIGSTOP, Victim::launcher, Phase::during_shutdown},
      {SIGKILL, Victim::proxy, Phase::after_accept},
      {SIGSTOP, Victim::proxy, Phase::before_ready},
      {SIGKILL, Victim::guardian, Phase::parked},
      {SIGKILL, Victim::guardian, Phase::inside_collective},
      {SIGSTOP, Victim::guardian, Phase::parked},
      {SIGKILL, Victim::rank_0, Phase::before_ready},
      {SIGKILL, Victim::rank_0, Phase::after_done},
      {SIGSTOP, Victim::rank_0, Phase::after_accept},
      {SIGKILL, Victim::rank_k, Phase::during_shutdown},
      {SIGSTOP, Victim::rank_k, Phase::parked},
      {SIGKILL, Victim::rank_k, Phase::inside_collective},
  };
}

std::optional<Cell> cell_by_name(const std::string& name) {
  for (const Cell& cell : all_cells())
    if (cell.name() == name) return cell;
  return std::nullopt;
}

}  // namespace tenter::kill_matrix
