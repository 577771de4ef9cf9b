// What ranks and the gate say to each other before MPI starts: a length of 4 bytes, big-endian, and a JSON object. Spec B4.2,
// B4.3. One definition for both ends (P-N1). Ours beside the reference's: the process that reports, what it speaks (B6, versions
// differ), and "joined", the answer to go_mpi (P-X10).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/blob.hpp"
#include "core/describe.hpp"
#include "core/error.hpp"
#include "core/names.hpp"

namespace tenter::control {

inline constexpr std::uint32_t gate_prefix_bytes = 4, gate_message_bytes_max = 65'536;
inline constexpr std::uint32_t gate_token_bytes_max = 256, gate_address_bytes_max = 512;

// A reply of the gate, and where a rank is.
enum class GateState : std::uint8_t { ready, failed, joined, go };
std::string_view to_string(GateState state);

struct GateReport {  // from a rank
  Blob token;
  std::uint32_t rank = 0;
  GateState state = GateState::ready;  // not go
  std::string error;                   // failed: why; cut so that the message fits
  ProcessId process;                   // whom to kill; pid 0: not told, and never a target of kill(2)
  std::string host;
  std::optional<std::uint32_t> version = std::nullopt;  // of SLR3; none: the reference, which does not tell and never says joined
  std::uint64_t features = 0;                           // below 2^63; told with a version only
  std::string address = {};  // of rank 0: where the others find it, if their carrier needs that; empty: none
  friend bool operator==(const GateReport&, const GateReport&) = default;
  TENTER_DESCRIBE(gate_report, token, rank, state, error, process, host, version, features, address)
};

// Framed: prefix and body. A token of at most gate_token_bytes_max bytes of ASCII, a host of at most 255 bytes.
Blob write_gate_report(const GateReport& report);
Blob write_gate_go(std::string_view token, std::string_view address = {});

struct GateGo {
  Blob token;
  std::string address;  // rank 0's, as it was reported; empty: none
};

// Bytes of the body. invalid: 0, or more than gate_message_bytes_max. `prefix` has 4 bytes.
Result<std::uint32_t> gate_body_bytes(Bytes prefix);

// invalid: no JSON object, or a member that is missing or of another kind; the rank is an integer, written as one. Texts name the
// member and never repeat a value: the token may be in it. Members that are not known are not looked at.
Result<GateReport> read_gate_report(Bytes body);
Result<GateGo> read_gate_go(Bytes body);

// Takes the same time wherever the two differ; their lengths are no secret.
bool same_token(Bytes a, Bytes b);

}  // namespace tenter::control
