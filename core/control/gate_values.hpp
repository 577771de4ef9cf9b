// What a Gate keeps: its peers, a seat a rank, whom it turned away and why; and the texts made of them. No step of the protocol.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/blob.hpp"
#include "core/control/gate_message.hpp"
#include "core/control/hidden.hpp"
#include "core/control/slr3.hpp"
#include "core/describe.hpp"
#include "core/names.hpp"

namespace tenter::control {

inline constexpr std::uint32_t no_connection = 0;
inline constexpr std::uint32_t nobody = 0xFFFF'FFFF;         // a peer that has not said with the token who it is
inline constexpr std::size_t gate_reason_bytes_max = 1'024;  // of one rank in a report
inline constexpr std::size_t gate_names_max = 16;            // ranks named in a sentence

// which: the connection
enum class GateOperation : std::uint8_t { listen = 1, accept, read, write, deadline, strangers, collect };

struct GateConfig {
  Role owner{0};
  Listener listener{1};
  std::uint32_t first_connection = 1;  // connections are numbered from here on; no other machine of the process uses them
  std::uint32_t version = frame_version;
  std::uint64_t features = 0;
  std::uint32_t backlog = 128;                       // peers that wait for an accept
  std::uint32_t strangers_max = 64;                  // peers at once that have not shown the token
  Duration stranger_wait = seconds(2);               // from its accept to its whole report, however it comes
  Duration stranger_wait_least = milliseconds(100);  // of one that must make room for the next
  std::uint64_t connection_bytes_max = 262'160;      // four messages of the largest size, in a connection's life
  Duration collect_wait = milliseconds(250);         // after a first failure, for the other ranks' reasons
  friend bool operator==(const GateConfig&, const GateConfig&) = default;
  TENTER_DESCRIBE(gate_config, owner, listener, first_connection, version, features, backlog, strangers_max, stranger_wait,
                  stranger_wait_least, connection_bytes_max, collect_wait)
};

enum class GateStep : std::uint8_t {
  closed,      // not opened yet
  opening,     // the listener
  gathering,   // ranks check in; go when all of them are here at once
  collecting,  // a rank has failed: a moment for the others' reasons
  releasing,   // go was sent: every rank says that it has joined
  over,        // passed or failed; the owner was told
};

enum class SeatState : std::uint8_t { absent, ready, released, joined, failed };

// A rank, as the gate knows it.
struct GateSeat {
  std::string host;  // by the topology
  SeatState state = SeatState::absent;
  std::uint32_t connection = no_connection;  // open now
  ProcessId process;                         // pid 0: not told
  bool seen = false;                         // the owner was told of this process
  bool confirms = true;                      // it will say joined; one that tells no version never does
  std::string reason;                        // why it failed, or how it was lost
  friend bool operator==(const GateSeat&, const GateSeat&) = default;
  TENTER_DESCRIBE(gate_seat, host, state, connection, process, seen, confirms, reason)
};

struct GatePeer {
  std::uint32_t rank = nobody;
  Blob address;
  Time since{};             // accepted
  std::uint64_t bytes = 0;  // read in its life
  bool told_go = false;     // once a connection: what was written there is not lost but with it
  Hidden pending;           // no whole message yet
  friend bool operator==(const GatePeer&, const GatePeer&) = default;
  TENTER_DESCRIBE(gate_peer, rank, address, since, bytes, told_go, pending)
};

// Why a connection was turned away (B32: counted, the last one with its source).
enum class TurnedAway : std::uint8_t { late, made_room, left, malformed, wrong_token, not_a_rank, duplicate, too_much };
inline constexpr std::size_t turned_away_kinds = 8;

struct GateTally {
  std::array<std::uint64_t, turned_away_kinds> counts{};
  std::string last;                  // who and why
  std::uint64_t failed_accepts = 0;  // of this side, for example out of descriptors: ranks that nobody can hear
  std::string failed_accept;         // why the last of them
  std::uint64_t total() const;
  friend bool operator==(const GateTally&, const GateTally&) = default;
  TENTER_DESCRIBE(gate_tally, counts, last, failed_accepts, failed_accept)
};

using GatePeers = std::map<std::uint32_t, GatePeer>;  // by connection, in the order of their accepts

// "3 connections were turned away: 2 late, 1 wrong token; the last: 10.0.0.7:5100: …; accepts that failed here: 5, the last: …".
// Empty: neither.
std::string text_of_tally(const GateTally& tally);
// "rank 2 on node-b"
std::string text_of_seat(const std::vector<GateSeat>& seats, std::uint32_t rank);
// Ranks that failed, then those that are missing in this step, a sentence each, in rank order.
struct GateCulprits {
  std::vector<std::uint32_t> failed, missing;
};
GateCulprits culprits_of(const std::vector<GateSeat>& seats, bool released);
std::string text_of_culprit(const std::vector<GateSeat>& seats, std::uint32_t rank);
// One sentence for people: `why`, the failed with their reasons, the missing with their hosts.
std::string text_of_failure(std::string_view why, const std::vector<GateSeat>& seats, bool released);
// "rank 2 on node-b speaks SLR3 version 4 with features 0x…, this supervisor version 3 with features 0x…"
std::string text_of_mismatch(const std::string& who, const GateReport& report, const GateConfig& config);
// Cut between two characters, control characters made blanks: a peer's text never breaks a line of ours.
std::string cut_reason(std::string_view text);

}  // namespace tenter::control
