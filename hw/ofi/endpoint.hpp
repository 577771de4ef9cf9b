// One open fabric: everything that reads and regions of it need. Its progress is made by the loop while that drives and waits for
// reads, and by a thread of its own at all other times, so a publisher whose loop is in other work serves all the same. All calls
// of libfabric are made under one mutex, so that the domain may be of FI_THREAD_DOMAIN.
#pragma once
#include <rdma/fi_rma.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <variant>
#include <vector>

#include "core/fabric_action.hpp"
#include "core/fabric_event.hpp"
#include "hw/ofi/handles.hpp"
#include "hw/ofi/landing.hpp"
#include "hw/part.hpp"
#include "hw/posix/descriptor.hpp"

namespace tenter::hw::ofi {

// A read that was asked for. It goes straight into the caller's memory where the provider wants no registration of it, else it
// lands in memory of the endpoint and is copied when it is answered.
struct Read {
  fi_context2 context{};  // of this operation only (FI_CONTEXT, FI_CONTEXT2); its address names the completion
  std::uint64_t role = 0;
  action::ReadRemote asked;
  std::uint64_t key = 0;
  fi_addr_t peer = FI_ADDR_UNSPEC;
  std::byte* into = nullptr;  // the caller's; null: `landing`
  Landing landing;
};

struct Answer {
  std::uint64_t role = 0;
  action::ReadRemote asked;
  std::unique_ptr<Read> landed;  // the bytes, when ok
  Status status = Status::ok;
  std::string text;
};

class FabricEndpoint {
 public:
  // `wake`: called by the progress thread when answers wait. Failure: an Error text that names provider and step; nothing is
  // left.
  static std::variant<std::unique_ptr<FabricEndpoint>, event::FabricOpened> open(const action::OpenFabric& asked,
                                                                                 std::function<void()> wake);
  FabricEndpoint(const FabricEndpoint&) = delete;
  FabricEndpoint& operator=(const FabricEndpoint&) = delete;
  ~FabricEndpoint();  // bounded; afterwards nothing lands

  event::FabricOpened opened() const;
  event::RegionRegistered register_region(const action::RegisterRegion& asked);
  bool unregister_region(Region region);  // false: it has none of that name
  Pages* region(Region region);
  event::FabricDone insert(const action::InsertPeer& asked);
  // into: the caller's memory; empty: the content is wanted with the answer.
  void read(std::uint64_t role, const action::ReadRemote& asked, MutableBytes into);
  // The loop's turn: makes progress while reads are open, and gives what was answered since.
  std::vector<Answer> drive();
  // The loop is about to sleep: what to wake up for. It has the progress of open reads until it drives again.
  void add_waits(WaitSet& waits);
  void give_back(std::unique_ptr<Read> read);  // its landing memory is used again
  // A caller takes its memory back. What could still land there is ended, with the endpoint if need be.
  void forget(Buffer buffer);
  std::vector<Answer> abandon();          // stops progress and gives every read still open; before the destructor
  bool keeps(const Blob& address) const;  // its form is the one of this endpoint's addresses
  const std::string& provider() const { return provider_; }
  bool serves() const { return serves_; }

 private:
  struct Served {
    Pages pages;
    Handle<fid_mr> registration;  // closed before its pages go
  };
  explicit FabricEndpoint(std::function<void()> wake) : wake_(std::move(wake)) {}

  int open_all(const action::OpenFabric& asked, std::string& step);
  int open_queue();
  int bind_and_enable(std::string& step);
  int find_address();
  int register_memory(Pages& pages, std::uint64_t access, Handle<fid_mr>& to, std::string& step);
  bool lands_directly() const { return (info_->domain_attr->mr_mode & (FI_MR_LOCAL | FI_MR_ENDPOINT)) == 0; }

  int find_key(Read& read, std::string& step);
  int find_landing(Read& read, std::string& step);
  int prepare(Read& read, std::string& text);
  void run();
  struct Pause {  // of the thread
    Duration rest{};
    bool listens = false;       // to the queue's descriptor, too
    bool until_kicked = false;  // however long that is
  };
  bool loop_rests(std::uint64_t& seen) const;
  bool serves_others(Duration look);
  Pause take_turn(Duration rest);
  bool wait(const Pause& pause);
  void serve_dense();
  Duration rest_of_reads() const;
  bool open_reads() const { return !flying_.empty() || !waiting_.empty(); }
  bool progress();
  bool post(std::unique_ptr<Read>& next);
  void post_waiting();
  bool take_error();  // false: there was none
  void finish(void* context, int error, const std::string& text);
  void fail_all(int error);
  void answer(std::unique_ptr<Read> read, int error, const std::string& text);
  void kick() const;

  const std::function<void()> wake_;
  const bool several_cpus_ = usable_cpus() > 1;  // on one, looking on keeps the peer from running
  std::string provider_;
  bool serves_ = true;  // false: it only reads, so only a read of ours gives its thread something to do
  Info info_;
  // In the order of their opening; destroyed in the reverse one, after the memory registrations and the endpoint.
  Handle<fid_fabric> fabric_;
  Handle<fid_domain> domain_;
  Handle<fid_av> addresses_;
  Handle<fid_cq> completions_;
  Handle<fid_ep> endpoint_;
  int wait_descriptor_ = -1;  // of completions_, where the provider has one
  std::string own_address_;
  std::map<Region, Served> regions_;
  std::map<Peer, fi_addr_t> peers_;
  std::map<std::pair<std::uint64_t, std::string>, MappedKey> mapped_;  // by base and raw key: FI_MR_RAW
  std::uint64_t next_key_ = 1;

  mutable std::mutex mutex_;
  std::deque<std::unique_ptr<Read>> waiting_;  // not yet taken by the provider
  LandingPool landings_;
  std::map<const void*, std::unique_ptr<Read>> flying_;  // by address of its context
  std::vector<std::unique_ptr<Read>> failed_;            // their bytes may still land: kept until the endpoint is closed
  std::vector<Answer> answers_;
  std::size_t flying_max_ = 1;
  int broken_ = 0;                       // fi_errno: the completion queue itself failed
  bool asleep_ = false;                  // the thread sleeps until it is kicked
  bool untold_ = false;                  // answers that the loop was not told of
  Time moved_{};                         // when a read was asked for or answered
  Duration quickest_look_ = seconds(1);  // of the thread
  std::atomic<bool> stopping_{false};
  std::atomic<std::uint64_t> drives_{0};  // turns of the loop
  std::atomic<bool> loop_waits_{false};   // the loop sleeps on the queue's descriptor: it has the progress
  std::atomic<std::size_t> open_{0};      // reads without an answer, and answers not taken: what the loop sees without the mutex
  Descriptor kick_;
  std::thread thread_;
};

}  // namespace tenter::hw::ofi
