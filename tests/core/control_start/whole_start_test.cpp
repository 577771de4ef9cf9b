// Gate and ranks together: 5,000 starts with cuts, lost connections, refusals, late timers and strangers; and pairs with a bug
// that such starts find. P-X9, P-X10, L1.
#include "whole_start.hpp"

namespace tenter::control {
namespace whole_start_test {
namespace {

using namespace tenter::control::kit;

// Tries once.
struct NeverComesAgain {
  template <class E>
  void on(const E& e, Outbox& out) {
    if constexpr (std::is_same_v<E, event::TimerFired>)
      if (machine.step() == GateClientStep::resting) return;
    machine.on(e, out);
  }
  GateClient machine;
};

// Says joined and leaves: if the connection is lost with it, nobody knows.
struct SaysJoinedOnce {
  template <class E>
  void on(const E& e, Outbox& out) {
    if constexpr (std::is_same_v<E, event::StreamRead>)
      if (over && e.status != Status::ok) return machine.on(event::StreamRead{e.now, e.op, Status::ok, {}}, out);
    if constexpr (std::is_same_v<E, event::StreamWritten>)
      if (over) return;
    if constexpr (std::is_same_v<E, event::Told>) over = over || is(e.note, StartNote::joined);
    machine.on(e, out);
  }
  GateClient machine;
  bool over = false;
};

// Tells every rank to go that shows the token.
struct GoesAtOnce {
  explicit GoesAtOnce(GateConfig given) : machine(given) {}
  template <class E>
  void on(const E& e, Outbox& out) {
    if constexpr (std::is_same_v<E, event::StreamRead>)
      if (e.content.text().starts_with("{") && read_gate_report(e.content.bytes()))
        out.write_stream(Op{0}, Connection{static_cast<std::uint32_t>(which_of(e.op))}, write_gate_go(token));
    machine.on(e, out);
  }
  Gate machine;
};

TEST(WholeStart, all_ranks_start_together_and_all_have_joined_whatever_was_lost_on_the_way) {
  EXPECT_EQ((whole_starts<Gate, GateClient>(5'000)), "");
}

TEST(WholeStart, finds_pairs_with_a_bug) {
  EXPECT_NE((whole_starts<Gate, NeverComesAgain>(500)), "");
  EXPECT_NE((whole_starts<Gate, SaysJoinedOnce>(5'000)), "");
  EXPECT_NE((whole_starts<GoesAtOnce, GateClient>(500)), "");
}

}  // namespace
}  // namespace whole_start_test
}  // namespace tenter::control
