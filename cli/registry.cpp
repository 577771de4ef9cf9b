#include "cli/registry.hpp"

namespace tenter {

sim::Protocol& Registry::protocol(std::string_view name) {
  for (sim::Protocol& known : protocols_)
    if (known.name() == name) return known;
  return protocols_.emplace_back(std::string(name));
}

const sim::Protocol* Registry::find(std::string_view name) const {
  for (const sim::Protocol& known : protocols_)
    if (known.name() == name) return &known;
  return nullptr;
}

const Registry::MakeMachine* Registry::find_role(std::string_view machine_name) const {
  const auto found = roles_.find(machine_name);
  return found == roles_.end() ? nullptr : &found->second;
}

}  // namespace tenter
