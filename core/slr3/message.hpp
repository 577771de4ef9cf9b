// The payloads of HELLO, CONTROL, CONTROL_REPLY and COMPLETION. Spec B2.5, B2.7 to B2.9. Every decoder refuses trailing bytes.
// The encoders write what they are given: who calls them keeps the limits of layout.hpp (P-X15).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "core/blob.hpp"
#include "core/error.hpp"
#include "core/slr3/layout.hpp"

namespace tenter::slr3 {

enum class ReadyState : std::uint32_t { not_ready = 0, ready = 1 };

// An executor's first frame; with `not_ready` its last one: nothing of it follows (ours, for P-X12: the controller knows when it
// has received everything).
struct Hello {
  std::uint64_t session = 0;  // not 0
  std::int32_t worker = 0;    // not negative
  std::string profile;        // at most 1,024 bytes of UTF-8
  std::uint64_t features = 0;
  ReadyState ready = ReadyState::ready;
  friend bool operator==(const Hello&, const Hello&) = default;
};
// `hello` keeps the rules above.
Blob write_hello(const Hello& hello);
// invalid: cut or trailing bytes, session 0, a worker below 0, a protocol version other than 3, a profile that is too long or no
// UTF-8, a ready state other than 0 and 1.
Result<Hello> read_hello(Bytes payload);

struct ControlCall {
  ControlName name = ControlName::prepare_callable;
  std::uint32_t version = control_version;  // not 0
  Bytes command;                            // valid as long as what was read
};
Blob write_control(const ControlCall& call);
// invalid: cut or trailing bytes, a name outside 1..17, version 0.
Result<ControlCall> read_control(Bytes payload);
// The name alone, for the reply to a control that cannot be read; PREPARE_CALLABLE where even that is missing (B2.10).
ControlName control_name_of(Bytes payload);

// SLR3's COMPLETION carries no result: a task that succeeded with one is answered by a CONTROL_REPLY of this name (ours; the
// bytes stay SLR3's, and an executor for the reference's controller is told not to).
inline constexpr ControlName task_result{0};

struct ControlReply {
  std::uint64_t sequence = 0;
  ControlName name = ControlName::prepare_callable;
  std::uint32_t version = control_version;
  std::int32_t code = 0;  // 0: applied
  std::string error;      // at most 4,096 bytes of UTF-8
  Bytes result;           // valid as long as what was read
};
// The error becomes well-formed UTF-8 of at most 4,096 bytes, cut between two characters, when it is written and when it is read:
// a text is never a reason to lose an answer (P-X14). invalid: cut or trailing bytes, a name above 17, version 0.
Blob write_control_reply(const ControlReply& reply);
Result<ControlReply> read_control_reply(Bytes payload);

struct Completion {
  std::uint64_t sequence = 0;
  std::int32_t code = 0;  // 0: done
  std::string error;
  friend bool operator==(const Completion&, const Completion&) = default;
};
Blob write_completion(const Completion& completion);  // the error as above
Result<Completion> read_completion(Bytes payload);

// Any text as an error text of the wire: well-formed UTF-8, at most 4,096 bytes.
std::string error_text(std::string_view text);

}  // namespace tenter::slr3
