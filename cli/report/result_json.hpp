// The result document `tenter.result/1` (docs/formats.md).
#pragma once
#include <string>

#include "cli/report/result.hpp"

namespace tenter::report {

std::string json_of(const RunResult& result);
std::string json_of(const MutantsResult& result);

}  // namespace tenter::report
