// Byte credit of the frames that are on their way: every route has a share of its own, and all have a pool in common. Spec A2.2,
// P-X1 to P-X4.
//
// A frame is paid for as a whole from one of the two, the share first. Who finds the pool too small is refused at once and gets a
// place in line: while it is kept, later frames get of the pool only what all places before theirs leave, also those of its own
// route when they are smaller. So small frames never starve a large one that is tried again, and a frame that is stuck costs the
// other routes nothing of their shares. A place that is not used for `place_kept` is lost, or who never comes back would stop the
// pool. One route holds half of the pool at most, or one largest frame: what one executor does not take leaves the others room
// for such a frame, too.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/check.hpp"
#include "core/control/slr3.hpp"
#include "core/describe.hpp"
#include "core/names.hpp"

namespace tenter::control {

struct CreditConfig {
  std::uint64_t share_bytes = 64u << 10;          // a route
  std::uint64_t pool_bytes = 64u << 20;           // at least `largest_bytes`
  Duration place_kept = milliseconds(500);        // since the last refusal
  std::uint64_t largest_bytes = frame_bytes_max;  // of a frame that may be sent; a model's are smaller than the wire's
  friend bool operator==(const CreditConfig&, const CreditConfig&) = default;
  TENTER_DESCRIBE(credit_config, share_bytes, pool_bytes, place_kept, largest_bytes)
};

enum class CreditSource : std::uint8_t { none, share, pool };

struct PlaceInLine {
  std::uint32_t route = 0;
  std::uint64_t bytes = 0;
  Time until{};
  friend bool operator==(const PlaceInLine&, const PlaceInLine&) = default;
  TENTER_DESCRIBE(place_in_line, route, bytes, until)
};

class Credit {
 public:
  Credit() = default;
  Credit(CreditConfig config, std::uint32_t routes)
      : config_(config), pool_free_(config.pool_bytes), share_free_(routes, config.share_bytes), pool_held_(routes) {
    TENTER_CHECK(config.pool_bytes >= config.largest_bytes);
  }

  // Where the frame was paid from; none: there is no credit now, and the route has a place in line (one, of its largest frame
  // that was refused), unless its own frames are what fills its part of the pool.
  CreditSource take(std::uint32_t route, std::uint64_t bytes, Time now) {
    if (bytes <= share_free_[route]) {
      share_free_[route] -= bytes;
      return CreditSource::share;
    }
    std::erase_if(line_, [&](const PlaceInLine& place) { return place.until < now; });
    if (pool_held_[route] + bytes > route_pool_max()) {  // its own frames are in its way: it waits in nobody's
      leave_line(route);
      return CreditSource::none;
    }
    std::uint64_t before = 0;
    std::size_t at = 0;
    for (; at < line_.size() && line_[at].route != route; ++at) before += line_[at].bytes;
    const bool passes_by = at < line_.size() && bytes < line_[at].bytes;          // that place is for another frame,
    if (passes_by && pool_free_ < config_.pool_bytes) before += line_[at].bytes;  // which could go now if it were tried
    if (before <= pool_free_ && bytes <= pool_free_ - before) {
      if (!passes_by) leave_line(route);
      pool_free_ -= bytes;
      pool_held_[route] += bytes;
      return CreditSource::pool;
    }
    if (passes_by) return CreditSource::none;
    if (at == line_.size()) line_.push_back({route, 0, {}});
    line_[at] = {route, bytes, now + config_.place_kept};
    return CreditSource::none;
  }
  // What take() gave, once.
  void give_back(std::uint32_t route, std::uint64_t bytes, CreditSource source) {
    if (source == CreditSource::none) return;
    std::uint64_t& free = source == CreditSource::share ? share_free_[route] : pool_free_;
    free += bytes;
    if (source == CreditSource::pool) pool_held_[route] -= std::min(bytes, pool_held_[route]);
    TENTER_CHECK(free <= (source == CreditSource::share ? config_.share_bytes : config_.pool_bytes));
  }
  void leave_line(std::uint32_t route) {
    std::erase_if(line_, [&](const PlaceInLine& place) { return place.route == route; });
  }

  std::uint64_t pool_free() const { return pool_free_; }
  std::uint64_t share_free(std::uint32_t route) const { return share_free_[route]; }
  std::size_t waiting() const { return line_.size(); }
  bool all_free() const {
    for (const std::uint64_t free : share_free_)
      if (free != config_.share_bytes) return false;
    return pool_free_ == config_.pool_bytes;
  }

 private:
  std::uint64_t route_pool_max() const { return std::max(config_.largest_bytes, config_.pool_bytes / 2); }

  CreditConfig config_;
  std::uint64_t pool_free_ = 0;
  std::vector<std::uint64_t> share_free_, pool_held_;  // one a route
  std::vector<PlaceInLine> line_;                      // first come first; at most one a route

 public:
  friend bool operator==(const Credit&, const Credit&) = default;
  TENTER_DESCRIBE(credit, config_, pool_free_, share_free_, pool_held_, line_)
};

}  // namespace tenter::control
