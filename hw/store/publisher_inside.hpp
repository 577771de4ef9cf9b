// One rank's machines on the parts of its method. Private to hw/store.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/store/beacon.hpp"
#include "core/store/leases.hpp"
#include "core/store/reader.hpp"
#include "hw/loop/local_part.hpp"
#include "hw/loop/process.hpp"
#include "hw/mpi/collective_part.hpp"
#include "hw/posix/client_part.hpp"
#include "hw/posix/entropy_part.hpp"
#include "hw/posix/host_part.hpp"
#include "hw/posix/timers_part.hpp"
#include "hw/store/calling.hpp"
#include "hw/store/recording.hpp"
#include "hw/store/store_publisher.hpp"

namespace tenter::hw {

struct PublisherConfigs {
  PublisherConfigs(const StorePublisherOptions& options, const MpiEnvironment& environment);
  std::vector<recording::RoleHeader> roles() const;
  store::PublisherConfig publisher;
  store::ReaderConfig reader;
  store::LeasesConfig leases;
};

inline constexpr Role publisher_role{0}, publisher_reader_role{1}, publisher_beacon_role{2}, publisher_leases_role{3};
inline constexpr Duration for_ever{0};  // a collective call ends when every rank has called

struct StorePublisher::Inside {
  explicit Inside(const MpiEnvironment& environment) : context(nullptr, environment.size() > usable_cpus()) {}
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  virtual ~Inside() = default;
  virtual Result<void> call(Note note, Duration patience) = 0;
  virtual Result<void> add(const ShardToAdd& shard) = 0;
  virtual Result<PendingGet> begin_get(const std::string& variable, const std::vector<store::RowRange>& rows, MutableBytes into,
                                       Duration patience) = 0;
  virtual Result<void> end_get(const PendingGet& get) = 0;
  virtual void serve(const std::function<bool()>& ends) = 0;

  std::unique_ptr<Recorder> recorder;
  Context context;
};

// What the two parts that differ by method are made of.
struct PartArguments {
  Context& context;
  const StorePublisherOptions& options;
  const MpiEnvironment& environment;
  Doorbell& doorbell;
};

// FilesLike, FabricLike: parts that are made of PartArguments; the fabric also lends memory.
template <class FilesLike, class FabricLike>
struct PublisherOn final : StorePublisher::Inside {
  using CorePort = Port<CollectivePart, FilesLike, FabricLike, TimersPart, ClientPart, LocalPart, EntropyPart, HostPart>;

  PublisherOn(const StorePublisherOptions& options, const PublisherConfigs& configs, const MpiEnvironment& environment,
              Doorbell& doorbell, std::unique_ptr<Recorder> recording)
      : Inside(environment),
        port{{context, environment, doorbell},
             {PartArguments{context, options, environment, doorbell}},
             {PartArguments{context, options, environment, doorbell}},
             {context},
             {context},
             {context},
             {context},
             {context},
             {}},
        process(context, port, PerhapsRecorded(recording.get()), store::Publisher(configs.publisher),
                store::Reader(configs.reader), store::Beacon(publisher_role), store::Leases(configs.leases)) {
    recorder = std::move(recording);
    process.start();
  }

  Result<void> call(Note note, Duration patience) override {
    return call_machine(*this, publisher_role, std::move(note), patience);
  }
  Result<void> add(const ShardToAdd& shard) override {
    store::AddCall call;
    call.variable = Blob(std::string_view(shard.variable));
    call.dtype = shard.dtype;
    call.row_shape = shard.row_shape;
    call.rows = shard.rows;
    call.buffer = port.lend(shard.bytes);
    auto added = call_machine(*this, publisher_role, store::add_note(call), for_ever);
    port.take_back(call.buffer);
    return added;
  }
  Result<PendingGet> begin_get(const std::string& variable, const std::vector<store::RowRange>& rows, MutableBytes into,
                               Duration patience) override {
    return begin_get_rows(*this, publisher_reader_role, variable, rows, into, patience);
  }
  Result<void> end_get(const PendingGet& get) override { return end_get_rows(*this, get); }
  void serve(const std::function<bool()>& ends) override { process.run_until(ends, end_of_time); }

  CorePort port;
  ObservedProcess<CorePort, PerhapsRecorded, store::Publisher, store::Reader, store::Beacon, store::Leases> process;
};

// One a method, each in a file of its own: the machines are compiled once for each.
using MadePublisher = std::unique_ptr<StorePublisher::Inside>;
MadePublisher publisher_with_files(const StorePublisherOptions& options, const PublisherConfigs& configs,
                                   const MpiEnvironment& environment, Doorbell& doorbell, std::unique_ptr<Recorder> recorder);
MadePublisher publisher_on_fabric(const StorePublisherOptions& options, const PublisherConfigs& configs,
                                  const MpiEnvironment& environment, Doorbell& doorbell, std::unique_ptr<Recorder> recorder);
MadePublisher publisher_on_windows(const StorePublisherOptions& options, const PublisherConfigs& configs,
                                   const MpiEnvironment& environment, Doorbell& doorbell, std::unique_ptr<Recorder> recorder);

}  // namespace tenter::hw
