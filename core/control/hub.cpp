#include "core/control/hub.hpp"

#include "core/control/topology.hpp"

namespace tenter::control {

Hub::Hub(HubConfig config)
    : config_(std::move(config)),
      routes_(config_.profiles.size()),
      credit_(config_.credit, static_cast<std::uint32_t>(config_.profiles.size())) {
  TENTER_CHECK(config_.session != 0 && !routes_.empty() && routes_.size() <= executors_max);
  for (Route& route : routes_) route.lane = Lane(config_.window);
  TENTER_CHECK(config_.silent_ticks_max >= 1 && number(config_.heartbeat_interval) > 0);
}

std::string rank_text(std::uint32_t worker) {
  return "rank " + text_of(std::uint64_t{worker} + 1) + " (worker " + text_of(worker) + ")";
}

// The ready route with the fewest commands in flight, the first of several; any_worker when none has room.
std::uint32_t Hub::freest_worker() const {
  std::uint32_t best = any_worker;
  for (std::uint32_t worker = 0; worker < workers(); ++worker) {
    if (refusal(worker)) continue;
    if (best == any_worker || routes_[worker].lane.size() < routes_[best].lane.size()) best = worker;
  }
  return best;
}

// The route to ask when `any` was asked for and none has room: one that serves, so that the answer says "try again".
std::uint32_t Hub::worker_that(const SubmitCall& call) const {
  if (call.worker != any_worker) return call.worker;
  if (const std::uint32_t worker = freest_worker(); worker != any_worker) return worker;
  for (std::uint32_t worker = 0; worker < workers(); ++worker)
    if (routes_[worker].phase == RoutePhase::serving) return worker;
  for (std::uint32_t worker = 0; worker < workers(); ++worker)
    if (!routes_[worker].ended()) return worker;
  return 0;
}

std::optional<Error> Hub::refusal(std::uint32_t worker) const {
  if (state_ == HubState::failed) return Error{Status::unavailable, reason_};
  if (state_ != HubState::open && state_ != HubState::joining) return Error{Status::unavailable, "the session is not open"};
  if (worker >= workers())
    return Error{Status::invalid, "there is no worker " + text_of(worker) + ", the last is " + text_of(workers() - 1)};
  const Route& route = routes_[worker];
  switch (route.phase) {
    case RoutePhase::registered:
      return Error{Status::unavailable, rank_text(worker) + " has not said HELLO yet"};
    case RoutePhase::draining:
    case RoutePhase::closed:
      return Error{Status::unavailable, rank_text(worker) + " is leaving"};
    case RoutePhase::failed:
      return Error{Status::peer_lost, rank_text(worker) + " has failed: " + route.reason};
    case RoutePhase::serving:
      break;
  }
  if (!route.lane.full()) return std::nullopt;
  std::string text = rank_text(worker) + ": all " + text_of(std::uint64_t{route.lane.size()}) + " of its window are in flight";
  if (const std::uint32_t given_up = route.lane.given_up())
    text += ", of which " + text_of(given_up) + " were given up and are still to be answered";
  return Error{Status::no_space, std::move(text)};
}

Note Hub::health(Time now) const {
  std::vector<Blob> rows;
  for (const Route& route : routes_)
    rows.push_back(write_route_health({route.state(), now - route.heard, static_cast<std::uint32_t>(route.lane.size()),
                                       route.lane.given_up(), route.counts, route.reason}));
  Note note = answer_note(CallKind::health, Status::ok, {});
  note.parts = Parts(std::move(rows));
  return note;
}

std::string Hub::failed_routes() const {
  std::string text;
  std::uint64_t failed = 0;
  for (std::uint32_t worker = 0; worker < workers(); ++worker) {
    if (routes_[worker].phase != RoutePhase::failed || ++failed > 3) continue;
    text += (text.empty() ? "" : "; ") + rank_text(worker) + ": " + routes_[worker].reason;
  }
  if (failed > 3) text += "; and " + text_of(failed - 3) + " more";
  return text;
}

}  // namespace tenter::control
