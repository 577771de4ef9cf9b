// A rank's calls and its GateClient's words, one for one.
#include "core/control/gate_desk.hpp"

#include <gtest/gtest.h>

#include "core/outbox.hpp"

namespace tenter::control {
namespace gate_desk {
namespace {

CheckIn check_in() {
  CheckIn check_in{"10.0.0.1:1", seconds(1), {}};
  check_in.report.token = Blob("t");
  return check_in;
}
std::vector<Action> told(GateDesk& desk, StartNote kind, Status status, std::string_view text, Role from = Role{1}) {
  return actions_of(desk, event::Told{Time{1}, from, start_note(kind, status, text)});
}
Action answer(std::uint64_t ticket, Status status, std::string_view text) {
  return action::Complete{Ticket{ticket}, start_note(StartNote::answer, status, text)};
}
const Note joined = start_note(StartNote::joined);

TEST(GateDesk, answers_check_in_at_go_with_the_address_of_rank_0_and_joined_when_it_was_taken) {
  GateDesk desk;
  const Note order = check_in_note(check_in());
  EXPECT_EQ(actions_of(desk, event::Submitted{Time{1}, Ticket{7}, order}), std::vector<Action>{(action::Tell{Role{1}, order})});
  EXPECT_EQ(told(desk, StartNote::go, Status::ok, "10.0.0.1:2"), std::vector<Action>{answer(7, Status::ok, "10.0.0.1:2")});
  EXPECT_EQ(actions_of(desk, event::Submitted{Time{1}, Ticket{8}, joined}), std::vector<Action>{(action::Tell{Role{1}, joined})});
  EXPECT_EQ(told(desk, StartNote::checked_out, Status::ok, ""), std::vector<Action>{answer(8, Status::ok, "")});
}

TEST(GateDesk, answers_check_in_with_the_reason_when_there_is_no_go) {
  GateDesk desk;
  (void)actions_of(desk, event::Submitted{Time{1}, Ticket{7}, check_in_note(check_in())});
  EXPECT_EQ(told(desk, StartNote::checked_out, Status::timed_out, "why"),
            std::vector<Action>{answer(7, Status::timed_out, "why")});
  EXPECT_EQ(told(desk, StartNote::go, Status::ok, "late"), std::vector<Action>{});
  EXPECT_EQ(actions_of(desk, event::Submitted{Time{1}, Ticket{8}, joined}).size(), 1u) << "answered, not left open";
}

TEST(GateDesk, believes_nobody_but_its_gate_client_and_refuses_what_is_out_of_turn) {
  GateDesk desk;
  const auto out_of_turn = answer(6, Status::unavailable, "check-in: it is not this call's turn");
  EXPECT_EQ(actions_of(desk, event::Submitted{Time{1}, Ticket{6}, joined}), std::vector<Action>{out_of_turn});
  (void)actions_of(desk, event::Submitted{Time{1}, Ticket{7}, check_in_note(check_in())});
  EXPECT_EQ(told(desk, StartNote::go, Status::ok, "", Role{2}), std::vector<Action>{});
  EXPECT_EQ(told(desk, StartNote::go, Status::ok, "").size(), 1u);
  EXPECT_EQ(told(desk, StartNote::go, Status::ok, ""), std::vector<Action>{}) << "a second answer";
}

}  // namespace
}  // namespace gate_desk
}  // namespace tenter::control
