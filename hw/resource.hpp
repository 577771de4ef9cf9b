// Every system object that hw/ holds is counted by kind, so that a test can end with "all zero" and a leak has a name.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

namespace tenter::hw {

enum class Resource : std::uint8_t {
  mapping,
  page_name,
  descriptor,
  process,
  thread,
  communicator,
  request,
  file,
  directory,
  fabric_object,
  count_
};

const char* to_string(Resource resource);

class Resources {
 public:
  static void acquire(Resource resource) { counts()[static_cast<std::size_t>(resource)].fetch_add(1, std::memory_order_relaxed); }
  static void release(Resource resource) { counts()[static_cast<std::size_t>(resource)].fetch_sub(1, std::memory_order_relaxed); }
  static std::int64_t held(Resource resource) {
    return counts()[static_cast<std::size_t>(resource)].load(std::memory_order_relaxed);
  }
  static std::string held_text();  // "" when nothing is held, else "2 mapping, 1 descriptor"

 private:
  using Counts = std::array<std::atomic<std::int64_t>, static_cast<std::size_t>(Resource::count_)>;
  static Counts& counts();
};

// A member of an owner: counts one from construction to destruction, and moves with it.
class Counted {
 public:
  explicit Counted(Resource resource) : resource_(resource) { Resources::acquire(resource_); }
  Counted(Counted&& other) noexcept : resource_(other.resource_), held_(std::exchange(other.held_, false)) {}
  Counted& operator=(Counted&& other) noexcept {
    std::swap(resource_, other.resource_);
    std::swap(held_, other.held_);
    return *this;
  }
  ~Counted() {
    if (held_) Resources::release(resource_);
  }

 private:
  Resource resource_;
  bool held_ = true;
};

}  // namespace tenter::hw
