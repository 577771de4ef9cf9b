// Shared pages of one host: names, mappings, and the page kernel (core/page) run step by step over the simulated memory
// (sim/memory), with a scheduling point at every access.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/action.hpp"
#include "sim/process.hpp"

namespace tenter::sim {

class World;

class PagesModel {
 public:
  static constexpr std::uint32_t order_count = 5;  // memory orders of the page kernel that a mutant can relax

  explicit PagesModel(World& world);
  ~PagesModel();

  // Each returns true when the action is done, false when it has a further step.
  bool perform(Process& p, Role role, const action::CreatePage& a);
  bool perform(Process& p, Role role, const action::OpenPage& a);
  bool perform(Process& p, Role role, const action::ClosePage& a);
  bool perform(Process& p, Role role, const action::UnlinkPage& a);
  bool perform(Process& p, Role role, const action::WriteRegion& a);
  bool perform(Process& p, Role role, const action::CopyIn& a);
  bool perform(Process& p, Role role, const action::Publish& a);
  bool perform(Process& p, Role role, const action::PublishQuiet& a);
  bool perform(Process& p, Role role, const action::PublishIf& a);
  bool perform(Process& p, Role role, const action::Watch& a);
  bool perform(Process& p, Role role, const action::Unwatch& a);

  void step_watch(Process& p, std::uint64_t id);        // from the queue
  void drain(std::uint64_t page, std::uint32_t agent);  // from the queue: one buffered store becomes visible
  void scribble();                                      // from the queue: somebody else writes into a page
  bool take(Process& p, std::uint64_t ticket);          // true once, while the watch is still wanted
  void process_ended(Process& p);
  void ordered_after_death(ProcessIndex dead, ProcessIndex survivor);  // who learned of a death sees all that the dead wrote
  void remove_made_by(ProcessIndex process);
  std::optional<std::uint32_t> newest(Word word, std::string_view page_name) const;
  bool watching(ProcessIndex process, Role role, Op op) const;
  bool mapped(ProcessIndex process) const;
  bool linked(std::string_view page_name) const;
  // The value of a word of the page that only `process` has mapped; none when others may look.
  std::optional<std::uint32_t> private_word(ProcessIndex process, Word word) const;
  std::string first_left() const;
  std::string waits(const Process& p) const;

 private:
  struct Inner;
  std::unique_ptr<Inner> inner_;
};

}  // namespace tenter::sim
