// Endpoints and one-sided reads. A read is served when the side that owns the memory makes progress (fi_cq_read), as on
// tcp;ofi_rxm: an owner that sleeps serves nothing.
#include <cstring>
#include <memory>

#include "tests/ofi/fake_provider/objects.hpp"

namespace tenter::fake_provider {
namespace {

Endpoint& endpoint_of(fid* it) { return *static_cast<Endpoint*>(reinterpret_cast<fid_ep*>(it)); }

int close_endpoint(fid* it) {
  Endpoint& endpoint = endpoint_of(it);
  {
    const Inside inside(*endpoint.domain, "fi_close of an endpoint");
    if (const int error = busy("endpoint", endpoint.memories)) return error;
    for (const auto& [address, other] : network().endpoints)
      std::erase_if(other->inbox, [&](const Request& request) { return request.from == &endpoint; });
    network().endpoints.erase(endpoint.name);
    for (const Request& request : endpoint.inbox)
      if (!request.late) complete(*request.from, request, {FI_ECONNRESET, 104, "the peer closed", false});
    if (endpoint.queue != nullptr) endpoint.queue->endpoints.erase(&endpoint);
    if (endpoint.addresses != nullptr) --endpoint.addresses->users;
    --endpoint.domain->users;
  }
  delete &endpoint;
  control().opened(-1);
  return 0;
}

int bind_endpoint(fid* it, fid* to, std::uint64_t) {
  Endpoint& endpoint = endpoint_of(it);
  const Inside inside(*endpoint.domain, "fi_ep_bind");
  if (to->fclass == FI_CLASS_AV) {
    if (const int error = control().failure(Step::bind_addresses)) return error;
    endpoint.addresses = static_cast<AddressTable*>(reinterpret_cast<fid_av*>(to));
    ++endpoint.addresses->users;
    return 0;
  }
  if (const int error = control().failure(Step::bind_queue)) return error;
  endpoint.queue = static_cast<Queue*>(reinterpret_cast<fid_cq*>(to));
  endpoint.queue->endpoints.insert(&endpoint);
  return 0;
}

int control_endpoint(fid* it, int command, void*) {
  Endpoint& endpoint = endpoint_of(it);
  const Inside inside(*endpoint.domain, "fi_enable");
  if (command != FI_ENABLE) return -FI_ENOSYS;
  if (const int error = control().failure(Step::enable)) return error;
  if (endpoint.addresses == nullptr) return -FI_ENOAV;
  if (endpoint.queue == nullptr) return -FI_ENOCQ;
  endpoint.enabled = true;
  network().endpoints.emplace(endpoint.name, &endpoint);
  return 0;
}

int name_of(fid_t it, void* to, std::size_t* bytes) {
  const Endpoint& endpoint = endpoint_of(it);
  if (const int error = control().failure(Step::name)) return error;
  const std::size_t room = *bytes;
  *bytes = endpoint.name.size();
  std::memcpy(to, endpoint.name.data(), std::min(room, endpoint.name.size()));
  return room < endpoint.name.size() ? -FI_ETOOSMALL : 0;
}

int check_local(const Endpoint& endpoint, const Request& request, void* descriptor) {
  if ((endpoint.domain->traits.mr_mode & FI_MR_LOCAL) == 0) return 0;
  const auto* memory = static_cast<const Memory*>(descriptor);
  const bool covers = memory != nullptr && memory->domain == endpoint.domain && memory->enabled &&
                      (memory->access & FI_READ) != 0 && request.to >= memory->begin &&
                      request.to + request.bytes <= memory->begin + memory->bytes;
  if (covers) return 0;
  control().breach("fi_read: FI_MR_LOCAL asks for a descriptor that covers the buffer");
  return -FI_EINVAL;
}

// The provider owns it until the completion, and writes to it.
int take_context(const Endpoint& endpoint, void* context) {
  const std::uint64_t mode = endpoint.domain->traits.mode;
  if ((mode & (FI_CONTEXT | FI_CONTEXT2)) == 0) return 0;
  if (context == nullptr) {
    control().breach("fi_read: FI_CONTEXT asks for a context of this operation");
    return -FI_EINVAL;
  }
  std::memset(context, 0xC7, (mode & FI_CONTEXT2) != 0 ? sizeof(fi_context2) : sizeof(fi_context));
  return 0;
}

ssize_t post(Endpoint& endpoint, Request request, void* descriptor, fi_addr_t peer, std::uint64_t key) {
  const Traits& traits = endpoint.domain->traits;
  if (!endpoint.enabled) return -FI_EOPBADSTATE;
  if ((endpoint.op_flags & FI_INJECT) != 0 && request.bytes > traits.inject_bytes) return -FI_EMSGSIZE;
  if (const int error = check_local(endpoint, request, descriptor)) return error;
  if (endpoint.in_flight >= traits.transmit_size) return -FI_EAGAIN;
  if (peer >= endpoint.addresses->peers.size()) return -FI_EINVAL;
  request.peer = endpoint.addresses->peers[peer];
  if (endpoint.broken.contains(request.peer)) return -FI_ENOTCONN;
  const auto target = network().endpoints.find(request.peer);
  if (target == network().endpoints.end() && traits.posts_unreachable) return -FI_EAGAIN;
  if ((traits.mr_mode & FI_MR_RAW) != 0) {
    const auto mapped = endpoint.domain->mapped.find(key);
    if (mapped == endpoint.domain->mapped.end()) return -FI_EINVAL;
    request.key = mapped->second;
  } else {
    request.key.assign(reinterpret_cast<const char*>(&key), std::min<std::size_t>(traits.key_bytes, 8));
    if (traits.key_bytes < 8 && key >> (8 * traits.key_bytes) != 0) return -FI_EKEYREJECTED;
  }
  if (const int error = take_context(endpoint, request.context)) return error;
  ++endpoint.in_flight;
  if (target == network().endpoints.end()) {
    complete(endpoint, request, {FI_EHOSTUNREACH, 113, "no endpoint there", false});
    return 0;
  }
  target->second->inbox.push_back(std::move(request));
  signal(*target->second->queue);
  return 0;
}

ssize_t read(fid_ep* it, void* to, std::size_t bytes, void* descriptor, fi_addr_t peer, std::uint64_t address, std::uint64_t key,
             void* context) {
  Endpoint& endpoint = *static_cast<Endpoint*>(it);
  const Inside inside(*endpoint.domain, "fi_read");
  if (const int error = control().failure(Step::read)) return error;
  Request request;
  request.from = &endpoint;
  request.to = static_cast<std::byte*>(to);
  request.bytes = bytes;
  request.address = address;
  request.context = context;
  request.local = static_cast<Memory*>(descriptor);
  return post(endpoint, std::move(request), descriptor, peer, key);
}

// Where the bytes are; null: the key, the right, the binding or the range is wrong.
const std::byte* find(const Endpoint& endpoint, const Request& request) {
  const auto found = endpoint.domain->memories.find(request.key);
  if (found == endpoint.domain->memories.end()) return nullptr;
  const Memory& memory = *found->second;
  const int mr_mode = endpoint.domain->traits.mr_mode;
  if (!memory.enabled || (memory.access & FI_REMOTE_READ) == 0) return nullptr;
  if ((mr_mode & FI_MR_ENDPOINT) != 0 && memory.bound != &endpoint) return nullptr;
  const std::uint64_t base = (mr_mode & FI_MR_VIRT_ADDR) != 0 ? reinterpret_cast<std::uintptr_t>(memory.begin) : 0;
  const std::uint64_t offset = request.address - base;  // below the base: wraps to a number that is past any end
  if (offset > memory.bytes || request.bytes > memory.bytes - offset) return nullptr;
  return memory.begin + offset;
}

fi_ops endpoint_fid_ops{sizeof(fi_ops), close_endpoint, bind_endpoint, control_endpoint, nullptr, nullptr, nullptr};
fi_ops_ep endpoint_ops{};
fi_ops_cm endpoint_cm = [] {
  fi_ops_cm ops{};
  ops.size = sizeof ops;
  ops.getname = name_of;
  return ops;
}();
fi_ops_rma endpoint_rma = [] {
  fi_ops_rma ops{};
  ops.size = sizeof ops;
  ops.read = read;
  return ops;
}();

}  // namespace

void complete(Endpoint& endpoint, const Request& request, const Ending& ending) {
  --endpoint.in_flight;
  if (ending.error != 0 && endpoint.domain->traits.breaks_after_an_error) endpoint.broken.insert(request.peer);
  Queue& queue = *endpoint.queue;
  if (queue.entries.size() >= queue.size)
    queue.overrun = true;
  else
    queue.entries.push_back({request.context, ending});
  signal(queue);
}

void serve(Endpoint& endpoint) {
  if (control().held()) return;
  std::deque<Request> late;
  for (; !endpoint.inbox.empty(); endpoint.inbox.pop_front()) {
    Request& request = endpoint.inbox.front();
    Ending ending;
    const std::byte* from = find(endpoint, request);
    if (!request.late && !control().next_ending(ending) && from == nullptr) ending = {FI_EACCES, 13, "no such memory", false};
    if (ending.error == 0 && from != nullptr) std::memcpy(request.to, from, request.bytes);
    if (!request.late) complete(*request.from, request, ending);
    if (ending.lands_later) {
      request.late = true;
      late.push_back(request);
    }
  }
  endpoint.inbox = std::move(late);
}

int open_endpoint(fid_domain* it, fi_info* info, fid_ep** to, void* context) {
  Domain& domain = *static_cast<Domain*>(it);
  const Inside inside(domain, "fi_endpoint");
  if (const int error = control().failure(Step::endpoint)) return error;
  auto made = std::make_unique<Endpoint>();
  made->fid = {FI_CLASS_EP, context, &endpoint_fid_ops};
  made->ops = &endpoint_ops;
  made->cm = &endpoint_cm;
  made->rma = &endpoint_rma;
  made->domain = &domain;
  made->op_flags = info->tx_attr->op_flags;
  made->name = address_of(network().next_serial++, domain.traits.address_bytes);
  ++domain.users;
  control().opened(1);
  *to = made.release();
  return 0;
}

}  // namespace tenter::fake_provider
