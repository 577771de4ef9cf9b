// What must always hold of the store's files, as monitors over the events of a simulated run: what stands under a name after a
// host's crash, and what a reader takes for a record.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/blob.hpp"
#include "sim/property.hpp"

namespace tenter::protocols {

// B11: whatever crashed, a file under its name is one that somebody published, whole; what was acknowledged is not lost. And
// where nothing went wrong, nobody ever reads anything else under it.
class DurabilityMonitor : public sim::Monitor {
 public:
  void on_step(const sim::View& view, const sim::Step& step, sim::Findings& findings) override;

 private:
  using Asked = std::tuple<sim::ProcessIndex, Role, Op>;
  void note(const sim::Step& step);
  void judge(const sim::View& view, sim::Findings& findings) const;
  void judge_what_the_dead_wrote(const sim::View& view, sim::Findings& findings);
  void judge_read(const sim::View& view, const sim::Step& step, sim::Findings& findings);

  std::map<Asked, std::string> reading_;
  std::map<Asked, std::pair<std::string, Blob>> publishing_;
  std::map<std::string, std::vector<Blob>> newest_;           // acknowledged, then those after it that are not
  std::map<std::string, std::set<std::uint64_t>> published_;  // digests of all that ever was
  std::uint64_t crashes_ = 0, faults_ = 0;
};

// S2: a reader has nothing probed but a record that a core published, byte by byte. And a record that lies there is found, though
// the reader's host may have believed for long that there is none; and what a job serves undisturbed is joined, whatever went
// wrong before.
class BelievedRecordsMonitor : public sim::Monitor {
 public:
  void on_step(const sim::View& view, const sim::Step& step, sim::Findings& findings) override;
  void on_complete(const sim::View& view, Ticket ticket, const Note& outcome, sim::Findings& findings) override;

 private:
  std::set<std::uint64_t> published_;         // digests
  std::map<std::string, Time> there_since_;   // records by path, as far as they are acknowledged
  std::map<std::string, std::uint32_t> run_;  // of the job that published it
  std::uint64_t faults_ = 0;
  Time last_fault_{};
  std::map<std::tuple<sim::ProcessIndex, Role, Op>, std::string> publishing_;
};

}  // namespace tenter::protocols
