// D31: a core never takes its regions away under a reader that says, in time and where the core looks, that it reads.
//
// Judged from outside, by what was written when: a beat that was on its way no longer than four periods ago, and whose write was
// answered before the core's last listing, was there to be seen. Time is the world's; clocks drift by less than 1 %.
#pragma once
#include <map>

#include "sim/world.hpp"
#include "tests/scenarios/store_leases/owners.hpp"

namespace tenter::store::test {

inline constexpr const char* never_under_a_reader = "D31 no core closes under a reader that beats";

class LeasesMonitor : public sim::Monitor {
 public:
  void on_step(const sim::View& view, const sim::Step& step, sim::Findings& findings) override {
    if (const auto* done = std::get_if<event::FileDone>(&step.event))
      if (const auto found = posted_.find(step.process);
          found != posted_.end() && found->second.op == done->op && step.role == beacon_role && done->status == Status::ok)
        beats_[step.process] = {found->second.posted, step.now};
    for (const Action& action : step.actions) {
      if (std::holds_alternative<action::ListFiles>(action)) listed_ = step.now;
      if (const auto* write = std::get_if<action::PublishFile>(&action); write != nullptr && step.role == beacon_role)
        posted_[step.process] = {write->op, step.now};
      if (std::holds_alternative<action::RemoveFile>(action)) beats_.erase(step.process);
    }
    const auto* told = std::get_if<event::Told>(&step.event);
    if (told != nullptr && is(told->note, NoteKind::drained)) drained(view, step, told->note, findings);
  }

 private:
  struct Posted {
    Op op{};
    Time posted{};
  };
  struct Seen {
    Time posted{}, answered{};
  };

  void drained(const sim::View& view, const sim::Step& step, const Note& note, sim::Findings& findings) const {
    if (note.status != Status::ok) return;
    const Duration alive = milliseconds(lease_period_ms * periods_to_expire * 99 / 100);
    for (const auto& [process, beat] : beats_) {
      if (process == step.process || view.world().process(process).life == sim::Life::gone) continue;
      if (beat.answered < listed_ && step.now - beat.posted < alive)
        findings.fail(sim::FindingKind::safety, never_under_a_reader,
                      view.world().process(process).name + " wrote a beat at " + text_of(beat.posted) + ", the core listed at " +
                          text_of(listed_) + " and found nobody at " + text_of(step.now));
    }
  }

  std::map<sim::ProcessIndex, Posted> posted_;
  std::map<sim::ProcessIndex, Seen> beats_;  // the last answered beat of who has not begun to leave
  Time listed_{};
};

}  // namespace tenter::store::test
