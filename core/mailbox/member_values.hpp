// What a Member keeps and computes: who it is, what a round asks of this rank, how its result becomes a record. No step of the
// protocol.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/blob.hpp"
#include "core/describe.hpp"
#include "core/error.hpp"
#include "core/event.hpp"
#include "core/mailbox/frame.hpp"
#include "core/mailbox/layout.hpp"
#include "core/mailbox/manifest.hpp"
#include "core/names.hpp"

namespace tenter::mailbox {

inline constexpr Communicator dispatch_communicator{1};  // rounds
inline constexpr Communicator domain_communicator{2};    // descriptor exchange of the communication domain

// The operations of a Member (operation.hpp); those of a round carry its number as sequence. patience is a timer.
enum class MemberOperation : std::uint8_t {
  describe = 1,        // host, pid and start time
  report,              // file rank-K
  load,                // file manifest, rank 0
  distribute,          // bcast of the manifest
  duplicate_dispatch,  // of the world
  duplicate_domain,    // of the world
  agree,               // allgather of readiness
  explain,             // file start-failure, rank 0
  announce,            // bcast of the outcome of the start
  round,               // bcast of an envelope
  execute,             // a callable
  gather,              // of the records
  free_domain,
  free_dispatch,
  patience,  // rank 0, after TERMINAL
};

// Whose reply a callable's result becomes.
struct ReplyTo {
  FrameIdentity identity;                   // the request's, restored in the reply
  ControlName control = slr3::task_result;  // that: of a task
  friend bool operator==(const ReplyTo&, const ReplyTo&) = default;
  TENTER_DESCRIBE(reply_to, identity, control)
};

// What a round asks of this rank: to leave, to execute, or nothing but `record`.
struct Assignment {
  bool leave = false;
  Opcode opcode = Opcode::ping;
  bool execute = false;
  Blob callable;  // a task: its 32-byte digest; a control: "control/N"
  Blob argument;  // a task: task_argument(); a control: its command bytes
  ReplyTo reply_to;
  Blob record;  // when there is nothing to execute
};

// Never fails: an envelope that breaks its format is a transport error of this rank, a payload that does an application error
// (spec C8 IN5); both are in the record. A control is checked by number, version, flag and target (C5.2).
Assignment assign(Bytes envelope, std::uint32_t rank, std::uint32_t world);

// A callable's end as this rank's record. Over the page's limit, a reply is this rank's application error.
Blob record_of_reply(std::uint32_t rank, const ReplyTo& to, Status status, const Blob& reply);

// Start-up. mismatch: the manifest is for another page or another world.
Result<Manifest> check_manifest(const Blob& content, std::uint32_t world);
// What rank 0 broadcasts when it has no manifest; check_manifest() gives back the cause on every rank.
Blob unreadable_manifest(const Blob& cause);
Blob report_trouble(const Blob& cause);
Blob readiness_of(std::uint32_t rank, ProcessId self, const Blob& trouble);
// Why the start fails: an error list; empty when every rank is ready.
Blob readiness_reasons(const Parts& all, std::uint32_t world);

}  // namespace tenter::mailbox
