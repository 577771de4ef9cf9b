#include "bench/raw/fi_reads.hpp"

#include <linux/futex.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <numeric>

#include "bench/process_figures.hpp"

namespace tenter::bench {
namespace {

enum Mode : std::uint32_t { parked, serving };

long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
  return syscall(SYS_futex, &word, operation, value, nullptr, nullptr, 0);
}

}  // namespace

// libfabric's objects of one side.
struct FiReads::Link {
  ~Link() {
    for (fid* it : {at(region), at(endpoint), at(queue), at(addresses), at(domain), at(fabric)})
      if (it != nullptr) (void)fi_close(it);
    if (info != nullptr) fi_freeinfo(info);
  }
  template <class Fid>
  static fid* at(Fid* it) {
    return it == nullptr ? nullptr : &it->fid;
  }
  const char* open(const std::string& provider) {
    fi_info* hints = fi_allocinfo();
    hints->caps = FI_RMA | FI_READ | FI_REMOTE_READ;
    hints->mode = FI_CONTEXT | FI_CONTEXT2;
    hints->ep_attr->type = FI_EP_RDM;
    hints->domain_attr->mr_mode = FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
    hints->domain_attr->threading = FI_THREAD_DOMAIN;
    hints->fabric_attr->prov_name = strdup(provider.c_str());
    const int found = fi_getinfo(FI_VERSION(1, 17), nullptr, nullptr, 0, hints, &info);
    fi_freeinfo(hints);
    if (found != 0) return "fi_getinfo";
    info->tx_attr->op_flags = 0;
    fi_av_attr av{};
    av.type = info->domain_attr->av_type;
    fi_cq_attr cq{};
    cq.size = 512;
    cq.format = FI_CQ_FORMAT_CONTEXT;
    cq.wait_obj = FI_WAIT_NONE;
    if (fi_fabric(info->fabric_attr, &fabric, nullptr) != 0) return "fi_fabric";
    if (fi_domain(fabric, info, &domain, nullptr) != 0) return "fi_domain";
    if (fi_av_open(domain, &av, &addresses, nullptr) != 0) return "fi_av_open";
    if (fi_cq_open(domain, &cq, &queue, nullptr) != 0) return "fi_cq_open";
    if (fi_endpoint(domain, info, &endpoint, nullptr) != 0) return "fi_endpoint";
    if (fi_ep_bind(endpoint, &addresses->fid, 0) != 0) return "fi_ep_bind";
    if (fi_ep_bind(endpoint, &queue->fid, FI_TRANSMIT | FI_RECV) != 0) return "fi_ep_bind";
    return fi_enable(endpoint) == 0 ? nullptr : "fi_enable";
  }

  fi_info* info = nullptr;
  fid_fabric* fabric = nullptr;
  fid_domain* domain = nullptr;
  fid_av* addresses = nullptr;
  fid_cq* queue = nullptr;
  fid_ep* endpoint = nullptr;
  fid_mr* region = nullptr;
  fi_addr_t owner = FI_ADDR_UNSPEC;
  std::vector<std::byte> landing;
  std::vector<fi_context2> contexts;
  std::vector<std::size_t> free;  // of the contexts and their landing places
};

struct FiReads::Shared {
  std::atomic<std::uint32_t> mode{parked};
  std::atomic<std::uint32_t> ready{0};  // 1: the owner's address and key are there; 2: it failed
  std::array<char, 256> address{};
  std::uint64_t address_bytes = 0, key = 0, base = 0;

  // The owner's process, for ever.
  void own(const std::string& provider, std::size_t bytes) {
    Link link;
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    std::size_t size = address.size();
    const bool good = memory != MAP_FAILED && link.open(provider) == nullptr &&
                      fi_mr_reg(link.domain, memory, bytes, FI_REMOTE_READ, 0, 1, 0, &link.region, nullptr) == 0 &&
                      fi_getname(&link.endpoint->fid, address.data(), &size) == 0;
    if (good) {
      std::memset(memory, 7, bytes);
      address_bytes = size;
      key = fi_mr_key(link.region);
      base = (link.info->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0 ? reinterpret_cast<std::uintptr_t>(memory) : 0;
    }
    ready.store(good ? 1 : 2);
    while (good) {
      fi_cq_entry entry{};
      if (mode.load(std::memory_order_relaxed) == parked)
        futex(mode, FUTEX_WAIT, parked);
      else
        (void)fi_cq_read(link.queue, &entry, 1);
    }
  }
};

std::unique_ptr<FiReads> FiReads::fork_owner(const std::string& provider, std::size_t region_bytes) {
  void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  std::unique_ptr<FiReads> made(new FiReads);
  made->provider_ = provider;
  made->region_bytes_ = region_bytes;
  made->shared_ = new (memory) Shared;
  made->owner_ = fork();
  if (made->owner_ < 0) return nullptr;
  if (made->owner_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (made->shared_->mode.load() == parked) futex(made->shared_->mode, FUTEX_WAIT, parked);  // opened when it is wanted
    made->shared_->own(provider, region_bytes);
    _exit(0);
  }
  return made;
}

FiReads::~FiReads() {
  link_.reset();
  if (owner_ > 0) {
    ::kill(owner_, SIGKILL);
    waitpid(owner_, nullptr, 0);
  }
  if (shared_ != nullptr) munmap(shared_, sizeof(Shared));
}

bool FiReads::connect() {
  link_ = std::make_unique<Link>();
  const char* failed = link_->open(provider_);
  while (failed == nullptr && shared_->ready.load() == 0) sched_yield();
  if (failed == nullptr && shared_->ready.load() != 1) failed = "the owner";
  if (failed == nullptr && fi_av_insert(link_->addresses, shared_->address.data(), 1, &link_->owner, 0, nullptr) != 1)
    failed = "fi_av_insert";
  if (failed == nullptr) return true;
  error_ = provider_ + ": raw peer: " + failed;
  return false;
}

bool FiReads::round(const FiReadWork& work) {
  std::size_t posted = 0, done = 0;
  std::array<fi_cq_entry, 64> entries{};
  while (done < work.reads) {
    while (posted < work.reads && !link_->free.empty()) {
      const std::size_t slot = link_->free.back();
      if (next_ + work.bytes > region_bytes_) next_ = 0;
      const ssize_t error = fi_read(link_->endpoint, link_->landing.data() + slot * work.bytes, work.bytes, nullptr, link_->owner,
                                    shared_->base + next_, shared_->key, &link_->contexts[slot]);
      if (error == -FI_EAGAIN) break;
      if (error != 0) return error_ = provider_ + ": raw peer: fi_read", false;
      link_->free.pop_back();
      ++posted;
      next_ += work.stride == 0 ? work.bytes : work.stride;
    }
    const ssize_t count = fi_cq_read(link_->queue, entries.data(), entries.size());
    for (ssize_t i = 0; i < count; ++i)
      link_->free.push_back(static_cast<std::size_t>(static_cast<fi_context2*>(entries[static_cast<std::size_t>(i)].op_context) -
                                                     link_->contexts.data()));
    if (count > 0)
      done += static_cast<std::size_t>(count);
    else if (count != -FI_EAGAIN)
      return error_ = provider_ + ": raw peer: fi_cq_read", false;
  }
  return true;
}

Elapsed FiReads::slice(const FiReadWork& work, Budget budget) {
  shared_->mode.store(serving);
  futex(shared_->mode, FUTEX_WAKE, 1);
  if (!link_ && !connect()) return {};
  link_->landing.resize(work.bytes * work.depth);
  link_->contexts.resize(work.depth);
  link_->free.resize(work.depth);
  std::iota(link_->free.begin(), link_->free.end(), std::size_t{0});
  Elapsed elapsed;
  if (round(work))  // connected, and the owner is awake
    elapsed = run_rounds(budget, work.round_ns, [&] { return round(work); });
  shared_->mode.store(parked);
  return elapsed;
}

std::int64_t FiReads::owner_cpu_ns() const { return cpu_ns_of(static_cast<std::uint64_t>(owner_)); }

}  // namespace tenter::bench
