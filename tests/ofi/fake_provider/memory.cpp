// Registered memory and its keys, strictly as the returned mr_mode asks (fi_mr(3)).
#include <sched.h>
#include <sys/mman.h>

#include <cstring>
#include <memory>

#include "tests/ofi/fake_provider/objects.hpp"

namespace tenter::fake_provider {
namespace {

Memory& memory_of(fid* it) { return *static_cast<Memory*>(reinterpret_cast<fid_mr*>(it)); }

bool has(const Domain& domain, int bit) { return (domain.traits.mr_mode & bit) != 0; }

// FI_MR_ALLOCATED: every page has memory behind it.
bool is_backed(const void* begin, std::size_t bytes) {
  constexpr std::uintptr_t page = 4'096;
  const auto first = reinterpret_cast<std::uintptr_t>(begin) / page * page;
  const auto last = reinterpret_cast<std::uintptr_t>(begin) + bytes;
  std::vector<unsigned char> present((last - first + page - 1) / page);
  if (mincore(reinterpret_cast<void*>(first), last - first, present.data()) != 0) return false;
  for (const unsigned char byte : present)
    if ((byte & 1) == 0) return false;
  return true;
}

// The number first, then bytes that differ from key to key: a key that is cut finds nothing.
Key key_of(std::uint64_t number, std::size_t bytes) {
  Key key(bytes, '\0');
  for (std::size_t i = 0; i < bytes; ++i) key[i] = static_cast<char>(i < 8 ? number >> (8 * i) : number * 31 + i * 7);
  return key;
}

int close_memory(fid* it) {
  Memory& memory = memory_of(it);
  {
    const Inside inside(*memory.domain, "fi_close of a memory region");
    // Until another thread comes, or long enough for one that may.
    for (int i = 0; control().traits().slow_close && i < 20'000 && memory.domain->inside.load() == 1; ++i) sched_yield();
    memory.domain->memories.erase(memory.name);
    if (memory.bound != nullptr) --memory.bound->memories;
    // What was to land there does not any more: the NIC has no translation for it.
    for (const auto& [address, endpoint] : network().endpoints)
      std::erase_if(endpoint->inbox, [&](const Request& request) { return request.local == &memory; });
    --memory.domain->users;
  }
  delete &memory;
  control().opened(-1);
  return 0;
}

int bind_memory(fid* it, fid* to, std::uint64_t) {
  Memory& memory = memory_of(it);
  const Inside inside(*memory.domain, "fi_mr_bind");
  if (const int error = control().failure(Step::bind_memory)) return error;
  if (!has(*memory.domain, FI_MR_ENDPOINT) || to->fclass != FI_CLASS_EP || memory.bound != nullptr) return -FI_EINVAL;
  memory.bound = static_cast<Endpoint*>(reinterpret_cast<fid_ep*>(to));
  ++memory.bound->memories;
  return 0;
}

int raw_key(Memory& memory, struct fi_mr_raw_attr& asked) {
  if (const int error = control().failure(Step::raw_key)) return error;
  if (!memory.enabled) return -FI_EINVAL;
  const std::size_t room = *asked.key_size;
  *asked.key_size = memory.name.size();
  if (room < memory.name.size()) return -FI_ETOOSMALL;
  std::memcpy(asked.raw_key, memory.name.data(), memory.name.size());
  *asked.base_addr = has(*memory.domain, FI_MR_VIRT_ADDR) ? reinterpret_cast<std::uintptr_t>(memory.begin) : 0;
  return 0;
}

// fi_mr_key: before the memory is enabled, and with raw keys for ever, there is none.
void give_key(Memory& memory) {
  if (has(*memory.domain, FI_MR_RAW)) return;
  memory.key = 0;
  std::memcpy(&memory.key, memory.name.data(), memory.name.size());
}

int enable_memory(Memory& memory) {
  if (const int error = control().failure(Step::enable_memory)) return error;
  if (memory.bound == nullptr || !memory.bound->enabled) return -FI_EINVAL;
  memory.enabled = true;
  give_key(memory);
  return 0;
}

int control_memory(fid* it, int command, void* argument) {
  Memory& memory = memory_of(it);
  const Inside inside(*memory.domain, "fi_control of a memory region");
  if (command == FI_ENABLE) return enable_memory(memory);
  if (command == FI_GET_RAW_MR && has(*memory.domain, FI_MR_RAW))
    return raw_key(memory, *static_cast<struct fi_mr_raw_attr*>(argument));
  return -FI_ENOSYS;
}

fi_ops memory_fid_ops{sizeof(fi_ops), close_memory, bind_memory, control_memory, nullptr, nullptr, nullptr};

}  // namespace

int register_memory(fid* it, const void* begin, std::size_t bytes, std::uint64_t access, std::uint64_t offset, std::uint64_t key,
                    std::uint64_t flags, fid_mr** to, void* context) {
  Domain& domain = *static_cast<Domain*>(reinterpret_cast<fid_domain*>(it));
  const Inside inside(domain, "fi_mr_reg");
  if (const int error = control().failure(Step::register_memory)) return error;
  if (bytes == 0 || offset != 0 || flags != 0) return -FI_EINVAL;
  if (has(domain, FI_MR_ALLOCATED) && !is_backed(begin, bytes)) {
    control().breach("fi_mr_reg: FI_MR_ALLOCATED asks for pages that have memory");
    return -FI_EFAULT;
  }
  const std::size_t key_bytes = domain.traits.key_bytes;
  const bool raw = has(domain, FI_MR_RAW);
  if (!has(domain, FI_MR_PROV_KEY)) {
    if (!raw && key_bytes < 8 && key >> (8 * key_bytes) != 0) return -FI_EKEYREJECTED;
  } else {
    key = network().next_key++;
  }
  auto made = std::make_unique<Memory>();
  made->name = key_of(key, raw ? key_bytes : std::min<std::size_t>(key_bytes, 8));
  if (!domain.memories.emplace(made->name, made.get()).second) return -FI_ENOKEY;  // requested twice
  made->fid = {FI_CLASS_MR, context, &memory_fid_ops};
  made->mem_desc = made.get();
  made->domain = &domain;
  made->begin = static_cast<std::byte*>(const_cast<void*>(begin));
  made->bytes = bytes;
  made->access = access;
  made->key = FI_KEY_NOTAVAIL;
  made->enabled = !has(domain, FI_MR_ENDPOINT);
  if (made->enabled) give_key(*made);
  ++domain.users;
  control().opened(1);
  *to = made.release();
  return 0;
}

int map_key(Domain& domain, struct fi_mr_map_raw& asked) {
  if (const int error = control().failure(Step::map_key)) return error;
  if (!has(domain, FI_MR_RAW)) return -FI_ENOSYS;
  if (asked.key_size != domain.traits.key_bytes) return -FI_EINVAL;
  *asked.key = 0x7000'0000'0000'0000 + network().next_mapping++;
  domain.mapped.emplace(*asked.key, Key(reinterpret_cast<const char*>(asked.raw_key), asked.key_size));
  control().opened(1);
  return 0;
}

int unmap_key(Domain& domain, std::uint64_t key) {
  if (domain.mapped.erase(key) == 0) return -FI_EINVAL;
  control().opened(-1);
  return 0;
}

}  // namespace tenter::fake_provider
