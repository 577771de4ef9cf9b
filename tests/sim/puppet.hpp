// A machine that does nothing but keep what it is told, so that a test can play a process of a simulated world by hand.
#pragma once
#include <vector>

#include "core/machine.hpp"
#include "sim/world.hpp"

namespace tenter::sim {

struct Puppet {
  std::vector<Event> events;
  template <class E, class O>
  void on(const E& e, O&) {
    if constexpr (!std::is_same_v<E, event::Started>) events.emplace_back(e);
  }
  std::string_view state_name() const { return "puppet"; }
  TENTER_DESCRIBE(puppet, events)
};

// A world of puppets. The tape may hold faults; an empty one is the boring world.
class PuppetWorld {
 public:
  explicit PuppetWorld(std::size_t processes, TapeEntries tape = {}) : choices_(Choices::replayed(tape)), scenario_(choices_) {
    for (std::size_t i = 0; i < processes; ++i) scenario_.process("p" + std::to_string(i)).runs(Puppet{});
    scenario_.phases(seconds(3600), seconds(3600));
    world_.emplace(choices_, scenario_, properties_, WorldOptions{});
    world_->begin();
    run();
    read_.resize(processes);
  }
  std::size_t add_process() {
    ProcessSpec spec;
    spec.name = "p" + std::to_string(read_.size());
    spec.runs(Puppet{});
    world_->start_process(world_->add_process(std::move(spec), no_process));
    run();
    read_.push_back(0);
    return read_.size() - 1;
  }
  void perform(std::size_t process, Action action) {
    world_->inject(static_cast<ProcessIndex>(process), Role{0}, std::move(action));
  }
  void run() {
    while (world_->step()) {
    }
  }
  const std::vector<Event>& events(std::size_t process) const {
    return world_->process(static_cast<ProcessIndex>(process)).machines[0].as<Puppet>()->events;
  }
  // The next event that was not read yet.
  std::optional<Event> next(std::size_t process) {
    run();
    const auto& all = events(process);
    if (read_[process] == all.size()) return std::nullopt;
    return all[read_[process]++];
  }
  World& world() { return *world_; }

 private:
  Choices choices_;
  Scenario scenario_;
  std::vector<Property> properties_;
  std::optional<World> world_;
  std::vector<std::size_t> read_;
};

}  // namespace tenter::sim
