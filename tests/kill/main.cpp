// The kill tests: GoogleTest's sample of the matrix, or with "matrix [cell…]" all of it (scripts/kill-matrix). The ranks and the
// parents of the cells are this very binary.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "hw/group/callables.hpp"
#include "hw/group/rank_main.hpp"
#include "tests/kill/plan_hook.hpp"
#include "tests/kill/run_cell.hpp"
#include "tests/kill/script.hpp"

namespace {

using namespace tenter;

// "| SIGKILL | rank 0 | after accept | passed | 1.2 s | errors |", a line a cell.
bool print_cell(const kill_matrix::Cell& cell) {
  const kill_matrix::CellResult result = kill_matrix::run_cell(cell);
  std::string faults;
  for (const std::string& fault : result.faults) faults += "; " + fault;
  std::printf("| %s | %s | %s | %s | %.1f s | %s |\n", cell.signal_text().c_str(), cell.victim_text().c_str(),
              cell.phase_text().c_str(), result.faults.empty() ? "passed" : ("FAILED" + faults).c_str(),
              static_cast<double>(number(result.took)) / 1e9, result.told.empty() ? "no error" : result.told.c_str());
  std::fflush(stdout);
  return result.faults.empty();
}

int run_matrix(const std::vector<std::string>& names) {
  std::vector<kill_matrix::Cell> cells;
  if (names.empty()) cells = kill_matrix::all_cells();
  for (const std::string& name : names) {
    const auto cell = kill_matrix::cell_by_name(name);
    if (!cell) {
      std::fprintf(stderr, "no cell %s\n", name.c_str());
      return 64;
    }
    cells.push_back(*cell);
  }
  int failed = 0;
  for (const kill_matrix::Cell& cell : cells) failed += print_cell(cell) ? 0 : 1;
  return failed == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view mode = argc > 1 ? argv[1] : "";
  if (mode == "member") {
    const auto hook = tenter::kill_matrix::PlanHook::from_environment();
    return tenter::hw::run_member(tenter::hw::builtin_callables(), hook.get());
  }
  if (mode == "script" && argc == 4) return tenter::kill_matrix::run_script(argv[2], std::string_view(argv[3]) == "pause");
  if (mode == "matrix") return run_matrix(std::vector<std::string>(argv + 2, argv + argc));
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
