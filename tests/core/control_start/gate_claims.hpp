// What a gate must do for its ranks whatever strangers do: claims that ours keeps and each planted gate breaks one of. A claim
// gives the first thing that went wrong, empty when all is well.
#pragma once
#include <string>
#include <vector>

#include "gate_kit.hpp"

namespace tenter::control::kit {

// A stranger that never shows the token, of one of so many kinds.
inline constexpr std::uint32_t stranger_kinds = 12;
template <class M>
void hostile(DoorOf<M>& door, std::uint32_t kind) {
  const auto connection = door.connect("10.6.6.6:" + std::to_string(kind));
  if (!connection) return;
  const std::string good(write_gate_report(door.report(kind % door.world)).text());
  const auto wrong = [&](std::string_view said) {
    GateReport report = door.report(kind % door.world, GateState::failed, "stop them all");
    report.token = Blob(said);
    return std::string(write_gate_report(report).text());
  };
  switch (kind % stranger_kinds) {
    case 0:
      return;  // says nothing
    case 1:
      door.send(*connection, good.substr(0, 3), 1);
      return;  // three bytes and then nothing
    case 2:
      door.send(*connection, good.substr(0, good.size() - 1));
      return door.leave(*connection);  // one byte short, then an end
    case 3:
      return door.leave(*connection, Status::peer_lost);
    case 4:
      door.send(*connection, std::string("\xff\xff\xff\xff", 4));
      return;
    case 5:
      door.send(*connection, std::string(4, '\0'));
      return;
    case 6:
      door.send(*connection, "GET / HTTP/1.1\r\n\r\n");
      return;
    case 7:
      door.send(*connection, std::string("\x16\x03\x01\x02\x00", 5));
      return;
    case 8:
      door.send(*connection, std::string("\0\0\xea\x60", 4) + std::string(60'000, '['));
      return;
    case 9:
      door.send(*connection, wrong(token + " "));
      return;
    case 10:
      door.send(*connection, wrong(token.substr(0, token.size() - 1)));
      return;
    default:
      door.send(*connection, std::string("\0\0\xea\x60", 4) + std::string(1'000, '{'));
      return;  // announces 60,000 bytes and stops
  }
}

// X10..X12, B13, B32, P-C9a: a thousand strangers, ranks in between; all ranks are let through, in no more time than strangers'
// least.
template <class M>
std::string ranks_pass_a_thousand_strangers() {
  DoorOf<M> door(3);
  door.open_gate();
  std::vector<std::uint32_t> ranks;
  for (std::uint32_t n = 0; n < 1'000; ++n) {
    if (!door.accept) door.pass(door.config.stranger_wait_least);
    if (!door.accept) return "nobody is accepted any more after " + std::to_string(n) + " strangers";
    hostile(door, n);
    if (n % 300 == 299) {
      if (!door.accept) door.pass(door.config.stranger_wait_least);
      if (!door.accept) return "a rank is not accepted";
      ranks.push_back(door.say(door.report(static_cast<std::uint32_t>(ranks.size())), 7));
    }
    if (door.open() > door.config.strangers_max + door.world) return "more connections are open than may be";
    if (!door.failure().empty()) return "a stranger ended the gate: " + door.failure();
  }
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    if (!door.is_open(ranks[rank]) || door.go_count(ranks[rank]) != 1) return "rank " + std::to_string(rank) + " was not let go";
    door.say_on(ranks[rank], door.report(rank, GateState::joined));
  }
  if (!door.passed()) return "the gate did not pass";
  if (door.open() != 0) return "connections are left open";
  return {};
}

// 4.6, X12: fifty silent ones first cost the ranks nothing at all.
template <class M>
std::string silent_peers_cost_no_time() {
  DoorOf<M> door(3);
  door.open_gate(seconds(4));
  for (int n = 0; n < 50; ++n) door.connect();
  const Time before = door.now;
  let_all_join(door);
  return door.passed() && door.now == before ? "" : "ranks waited for silent peers";
}

// 4.6: a peer that sends a byte every 50 ms is gone when its time is over, and the gate ends at its deadline.
template <class M>
std::string a_trickle_prolongs_nothing() {
  DoorOf<M> door(2);
  door.open_gate(seconds(4));
  const auto trickle = door.connect();
  door.send(*trickle, std::string("\0\0\xea\x60", 4));
  const Time end = door.now + seconds(4);
  while (door.now < end) {
    door.pass(milliseconds(50));
    door.send(*trickle, "x");
    if (door.is_open(*trickle) && door.now > end + seconds(-1)) return "a trickling peer outlives its time";
  }
  return door.failure().empty() ? "the gate outlives its deadline" : "";
}

// The same by a rank that has shown the token.
template <class M>
std::string a_ranks_bytes_have_an_end() {
  DoorOf<M> door(2);
  door.open_gate(seconds(4));
  const auto rank = door.say(door.report(1));
  for (int n = 0; n < 10'000 && door.is_open(rank); ++n) door.say_on(rank, door.report(1));
  return door.is_open(rank) ? "a rank may send for ever" : "";
}

// B4.4: a duplicate is no second rank.
template <class M>
std::string each_rank_counts_once() {
  DoorOf<M> door(3);
  door.open_gate();
  GateReport again = door.report(1);
  for (std::uint64_t pid = 0; pid < 3; ++pid) {
    again.process.pid = 800 + pid;
    door.say(again);
  }
  for (const auto& [connection, stream] : door.streams)
    if (!stream.written.empty()) return "go was sent, and two ranks never came";
  return {};
}

// 4.6: rank 1 registers, its connection drops, rank 1 retries.
template <class M>
std::string a_returning_rank_is_let_in() {
  DoorOf<M> door(2);
  door.open_gate();
  door.leave(door.say(door.report(1)));
  const auto again = door.say(door.report(1));
  door.say(door.report(0));
  if (!door.is_open(again)) return "rank 1 is locked out";
  return door.go_count(again) == 1 ? "" : "rank 1 was not told to go";
}

// The gate said ok in the reference, and rank 1 was not there.
template <class M>
std::string go_waits_until_all_are_here_at_once() {
  DoorOf<M> door(2);
  door.open_gate();
  door.leave(door.say(door.report(1)));
  const auto zero = door.say(door.report(0));
  return door.go_count(zero) == 0 ? "" : "go was sent without rank 1";
}

// P-X10
template <class M>
std::string success_is_what_every_rank_confirmed() {
  DoorOf<M> door(2);
  door.open_gate();
  const auto zero = door.say(door.report(0));
  const auto one = door.say(door.report(1));
  door.written(zero);
  door.written(one);
  if (door.passed()) return "it passed when go was written";
  door.say_on(zero, door.report(0, GateState::joined));
  if (door.passed()) return "it passed without rank 1's word";
  door.say_on(one, door.report(1, GateState::joined));
  return door.passed() ? "" : "it did not pass";
}

// P-C9a, X12: who has not the token cannot fail the start; B32: a prefix of it, or none, is not the token.
template <class M>
std::string only_the_whole_token_speaks() {
  for (const std::string& said : {std::string(), token.substr(0, 1), token.substr(0, token.size() - 1), token + " "}) {
    DoorOf<M> door(1);
    door.open_gate();
    GateReport report = door.report(0, GateState::failed, "stop");
    report.token = Blob(std::string_view(said));
    door.say(report);
    door.pass(seconds(1));
    if (!door.failure().empty()) return "a token of " + std::to_string(said.size()) + " bytes failed the start";
  }
  return {};
}

// The second phase ends, and says who is missing.
template <class M>
std::string a_rank_that_never_joins_is_named() {
  DoorOf<M> door(2);
  door.open_gate();
  const auto zero = door.say(door.report(0));
  door.say(door.report(1));
  door.say_on(zero, door.report(0, GateState::joined));
  door.pass(seconds(61));
  return contains(door.failure(), "rank 1 on node-1") ? "" : "rank 1 is not named";
}

}  // namespace tenter::control::kit
