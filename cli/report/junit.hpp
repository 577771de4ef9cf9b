// JUnit XML as GitLab and Jenkins read it: one suite a protocol, one case a property.
#pragma once
#include <string>

#include "cli/report/result.hpp"

namespace tenter::report {

// Cases: every watched property and every failed one; `determinism`; every SOMETIMES goal (skipped when it was never hit); the
// liveness budget (skipped when some seeds stayed unknown). Seed and again line are in <system-out>.
std::string junit_of(const RunResult& result);

// One case: unexplained survivors fail it, each named with its site.
std::string junit_of(const MutantsResult& result);

// Text for an XML attribute or element: the five entities, and U+FFFD for what XML 1.0 cannot hold.
std::string xml_text(std::string_view text);

}  // namespace tenter::report
