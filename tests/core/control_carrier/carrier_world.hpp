// A world of ranks that a test plays by hand, on OverStreams and simulated streams.
#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/control/over_streams.hpp"
#include "sim/world.hpp"

namespace tenter::carrier_kit {

using control::CarrierConfig;
using control::OverStreams;

// Performs the action of the script that a note names, and keeps what it is told. Its copies share the script.
struct Scripted {
  std::vector<Event> events;
  std::shared_ptr<std::vector<Action>> script;

  template <class E, class O>
  void on(const E& e, O& out) {
    if constexpr (std::is_same_v<E, event::Told>) {
      std::visit(
          [&](const auto& action) {
            if constexpr (PerformsOne<O, std::remove_cvref_t<decltype(action)>>) out.perform(action);
          },
          (*script)[static_cast<std::size_t>(e.note.a)]);
    } else if constexpr (!std::is_same_v<E, event::Started>) {
      events.emplace_back(e);
    }
  }
  std::string_view state_name() const { return "scripted"; }
  friend bool operator==(const Scripted& a, const Scripted& b) {
    return a.events.size() == b.events.size() && a.script == b.script;
  }
  TENTER_DESCRIBE(scripted, events)
};

template <class Carrier = OverStreams<Scripted>>
class CarrierWorld {
 public:
  using Shape = std::function<void(sim::Scenario&)>;
  CarrierWorld(std::vector<CarrierConfig> configs, sim::TapeEntries tape = {}, const Shape& shape = {})
      : script_(std::make_shared<std::vector<Action>>()),
        choices_(sim::Choices::replayed(tape)),
        scenario_(choices_),
        read_(configs.size()) {
    for (std::size_t i = 0; i < configs.size(); ++i)
      scenario_.process("p" + std::to_string(i)).runs(Carrier(std::move(configs[i]), Scripted{{}, script_}));
    if (shape) shape(scenario_);
    scenario_.phases(seconds(36'000), seconds(36'000));
    world_.emplace(choices_, scenario_, properties_, sim::WorldOptions{});
    world_->begin();
    run(1'000);
  }

  void perform(std::size_t rank, Action action) {
    Note note;
    note.a = static_cast<std::int64_t>(script_->size());
    script_->push_back(std::move(action));
    world_->inject(static_cast<sim::ProcessIndex>(rank), Role{0}, action::Tell{Role{0}, note});
  }
  // At most so many steps: while ranks come again and again, there is no end of them.
  void run(std::size_t steps) {
    for (std::size_t i = 0; i < steps && world_->step(); ++i) {
    }
  }
  template <class Holds>
  void run_while(Holds&& holds) {
    while (holds() && world_->step()) {
    }
  }
  std::optional<Event> soonest(std::size_t rank) {
    while (read_[rank] == carrier(rank).machine().events.size() && world_->step()) {
    }
    return unread(rank);
  }
  std::optional<Event> unread(std::size_t rank) {
    const auto& all = carrier(rank).machine().events;
    if (read_[rank] == all.size()) return std::nullopt;
    return all[read_[rank]++];
  }
  const Carrier& carrier(std::size_t rank) {
    return *world_->process(static_cast<sim::ProcessIndex>(rank)).machines[0].template as<Carrier>();
  }
  sim::World& world() { return *world_; }

 private:
  std::shared_ptr<std::vector<Action>> script_;
  sim::Choices choices_;
  sim::Scenario scenario_;
  std::vector<sim::Property> properties_;
  std::optional<sim::World> world_;
  std::vector<std::size_t> read_;
};

inline constexpr const char* center_address = "127.0.0.1:7000";

inline CarrierConfig config_of(std::uint32_t rank, std::uint32_t world) {
  CarrierConfig config;
  config.rank = rank;
  config.world = world;
  config.session = 0x5E55'1017;
  config.token = control::Hidden("a token of the tests");
  config.address = center_address;
  config.join_patience = end_of_time - Time{0};  // never
  return config;
}
inline std::vector<CarrierConfig> configs_of(std::uint32_t world, std::optional<MessageTag> express = std::nullopt) {
  std::vector<CarrierConfig> configs;
  for (std::uint32_t rank = 0; rank < world; ++rank) {
    configs.push_back(config_of(rank, world));
    configs.back().express = express;
  }
  return configs;
}

}  // namespace tenter::carrier_kit
