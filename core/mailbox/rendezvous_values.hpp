// What a Rendezvous keeps, and the texts of its answers. No step of the protocol.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/blob.hpp"
#include "core/describe.hpp"
#include "core/error.hpp"
#include "core/event.hpp"
#include "core/mailbox/join.hpp"
#include "core/names.hpp"

namespace tenter::mailbox {

inline constexpr std::size_t batches_max = 16;    // gathering or exchanging at once
inline constexpr std::size_t directed_max = 256;  // directed requests at the channel at once
inline constexpr std::size_t finished_max = 32;   // dispatched batches that are remembered, to refuse their late members

// sequence of the operation: Arrival::number
enum class RendezvousOperation : std::uint8_t { patience = 1 };

// A member that is there. `number` is unique, also if the same rank comes again after a time-out.
struct Arrival {
  std::uint64_t number = 0;
  Ticket ticket{};
  Duration patience{};
  Blob payload;  // empty once the batch was dispatched
  friend bool operator==(const Arrival&, const Arrival&) = default;
  TENTER_DESCRIBE(arrival, number, ticket, patience, payload)
};

struct Batch {
  BatchId id;
  std::uint64_t exchange = 0;  // 0: gathering; else the ticket of the request at the channel
  std::uint32_t arrived = 0;
  std::vector<std::optional<Arrival>> members;  // one a rank; absent is absent, not empty (spec C4, G6)
  friend bool operator==(const Batch&, const Batch&) = default;
  TENTER_DESCRIBE(batch, id, exchange, arrived, members)
};

struct Directed {
  std::uint64_t exchange = 0;
  std::uint32_t rank = 0;
  Ticket ticket{};
  friend bool operator==(const Directed&, const Directed&) = default;
  TENTER_DESCRIBE(directed, exchange, rank, ticket)
};

// Why a member is refused before anything is kept; nothing when it is fine.
std::optional<Error> check_join(const Join& join, std::uint32_t world);

Error too_many_batches(const Join& join);
Error too_many_directed(const Join& join);
Error already_dispatched(const Join& join);
Error duplicate_member(const Join& join);
Error ended_error(const Join& join, const Blob& reason);
Error timed_out(const Batch& batch, std::uint32_t rank);
Error ended_while_gathering(const Batch& batch, std::uint32_t rank, const Blob& reason);

// Answers to members.
Note refused(const Error& error);
Note directed_outcome(const Note& answer, std::uint32_t rank);
// Of one member out of the answer for all: its own reply, its own rank's error, or which other rank's error took its reply along
// (spec B5: any rank's failure fails the operation; the page carries no replies of a failed one).
Note member_outcome(const Note& answer, std::uint32_t rank, std::uint32_t world);

// Requests to the channel.
Note group_request(std::uint64_t ticket, Duration budget, Parts payloads);
Note directed_request(std::uint64_t ticket, std::uint32_t rank, Duration budget, Blob payload);

}  // namespace tenter::mailbox
