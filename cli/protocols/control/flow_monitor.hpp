// P-X1 to P-X4, P-X12, S6: what the hub hands to its port, by its frames alone.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "cli/protocols/control/control_watch.hpp"

namespace tenter::protocols {

class FlowMonitor : public ControlWatch {
 protected:
  void step(const sim::View& view, const sim::Step& step, sim::Findings& findings) override;
  void complete(const sim::View& view, const ControlCall& call, const Note& outcome, sim::Findings& findings) override;

  void end(const sim::View& view, sim::Findings& findings) override;

 private:
  void hear(const sim::Step& step);
  void speak(const sim::View& view, const action::SendMessage& send, sim::Findings& findings);
  void weigh(const sim::View& view, sim::Findings& findings);
  void judge_the_end(const sim::View& view, sim::Findings& findings);
  std::uint64_t on_the_way(std::uint32_t worker) const;

  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> paid_;  // bytes by worker and sequence: not sent yet
  std::set<std::pair<std::uint32_t, std::uint64_t>> unanswered_;           // by worker and sequence
  std::uint64_t session_ = 0;                                              // of the frames that were sent
  std::map<Op, std::pair<std::uint32_t, std::uint64_t>> sends_;
  std::map<std::uint32_t, std::uint64_t> newest_;
  std::set<Ticket> reached_;               // the same until the answer is there
  std::set<std::uint64_t> open_;           // tickets that reached the hub and are not answered
  std::set<std::uint32_t> ended_;          // SHUTDOWN was sent
  std::map<std::uint32_t, Time> in_line_;  // when a worker was refused credit last
};

}  // namespace tenter::protocols
