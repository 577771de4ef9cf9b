// What must always hold of a store, as monitors over the events of a simulated run. The ids are those of docs/properties.md.
#pragma once
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "core/store/generation.hpp"
#include "sim/property.hpp"

namespace tenter::protocols {

// S1, S2, S5: what a successful get left in the buffer; an error says why.
class GetsMonitor : public sim::Monitor {
 public:
  void on_step(const sim::View& view, const sim::Step& step, sim::Findings& findings) override;
  void on_complete(const sim::View& view, Ticket ticket, const Note& outcome, sim::Findings& findings) override;

 private:
  std::map<store::Generation, std::uint32_t> runs_;  // of the core job, by generation
  std::map<std::pair<sim::ProcessIndex, std::uint64_t>, std::pair<std::string, store::Generation>> asked_;  // attach by number
  std::map<std::pair<sim::ProcessIndex, std::string>, store::Generation> attached_;                         // by variable
};

// S2 by the ghosts: a row with a version that is handed to a caller comes from one store, whatever its bytes are.
class RowsMonitor : public sim::Monitor {
 public:
  void on_step(const sim::View& view, const sim::Step& step, sim::Findings& findings) override;
};

// B34, D7: a record that is published is whole, of its generation, and every rank's region stands behind it.
class RecordsMonitor : public sim::Monitor {
 public:
  void on_step(const sim::View& view, const sim::Step& step, sim::Findings& findings) override;
};

// D17, D18: all ranks of a collective call are answered the same.
class TogetherMonitor : public sim::Monitor {
 public:
  void on_complete(const sim::View& view, Ticket ticket, const Note& outcome, sim::Findings& findings) override;
  bool watches_steps() const override { return false; }

 private:
  struct Answer {
    Status status{};
    std::string text;
  };
  std::map<std::tuple<std::size_t, std::size_t, std::uint32_t>, Answer> first_;  // by kind of call, its number and the job's run
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> calls_;
};

// L1: join and get end within their patience and a stated slack, whatever the outcome.
class DeadlinesMonitor : public sim::Monitor {
 public:
  void on_complete(const sim::View& view, Ticket ticket, const Note& outcome, sim::Findings& findings) override;
  bool watches_steps() const override { return false; }
};

// D31: no core closes under a reader that joined before the close, lives and has not left.
class ClosesMonitor : public sim::Monitor {
 public:
  void on_complete(const sim::View& view, Ticket ticket, const Note& outcome, sim::Findings& findings) override;
  bool watches_steps() const override { return false; }

 private:
  std::map<sim::ProcessIndex, Time> joined_;  // when its latest join succeeded
};

// Without a fault every call does what it was sent for.
class StoreHealthyMonitor : public sim::Monitor {
 public:
  void on_complete(const sim::View& view, Ticket ticket, const Note& outcome, sim::Findings& findings) override;
  bool watches_steps() const override { return false; }
};

// At most so many reads in flight.
class WindowMonitor : public sim::Monitor {
 public:
  void on_step(const sim::View& view, const sim::Step& step, sim::Findings& findings) override;
};

}  // namespace tenter::protocols
