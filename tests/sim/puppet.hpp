// A machine that does nothing but keep what it is told, so that a test can play a process of a simulated world by hand.
#pragma once
#include <functional>
#include <map>
#include <utility>
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

// A world of puppets, one a process unless `shape` says more. The tape may hold faults; an empty one is the boring world.
class PuppetWorld {
 public:
  explicit PuppetWorld(std::size_t processes, TapeEntries tape = {}, const std::function<void(Scenario&)>& shape = {})
      : choices_(Choices::replayed(tape)), scenario_(choices_) {
    for (std::size_t i = 0; i < processes; ++i) scenario_.process("p" + std::to_string(i)).runs(Puppet{});
    if (shape) shape(scenario_);
    scenario_.phases(seconds(3600), seconds(3600));
    world_.emplace(choices_, scenario_, properties_, WorldOptions{});
    world_->begin();
    run();
  }
  std::size_t add_process() {
    ProcessSpec spec;
    spec.name = "p" + std::to_string(world_->process_count());
    spec.runs(Puppet{});
    const ProcessIndex index = world_->add_process(std::move(spec), no_process);
    world_->start_process(index);
    run();
    return index;
  }
  void perform(std::size_t process, Action action, Role role = Role{0}) {
    world_->inject(static_cast<ProcessIndex>(process), role, std::move(action));
  }
  void run() {
    while (world_->step()) {
    }
  }
  const std::vector<Event>& events(std::size_t process, Role role = Role{0}) const {
    return world_->process(static_cast<ProcessIndex>(process)).machines[number(role)].as<Puppet>()->events;
  }
  // The next event that was not read yet, after all that can happen has happened.
  std::optional<Event> next(std::size_t process) {
    run();
    return take(process, Role{0});
  }
  // The same, without a step further than to that event.
  std::optional<Event> soonest(std::size_t process, Role role) {
    while (read_[{process, role}] == events(process, role).size() && world_->step()) {
    }
    return take(process, role);
  }
  World& world() { return *world_; }

 private:
  std::optional<Event> take(std::size_t process, Role role) {
    const auto& all = events(process, role);
    std::size_t& read = read_[{process, role}];
    if (read == all.size()) return std::nullopt;
    return all[read++];
  }

  Choices choices_;
  Scenario scenario_;
  std::vector<Property> properties_;
  std::optional<World> world_;
  std::map<std::pair<std::size_t, Role>, std::size_t> read_;
};

}  // namespace tenter::sim
