// One rank of a core job: holds its shards of the variables, and publishes them together with the other ranks. Collective calls
// (open, add, close) are taken one after the other, in the order of the calls, which is the same on all ranks; each begins with
// an exchange of intents and ends with an outcome that is the same everywhere. docs/protocols/store.md, spec A1, A2, B3.3, B3.7.
//
// Steps are named "publisher.<step>.<event>", for example publisher.agreeing.collective_done.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/machine.hpp"
#include "core/port.hpp"
#include "core/store/calls.hpp"
#include "core/store/file_name.hpp"
#include "core/store/intent.hpp"
#include "core/store/layout.hpp"
#include "core/store/notes.hpp"
#include "core/store/operation.hpp"
#include "core/store/record.hpp"

namespace tenter::store {

template <class O>
concept PublisherPorts = Fabric<O> && Files<O> && Collective<O> && Timers<O> && Client<O> && Local<O> && Entropy<O> && Host<O>;

enum class Method : std::uint8_t {
  file,    // libfabric; records, heartbeat and leases in a directory
  fabric,  // libfabric; addresses stay inside the job
  window,  // MPI RMA; the same, with ranks as addresses
};

// How long until a name's record is looked at again that could not be read.
inline constexpr Duration record_look_again = milliseconds(250);

enum class PublisherOperation : std::uint8_t {
  local = 1,
  collective = 2,
  file = 3,
  look = 4,
  attach = 5,
  draw = 6,
  host = 7,
  list = 8
};

// What is awaited.
enum class PublisherStep : std::uint8_t {
  idle,         // no collective call is under way
  preparing,    // open: generation, host
  opening,      // open: the endpoint
  agreeing,     // every call: the intents
  making,       // open, rank 0: the readers' directory
  announcing,   // open, rank 0: the first heartbeat
  registering,  // add: the region
  sharing,      // add: the shards
  looking,      // add, rank 0: whether a living job has the name
  listening,    // add, rank 0: whether that job's heartbeat moves
  publishing,   // add, rank 0: the record
  concluding,   // rank 0's outcome, everywhere
  attaching,    // add: the own Reader
  saying,       // close, rank 0: `closing`
  draining,     // close, rank 0: the readers
  checking,     // close, rank 0: whether a record is still ours
  removing,     // close, rank 0: a record
  withdrawing,  // close, rank 0: the heartbeat
  clearing,     // close, or an open that failed, rank 0: the readers' directory
  detaching,    // close: the own Reader
  leaving,      // close: every rank's Reader is done
  closing,      // the endpoint, at a close or because the opening failed elsewhere
  undoing,      // add: the region, because it failed
};

struct PublisherConfig {
  std::uint32_t rank = 0, ranks = 1;
  Method method = Method::file;
  Blob provider, domain, job;
  Role reader{1}, beacon{2}, leases{3};
  Communicator communicator = world_communicator;  // of the store's own
  std::uint32_t heartbeat_ms = 2'000;
  Duration attach_patience = seconds(10);
  std::int64_t start_time = 0;  // of the job, for the record
  friend bool operator==(const PublisherConfig&, const PublisherConfig&) = default;
  TENTER_DESCRIBE(publisher_config, rank, ranks, method, provider, domain, job, reader, beacon, leases, communicator,
                  heartbeat_ms, attach_patience, start_time)
};

// A variable of this rank.
struct Published {
  std::uint64_t number = 0;  // the Reader's, also the region's
  Blob variable;
  RowFormat format;
  std::uint64_t rows = 0;                        // of this rank
  std::uint64_t version = first_version_of_all;  // of the newest row
  bool attached = false;
  static constexpr std::uint64_t first_version_of_all = 1;
  friend bool operator==(const Published&, const Published&) = default;
  TENTER_DESCRIBE(published, number, variable, format, rows, version, attached)
};

struct CollectiveCall {
  Ticket ticket{};
  Note note;
  friend bool operator==(const CollectiveCall&, const CollectiveCall&) = default;
  TENTER_DESCRIBE(collective_call, ticket, note)
};

class Publisher {
 public:
  Publisher() = default;
  explicit Publisher(PublisherConfig config) : config_(std::move(config)) {}

  template <PublisherPorts O>
  void on(const event::Started&, O&) {}
  template <PublisherPorts O>
  void on(const event::Submitted& e, O& out);
  template <PublisherPorts O>
  void on(const event::HostDescribed& e, O& out);
  template <PublisherPorts O>
  void on(const event::RandomBytes& e, O& out);
  template <PublisherPorts O>
  void on(const event::FabricOpened& e, O& out);
  template <PublisherPorts O>
  void on(const event::FabricDone& e, O& out);
  template <PublisherPorts O>
  void on(const event::RegionRegistered& e, O& out);
  template <PublisherPorts O>
  void on(const event::ReadDone&, O&) {}
  template <PublisherPorts O>
  void on(const event::CollectiveDone& e, O& out);
  template <PublisherPorts O>
  void on(const event::FileDone& e, O& out);
  template <PublisherPorts O>
  void on(const event::FilesListed& e, O& out);
  template <PublisherPorts O>
  void on(const event::FilesChanged&, O&) {}
  template <PublisherPorts O>
  void on(const event::TimerFired& e, O& out);
  template <PublisherPorts O>
  void on(const event::Told& e, O& out);

  std::string_view state_name() const {
    constexpr std::string_view names[] = {"idle",        "preparing", "opening",  "agreeing",  "making",     "announcing",
                                          "registering", "sharing",   "looking",  "listening", "publishing", "concluding",
                                          "attaching",   "saying",    "draining", "checking",  "removing",   "withdrawing",
                                          "clearing",    "detaching", "leaving",  "closing",   "undoing"};
    return names[static_cast<std::size_t>(step_)];
  }
  bool is_open() const { return open_; }
  Generation generation() const { return generation_; }
  std::size_t variables() const { return variables_.size(); }

 private:
  // publisher_calls.hpp
  template <class O>
  void next_call(O& out);
  template <class O>
  void begin(O& out);
  template <class O>
  void agree_on(Intent intent, O& out);
  template <class O>
  void agreed(const event::CollectiveDone& e, O& out);
  template <class O>
  void conclude(Status status, std::string text, O& out);
  template <class O>
  void concluded(const event::CollectiveDone& e, O& out);
  template <class O>
  void finish(Status status, const std::string& text, O& out);
  template <class O>
  void update(const event::Submitted& e, const UpdateCall& call, O& out);
  Intent intent_of_epoch() const;
  CallKind kind() const { return CallKind{calls_.front().note.kind}; }
  bool leads() const { return config_.rank == 0; }
  bool writes_files() const { return leads() && config_.method == Method::file; }
  // publisher_open.hpp
  template <class O>
  void open(O& out);
  template <class O>
  void opened_everywhere(const std::vector<Intent>& intents, O& out);
  // publisher_add.hpp
  Intent intent_to_add();
  template <class O>
  void register_rows(O& out);
  template <class O>
  void store_rows(O& out);
  template <class O>
  void shared(const event::CollectiveDone& e, O& out);
  template <class O>
  void look_for_another(O& out);
  template <class O>
  void found_another(const event::FileDone& e, O& out);
  template <class O>
  void heard_another(const event::FileDone& e, O& out);
  template <class O>
  void look_again(Time when, O& out);
  template <class O>
  void publish(O& out);
  template <class O>
  void added(Time now, O& out);
  Result<Record> record_of(const std::vector<Intent>& intents) const;
  // publisher_close.hpp
  template <class O>
  void close(O& out);
  template <class O>
  void remove_next(O& out);
  template <class O>
  void detach_next(O& out);
  void left_behind(std::string_view what, const event::FileDone& e);

  Op op(PublisherOperation what) const { return operation(what, sequence_); }
  template <class O>
  void gather(Intent intent, PublisherStep step, O& out) {
    step_ = step;
    ++sequence_;
    out.allgather(op(PublisherOperation::collective), config_.communicator, encode_intent(intent));
  }
  const Published* find(const Blob& variable) const;
  std::string path_of(const Blob& variable) const { return record_file_name(variable.text()).value(); }

  PublisherConfig config_;
  PublisherStep step_ = PublisherStep::idle;
  std::vector<CollectiveCall> calls_;  // the first one is under way unless idle
  bool open_ = false;
  bool link_ = false;           // the endpoint is open
  bool epoch_ = false;          // method window: one has begun
  std::uint32_t endpoint_ = 0;  // the newest one
  Generation generation_;
  Blob address_, host_;
  ProcessId owner_;
  std::uint64_t mr_mode_ = 0;
  std::uint32_t address_format_ = 0;
  std::vector<Published> variables_;
  std::uint64_t numbers_ = 0;
  // Of the call under way.
  Published adding_;
  Shard shard_;
  Blob record_;
  Status outcome_ = Status::ok;
  std::string outcome_text_;
  Generation another_;               // listening: whose heartbeat
  std::uint64_t another_count_ = 0;  // listening: as it was read last, 0: not yet
  std::uint32_t looks_ = 0;          // looking, listening: that decided nothing
  bool missed_ = false;              // listening: the heartbeat was not found once
  std::uint32_t next_ = 0;           // checking, removing, detaching: which variable
  std::uint64_t sequence_ = 0;

 public:
  friend bool operator==(const Publisher&, const Publisher&) = default;
  static constexpr std::string_view name = "publisher";
  static constexpr std::string_view labels =
      "config_, step_, calls_, open_, link_, epoch_, endpoint_, generation_, address_, host_, owner_, mr_mode_, address_format_, "
      "variables_, numbers_, adding_, shard_, record_, outcome_, outcome_text_, another_, another_count_, looks_, missed_, "
      "next_, sequence_";
  template <class Self>
  static constexpr auto fields(Self& self) {
    return std::tie(self.config_, self.step_, self.calls_, self.open_, self.link_, self.epoch_, self.endpoint_, self.generation_,
                    self.address_, self.host_, self.owner_, self.mr_mode_, self.address_format_, self.variables_, self.numbers_,
                    self.adding_, self.shard_, self.record_, self.outcome_, self.outcome_text_, self.another_,
                    self.another_count_, self.looks_, self.missed_, self.next_, self.sequence_);
  }
};

inline const Published* Publisher::find(const Blob& variable) const {
  for (const Published& published : variables_)
    if (published.variable == variable) return &published;
  return nullptr;
}

}  // namespace tenter::store

#include "core/store/publisher_add.hpp"
#include "core/store/publisher_calls.hpp"
#include "core/store/publisher_close.hpp"
#include "core/store/publisher_open.hpp"
