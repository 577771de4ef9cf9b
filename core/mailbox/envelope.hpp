// What travels on the dispatch communicator: the envelope down (bcast), one record a rank up (gather), readiness at the start
// (allgather). Ours, between processes of one build; little-endian, versioned.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/blob.hpp"
#include "core/describe.hpp"
#include "core/error.hpp"
#include "core/mailbox/error_list.hpp"
#include "core/mailbox/layout.hpp"
#include "core/names.hpp"

namespace tenter::mailbox {

inline constexpr std::uint32_t envelope_version = 1;

// The header fields of a request, and whose payloads follow.
struct RequestFields {
  std::uint64_t sequence = 0;
  Opcode opcode = Opcode::ping;
  Target target = Target::group;
  std::int32_t rank = -1;  // RANK only
  std::uint32_t count = 0;
  std::uint32_t bytes = 0;  // of the vector
  friend bool operator==(const RequestFields&, const RequestFields&) = default;
  TENTER_DESCRIBE(request_fields, sequence, opcode, target, rank, count, bytes)
};

// 36 bytes, page offsets 40..75; response count and bytes are 0.
Blob write_request_fields(const RequestFields& fields);
Result<RequestFields> read_request_fields(Bytes bytes);

struct Envelope {
  bool leave = false;  // the order to leave: nothing else counts
  RequestFields fields;
  Bytes vector;  // valid as long as what was decoded
};

Blob write_envelope(const RequestFields& fields, Bytes vector);
Blob write_leave_envelope();
Result<Envelope> read_envelope(Bytes bytes);

// One rank's part of a round.
enum class Outcome : std::uint32_t {
  idle = 0,         // nothing was addressed to it
  done = 1,         // `reply` counts
  application = 2,  // its callable or its payload failed: the request fails, the group lives
  transport = 3,    // it cannot take part any more: the group ends
};

struct Record {
  std::uint32_t rank = 0;
  Outcome outcome = Outcome::idle;
  std::string_view error_type, message;  // application, transport
  Bytes reply;                           // valid as long as what was decoded
};

Blob write_record(const Record& record);
Result<Record> read_record(Bytes bytes);

struct Readiness {
  std::uint32_t rank = 0;
  ProcessId process;
  std::string_view trouble;  // empty: ready
};

Blob write_readiness(const Readiness& readiness);
Result<Readiness> read_readiness(Bytes bytes);

}  // namespace tenter::mailbox
