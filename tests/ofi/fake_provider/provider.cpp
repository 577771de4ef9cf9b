// fi_getinfo, fi_fabric and fi_domain of the fake provider, and the entry point that libfabric looks for.
#include <rdma/providers/fi_prov.h>

#include <cstring>
#include <memory>

#include "tests/ofi/fake_provider/objects.hpp"

namespace tenter::fake_provider {
namespace {

constexpr std::uint64_t offered = FI_MSG | FI_RMA | FI_READ | FI_REMOTE_READ | FI_SEND | FI_RECV;

fi_info* describe(const Traits& traits, const fi_info* hints) {
  fi_info* info = fi_allocinfo();
  if (info == nullptr) return nullptr;
  info->caps = hints->caps;
  info->mode = traits.mode;
  info->addr_format = FI_FORMAT_UNSPEC;
  info->tx_attr->op_flags = FI_INJECT;
  info->tx_attr->inject_size = traits.inject_bytes;
  info->tx_attr->size = traits.transmit_size;
  info->ep_attr->type = FI_EP_RDM;
  info->ep_attr->max_msg_size = std::size_t{1} << 30;
  info->domain_attr->name = strdup("fake0");
  info->domain_attr->threading = FI_THREAD_DOMAIN;
  info->domain_attr->control_progress = info->domain_attr->data_progress = FI_PROGRESS_MANUAL;
  info->domain_attr->av_type = FI_AV_TABLE;
  info->domain_attr->mr_mode = traits.mr_mode;
  info->domain_attr->mr_key_size = traits.key_bytes;
  info->fabric_attr->name = strdup("fake");  // libfabric adds the name of the provider
  return info;
}

// An obligation that the caller did not offer to meet is no answer, as in the libfabric manual (fi_getinfo(3), fi_mr(3)).
bool suits(const Traits& traits, const fi_info* hints) {
  if (hints == nullptr || (hints->caps & ~offered) != 0) return false;
  if (hints->fabric_attr == nullptr || hints->fabric_attr->prov_name == nullptr) return false;  // only who asks by name
  if (std::strcmp(hints->fabric_attr->prov_name, provider_name) != 0) return false;
  if ((traits.mode & ~hints->mode) != 0) return false;
  if (hints->ep_attr != nullptr && hints->ep_attr->type != FI_EP_UNSPEC && hints->ep_attr->type != FI_EP_RDM) return false;
  if (hints->domain_attr == nullptr) return traits.mr_mode == 0;
  if (hints->domain_attr->name != nullptr && std::strcmp(hints->domain_attr->name, "fake0") != 0) return false;
  return (traits.mr_mode & ~hints->domain_attr->mr_mode) == 0;
}

int getinfo(std::uint32_t, const char*, const char*, std::uint64_t, const fi_info* hints, fi_info** to) {
  const Traits traits = control().traits();
  if (!suits(traits, hints)) return -FI_ENODATA;
  if (const int error = control().failure(Step::getinfo)) return error;
  *to = describe(traits, hints);
  return *to == nullptr ? -FI_ENOMEM : 0;
}

int close_fabric(fid* it) {
  std::unique_ptr<Fabric> fabric(static_cast<Fabric*>(reinterpret_cast<fid_fabric*>(it)));
  if (const int error = busy("fabric", fabric->users)) return (void)fabric.release(), error;
  control().opened(-1);
  return 0;
}

fi_ops fabric_fid_ops{sizeof(fi_ops), close_fabric, no_bind, no_control, nullptr, nullptr, nullptr};
fi_ops_fabric fabric_ops{sizeof(fi_ops_fabric), open_domain, nullptr, nullptr, nullptr, try_wait, nullptr};

int open_fabric(fi_fabric_attr*, fid_fabric** to, void* context) {
  if (const int error = control().failure(Step::fabric)) return error;
  auto made = std::make_unique<Fabric>();
  made->fid = {FI_CLASS_FABRIC, context, &fabric_fid_ops};
  made->ops = &fabric_ops;
  control().opened(1);
  *to = made.release();
  return 0;
}

}  // namespace

int busy(const char* what, int users) {
  if (users == 0) return 0;
  control().breach(std::string("a ") + what + " is closed that " + std::to_string(users) + " objects use");
  return -FI_EBUSY;
}
int no_bind(fid*, fid*, std::uint64_t) { return -FI_ENOSYS; }
int no_control(fid*, int, void*) { return -FI_ENOSYS; }

}  // namespace tenter::fake_provider

extern "C" __attribute__((visibility("default"))) fi_provider* fi_prov_ini() {
  static fi_provider provider{};
  provider.version = FI_VERSION(1, 0);
  provider.fi_version = FI_VERSION(1, 17);
  provider.name = tenter::fake_provider::provider_name;
  provider.getinfo = tenter::fake_provider::getinfo;
  provider.fabric = tenter::fake_provider::open_fabric;
  provider.cleanup = [] {};
  return &provider;
}
