// The gate as its peers have it: a second reading of every byte that it was given, held against what it answers. P-X9, P-X10,
// P-C7, B32; X10..X12.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "cli/protocols/control/start_watch.hpp"
#include "core/control/start_notes.hpp"

namespace tenter::protocols {

class GateMonitor : public StartWatch {
 protected:
  void step(const sim::View& view, const sim::Step& step, sim::Findings& findings) override;

 private:
  struct Peer {
    Time since{};
    std::string bytes = {};                        // of no whole message yet
    std::optional<control::GateReport> said = {};  // with the token, its newest
  };
  void hears(const sim::Step& step, sim::Findings& findings);
  void reads(std::uint32_t connection, const Blob& content, sim::Findings& findings);
  void does(const sim::View& view, const sim::Step& step, const Action& action, sim::Findings& findings);
  void says_go(std::uint32_t connection, const StartShape& shape, sim::Findings& findings);
  void ends(const sim::View& view, const sim::Step& step, const Note& note, sim::Findings& findings);
  void judge_strangers(const sim::View& view, const sim::Step& step, sim::Findings& findings);
  bool is_here(std::uint32_t rank, control::GateState state) const;

  std::optional<control::GateOrder> order_;
  Time opened_{};
  bool went_ = false, over_ = false, listens_ = false;
  std::map<Op, std::uint32_t> accepts_, reads_;  // whose answer is of which connection
  std::map<std::uint32_t, Peer> peers_;
  std::set<std::uint32_t> joined_;
  std::map<std::uint32_t, std::string> reasons_;  // of ranks that have said that they cannot start
  std::optional<std::uint32_t> keeps_seat_;       // whom a report of another process came for in this step
};

// The token is in no argument of a process, in no file, no answer and no text that a machine tells. P-C7.
class TokenMonitor : public StartWatch {
 protected:
  void step(const sim::View& view, const sim::Step& step, sim::Findings& findings) override;

 private:
  std::string token_;
};

}  // namespace tenter::protocols
