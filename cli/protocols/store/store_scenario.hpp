// The store as the simulator runs it: a core job whose ranks publish and read, and readers of other jobs. Planted bugs are the
// same scenario with one machine made by another factory.
#pragma once
#include <functional>

#include "core/store/beacon.hpp"
#include "core/store/joiner.hpp"
#include "core/store/leases.hpp"
#include "core/store/publisher.hpp"
#include "core/store/reader.hpp"
#include "sim/scenario.hpp"

namespace tenter::protocols {

inline constexpr std::uint32_t store_window = 4;  // reads in flight, few, so that the window is full now and then

struct StoreMachines {
  std::function<AnyMachine(store::PublisherConfig)> publisher;
  std::function<AnyMachine(store::ReaderConfig)> reader;
  std::function<AnyMachine(store::JoinerConfig)> joiner;
  std::function<AnyMachine(Role owner)> beacon;
  std::function<AnyMachine(store::LeasesConfig)> leases;
};
StoreMachines shipped_store();

struct StoreScenario {
  store::Method method = store::Method::file;
  bool faults = true;
  std::uint32_t cores_min = 1, cores_max = 3;
  std::uint32_t readers_min = 0, readers_max = 2;  // method file alone
  std::uint32_t operations_max = 8;
  bool hot = false;              // few rows with versions, updated again and again while they are read
  bool only_files_fail = false;  // of the faults those of a shared file system alone, by its many hosts
  sim::PublishSteps publishes;   // of the Files part
};
void build_store(sim::Scenario& scenario, const StoreMachines& machines, const StoreScenario& shape);

}  // namespace tenter::protocols
