// The provider's objects. Each derives from the fid that libfabric's inline calls dispatch on. All state is guarded by one mutex;
// nothing here is fast.
#pragma once
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_rma.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "tests/ofi/fake_provider/control.hpp"

namespace tenter::fake_provider {

using Key = std::string;  // the bytes of a key

struct Fabric : fid_fabric {
  int users = 0;
};

struct Memory;
struct Domain : fid_domain {
  Fabric* fabric = nullptr;
  Traits traits;
  int users = 0;
  std::atomic<int> inside{0};  // calls running: FI_THREAD_DOMAIN allows one
  std::map<Key, Memory*> memories;
  std::map<std::uint64_t, Key> mapped;  // fi_mr_map_raw
};

struct AddressTable : fid_av {
  Domain* domain = nullptr;
  std::vector<std::string> peers;
  int users = 0;
};

struct Completion {
  void* context = nullptr;
  Ending ending;
};
struct Endpoint;
struct Queue : fid_cq {
  Domain* domain = nullptr;
  std::deque<Completion> entries;
  std::size_t size = 0;
  std::string said;  // of the error read last
  bool overrun = false;
  int signal = -1;  // eventfd; -1 without a wait object
  std::set<Endpoint*> endpoints;
};

struct Memory : fid_mr {
  Domain* domain = nullptr;
  std::byte* begin = nullptr;
  std::size_t bytes = 0;
  std::uint64_t access = 0;
  Key name;
  Endpoint* bound = nullptr;
  bool enabled = false;
};

struct Request {
  Endpoint* from = nullptr;
  std::byte* to = nullptr;
  std::size_t bytes = 0;
  Memory* local = nullptr;
  std::string peer;
  std::uint64_t address = 0;
  Key key;
  void* context = nullptr;
  bool late = false;  // answered as failed already; its bytes still come
};

struct Endpoint : fid_ep {
  Domain* domain = nullptr;
  AddressTable* addresses = nullptr;
  Queue* queue = nullptr;
  std::string name;
  std::uint64_t op_flags = 0;
  bool enabled = false;
  std::size_t in_flight = 0;
  int memories = 0;              // bound to it
  std::set<std::string> broken;  // peers whose path is gone
  std::deque<Request> inbox;     // of others, to be served by this side's own progress
};

struct Network {
  std::mutex mutex;
  std::map<std::string, Endpoint*> endpoints;  // by address
  std::set<Queue*> queues;
  std::uint64_t next_serial = 1, next_key = 0x1'0000'0001, next_mapping = 1;
};
Network& network();
void wake_everybody();  // takes the mutex

// One call into a domain: says so when another thread is inside too.
class Inside {
 public:
  Inside(Domain& domain, const char* call);
  ~Inside();
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  Domain& domain_;
  std::unique_lock<std::mutex> lock_;
};

// Both with the mutex held.
void serve(Endpoint& endpoint);
void complete(Endpoint& endpoint, const Request& request, const Ending& ending);
void signal(Queue& queue);
std::string address_of(std::uint64_t serial, std::size_t bytes);
bool is_address(const std::string& text);

int open_domain(fid_fabric* fabric, fi_info* info, fid_domain** to, void* context);
int open_address_table(fid_domain* domain, fi_av_attr* attributes, fid_av** to, void* context);
int open_queue(fid_domain* domain, fi_cq_attr* attributes, fid_cq** to, void* context);
int open_endpoint(fid_domain* domain, fi_info* info, fid_ep** to, void* context);
int register_memory(fid* domain, const void* begin, std::size_t bytes, std::uint64_t access, std::uint64_t offset,
                    std::uint64_t key, std::uint64_t flags, fid_mr** to, void* context);
int map_key(Domain& domain, struct fi_mr_map_raw& asked);
int unmap_key(Domain& domain, std::uint64_t key);
int try_wait(fid_fabric* fabric, fid** queues, int count);

// fi_ops that refuse, for what this provider does not have.
int no_bind(fid*, fid*, std::uint64_t);
int no_control(fid*, int, void*);
// -FI_EBUSY, and a breach, where something still uses it.
int busy(const char* what, int users);

}  // namespace tenter::fake_provider
