// A hub and its executors under any order that the ports allow, any border between short and long messages, and calls, stops,
// deaths and foreign words at any moment: each call is answered exactly once, credit is whole after every event, nothing is
// executed twice, a fault of one rank fails no other route, and the session ends within its deadline. S3, S6, S7, L1, L4; P-A6,
// P-X1 to P-X7, P-X11, P-X12.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "world.hpp"

namespace tenter::control::test {
namespace session_property {
namespace {

constexpr std::uint32_t executors = 3;

struct Run {
  World world{config()};
  std::vector<std::uint64_t> tickets;
  std::set<std::uint32_t> touched;  // ranks that something was done to: only their routes may fail

  static HubConfig config() {
    HubConfig config = hub_config(executors, 2);
    config.credit.share_bytes = 300;
    config.credit.pool_bytes = frame_bytes_max;
    return config;
  }

  int number_of_state(std::uint32_t at) const { return static_cast<int>(world.executors[at].state()); }
  std::uint32_t worker(int detail) const { return static_cast<std::uint32_t>(detail) % executors; }

  void work(int detail) {
    if (world.exits.contains(0)) return;  // nobody calls a process that has ended
    switch (detail % 16 == 2 ? 2 : detail % 4 == 2 ? 1 : detail % 4) {
      case 0:
        return tickets.push_back(world.submit(worker(detail / 4)));
      case 1:
        return tickets.push_back(world.submit(any_worker, 400 + static_cast<std::size_t>(detail % 9'000), seconds(2)));
      case 2:
        return tickets.push_back(world.control(worker(detail / 4), ControlName::copy_to_remote, sized(payload_bytes_max / 2)));
      default:
        if (!tickets.empty()) world.call(cancel_note(Ticket{tickets[static_cast<std::size_t>(detail) % tickets.size()]}));
    }
  }
  void fault(int detail) {
    const std::uint32_t at = worker(detail / 8);
    // Nobody speaks behind his goodbye, and the dead do not speak.
    if (world.exits.contains(at + 1) || number_of_state(at) >= static_cast<int>(ExecutorState::parting)) return;
    if (detail % 8 != 4 && detail % 8 != 5) touched.insert(at + 1);
    switch (detail % 8) {
      case 0:
        return world.say(at, reply_tag, sized(static_cast<std::size_t>(detail % 99)));
      case 1:
        return world.complete(at, static_cast<std::uint64_t>(detail) % 7);
      case 2:
        return world.kill(at + 1, detail % 16 < 8);
      case 3:
        world.stopped.insert(at + 1);
        return;
      case 4:
        world.hanging.insert(at + 1);
        return;
      case 5:
        world.hanging.erase(at + 1);
        return world.release(at, Status::failed);
      case 6:
        world.call(cancel_route_note(at));
        return;
      default:
        world.stopped.erase(at + 1);
    }
  }
  void step(int kind, int detail) {
    if (kind < 4) return work(detail);
    if (kind < 6) return fault(detail);
    if (kind < 8) return world.advance(milliseconds(detail % 3'000));
    for (int i = 0; i < detail % 20; ++i) world.step();
  }
  // The faults are over, and the session is ended.
  void finish() {
    world.stopped.clear();
    for (std::uint32_t at = 0; at < executors; ++at) world.release(at);
    world.hanging.clear();
    if (!world.exits.contains(0)) tickets.push_back(world.call(shutdown_note(seconds(20))));
    world.run();
    world.advance(seconds(20));
  }
};

void any_session() {
  Run run;
  std::vector<int> choices = *rc::gen::container<std::vector<int>>(64, rc::gen::inRange(0, 1'000));
  std::size_t at = 0;
  run.world.choose = [&](std::size_t n) { return static_cast<std::size_t>(choices[at++ % choices.size()]) % n; };
  run.world.eager_below = *rc::gen::element<std::uint64_t>(0, 64, 8u << 10, 64u << 20);
  run.world.join();
  // A session may end before it has begun.
  if (*rc::gen::inRange(0, 8) == 0) run.tickets.push_back(run.world.call(shutdown_note(seconds(9))));
  const auto steps =
      *rc::gen::container<std::vector<std::pair<int, int>>>(rc::gen::pair(rc::gen::inRange(0, 12), rc::gen::inRange(0, 10'000)));
  for (const auto& [kind, detail] : steps) run.step(kind, detail);
  for (std::uint32_t worker = 0; worker < executors; ++worker)
    if (run.world.hub.routes()[worker].phase == RoutePhase::failed) RC_ASSERT(run.touched.contains(worker + 1));
  run.finish();
  for (const std::uint64_t ticket : run.tickets) {
    RC_ASSERT(run.world.answers.contains(ticket));
    RC_ASSERT(run.world.answers.at(ticket).size() == 1u);
  }
  for (const auto& [rank, sequences] : run.world.executed) {
    const std::set<std::uint64_t> once(sequences.begin(), sequences.end());
    RC_ASSERT(once.size() == sequences.size());
  }
  RC_ASSERT(run.world.hub.state() == HubState::closed);
  RC_ASSERT(run.world.hub.credit().all_free());
  RC_ASSERT(run.world.breaches == std::vector<std::string>{});
}

RC_GTEST_PROP(SessionProperty, every_call_is_answered_once_and_credit_is_whole_whatever_happens, ()) { any_session(); }

}  // namespace
}  // namespace session_property
}  // namespace tenter::control::test
