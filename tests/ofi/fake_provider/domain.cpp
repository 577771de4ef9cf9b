// Domain and address table.
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstring>
#include <memory>

#include "tests/ofi/fake_provider/objects.hpp"

namespace tenter::fake_provider {
namespace {

Domain& domain_of(fid* it) { return *static_cast<Domain*>(reinterpret_cast<fid_domain*>(it)); }
AddressTable& table_of(fid_av* it) { return *static_cast<AddressTable*>(it); }

int close_domain(fid* it) {
  Domain& domain = domain_of(it);
  {
    const std::lock_guard lock(network().mutex);
    const auto users = domain.users + static_cast<int>(domain.mapped.size());
    if (const int error = busy("domain", users)) return error;
    --domain.fabric->users;
  }
  delete &domain;
  control().opened(-1);
  return 0;
}

int control_domain(fid* it, int command, void* argument) {
  Domain& domain = domain_of(it);
  const Inside inside(domain, "fi_control of the domain");
  if (command == FI_MAP_RAW_MR) return map_key(domain, *static_cast<struct fi_mr_map_raw*>(argument));
  if (command == FI_UNMAP_KEY) return unmap_key(domain, *static_cast<std::uint64_t*>(argument));
  return -FI_ENOSYS;
}

int close_table(fid* it) {
  AddressTable& table = table_of(reinterpret_cast<fid_av*>(it));
  {
    const std::lock_guard lock(network().mutex);
    if (const int error = busy("address table", table.users)) return error;
    --table.domain->users;
  }
  delete &table;
  control().opened(-1);
  return 0;
}

// One that is no address is not inserted, and the count says so.
int insert(fid_av* it, const void* addresses, std::size_t count, fi_addr_t* to, std::uint64_t, void*) {
  AddressTable& table = table_of(it);
  const Inside inside(*table.domain, "fi_av_insert");
  if (const int error = control().failure(Step::insert)) return error;
  const std::size_t bytes = table.domain->traits.address_bytes;
  int inserted = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string address(static_cast<const char*>(addresses) + i * bytes, bytes);
    to[i] = FI_ADDR_NOTAVAIL;
    if (!is_address(address)) continue;
    to[i] = table.peers.size();
    table.peers.push_back(address);
    ++inserted;
  }
  return inserted;
}

fi_ops domain_fid_ops{sizeof(fi_ops), close_domain, no_bind, control_domain, nullptr, nullptr, nullptr};
fi_ops_domain domain_ops = [] {
  fi_ops_domain ops{};
  ops.size = sizeof ops;
  ops.av_open = open_address_table;
  ops.cq_open = open_queue;
  ops.endpoint = open_endpoint;
  return ops;
}();
fi_ops_mr memory_ops{sizeof(fi_ops_mr), register_memory, nullptr, nullptr};
fi_ops table_fid_ops{sizeof(fi_ops), close_table, no_bind, no_control, nullptr, nullptr, nullptr};
fi_ops_av table_ops = [] {
  fi_ops_av ops{};
  ops.size = sizeof ops;
  ops.insert = insert;
  return ops;
}();

}  // namespace

Network& network() {
  static Network only;
  return only;
}

Inside::Inside(Domain& domain, const char* call) : domain_(domain) {
  if (domain_.inside.fetch_add(1) != 0) control().breach(std::string(call) + ": two threads are in one domain");
  lock_ = std::unique_lock(network().mutex);
}
Inside::~Inside() { domain_.inside.fetch_sub(1); }

std::string address_of(std::uint64_t serial, std::size_t bytes) {
  std::string address("fake" + std::to_string(serial) + ".");
  for (std::size_t i = address.size(); i < bytes; ++i) address.push_back(static_cast<char>('a' + i % 26));
  return address;
}
bool is_address(const std::string& text) { return text.starts_with("fake") && text.find('.') != std::string::npos; }

int open_domain(fid_fabric* fabric, fi_info*, fid_domain** to, void* context) {
  if (const int error = control().failure(Step::domain)) return error;
  auto made = std::make_unique<Domain>();
  made->fid = {FI_CLASS_DOMAIN, context, &domain_fid_ops};
  made->ops = &domain_ops;
  made->mr = &memory_ops;
  made->fabric = static_cast<Fabric*>(fabric);
  made->traits = control().traits();
  const std::lock_guard lock(network().mutex);
  ++made->fabric->users;
  control().opened(1);
  *to = made.release();
  return 0;
}

int open_address_table(fid_domain* domain, fi_av_attr*, fid_av** to, void* context) {
  if (const int error = control().failure(Step::address_table)) return error;
  auto made = std::make_unique<AddressTable>();
  made->fid = {FI_CLASS_AV, context, &table_fid_ops};
  made->ops = &table_ops;
  made->domain = static_cast<Domain*>(domain);
  const std::lock_guard lock(network().mutex);
  ++made->domain->users;
  control().opened(1);
  *to = made.release();
  return 0;
}

}  // namespace tenter::fake_provider
