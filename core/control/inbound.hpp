// A frame as it came from the other end: whose it is, before anything of it is acted on. The same for hub and executor.
#pragma once
#include <cstdint>
#include <string>

#include "core/control/slr3.hpp"
#include "core/error.hpp"
#include "core/event.hpp"

namespace tenter::control {

// not_found: another session's, or a tag of nobody's: to be dropped. invalid: broken, another worker's, or under the tag of
// another type: its sender cannot be believed any more. Texts name field, offset and value.
Result<Frame> read_inbound(const event::MessageArrived& message, std::uint64_t session, std::int32_t worker);

// COMPLETION and CONTROL_REPLY as one: a COMPLETION is named task_result and has no result.
struct AnyReply {
  std::uint64_t sequence = 0;
  ControlName name = task_result;
  std::uint32_t version = control_version;
  std::int32_t code = 0;
  std::string error;
  Bytes result;  // valid as long as the frame
};
// invalid: broken, or its own number is not its frame's (B2.3).
Result<AnyReply> read_any_reply(const Frame& frame);

}  // namespace tenter::control
