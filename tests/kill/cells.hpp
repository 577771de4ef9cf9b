// The kill matrix: who gets which signal, in which phase of a group's life, and what must be told about it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tenter::kill_matrix {

enum class Victim : std::uint8_t {
  parent,
  launcher,
  proxy,
  guardian,
  rank_0,
  rank_k
};  // launcher: mpiexec; proxy: what it starts ranks with
enum class Phase : std::uint8_t { before_ready, parked, after_accept, inside_collective, after_done, during_shutdown };

inline constexpr std::uint32_t ranks = 3;
inline constexpr std::uint32_t rank_k = 2;  // a rank that is not the root

// Where the signal is sent from: `rank` sends it when it comes to `step` for the `occurrence`-th time.
struct Trigger {
  std::uint32_t rank = 0;
  std::string step;  // machine.state.event
  std::uint32_t occurrence = 1;
};

struct Cell {
  int signal = 0;  // SIGKILL, SIGSTOP
  Victim victim{};
  Phase phase{};
  std::string name() const;  // rank_k_killed_after_accept
  std::string victim_text() const;
  std::string phase_text() const;
  std::string signal_text() const;
  // Empty: parked, where no step happens; the signal comes from outside.
  std::optional<Trigger> trigger() const;
};

std::vector<Cell> all_cells();     // 60
std::vector<Cell> sample_cells();  // each victim, signal and phase at least once
std::optional<Cell> cell_by_name(const std::string& name);

}  // namespace tenter::kill_matrix
