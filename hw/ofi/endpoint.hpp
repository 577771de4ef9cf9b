// One open fabric: everything that reads and regions of it need, and the thread that makes its progress. All calls of libfabric
// are made under one mutex, so that the domain may be of FI_THREAD_DOMAIN.
#pragma once
#include <rdma/fi_rma.h>

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
#include "hw/posix/descriptor.hpp"

namespace tenter::hw::ofi {

// A read that was asked for. The library writes to `landing`, never to a caller's memory: so nothing late can land there,
// whatever the provider does, and the registration that FI_MR_LOCAL asks for has a plain owner. Costs one copy a read.
struct Read {
  fi_context2 context{};  // of this operation only (FI_CONTEXT, FI_CONTEXT2); its address names the completion
  std::uint64_t role = 0;
  action::ReadRemote asked;
  std::uint64_t key = 0;
  fi_addr_t peer = FI_ADDR_UNSPEC;
  Pages landing;
  Handle<fid_mr> local;  // before the pages it covers
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
  void read(std::uint64_t role, const action::ReadRemote& asked);
  std::vector<Answer> take_answers();
  std::vector<Answer> abandon();          // stops progress and gives every read still open; before the destructor
  bool keeps(const Blob& address) const;  // its form is the one of this endpoint's addresses
  const std::string& provider() const { return provider_; }

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

  int find_key(Read& read, std::string& step);
  int prepare(Read& read, std::string& text);
  void run();
  bool progress();
  void post_waiting();
  void take_error();
  void finish(void* context, int error, const std::string& text);
  void fail_all(int error);
  void answer(std::unique_ptr<Read> read, int error, const std::string& text);
  void kick() const;

  const std::function<void()> wake_;
  std::string provider_;
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
  std::deque<std::unique_ptr<Read>> waiting_;            // not yet taken by the provider
  std::map<const void*, std::unique_ptr<Read>> flying_;  // by address of its context
  std::vector<std::unique_ptr<Read>> failed_;            // their bytes may still land: kept until the endpoint is closed
  std::vector<Answer> answers_;
  std::size_t flying_max_ = 1;
  int broken_ = 0;  // fi_errno: the completion queue itself failed
  bool stopping_ = false;
  Descriptor kick_;
  std::thread thread_;
};

}  // namespace tenter::hw::ofi
