// The rules of a mailbox group that every step is judged by (wait_rules.hpp, page_rules.hpp, duty_rules.hpp), in one pass over
// the step's actions: monitors look at every event of every run, so they must cost next to nothing.
#pragma once
#include <array>
#include <vector>

#include "cli/protocols/mailbox/duty_rules.hpp"
#include "cli/protocols/mailbox/page_rules.hpp"
#include "cli/protocols/mailbox/wait_rules.hpp"
#include "sim/property.hpp"

namespace tenter::protocols {

class ContractMonitor : public sim::Monitor {
 public:
  void on_step(const sim::View& view, const sim::Step& step, sim::Findings& findings) override;
  void on_end(const sim::View& view, sim::Findings& findings) override { duties_.at_end(view, findings); }

 private:
  struct Place {
    std::string_view name;
    std::uint8_t state = 0;
  };
  std::uint8_t state_of(MachineKind kind, std::string_view name);

  WaitRules waits_;
  PageRules page_;
  DutyRules duties_;
  std::vector<bool> exiting_;          // by process: it was told to exit, nothing of it counts any more
  std::array<Place, 5> last_after_{};  // by kind: found again without a search
};

}  // namespace tenter::protocols
