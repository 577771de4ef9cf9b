// A sample of the kill matrix; scripts/kill-matrix runs all of it.
#include <gtest/gtest.h>

#include "tests/kill/run_cell.hpp"

namespace tenter::kill_matrix {
namespace {

class Kill : public testing::TestWithParam<Cell> {};

TEST_P(Kill, the_group_ends_in_time_names_the_culprit_and_leaves_nothing) {
  const CellResult result = run_cell(GetParam());
  for (const std::string& fault : result.faults) ADD_FAILURE() << fault << "\ntold: " << result.told;
}

INSTANTIATE_TEST_SUITE_P(Cell, Kill, testing::ValuesIn(sample_cells()),
                         [](const testing::TestParamInfo<Cell>& one) { return one.param.name(); });

}  // namespace
}  // namespace tenter::kill_matrix
