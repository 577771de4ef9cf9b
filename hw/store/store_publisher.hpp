// One rank of a core job of the store: publishes shards of variables together with the other ranks. The calling thread drives the
// loop; open, add and close are collective.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/store/dtype.hpp"
#include "core/store/publisher.hpp"
#include "hw/mpi/doorbell.hpp"
#include "hw/mpi/environment.hpp"
#include "hw/store/calling.hpp"

namespace tenter::hw {

struct StorePublisherOptions {
  store::Method method = store::Method::file;
  std::string directory;                                         // method file: exists, of this user
  std::string provider = "tcp;ofi_rxm", domain, job = "tenter";  // method window: neither provider nor domain
  std::string record;  // directory for recordings, one a rank (hw/record/recorder.hpp); empty: none
};

struct ShardToAdd {
  std::string variable;
  store::DType dtype{};
  std::vector<std::uint64_t> row_shape;
  std::uint64_t rows = 0;  // of this rank
  MutableBytes bytes;      // rows x row bytes; copied
};

class StorePublisher {
 public:
  // Collective. The environment and the doorbell outlive it. Errors are the same on every rank, but for a directory's.
  static Result<std::unique_ptr<StorePublisher>> open(const StorePublisherOptions& options, const MpiEnvironment& environment,
                                                      Doorbell& doorbell);
  StorePublisher(const StorePublisher&) = delete;
  StorePublisher& operator=(const StorePublisher&) = delete;
  ~StorePublisher();

  Result<void> add(const ShardToAdd& shard);
  // Any rows of the job, as a reader of another job would.
  Result<void> get(const std::string& variable, const std::vector<store::RowRange>& rows, MutableBytes into, Duration patience);
  // The same in two halves, so that several are under way; the loop runs in end_get(). `into` is the store's until then.
  Result<PendingGet> begin_get(const std::string& variable, const std::vector<store::RowRange>& rows, MutableBytes into,
                               Duration patience);
  Result<void> end_get(const PendingGet& get);
  // Serves until `ends()`, which is asked after every event and nudge.
  void serve(const std::function<bool()>& ends);
  void nudge();  // any thread
  // patience: for readers that still read; 0: for ever.
  Result<void> close(Duration patience);
  // Writes the rest of the recording; its first failure, if any.
  Result<void> finish_recording();
  struct Inside;

 private:
  explicit StorePublisher(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace tenter::hw
