// The thread that watches the descriptors of a parked loop.
#pragma once
#include <poll.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "hw/loop/park.hpp"
#include "hw/posix/descriptor.hpp"
#include "hw/resource.hpp"

namespace tenter::hw {

// Sleeps on an epoll set of the descriptors (epoll(7), level-triggered). When one is ready it nudges the loop once and rests
// until the next watch(), so a descriptor that nobody reads does not keep it busy.
class Parker::Watcher {
 public:
  explicit Watcher(Context& context);  // throws std::system_error
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  ~Watcher();

  // From now on these and no others. Loop thread only.
  void watch(const std::vector<pollfd>& descriptors);

 private:
  static constexpr std::uint32_t watching = 0, resting = 1, stopping = 2;
  void run();
  void renew(const std::vector<pollfd>& descriptors);

  Context& context_;
  Descriptor epoll_, stop_;
  std::vector<pollfd> watched_;
  std::uint64_t closed_ = 0;  // Descriptor::closed() when watched_ was registered
  std::atomic<std::uint32_t> state_{watching};
  Counted counted_{Resource::thread};
  std::thread thread_;
};

}  // namespace tenter::hw
