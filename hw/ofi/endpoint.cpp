// Opening, memory and addresses; reads are in progress.cpp.
#include "hw/ofi/endpoint.hpp"

#include <netinet/in.h>
#include <rdma/fi_cm.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "core/wire.hpp"
#include "hw/ofi/errors.hpp"
#include "hw/part.hpp"

namespace tenter::hw::ofi {
namespace {

constexpr std::size_t address_bytes_max = 256, flying_limit = 256;
constexpr std::size_t read_bytes_limit = std::size_t{1} << 30;

// Every obligation is offered; what comes back is what the provider asks for (spec B2.5, D29).
Info hints_of(const action::OpenFabric& asked) {
  Info hints(fi_allocinfo());
  if (!hints) return hints;
  hints->caps = FI_RMA | FI_READ | FI_REMOTE_READ;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_RAW | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->fabric_attr->prov_name = strdup(std::string(asked.provider.text()).c_str());
  if (!asked.domain.empty()) hints->domain_attr->name = strdup(std::string(asked.domain.text()).c_str());
  return hints;
}

Blob key_of_number(std::uint64_t key) {
  return Blob(8, [&](MutableBytes to) { wire::store(to.data(), key); });
}

}  // namespace

std::variant<std::unique_ptr<FabricEndpoint>, event::FabricOpened> FabricEndpoint::open(const action::OpenFabric& asked,
                                                                                        std::function<void()> wake) {
  std::unique_ptr<FabricEndpoint> made(new FabricEndpoint(std::move(wake)));
  made->provider_ = asked.provider.text();
  made->serves_ = asked.serves;
  std::string step;
  const int error = made->open_all(asked, step);
  if (error == 0) return made;
  std::string who = made->provider_;
  if (!asked.domain.empty()) who += " on " + std::string(asked.domain.text());
  event::FabricOpened refused;
  refused.now = now();
  refused.op = asked.op;
  refused.status = status_of(error);
  refused.text = Blob(text_of_error(who, step, error));
  return refused;
}

int FabricEndpoint::open_all(const action::OpenFabric& asked, std::string& step) {
  step = "fi_getinfo";
  const Info hints = hints_of(asked);
  if (!hints) return -FI_ENOMEM;
  fi_info* found = nullptr;
  // 1.17 by number, not by the header's macro: the same behaviour on newer libraries.
  if (const int error = fi_getinfo(FI_VERSION(1, 17), nullptr, nullptr, 0, hints.get(), &found)) return error;
  info_.reset(found);
  if (asked.provider.text() != found->fabric_attr->prov_name) return -FI_ENODATA;
  found->tx_attr->op_flags = 0;  // a default of FI_INJECT would refuse large reads (spec B2.1)
  step = "fi_fabric";
  if (const int error = fabric_.open([&](fid_fabric** to) { return fi_fabric(found->fabric_attr, to, nullptr); })) return error;
  step = "fi_domain";
  if (const int error = domain_.open([&](fid_domain** to) { return fi_domain(fabric_.get(), found, to, nullptr); })) return error;
  step = "fi_av_open";
  fi_av_attr av{};
  av.type = found->domain_attr->av_type;
  if (const int error = addresses_.open([&](fid_av** to) { return fi_av_open(domain_.get(), &av, to, nullptr); })) return error;
  step = "fi_cq_open";
  if (const int error = open_queue()) return error;
  if (const int error = bind_and_enable(step)) return error;
  step = "fi_getname";
  if (const int error = find_address()) return error;
  step = "eventfd";
  kick_ = Descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!kick_) return -FI_EMFILE;
  step = "thread";
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {
    return -FI_EAGAIN;
  }
  Resources::acquire(Resource::thread);
  return 0;
}

int FabricEndpoint::open_queue() {
  fi_cq_attr attributes{};
  flying_max_ = std::clamp<std::size_t>(info_->tx_attr->size, 1, flying_limit);
  attributes.size = flying_max_ * 2;  // never more in flight than fit: no overrun
  attributes.format = FI_CQ_FORMAT_CONTEXT;
  attributes.wait_obj = FI_WAIT_FD;
  const auto open = [&](fid_cq** to) { return fi_cq_open(domain_.get(), &attributes, to, nullptr); };
  // Who only reads has none: a provider that has to keep one pays for it with three system calls a completion.
  if (serves_ && completions_.open(open) == 0) {
    if (fi_control(&completions_.get()->fid, FI_GETWAIT, &wait_descriptor_) == 0 && wait_descriptor_ >= 0) return 0;
    wait_descriptor_ = -1;
  }
  attributes.wait_obj = FI_WAIT_NONE;  // no wait object here: the progress thread looks with a back-off
  return completions_.open(open);
}

int FabricEndpoint::bind_and_enable(std::string& step) {
  step = "fi_endpoint";
  if (const int error = endpoint_.open([&](fid_ep** to) { return fi_endpoint(domain_.get(), info_.get(), to, nullptr); }))
    return error;
  step = "fi_ep_bind";
  if (const int error = fi_ep_bind(endpoint_.get(), &addresses_.get()->fid, 0)) return error;
  if (const int error = fi_ep_bind(endpoint_.get(), &completions_.get()->fid, FI_TRANSMIT | FI_RECV)) return error;
  step = "fi_enable";
  return fi_enable(endpoint_.get());
}

int FabricEndpoint::find_address() {
  std::array<char, address_bytes_max> name{};
  std::size_t bytes = name.size();
  if (const int error = fi_getname(&endpoint_.get()->fid, name.data(), &bytes)) return error;
  if (bytes == 0 || bytes > name.size()) return -FI_EADDRNOTAVAIL;
  own_address_.assign(name.data(), bytes);
  return 0;
}

event::FabricOpened FabricEndpoint::opened() const {
  event::FabricOpened e;
  e.mr_mode = static_cast<std::uint64_t>(info_->domain_attr->mr_mode);
  e.address_format = info_->addr_format;
  e.read_bytes_max = std::min(info_->ep_attr->max_msg_size, read_bytes_limit);
  e.address = Blob(own_address_);
  return e;
}

int FabricEndpoint::register_memory(Pages& pages, std::uint64_t access, Handle<fid_mr>& to, std::string& step) {
  step = "fi_mr_reg";
  // A key of ours is used once in this endpoint's life; with FI_MR_PROV_KEY it is ignored.
  const std::uint64_t key = next_key_++;
  const int error = to.open([&](fid_mr** mr) {
    return fi_mr_reg(domain_.get(), pages.data(), std::max<std::size_t>(pages.size(), 1), access, 0, key, 0, mr, nullptr);
  });
  if (error != 0 || (info_->domain_attr->mr_mode & FI_MR_ENDPOINT) == 0) return error;
  step = "fi_mr_bind";
  if (const int bound = fi_mr_bind(to.get(), &endpoint_.get()->fid, 0)) return bound;
  step = "fi_mr_enable";
  return fi_mr_enable(to.get());
}

event::RegionRegistered FabricEndpoint::register_region(const action::RegisterRegion& asked) {
  event::RegionRegistered e;
  const auto refuse = [&](std::string_view step, int error) {
    e.status = status_of(error);
    e.text = Blob(text_of_error(provider_, step, error));
    return e;
  };
  const std::lock_guard lock(mutex_);
  Served served;  // under the lock: a refusal closes what was registered
  served.pages = Pages(asked.bytes);
  if (served.pages.data() == nullptr) return refuse("memory of " + std::to_string(asked.bytes) + " bytes", FI_ENOMEM);
  std::string step;
  if (const int error = register_memory(served.pages, FI_REMOTE_READ, served.registration, step)) return refuse(step, error);
  std::uint64_t base = 0;
  if (info_->domain_attr->mr_mode & FI_MR_RAW) {
    std::array<std::uint8_t, key_bytes_max> raw{};
    std::size_t bytes = raw.size();
    const int error = fi_mr_raw_attr(served.registration.get(), &base, raw.data(), &bytes, 0);
    if (error != 0) return refuse("fi_mr_raw_attr", error);
    e.key = Blob(Bytes(reinterpret_cast<const std::byte*>(raw.data()), std::min(bytes, raw.size())));
  } else {
    const std::uint64_t key = fi_mr_key(served.registration.get());
    if (key == FI_KEY_NOTAVAIL) return refuse("fi_mr_key", FI_ENOKEY);
    e.key = key_of_number(key);
  }
  if (info_->domain_attr->mr_mode & FI_MR_VIRT_ADDR) base = reinterpret_cast<std::uintptr_t>(served.pages.data());
  e.base = base;
  regions_.emplace(asked.region, std::move(served));
  return e;
}

bool FabricEndpoint::unregister_region(Region region) {
  const std::lock_guard lock(mutex_);
  return regions_.erase(region) != 0;
}

Pages* FabricEndpoint::region(Region region) {
  const auto found = regions_.find(region);
  return found == regions_.end() ? nullptr : &found->second.pages;
}

// A provider reads as many bytes of an address as its format has, whatever it was given: the form is checked before.
bool FabricEndpoint::keeps(const Blob& address) const {
  const std::string_view text = address.text();
  if (info_->addr_format == FI_ADDR_STR || own_address_.find("://") != std::string::npos) {
    const std::size_t scheme = own_address_.find("://");
    return scheme != std::string::npos && text.size() > scheme + 3 &&
           text.substr(0, scheme + 3) == own_address_.substr(0, scheme + 3);
  }
  if (text.size() != own_address_.size()) return false;
  if (info_->addr_format != FI_SOCKADDR_IN && info_->addr_format != FI_SOCKADDR_IN6) return true;
  sockaddr_in head{};  // family and port lie at the same place in both
  std::memcpy(&head, text.data(), std::min(sizeof head, text.size()));
  return head.sin_family == (info_->addr_format == FI_SOCKADDR_IN ? AF_INET : AF_INET6) && head.sin_port != 0;
}

event::FabricDone FabricEndpoint::insert(const action::InsertPeer& asked) {
  event::FabricDone e;
  if (!keeps(asked.address)) {
    e.status = Status::invalid;
    e.text = Blob(provider_ + ": an address of " + std::to_string(asked.address.size()) + " bytes is not one of this provider");
    return e;
  }
  const std::string terminated(asked.address.text());
  fi_addr_t peer = FI_ADDR_UNSPEC;
  const std::lock_guard lock(mutex_);
  const int inserted = fi_av_insert(addresses_.get(), terminated.c_str(), 1, &peer, 0, nullptr);
  if (inserted == 1 && peer != FI_ADDR_NOTAVAIL) {
    peers_[asked.peer] = peer;
    return e;
  }
  e.status = Status::invalid;
  e.text = Blob(text_of_error(provider_, "fi_av_insert", inserted < 0 ? inserted : FI_EINVAL));
  return e;
}

}  // namespace tenter::hw::ofi
