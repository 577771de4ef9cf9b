// A reading process of the store: joins published variables through their directory and reads their rows one-sidedly. The calling
// thread drives the loop. Needs no MPI.
//
//   auto reader = hw::StoreReader::open({.directory = "D", .provider = "tcp;ofi_rxm"});
//   auto record = (*reader)->join("x", seconds(10));
//   auto done = (*reader)->get("x", {{0, 100}}, bytes, seconds(5));
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/store/plan.hpp"
#include "core/store/record.hpp"
#include "hw/store/calling.hpp"

namespace tenter::hw {

struct StoreReaderOptions {
  std::string directory;  // exists, of this user
  std::string provider = "tcp;ofi_rxm", domain;
  std::optional<std::uint32_t> owner;  // another user, whose directory and records are allowed too
  std::string record;                  // directory for a recording of this process (hw/record/recorder.hpp); empty: none
};

class StoreReader {
 public:
  // Errors: not_found, denied: the directory cannot be used; those of Recorder::open.
  static Result<std::unique_ptr<StoreReader>> open(const StoreReaderOptions& options);
  StoreReader(const StoreReader&) = delete;
  StoreReader& operator=(const StoreReader&) = delete;
  ~StoreReader();  // leaves nothing behind but a lease that expires, when leave() was not called

  // Waits until the variable is published and every rank of it answered a probe. cores 0: any number of publishing ranks.
  Result<store::Record> join(const std::string& variable, Duration patience, std::uint32_t cores = 0);
  // Rows in the order of the ranges into `into`, exactly as many bytes. Not ok: its content is undefined; nothing lands later.
  Result<void> get(const std::string& variable, const std::vector<store::RowRange>& rows, MutableBytes into, Duration patience);
  // The same in two halves, so that several are under way; the loop runs in end_get(). `into` is the store's until then.
  Result<PendingGet> begin_get(const std::string& variable, const std::vector<store::RowRange>& rows, MutableBytes into,
                               Duration patience);
  Result<void> end_get(const PendingGet& get);
  Result<void> leave(const std::string& variable, Duration patience);
  // Writes the rest of the recording; its first failure, if any.
  Result<void> finish_recording();

 private:
  struct Inside;
  explicit StoreReader(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace tenter::hw
