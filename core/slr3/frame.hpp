// An SLR3 frame: header and payload. Spec B2.1 to B2.3.
#pragma once
#include <cstdint>

#include "core/blob.hpp"
#include "core/describe.hpp"
#include "core/error.hpp"
#include "core/slr3/layout.hpp"

namespace tenter::slr3 {

// Who a frame belongs to, and which one it is: a reply carries its request's.
struct FrameIdentity {
  std::uint64_t session = 0;
  std::int32_t worker = 0;
  std::uint64_t sequence = 0;
  friend bool operator==(const FrameIdentity&, const FrameIdentity&) = default;
  TENTER_DESCRIBE(frame_identity, session, worker, sequence)
};

struct Frame {
  FrameType type = FrameType::task;
  FrameIdentity identity;
  std::uint32_t flags = 0;
  Bytes payload;  // valid as long as what was read
};

// invalid: a payload above payload_bytes_max, or unknown flags.
Result<Blob> write_frame(FrameType type, const FrameIdentity& identity, Bytes payload, std::uint32_t flags = 0);

// invalid, the first of these that is true: header cut, magic, version, type, flags, payload above its limit, payload bytes that
// are not what follows. Texts name field, offset and value.
Result<Frame> read_frame(Bytes bytes);

// "COMPLETION of session 0x…, worker 1, sequence 7".
std::string describe(FrameType type, const FrameIdentity& identity);

}  // namespace tenter::slr3
