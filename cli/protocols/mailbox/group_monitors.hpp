// What must always hold of a mailbox group, as monitors over the events of a simulated run. The ids are those of
// docs/properties.md.
#pragma once
#include <map>
#include <optional>
#include <set>

#include "sim/property.hpp"

namespace tenter::protocols {

// MB-25, S1, S3: the answer of a request is its own; an error parses and names rank, cause or phase.
class AnswersMonitor : public sim::Monitor {
 public:
  void on_complete(const sim::View& view, Ticket ticket, const Note& outcome, sim::Findings& findings) override;
  bool watches_steps() const override { return false; }

 private:
  bool broken_ = false;  // a call was answered "the group is gone"
};

// S3, MP4: a rank executes a payload once.
class ExecutionsMonitor : public sim::Monitor {
 public:
  void on_step(const sim::View& view, const sim::Step& step, sim::Findings& findings) override;

 private:
  std::set<std::pair<sim::ProcessIndex, std::uint64_t>> executed_;
};

// MB-26, MP5: TERMINAL stays; the words go only along the edges of the tables in spec B2 and B3.
class WordsMonitor : public sim::Monitor {
 public:
  void on_step(const sim::View& view, const sim::Step& step, sim::Findings& findings) override;
  void on_end(const sim::View& view, sim::Findings& findings) override;  // whether a rank was lost

 private:
  std::uint32_t group_ = 0, request_ = 0;
};

// L1, MP10: a call ends within its patience and a stated slack.
class PatienceMonitor : public sim::Monitor {
 public:
  void on_complete(const sim::View& view, Ticket ticket, const Note& outcome, sim::Findings& findings) override;
  bool watches_steps() const override { return false; }
};

// MP9 and common sense: without a fault every call does what it was sent for.
class HealthyMonitor : public sim::Monitor {
 public:
  void on_complete(const sim::View& view, Ticket ticket, const Note& outcome, sim::Findings& findings) override;
  bool watches_steps() const override { return false; }
};

}  // namespace tenter::protocols
