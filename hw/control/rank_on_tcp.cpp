#include <exception>

#include "hw/control/loop_on.hpp"
#include "hw/control/resolve.hpp"
#include "hw/posix/stream_part.hpp"
#include "hw/posix/timers_part.hpp"

namespace tenter::hw {
namespace {

using control::OverStreams;
using TcpControllerPort = Port<StreamPart, TimersPart, ClientPart, ProcessesPart>;
using TcpExecutorPort = Port<StreamPart, TimersPart, ClientPart, ProcessesPart, WorkPart>;

control::CarrierConfig carrier_config(const RankPlace& place, const std::string& address) {
  control::CarrierConfig config;
  config.rank = place.rank;
  config.world = place.topology.world();
  config.session = place.order.session;
  config.token = place.token;
  config.address = address;
  config.express = control::tag_of(control::FrameType::health);
  config.join_patience = place.topology.startup_timeout;
  return config;
}

}  // namespace

MadeLoop controller_on_tcp(const RankPlace& place) {
  const auto port = [](Context& context) { return TcpControllerPort{{context}, {context}, {context}, {context}, {}}; };
  const auto host = numeric_address(place.topology.controller_host, control::host_slots(place.topology).size() > 1);
  if (!host) return tl::unexpected(host.error());
  OverStreams<control::Hub> hub(carrier_config(place, *host + ":0"), control::Hub(hub_config(place)));
  return std::make_unique<LoopOn<OverStreams<control::Hub>, TcpControllerPort>>(place, std::move(hub), port);
}

MadeLoop executor_on_tcp(const RankPlace& place, const ControlCallables& callables, const std::string& address) {
  if (address.empty()) return error(Status::invalid, "start: rank 0 has not said where it listens");
  const auto port = [&](Context& context) {
    return TcpExecutorPort{{context}, {context}, {context}, {context}, {context, runs(callables)}, {}};
  };
  OverStreams<control::Executor> executor(carrier_config(place, address), control::Executor(executor_config(place, callables)));
  return std::make_unique<LoopOn<OverStreams<control::Executor>, TcpExecutorPort>>(place, std::move(executor), port);
}

}  // namespace tenter::hw
