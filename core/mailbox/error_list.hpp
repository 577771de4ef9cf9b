// What went wrong, rank by rank: the error blob of the page (spec B5, C2.4). Always a JSON array that parses, at most 65,536
// bytes: [{"error_type": "…", "message": "…", "rank": 2}, …], keys sorted, ASCII.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/blob.hpp"
#include "core/describe.hpp"

namespace tenter::mailbox {

inline constexpr std::size_t error_message_bytes_max = 2'048;  // of UTF-8, the mark " [truncated]" included
inline constexpr std::size_t error_type_bytes_max = 256;
inline constexpr std::size_t error_list_bytes_max = 65'536;
inline constexpr std::int32_t no_culprit = -1;

struct RankError {
  std::int32_t rank = no_culprit;  // -1: no rank in particular
  std::string type;
  std::string message;
  bool transport = false;  // ends the group; kept by whoever judges, not part of the blob
  friend bool operator==(const RankError&, const RankError&) = default;
  TENTER_DESCRIBE(rank_error, rank, type, message, transport)
};

// Messages and types over their limit are cut between two characters and marked; bytes that are no UTF-8 become U+FFFD. Entries
// that do not fit are dropped from the end, and one entry (rank -1, TruncatedErrorList, how many) is appended instead.
Blob encode_error_list(const std::vector<RankError>& errors);
Blob encode_error(std::int32_t rank, std::string type, std::string message);

// Never fails: what is no such array (the reference writes its terminal reason as bare text, maybe cut inside a character)
// becomes one entry of rank -1 and type "TerminalReason". No bytes: no entry.
std::vector<RankError> decode_error_list(Bytes blob);

// For people: "rank 2: ValueError: no such file; rank 3: …".
std::string text_of_errors(const std::vector<RankError>& errors);

}  // namespace tenter::mailbox
