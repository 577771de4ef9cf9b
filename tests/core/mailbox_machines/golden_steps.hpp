// The events that the golden tables of Channel, Dispatcher and Member are made of: a world of two ranks; one request, number 1,
// is or was in the lane.
#pragma once
#include "tests/core/golden.hpp"

#include "core/mailbox/channel.hpp"
#include "core/mailbox/dispatcher.hpp"
#include "core/mailbox/envelope.hpp"
#include "core/mailbox/error_list.hpp"
#include "core/mailbox/member.hpp"
#include "core/mailbox/operation.hpp"
#include "core/mailbox/vector.hpp"
#include "core/wire.hpp"

namespace tenter::mailbox::test {
using tenter::test::GoldenTable;

inline constexpr Time now{1'000};
inline constexpr std::uint32_t nonsense = 77;

template <class M>
M after(M machine, std::initializer_list<Event> events) {
  Outbox out;
  for (const Event& e : events) EXPECT_TRUE(deliver(machine, e, out)) << name_of(e);
  return machine;
}

inline Event word(auto kind, Word which, std::uint32_t value, std::uint64_t sequence = 0, std::uint32_t index = 0) {
  return event::WordChanged{now, operation(kind, sequence, index), which, value};
}
inline Event copied(auto kind, Blob content, std::uint64_t sequence = 0, std::uint32_t index = 0) {
  return event::Copied{now, operation(kind, sequence, index), std::move(content)};
}
inline Event swapped(auto kind, std::uint32_t seen, std::uint64_t sequence = 0, std::uint32_t index = 0) {
  return event::Swapped{now, operation(kind, sequence, index), seen};
}
inline Event fired(auto kind) { return event::TimerFired{now, operation(kind)}; }
inline Event told(Role from, Note note) { return event::Told{now, from, std::move(note)}; }
inline Event submitted(Opcode opcode, std::size_t payloads = 1) {
  return event::Submitted{now, Ticket{9}, request_note({opcode, Target::group, -1, {}, Parts(std::vector<Blob>(payloads))})};
}
inline Blob bytes_of(std::initializer_list<std::uint32_t> values) {
  wire::Writer writer;
  for (const std::uint32_t value : values) writer.u32(value);
  return writer.blob();
}
inline Blob an_error() { return encode_error(1, "Stopped", "pid 99 is stopped"); }

inline constexpr auto initializing = number(GroupState::initializing);
inline constexpr auto ready = number(GroupState::ready);
inline constexpr auto terminal = number(GroupState::terminal);
inline constexpr auto closed_group = number(GroupState::closed);
inline constexpr auto idle = number(RequestState::idle);
inline constexpr auto request_ready = number(RequestState::request_ready);
inline constexpr auto accepted = number(RequestState::task_accepted);
inline constexpr auto done = number(RequestState::task_done);
inline constexpr auto failed = number(RequestState::task_failed);
inline constexpr auto shutdown_ready = number(RequestState::shutdown_ready);
inline constexpr auto shutdown_done = number(RequestState::shutdown_done);

inline Parts records(Outcome second, Outcome first = Outcome::done) {
  return Parts{write_record({0, first, "T", "m", {}}), write_record({1, second, "T", "m", {}})};
}

}  // namespace tenter::mailbox::test
