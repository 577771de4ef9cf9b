// What each of the store's machines owes at the moment it acts, judged step by step: orders and deadlines whose breach a user
// sees only when somebody looks in the wrong microsecond.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/event.hpp"
#include "core/store/calls.hpp"
#include "sim/property.hpp"

namespace tenter::protocols {

inline constexpr const char* stored_first_property = "an update is answered after its rows are stored";
inline constexpr const char* stored_whole_property = "an update that is answered has stored all its rows";
inline constexpr const char* deadline_kept_property = "L1 a get whose deadline has passed does not succeed afterwards";
inline constexpr const char* identity_last_property = "S8 the identity is stored last, before others hear of the region";
inline constexpr const char* deadline_armed_property = "L1 a call that is taken has its deadline";
inline constexpr const char* collectives_property = "a call makes the collectives that it needs";
inline constexpr const char* attach_patience_property = "L1 an add waits for its own reader no longer than its patience";

class DutyMonitor : public sim::Monitor {
 public:
  void on_step(const sim::View& view, const sim::Step& step, sim::Findings& findings) override;

 private:
  struct Core {
    std::vector<store::CallKind> calls;  // collective, that are not answered; the first one is under way
    std::uint32_t collectives = 0;       // of it
    Time attach_begun{};                 // 0: no attach is under way
  };
  void update(const sim::View& view, const std::string& who, const event::Submitted& submitted, const sim::Step& step,
              sim::Findings& findings);
  void late_answers(const std::string& who, const sim::Step& step, sim::Findings& findings);
  void region(const std::string& who, const sim::Step& step, sim::Findings& findings);
  void deadline(const std::string& who, const event::Submitted& submitted, const sim::Step& step, sim::Findings& findings);
  void collective(const sim::View& view, const std::string& who, const sim::Step& step, sim::Findings& findings);
  bool was_stopped(const sim::View& view, sim::ProcessIndex process);

  struct Get {
    sim::ProcessIndex process = 0;
    Op deadline{};
    bool passed = false;
  };

  std::map<Ticket, Get> gets_;  // that are not answered
  std::map<sim::ProcessIndex, Core> cores_;
  std::map<sim::ProcessIndex, bool> may_stop_;  // as it was first seen
};

}  // namespace tenter::protocols
