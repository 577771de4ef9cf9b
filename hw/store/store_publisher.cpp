#include "hw/store/store_publisher.hpp"

#include <chrono>
#include <exception>

#include "core/store/beacon.hpp"
#include "core/store/leases.hpp"
#include "core/store/reader.hpp"
#include "hw/loop/local_part.hpp"
#include "hw/loop/process.hpp"
#include "hw/mpi/collective_part.hpp"
#include "hw/ofi/fabric_part.hpp"
#include "hw/posix/client_part.hpp"
#include "hw/posix/entropy_part.hpp"
#include "hw/posix/files_part.hpp"
#include "hw/posix/host_part.hpp"
#include "hw/posix/timers_part.hpp"
#include "hw/store/calling.hpp"

namespace tenter::hw {
namespace {

constexpr Role publisher_role{0}, reader_role{1}, beacon_role{2}, leases_role{3};
constexpr std::uint32_t reader_endpoints = 1'000;  // the Publisher's own are below
constexpr Duration for_ever{0};                    // a collective call ends when every rank has called
using CorePort = Port<CollectivePart, FilesPart, FabricPart, TimersPart, ClientPart, LocalPart, EntropyPart, HostPart>;

store::PublisherConfig publisher_config(const StorePublisherOptions& options, const MpiEnvironment& environment) {
  store::PublisherConfig config;
  config.rank = number(environment.rank());
  config.ranks = environment.size();
  config.method = options.method;
  config.provider = Blob(std::string_view(options.provider));
  config.domain = Blob(std::string_view(options.domain));
  config.job = Blob(std::string_view(options.job));
  config.reader = reader_role;
  config.beacon = beacon_role;
  config.leases = leases_role;
  config.start_time =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  return config;
}
store::ReaderConfig reader_config(const StorePublisherOptions& options) {
  store::ReaderConfig config;
  config.owner = publisher_role;
  config.provider = Blob(std::string_view(options.provider));
  config.domain = Blob(std::string_view(options.domain));
  config.first_endpoint = reader_endpoints;
  return config;
}
store::LeasesConfig leases_config() {
  store::LeasesConfig config;
  config.owner = publisher_role;
  return config;
}

}  // namespace

struct StorePublisher::Inside {
  Inside(const StorePublisherOptions& options, const MpiEnvironment& environment, Doorbell& doorbell)
      : context(nullptr, environment.size() > usable_cpus()),
        port{{context, environment, doorbell},
             {context, options.directory},
             {context},
             {context},
             {context},
             {context},
             {context},
             {context},
             {}},
        process(context, port, store::Publisher(publisher_config(options, environment)), store::Reader(reader_config(options)),
                store::Beacon(publisher_role), store::Leases(leases_config())) {
    process.start();
  }
  Context context;
  CorePort port;
  Process<CorePort, store::Publisher, store::Reader, store::Beacon, store::Leases> process;
};

StorePublisher::StorePublisher(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
StorePublisher::~StorePublisher() = default;

Result<std::unique_ptr<StorePublisher>> StorePublisher::open(const StorePublisherOptions& options,
                                                             const MpiEnvironment& environment, Doorbell& doorbell) {
  try {
    std::unique_ptr<StorePublisher> made(new StorePublisher(std::make_unique<Inside>(options, environment, doorbell)));
    auto opened = call_machine(*made->inside_, publisher_role, store::call_note(store::CallKind::open), for_ever);
    if (!opened) return tl::unexpected(opened.error());
    return made;
  } catch (const std::exception& failure) {
    return error(Status::failed, std::string("open: ") + failure.what());
  }
}

Result<void> StorePublisher::add(const ShardToAdd& shard) {
  store::AddCall call;
  call.variable = Blob(std::string_view(shard.variable));
  call.dtype = shard.dtype;
  call.row_shape = shard.row_shape;
  call.rows = shard.rows;
  call.buffer = inside_->port.lend(shard.bytes);
  auto added = call_machine(*inside_, publisher_role, store::add_note(call), for_ever);
  inside_->port.take_back(call.buffer);
  return added;
}

Result<void> StorePublisher::get(const std::string& variable, const std::vector<store::RowRange>& rows, MutableBytes into,
                                 Duration patience) {
  return get_rows(*inside_, reader_role, variable, rows, into, patience);
}

void StorePublisher::serve(const std::function<bool()>& ends) { inside_->process.run_until(ends, end_of_time); }
void StorePublisher::nudge() { inside_->context.nudge(); }

Result<void> StorePublisher::close(Duration patience) {
  return call_machine(*inside_, publisher_role, store::close_note(patience), for_ever);
}

}  // namespace tenter::hw
