#include "hw/loop/watcher.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace tenter::hw {
namespace {

Descriptor checked(int fd, const char* what) {
  if (fd < 0) throw std::system_error(errno, std::generic_category(), what);
  return Descriptor(fd);
}

bool same(const std::vector<pollfd>& a, const std::vector<pollfd>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const pollfd& x, const pollfd& y) { return x.fd == y.fd && x.events == y.events; });
}

// All that is wanted of this one. The POLL and EPOLL bits are the same (epoll_ctl(2)).
std::uint32_t events_of(const std::vector<pollfd>& descriptors, int fd) {
  std::uint32_t events = 0;
  for (const pollfd& descriptor : descriptors)
    if (descriptor.fd == fd) events |= static_cast<std::uint32_t>(descriptor.events);
  return events;
}

}  // namespace

Parker::Watcher::Watcher(Context& context)
    : context_(context),
      epoll_(checked(epoll_create1(EPOLL_CLOEXEC), "epoll_create1 for the descriptor watcher")),
      stop_(checked(eventfd(0, EFD_CLOEXEC), "eventfd for the descriptor watcher")) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = stop_.get();
  if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, stop_.get(), &event) != 0) {
    throw std::system_error(errno, std::generic_category(), "epoll_ctl for the descriptor watcher");
  }
  thread_ = std::thread([this] { run(); });
}

Parker::Watcher::~Watcher() {
  // Not a plain store: notify_all() looks whether anybody waits, and must not look before the store is seen.
  state_.exchange(stopping, std::memory_order_seq_cst);
  state_.notify_all();
  eventfd_write(stop_.get(), 1);
  thread_.join();
}

void Parker::Watcher::run() {
  while (state_.load(std::memory_order_acquire) != stopping) {
    epoll_event event{};
    if (epoll_wait(epoll_.get(), &event, 1, -1) <= 0) continue;  // a signal
    std::uint32_t expected = watching;
    if (!state_.compare_exchange_strong(expected, resting, std::memory_order_acq_rel)) continue;
    context_.nudge();  // after the change of state: the watch() that this leads to must see it
    state_.wait(resting, std::memory_order_acquire);
  }
}

// A number that was closed may stand for another file by now, though the list looks the same: epoll forgot it at the close.
void Parker::Watcher::watch(const std::vector<pollfd>& descriptors) {
  if (const std::uint64_t closed = Descriptor::closed(); closed != closed_ || !same(descriptors, watched_)) {
    renew(descriptors);
    closed_ = closed;
  }
  if (state_.exchange(watching, std::memory_order_acq_rel) == resting) state_.notify_one();
}

void Parker::Watcher::renew(const std::vector<pollfd>& descriptors) {
  epoll_event event{};
  for (const pollfd& old : watched_) epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, old.fd, &event);  // fails for a closed one: fine
  watched_ = descriptors;
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    const int fd = watched_[i].fd;
    event.events = events_of(watched_, fd);
    event.data.fd = fd;
    if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0) continue;
    // There already: named twice, or a copy of it is left from before with what was wanted then.
    if (errno == EEXIST && epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event) == 0) continue;
    for (std::size_t before = 0; before < i; ++before) epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, watched_[before].fd, &event);
    watched_.clear();  // register all of them again next time
    context_.nudge();  // cannot be watched: the loop must not sleep on it
    return;
  }
}

}  // namespace tenter::hw
