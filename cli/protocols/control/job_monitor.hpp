// The supervisor as its user has it: answers in time, with a cause and the name of who is to blame; nobody is ended without a
// reason, everybody is when it ends, and nothing is left. L1, L4, L6, S7, S8, P-C8, P-C10, P-X10, P-X19.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/protocols/control/start_watch.hpp"

namespace tenter::protocols {

class JobMonitor : public StartWatch {
 protected:
  void step(const sim::View& view, const sim::Step& step, sim::Findings& findings) override;
  void complete(const sim::View& view, const StartCall& call, const Note& outcome, sim::Findings& findings) override;

 private:
  void hears(const sim::View& view, const sim::Step& step);
  void spawns(const sim::View& view, const action::Spawn& spawn, sim::Findings& findings);
  void kills(const sim::View& view, const sim::Step& step, const action::KillProcesses& kill, sim::Findings& findings);
  void judge_start(const sim::View& view, const StartCall& call, const Note& outcome, sim::Findings& findings);
  void judge_failure(const sim::View& view, const StartCall& call, const Note& outcome, sim::Findings& findings);
  void judge_end(const sim::View& view, const StartCall& call, const Note& outcome, sim::Findings& findings);
  std::string left_of_job(const sim::View& view, const Note& outcome) const;
  bool patience_is_short(const sim::View& view) const;

  std::map<Op, ProcessId> known_;  // alive, as far as the supervisor was told
  std::optional<Op> spawning_;
  std::string hosts_file_;
  std::set<std::uint32_t> joined_;
  std::string blame_;  // the gate's, before the start was answered
  bool runs_ = false, anything_made_ = false;
  std::optional<Time> first_exit_;  // of a job that runs
};

}  // namespace tenter::protocols
