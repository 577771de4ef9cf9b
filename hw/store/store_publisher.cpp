#include "hw/store/store_publisher.hpp"

#include <chrono>
#include <exception>

#include "hw/store/directory.hpp"
#include "hw/store/publisher_inside.hpp"

namespace tenter::hw {
namespace {

constexpr std::uint32_t reader_endpoints = 1'000;  // the Publisher's own are below

MadePublisher make(const StorePublisherOptions& options, const PublisherConfigs& configs, const MpiEnvironment& environment,
                   Doorbell& doorbell, std::unique_ptr<Recorder> recorder) {
  switch (options.method) {
    case store::Method::fabric:
      return publisher_on_fabric(options, configs, environment, doorbell, std::move(recorder));
    case store::Method::window:
      return publisher_on_windows(options, configs, environment, doorbell, std::move(recorder));
    default:
      return publisher_with_files(options, configs, environment, doorbell, std::move(recorder));
  }
}

}  // namespace

PublisherConfigs::PublisherConfigs(const StorePublisherOptions& options, const MpiEnvironment& environment) {
  const bool windows = options.method == store::Method::window;
  publisher.rank = number(environment.rank());
  publisher.ranks = environment.size();
  publisher.method = options.method;
  publisher.provider = Blob(windows ? std::string_view("mpi") : std::string_view(options.provider));
  publisher.domain = Blob(std::string_view(options.domain));
  publisher.job = Blob(std::string_view(options.job));
  publisher.reader = publisher_reader_role;
  publisher.beacon = publisher_beacon_role;
  publisher.leases = publisher_leases_role;
  publisher.start_time =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  reader.owner = publisher_role;
  reader.provider = publisher.provider;
  reader.domain = publisher.domain;
  reader.first_endpoint = reader_endpoints;
  leases.owner = publisher_role;
}

std::vector<recording::RoleHeader> PublisherConfigs::roles() const {
  return {recorded_role<store::Publisher>(publisher), recorded_role<store::Reader>(reader), recorded_beacon(publisher_role),
          recorded_role<store::Leases>(leases)};
}

StorePublisher::StorePublisher(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
StorePublisher::~StorePublisher() = default;

Result<std::unique_ptr<StorePublisher>> StorePublisher::open(const StorePublisherOptions& options,
                                                             const MpiEnvironment& environment, Doorbell& doorbell) {
  if (options.method == store::Method::file)
    if (auto usable = check_store_directory(options.directory); !usable) return tl::unexpected(usable.error());
  const PublisherConfigs configs(options, environment);
  auto recorder =
      record_store(options.record, "rank-" + std::to_string(number(environment.rank())), environment.rank(), configs.roles());
  if (!recorder) return tl::unexpected(recorder.error());
  try {
    std::unique_ptr<StorePublisher> made(new StorePublisher(make(options, configs, environment, doorbell, std::move(*recorder))));
    auto opened = made->inside_->call(store::call_note(store::CallKind::open), for_ever);
    if (!opened) return tl::unexpected(opened.error());
    return made;
  } catch (const std::exception& failure) {
    return error(Status::failed, std::string("open: ") + failure.what());
  }
}

Result<void> StorePublisher::add(const ShardToAdd& shard) { return inside_->add(shard); }

Result<void> StorePublisher::get(const std::string& variable, const std::vector<store::RowRange>& rows, MutableBytes into,
                                 Duration patience) {
  const auto get = begin_get(variable, rows, into, patience);
  if (!get) return tl::unexpected(get.error());
  return end_get(*get);
}
Result<PendingGet> StorePublisher::begin_get(const std::string& variable, const std::vector<store::RowRange>& rows,
                                             MutableBytes into, Duration patience) {
  return inside_->begin_get(variable, rows, into, patience);
}
Result<void> StorePublisher::end_get(const PendingGet& get) { return inside_->end_get(get); }

void StorePublisher::serve(const std::function<bool()>& ends) { inside_->serve(ends); }
void StorePublisher::nudge() { inside_->context.nudge(); }

Result<void> StorePublisher::close(Duration patience) { return inside_->call(store::close_note(patience), for_ever); }

Result<void> StorePublisher::finish_recording() { return inside_->recorder ? inside_->recorder->finish() : Result<void>(); }

}  // namespace tenter::hw
