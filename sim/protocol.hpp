// A protocol as the simulator sees it: scenarios, properties, planted bugs and what is known about its mutants. The built-in
// protocols and a user's own are described with the same calls (design section 9).
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/property.hpp"
#include "sim/scenario.hpp"

namespace tenter::sim {

using ScenarioFunction = std::function<void(Scenario&)>;

// A bug written by hand, as a variant of a machine or of a part, with the property that must find it.
struct PlantedBug {
  std::string name;
  std::string about;     // one sentence
  std::string property;  // must be the finding's property
  ScenarioFunction scenario;
  std::uint64_t seeds = 10'000;  // found within this many
};

// A seam mutant that no property can find, because it changes nothing that anybody may rely on.
struct EquivalentMutant {
  std::string pattern;  // of Mutation::text(), `*` matches any run of characters
  std::string reason;
};

class Protocol {
 public:
  explicit Protocol(std::string name) : name_(std::move(name)) {}

  Protocol& about(std::string text) {
    about_ = std::move(text);
    return *this;
  }
  // The first scenario is the default one.
  Protocol& scenario(std::string name, ScenarioFunction build) {
    scenarios_.push_back({std::move(name), std::move(build)});
    return *this;
  }
  Protocol& always(std::string name, Predicate holds) {
    return property({PropertyKind::always, std::move(name), std::move(holds), {}});
  }
  Protocol& eventually(std::string name, Predicate holds) {
    return property({PropertyKind::eventually, std::move(name), std::move(holds), {}});
  }
  // Without a predicate it is seen when a monitor says so.
  Protocol& sometimes(std::string name, Predicate seen = {}) {
    return property({PropertyKind::sometimes, std::move(name), std::move(seen), {}});
  }
  template <class M>
  Protocol& monitor(std::string name) {
    return property({PropertyKind::monitor, std::move(name), {}, [] { return std::make_unique<M>(); }});
  }
  Protocol& planted(PlantedBug bug) {
    planted_.push_back(std::move(bug));
    return *this;
  }
  Protocol& equivalent(std::string pattern, std::string reason) {
    equivalents_.push_back({std::move(pattern), std::move(reason)});
    return *this;
  }

  const std::string& name() const { return name_; }
  const std::string& about() const { return about_; }
  const std::vector<Property>& properties() const { return properties_; }
  const std::vector<std::pair<std::string, ScenarioFunction>>& scenarios() const { return scenarios_; }
  const std::vector<PlantedBug>& planted() const { return planted_; }
  const std::vector<EquivalentMutant>& equivalents() const { return equivalents_; }

  // The same without the property or monitor of this name: what the others find alone.
  Protocol without(std::string_view property) const {
    Protocol rest = *this;
    std::erase_if(rest.properties_, [&](const Property& p) { return p.name == property; });
    return rest;
  }

  const ScenarioFunction* find_scenario(std::string_view name) const {
    for (const auto& [known, build] : scenarios_)
      if (name.empty() || known == name) return &build;
    return nullptr;
  }
  const PlantedBug* find_planted(std::string_view name) const {
    for (const PlantedBug& bug : planted_)
      if (bug.name == name) return &bug;
    return nullptr;
  }

 private:
  Protocol& property(Property p) {
    properties_.push_back(std::move(p));
    return *this;
  }

  std::string name_, about_;
  std::vector<Property> properties_;
  std::vector<std::pair<std::string, ScenarioFunction>> scenarios_;
  std::vector<PlantedBug> planted_;
  std::vector<EquivalentMutant> equivalents_;
};

}  // namespace tenter::sim
