// What the hub knows of one executor. Its failure is its own: nothing here is shared with another route. Spec A2.1, A2.4, B3.3.
//
//   registered --HELLO--> ready <--commands--> busy --shutdown--> draining --goodbye--> closed
//   any but closed --bad frame, silence, loss, cancel--> failed
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "core/control/feature.hpp"
#include "core/control/lane.hpp"
#include "core/describe.hpp"
#include "core/names.hpp"

namespace tenter::control {

enum class RouteState : std::uint8_t {
  registered,  // its HELLO is awaited
  ready,       // nothing is in flight
  busy,        // a command is in flight, or its late reply is still to come
  draining,    // SHUTDOWN was sent; what is in flight is answered first
  failed,      // nothing but SHUTDOWN is sent to it; what it says is taken and dropped
  closed,      // it has said goodbye
};
constexpr std::string_view to_string(RouteState state) {
  constexpr std::string_view names[] = {"registered", "ready", "busy", "draining", "failed", "closed"};
  return static_cast<std::size_t>(state) < std::size(names) ? names[static_cast<std::size_t>(state)] : "?";
}

enum class RoutePhase : std::uint8_t { registered, serving, draining, failed, closed };

// Frames that were dropped, by reason.
struct RouteCounts {
  std::uint64_t late = 0;      // replies to commands that were given up
  std::uint64_t repeated = 0;  // replies to commands that were answered
  std::uint64_t stray = 0;     // another session, an unknown tag, a second HELLO, a HEALTH that is not newer
  std::uint64_t early = 0;     // HEALTH before HELLO: taken, not dropped
  friend bool operator==(const RouteCounts&, const RouteCounts&) = default;
  TENTER_DESCRIBE(route_counts, late, repeated, stray, early)
};

struct Route {
  RoutePhase phase = RoutePhase::registered;
  Lane lane;
  bool greeted = false;  // its HELLO came
  std::uint64_t features = 0;
  std::uint64_t receives = 0;  // number of the newest receive
  bool receiving = false;
  std::uint64_t beats = 0;  // sent; number of the newest
  bool beating = false;     // the newest is not sent yet: no further one until it is
  std::uint64_t heard_beat = 0;
  Time heard{};                     // when the last frame of it came
  std::uint32_t silent_ticks = 0;   // since then
  std::uint64_t told_to_leave = 0;  // sequence of SHUTDOWN; 0: not sent
  bool told = false;                // SHUTDOWN is sent
  bool left = false;                // its goodbye came, so nothing else will
  bool lost = false;                // nothing is expected of it any more
  RouteCounts counts;
  Status cause = Status::ok;  // failed: the first reason stays
  std::string reason;

  RouteState state() const {
    switch (phase) {
      case RoutePhase::registered:
        return RouteState::registered;
      case RoutePhase::serving:
        return lane.empty() ? RouteState::ready : RouteState::busy;
      case RoutePhase::draining:
        return RouteState::draining;
      case RoutePhase::failed:
        return RouteState::failed;
      case RoutePhase::closed:
        break;
    }
    return RouteState::closed;
  }
  bool ended() const { return phase == RoutePhase::failed || phase == RoutePhase::closed; }
  bool can(std::uint64_t feature) const { return (features & feature) != 0; }
  // Not the late ones: there are never more of them than commands that were given up here.
  std::uint64_t dropped() const { return counts.repeated + counts.stray; }

  friend bool operator==(const Route&, const Route&) = default;
  static constexpr std::string_view name = "route";
  static constexpr std::string_view labels =
      "phase, lane, greeted, features, receives, receiving, beats, beating, heard_beat, heard, silent_ticks, told_to_leave, "
      "told, left, lost, "
      "counts, cause, reason";
  template <class Self>
  static constexpr auto fields(Self& self) {
    return std::tie(self.phase, self.lane, self.greeted, self.features, self.receives, self.receiving, self.beats, self.beating,
                    self.heard_beat, self.heard, self.silent_ticks, self.told_to_leave, self.told, self.left, self.lost,
                    self.counts, self.cause, self.reason);
  }
};

}  // namespace tenter::control
