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

// B11: whatever crashed, a file under its name is one that somebody published, whole; what was acknowledged is not lost.
class DurabilityMonitor : public sim::Monitor {
 public:
  void on_step(const sim::View& view, const sim::Step& step, sim::Findings& findings) override;

 private:
  using Asked = std::tuple<sim::ProcessIndex, Role, Op>;
  void note(const sim::Step& step);
  void judge(const sim::View& view, sim::Findings& findings) const;

  std::map<Asked, std::pair<std::string, Blob>> publishing_;
  std::map<std::string, std::vector<Blob>> newest_;           // acknowledged, then those after it that are not
  std::map<std::string, std::set<std::uint64_t>> published_;  // digests of all that ever was
  std::uint64_t crashes_ = 0;
};

// S2: a reader has nothing probed but a record that a core published, byte by byte. And a record that lies there is found, though
// the reader's host may have believed for long that there is none.
class BelievedRecordsMonitor : public sim::Monitor {
 public:
  void on_step(const sim::View& view, const sim::Step& step, sim::Findings& findings) override;
  void on_complete(const sim::View& view, Ticket ticket, const Note& outcome, sim::Findings& findings) override;

 private:
  std::set<std::uint64_t> published_;        // digests
  std::map<std::string, Time> there_since_;  // records by path, as far as they are acknowledged
  std::map<std::tuple<sim::ProcessIndex, Role, Op>, std::string> publishing_;
};

}  // namespace tenter::protocols
