#include "hw/store/store_reader.hpp"

#include <unistd.h>

#include <algorithm>
#include <exception>

#include "core/store/beacon.hpp"
#include "core/store/joiner.hpp"
#include "core/store/reader.hpp"
#include "hw/loop/local_part.hpp"
#include "hw/loop/process.hpp"
#include "hw/ofi/fabric_part.hpp"
#include "hw/posix/client_part.hpp"
#include "hw/posix/entropy_part.hpp"
#include "hw/posix/files_part.hpp"
#include "hw/posix/timers_part.hpp"
#include "hw/store/calling.hpp"
#include "hw/store/directory.hpp"
#include "hw/store/recording.hpp"

namespace tenter::hw {
namespace {

constexpr Role joiner_role{0}, reader_role{1}, beacon_role{2};
constexpr std::uint32_t reads_in_flight = 64;  // a loader's batch
// Probes of a job that died without a trace are never answered on some providers (tcp;ofi_rxm). They are given up after this
// time, doubled each time up to the last, and the record is looked at again: by then it may be a living job's.
constexpr Duration first_attempt = seconds(3), last_attempt = seconds(24);
using ReaderPort = Port<FilesPart, FabricPart, TimersPart, ClientPart, LocalPart, EntropyPart>;

store::JoinerConfig joiner_config() {
  store::JoinerConfig config;
  config.reader = reader_role;
  config.beacon = beacon_role;
  return config;
}
store::ReaderConfig reader_config(const StoreReaderOptions& options) {
  store::ReaderConfig config;
  config.owner = joiner_role;
  config.provider = Blob(std::string_view(options.provider));
  config.domain = Blob(std::string_view(options.domain));
  config.reads_in_flight = reads_in_flight;
  return config;
}

}  // namespace

struct StoreReader::Inside {
  Inside(const StoreReaderOptions& options, StoreDirectory looked_at, std::unique_ptr<Recorder> recording)
      : directory(std::move(looked_at)),
        recorder(std::move(recording)),
        port{{context, options.directory, options.owner}, {context}, {context}, {context}, {context}, {context}, {}},
        process(context, port, PerhapsRecorded(recorder.get()), store::Joiner(joiner_config()),
                store::Reader(reader_config(options)), store::Beacon(joiner_role)) {
    process.start();
  }
  StoreDirectory directory;
  std::unique_ptr<Recorder> recorder;
  Context context;
  ReaderPort port;
  ObservedProcess<ReaderPort, PerhapsRecorded, store::Joiner, store::Reader, store::Beacon> process;
};

StoreReader::StoreReader(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
StoreReader::~StoreReader() = default;

Result<std::unique_ptr<StoreReader>> StoreReader::open(const StoreReaderOptions& options) {
  auto directory = StoreDirectory::open(options.directory, options.owner);
  if (!directory) return tl::unexpected(directory.error());
  auto recorder = record_store(options.record, "reader-" + std::to_string(getpid()), no_rank,
                               {recorded_role<store::Joiner>(joiner_config()),
                                recorded_role<store::Reader>(reader_config(options)), recorded_beacon(joiner_role)});
  if (!recorder) return tl::unexpected(recorder.error());
  try {
    return std::unique_ptr<StoreReader>(
        new StoreReader(std::make_unique<Inside>(options, std::move(*directory), std::move(*recorder))));
  } catch (const std::exception& failure) {
    return error(Status::failed, std::string("open: ") + failure.what());
  }
}

Result<store::Record> StoreReader::join(const std::string& variable, Duration patience, std::uint32_t cores) {
  store::JoinCall call;
  call.variable = Blob(std::string_view(variable));
  call.cores = cores;
  const Time deadline = now() + patience;
  for (Duration attempt = first_attempt;; attempt = std::min(attempt * 2, last_attempt)) {
    const Duration left = std::max(deadline - now(), milliseconds(1));
    call.patience = left < attempt * 2 ? left : attempt;  // no last attempt that is too short for an answer
    const auto joined = call_machine(*inside_, joiner_role, store::join_note(call), call.patience + call_slack);
    if (joined) return inside_->directory.record(variable);
    if (joined.error().status != Status::timed_out || call.patience == left) return tl::unexpected(joined.error());
  }
}

Result<void> StoreReader::get(const std::string& variable, const std::vector<store::RowRange>& rows, MutableBytes into,
                              Duration patience) {
  return get_rows(*inside_, reader_role, variable, rows, into, patience);
}

Result<PendingGet> StoreReader::begin_get(const std::string& variable, const std::vector<store::RowRange>& rows,
                                          MutableBytes into, Duration patience) {
  return begin_get_rows(*inside_, reader_role, variable, rows, into, patience);
}
Result<void> StoreReader::end_get(const PendingGet& get) { return end_get_rows(*inside_, get); }

Result<void> StoreReader::leave(const std::string& variable, Duration patience) {
  return call_machine(*inside_, joiner_role, store::leave_note(Blob(std::string_view(variable))), patience);
}

Result<void> StoreReader::finish_recording() { return inside_->recorder ? inside_->recorder->finish() : Result<void>(); }

}  // namespace tenter::hw
