#include "cli/protocols/store/store_scenario.hpp"

#include "cli/protocols/store/store_workload.hpp"

namespace tenter::protocols {

using namespace store;

StoreMachines shipped_store() {
  StoreMachines machines;
  machines.publisher = [](PublisherConfig config) { return AnyMachine(Publisher(std::move(config))); };
  machines.reader = [](ReaderConfig config) { return AnyMachine(Reader(std::move(config))); };
  machines.joiner = [](JoinerConfig config) { return AnyMachine(Joiner(config)); };
  machines.beacon = [](Role owner) { return AnyMachine(Beacon(owner)); };
  machines.leases = [](LeasesConfig config) { return AnyMachine(Leases(config)); };
  return machines;
}

namespace {

constexpr Role owner{0};

std::vector<StoreVariable> variables_of(sim::Scenario& scenario, std::uint32_t cores) {
  const StoreVariable kinds[] = {{"x", DType::float32, {3}, true, {}},
                                 {"bytes/1", DType::uint8, {}, false, {}},
                                 {"wide", DType::int64, {5}, true, {}},
                                 {"pairs", DType::int64, {2}, false, {}},
                                 {"\xC3\xA4 b", DType::int16, {3}, false, {}}};
  std::vector<StoreVariable> variables;
  const std::uint32_t count = 1 + scenario.choose(2);
  const std::uint32_t first = scenario.choose(std::size(kinds));
  for (std::uint32_t i = 0; i < count; ++i) {
    variables.push_back(kinds[(first + i) % std::size(kinds)]);
    for (std::uint32_t rank = 0; rank < cores; ++rank) variables.back().rows.push_back((scenario.choose(6) + 3) % 6);
  }
  return variables;
}

// One or two rows a rank, long enough that a read of one takes several chunks, whatever their size.
std::vector<StoreVariable> hot_variables(sim::Scenario& scenario, std::uint32_t cores) {
  std::vector<StoreVariable> variables{{"hot", DType::int64, {60}, true, {}}};
  for (std::uint32_t rank = 0; rank < cores; ++rank) variables[0].rows.push_back(1 + scenario.choose(2));
  return variables;
}

void allow_faults(sim::Scenario& scenario) {
  scenario.allow(sim::Tag::crash, 2);
  scenario.allow(sim::Tag::stop, 1);
  scenario.allow(sim::Tag::no_space, 1);
  scenario.allow(sim::Tag::fabric_failure, 2);
  scenario.allow(sim::Tag::read_failure, 3);
  scenario.allow(sim::Tag::read_stall, 3);
  scenario.allow(sim::Tag::address_reuse, 8);
  scenario.allow(sim::Tag::file_stale, 6);
  scenario.allow(sim::Tag::file_late, 4);
  scenario.allow(sim::Tag::host_crash, 1);
}

void allow_late_files(sim::Scenario& scenario, std::uint32_t hosts) {
  scenario.allow(sim::Tag::file_stale, hosts);
  scenario.allow(sim::Tag::file_late, hosts);
}

}  // namespace

void build_store(sim::Scenario& scenario, const StoreMachines& machines, const StoreScenario& shape) {
  StoreShape work;
  work.cores = shape.cores_min + scenario.choose(shape.cores_max - shape.cores_min + 1);
  work.readers =
      shape.method == Method::file ? shape.readers_min + scenario.choose(shape.readers_max - shape.readers_min + 1) : 0;
  work.operations = scenario.choose(shape.operations_max + 1);
  work.closes_early = scenario.choose(3) == 2;
  work.close_patience = scenario.choose(3) == 2 ? seconds(2) : Duration{0};
  work.hot = shape.hot;
  if (shape.hot) work.operations = 4 + scenario.choose(9);
  std::vector<StoreVariable> variables = shape.hot ? hot_variables(scenario, work.cores) : variables_of(scenario, work.cores);
  const Duration reborn = milliseconds(std::int64_t{50} << scenario.choose(6));
  if (shape.faults && !shape.only_files_fail) allow_faults(scenario);
  if (shape.faults && shape.only_files_fail) allow_late_files(scenario, work.readers);
  scenario.files_outlive_crashes();
  scenario.files_publish_with(shape.publishes);
  scenario.phases(seconds(6), seconds(400));
  if (shape.readers_max > 100) scenario.step_limit(50'000'000);
  ReaderConfig reader;
  reader.owner = owner;
  reader.provider = Blob("simulated");
  reader.reads_in_flight = store_window;
  reader.span_bytes_max = 256u >> (2 * scenario.choose(2));
  if (shape.hot) reader.span_bytes_max = 1'024;
  for (std::uint32_t rank = 0; rank < work.cores; ++rank) {
    sim::ProcessSpec& core = scenario.process("core " + std::to_string(rank));
    PublisherConfig publisher;
    publisher.rank = rank;
    publisher.ranks = work.cores;
    publisher.method = shape.method;
    publisher.provider = reader.provider;
    publisher.job = Blob("job");
    ReaderConfig own = reader;
    own.first_endpoint = 1'000;
    LeasesConfig leases;
    leases.owner = owner;
    core.machines = {machines.publisher(publisher), machines.reader(own), machines.beacon(owner), machines.leases(leases)};
    core.in_job("cores").on_host("host of the cores").crashes().stops_for_a_while().restarts(reborn);
  }
  for (std::uint32_t i = 0; i < work.readers; ++i) {
    sim::ProcessSpec& guest = scenario.process("reader " + std::to_string(i));
    JoinerConfig joiner;
    joiner.reader = reader_role;
    joiner.beacon = beacon_role;
    guest.machines = {machines.joiner(joiner), machines.reader(reader), machines.beacon(owner)};
    guest.crashes();
    if (scenario.choose(2) == 1) guest.restarts(reborn);
    guest.on_host(scenario.choose(4) == 3 ? "host of the cores" : "host of reader " + std::to_string(i));
  }
  scenario.client(std::make_unique<StoreWorkload>(work, std::move(variables)));
}

}  // namespace tenter::protocols
