// Runs one cell of the matrix in processes of their own, and looks at what it told and what it left.
#pragma once
#include <string>
#include <vector>

#include "core/names.hpp"
#include "tests/kill/cells.hpp"

namespace tenter::kill_matrix {

struct CellResult {
  std::vector<std::string> faults;  // what is not as it must be; empty: passed
  std::string told;                 // the errors that the parent told, as they are
  Duration took{};
};
CellResult run_cell(const Cell& cell);

}  // namespace tenter::kill_matrix
