// A machine that fires one timer, and protocols of it that go wrong in chosen ways.
#pragma once
#include "cli/main.hpp"
#include "core/machine.hpp"
#include "sim/world.hpp"

namespace tenter {

struct Ticker {
  bool fired = false;
  template <Timers O>
  void on(const event::Started& e, O& out) {
    out.arm(Op{1}, e.now + milliseconds(1));
  }
  template <Timers O>
  void on(const event::TimerFired&, O&) {
    fired = true;
  }
  std::string_view state_name() const { return fired ? "done" : "ticking"; }
  TENTER_DESCRIBE(ticker, fired)
};

// Runs one of them; `at_start` is called with a number that the seed decides.
inline sim::Protocol& add_ticker(Registry& registry, std::function<void(std::uint32_t)> at_start = {}) {
  return registry.protocol("ticker").about("one timer").scenario("one", [at_start](sim::Scenario& s) {
    const std::uint32_t number = s.choose(16);
    if (at_start) at_start(number);
    s.process("a").runs(Ticker{});
  });
}

}  // namespace tenter
