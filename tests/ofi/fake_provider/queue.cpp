// Completion queue, with or without a descriptor to wait on.
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstring>
#include <memory>

#include "tests/ofi/fake_provider/objects.hpp"

namespace tenter::fake_provider {
namespace {

Queue& queue_of(fid_cq* it) { return *static_cast<Queue*>(it); }

int close_queue(fid* it) {
  Queue& queue = queue_of(reinterpret_cast<fid_cq*>(it));
  {
    const std::lock_guard lock(network().mutex);
    if (const int error = busy("completion queue", static_cast<int>(queue.endpoints.size()))) return error;
    network().queues.erase(&queue);
    --queue.domain->users;
  }
  if (queue.signal >= 0) close(queue.signal);
  delete &queue;
  control().opened(-1);
  return 0;
}

int control_queue(fid* it, int command, void* argument) {
  Queue& queue = queue_of(reinterpret_cast<fid_cq*>(it));
  if (command != FI_GETWAIT || queue.signal < 0) return -FI_ENOSYS;
  *static_cast<int*>(argument) = queue.signal;
  return 0;
}

ssize_t read(fid_cq* it, void* to, std::size_t count) {
  Queue& queue = queue_of(it);
  const Inside inside(*queue.domain, "fi_cq_read");
  if (const int error = control().failure(Step::queue_read)) return error;
  std::uint64_t raised = 0;
  if (queue.signal >= 0) (void)!::read(queue.signal, &raised, sizeof raised);
  for (Endpoint* endpoint : queue.endpoints) serve(*endpoint);
  if (queue.overrun) return -FI_EOVERRUN;
  auto* entries = static_cast<fi_cq_entry*>(to);
  std::size_t given = 0;
  for (; given < count && !queue.entries.empty() && queue.entries.front().ending.error == 0; ++given) {
    entries[given].op_context = queue.entries.front().context;
    queue.entries.pop_front();
  }
  if (given != 0) return static_cast<ssize_t>(given);
  return queue.entries.empty() ? -FI_EAGAIN : -FI_EAVAIL;
}

ssize_t read_error(fid_cq* it, fi_cq_err_entry* to, std::uint64_t) {
  Queue& queue = queue_of(it);
  const Inside inside(*queue.domain, "fi_cq_readerr");
  if (queue.entries.empty() || queue.entries.front().ending.error == 0) return -FI_EAGAIN;
  const Completion& failed = queue.entries.front();
  to->op_context = failed.context;
  to->err = failed.ending.error;
  to->prov_errno = failed.ending.provider_error;
  to->err_data_size = 0;
  queue.said = failed.ending.said;
  queue.entries.pop_front();
  return 1;
}

const char* words_of(fid_cq* it, int, const void*, char* to, std::size_t bytes) {
  Queue& queue = queue_of(it);
  if (to != nullptr && bytes > 0) std::strncpy(to, queue.said.c_str(), bytes - 1);
  return queue.said.c_str();
}

fi_ops queue_fid_ops{sizeof(fi_ops), close_queue, no_bind, control_queue, nullptr, nullptr, nullptr};
fi_ops_cq queue_ops = [] {
  fi_ops_cq ops{};
  ops.size = sizeof ops;
  ops.read = read;
  ops.readerr = read_error;
  ops.strerror = words_of;
  return ops;
}();

}  // namespace

void signal(Queue& queue) {
  const std::uint64_t one = 1;
  if (queue.signal >= 0) (void)!::write(queue.signal, &one, sizeof one);
}

void wake_everybody() {
  const std::lock_guard lock(network().mutex);
  for (Queue* queue : network().queues) signal(*queue);
}

int open_queue(fid_domain* it, fi_cq_attr* attributes, fid_cq** to, void* context) {
  Domain& domain = *static_cast<Domain*>(it);
  const bool wait = attributes->wait_obj == FI_WAIT_FD;
  if (wait)
    if (const int error = control().failure(Step::wait_object)) return error;
  if (wait && !domain.traits.wait_object) return -FI_ENOSYS;
  if (const int error = control().failure(Step::queue)) return error;
  if (attributes->format != FI_CQ_FORMAT_CONTEXT) return -FI_ENOSYS;
  auto made = std::make_unique<Queue>();
  if (wait) made->signal = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wait && made->signal < 0) return -FI_EMFILE;
  made->fid = {FI_CLASS_CQ, context, &queue_fid_ops};
  made->ops = &queue_ops;
  made->domain = &domain;
  made->size = domain.traits.small_queue ? 1 : attributes->size;
  const std::lock_guard lock(network().mutex);
  network().queues.insert(made.get());
  ++domain.users;
  control().opened(1);
  *to = made.release();
  return 0;
}

// May its caller sleep on the descriptors? Not with something to do.
int try_wait(fid_fabric*, fid** queues, int count) {
  if (const int error = control().failure(Step::try_wait)) return error;
  const bool held = control().held();
  const std::lock_guard lock(network().mutex);
  for (int i = 0; i < count; ++i) {
    const Queue& queue = queue_of(reinterpret_cast<fid_cq*>(queues[i]));
    if (!queue.entries.empty() || queue.overrun) return -FI_EAGAIN;
    for (const Endpoint* endpoint : queue.endpoints)
      if (!held && !endpoint->inbox.empty()) return -FI_EAGAIN;
  }
  return 0;
}

}  // namespace tenter::fake_provider
