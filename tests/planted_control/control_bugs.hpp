// Bugs planted into control, each as a variant of one machine: the shipped one answers every event, and the variant changes what
// it hears or what it answered, as a careless author would have written it.
#pragma once
#include <functional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cli/protocols/control/control_scenario.hpp"
#include "cli/registry.hpp"
#include "core/machine.hpp"

namespace tenter::planted {

using Actions = std::vector<Action>;

// `hears` may change the event; false: the machine must not see it. What a bug remembers is copied with it.
template <Machine M>
struct ControlBug {
  std::function<bool(M&, Event&, Actions&)> hears = [](M&, Event&, Actions&) { return true; };
  std::function<void(M&, const Event&, Outbox&)> then = [](M&, const Event&, Outbox&) {};
};

template <Machine M>
class Careless {
 public:
  Careless(M machine, ControlBug<M> bug) : machine_(std::move(machine)), bug_(std::move(bug)) {}

  template <class E, class O>
  requires Handles<M, E>
  void on(const E& e, O& out) {
    Outbox box;
    Event event(e);
    if (bug_.hears(machine_, event, box.actions())) {
      deliver(machine_, event, box);
      bug_.then(machine_, event, box);
    }
    perform_all(std::move(box.actions()), out);
  }
  std::string_view state_name() const { return machine_.state_name(); }

  static constexpr std::string_view name = M::name;
  static constexpr std::string_view labels = "machine";
  template <class Self>
  static constexpr auto fields(Self& self) {
    return std::tie(self.machine_);
  }

 private:
  M machine_;
  ControlBug<M> bug_;
};

using HubBug = ControlBug<control::Hub>;
using ExecutorBug = ControlBug<control::Executor>;

struct PlantedControl {
  const char* name;
  const char* about;
  const char* property;
  protocols::ControlMachines machines;
  protocols::ControlScenario shape = {};
};
protocols::ControlMachines with_hub(HubBug bug);
protocols::ControlMachines with_hub_configured(std::function<void(control::HubConfig&)> change);
protocols::ControlMachines with_executor(ExecutorBug bug);
protocols::ControlMachines with_executor_configured(std::function<void(control::ExecutorConfig&)> change);

std::vector<PlantedControl> hub_bugs();
std::vector<PlantedControl> executor_bugs();
void add_control_bugs(Registry& registry);

}  // namespace tenter::planted
