#include "tests/kill/script.hpp"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <vector>

#include "hw/group/group.hpp"
#include "hw/group/parent_watch.hpp"
#include "tests/group/watching.hpp"
#include "tests/kill/cells.hpp"

namespace tenter::kill_matrix {
namespace {

constexpr Duration start_patience = seconds(6), request_budget = seconds(3), stop_patience = seconds(3);

void tell(const std::string& line) {
  std::string one_line = line;
  std::replace(one_line.begin(), one_line.end(), '\n', ' ');
  one_line += '\n';
  [[maybe_unused]] const ssize_t wrote = write(STDOUT_FILENO, one_line.data(), one_line.size());
}

template <class T>
void tell_outcome(const std::string& step, const Result<T>& outcome) {
  tell(outcome ? step + " ok" : step + " failed " + outcome.error().what);
}

void tell_idle(const hw::Group& group) {
  watching::comes_true([&] {  // a rank's report may be read a moment after READY
    const auto known = group.processes();
    return std::all_of(known.begin(), known.end(), [](const ProcessId& rank) { return rank.pid != 0; });
  });
  std::string line = "idle " + group.page() + " " + hw::write_process_id(group.launcher());
  for (const ProcessId& rank : group.processes()) line += " " + hw::write_process_id(rank);
  tell(line);
}

}  // namespace

int run_script(const std::string& base, bool pause) {
  hw::GroupSpec spec;
  spec.ranks = ranks;
  spec.member = {hw::this_program(), "member"};
  spec.base = base;
  spec.start_patience = start_patience;
  spec.stop_patience = stop_patience;
  {
    auto group = hw::Group::start(spec);
    tell_outcome("start", group);
    if (!group) {
      tell("end");
      return 0;
    }
    tell_outcome("ping", (*group)->ping(request_budget));
    if (!(*group)->ended()) tell_idle(**group);
    if (std::string line; pause) std::getline(std::cin, line);
    tell_outcome("task", (*group)->submit(rank_k, "sleep_ms", {{100}, {}}, request_budget));
    tell_outcome("after", (*group)->ping(request_budget));
    tell_outcome("shutdown", (*group)->shutdown(stop_patience));
  }
  tell("end");
  return 0;
}

}  // namespace tenter::kill_matrix
