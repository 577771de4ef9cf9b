#include "hw/store/store_reader.hpp"

#include <exception>
#include <span>

#include "core/store/beacon.hpp"
#include "core/store/file_name.hpp"
#include "core/store/joiner.hpp"
#include "core/store/reader.hpp"
#include "hw/loop/local_part.hpp"
#include "hw/loop/process.hpp"
#include "hw/ofi/fabric_part.hpp"
#include "hw/os/file.hpp"
#include "hw/posix/client_part.hpp"
#include "hw/posix/entropy_part.hpp"
#include "hw/posix/files_part.hpp"
#include "hw/posix/timers_part.hpp"
#include "hw/store/calling.hpp"

namespace tenter::hw {
namespace {

constexpr Role joiner_role{0}, reader_role{1}, beacon_role{2};
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
  return config;
}

}  // namespace

Result<store::Record> read_store_record(const std::string& directory, const std::string& variable) {
  const auto name = store::record_file_name(variable);
  if (!name) return tl::unexpected(name.error());
  const std::string path = directory + "/" + *name;
  const auto bytes = os::read_file(path, store::JoinerConfig{}.record_bytes_max);
  if (!bytes && bytes.error().status == Status::not_found)
    return error(Status::not_found, path + ": \"" + variable + "\" is not published there");
  if (!bytes) return tl::unexpected(bytes.error());
  auto record = store::decode_record(std::as_bytes(std::span(bytes->data(), bytes->size())));
  if (!record) return error(record.error().status, path + ": " + record.error().what);
  return record;
}

struct StoreReader::Inside {
  explicit Inside(const StoreReaderOptions& options)
      : directory(options.directory),
        port{{context, options.directory}, {context}, {context}, {context}, {context}, {context}, {}},
        process(context, port, store::Joiner(joiner_config()), store::Reader(reader_config(options)),
                store::Beacon(joiner_role)) {
    process.start();
  }
  std::string directory;
  Context context;
  ReaderPort port;
  Process<ReaderPort, store::Joiner, store::Reader, store::Beacon> process;
};

StoreReader::StoreReader(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
StoreReader::~StoreReader() = default;

Result<std::unique_ptr<StoreReader>> StoreReader::open(const StoreReaderOptions& options) {
  try {
    return std::unique_ptr<StoreReader>(new StoreReader(std::make_unique<Inside>(options)));
  } catch (const std::exception& failure) {
    return error(Status::failed, std::string("open: ") + failure.what());
  }
}

Result<store::Record> StoreReader::join(const std::string& variable, Duration patience, std::uint32_t cores) {
  store::JoinCall call;
  call.variable = Blob(std::string_view(variable));
  call.patience = patience;
  call.cores = cores;
  auto joined = call_machine(*inside_, joiner_role, store::join_note(call), patience + call_slack);
  if (!joined) return tl::unexpected(joined.error());
  return read_store_record(inside_->directory, variable);
}

Result<void> StoreReader::get(const std::string& variable, const std::vector<store::RowRange>& rows, MutableBytes into,
                              Duration patience) {
  return get_rows(*inside_, reader_role, variable, rows, into, patience);
}

Result<void> StoreReader::leave(const std::string& variable, Duration patience) {
  return call_machine(*inside_, joiner_role, store::leave_note(Blob(std::string_view(variable))), patience);
}

}  // namespace tenter::hw
