// The names that cross the seam: strong integers, never pointers, so that they can be logged, compared, replayed and sent
// to another process.
#pragma once
#include <compare>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tenter {

enum class Rank : std::uint32_t {};          // position in a communicator, 0-based
enum class Op : std::uint64_t {};            // one outstanding operation of one machine; the machine chooses the number
enum class Ticket : std::uint64_t {};        // one call of a user thread, until it is completed
enum class Word : std::uint32_t {};          // byte offset of an aligned 4-byte word in the shared page
enum class Communicator : std::uint32_t {};  // a named communicator of this process; 0 is the world
enum class Endpoint : std::uint32_t {};      // an open fabric of this process; used once
enum class Region : std::uint32_t {};        // registered memory of this process; used once
enum class Peer : std::uint32_t {};          // an inserted address of one endpoint; used once
enum class Buffer : std::uint32_t {};        // a caller's memory; the runtime names it
enum class MessageTag : std::uint32_t {};    // kind of a message, as its receiver sees it
enum class Listener : std::uint32_t {};      // a listening address of this process; used once
enum class Connection : std::uint32_t {};    // a byte stream of this process; used once
enum class Role : std::uint16_t {};          // which machine of a process
enum class Time : std::int64_t {};           // nanoseconds on the process's own steady clock
enum class Duration : std::int64_t {};       // nanoseconds

inline constexpr Communicator world_communicator{0};
inline constexpr Buffer no_buffer{0};
inline constexpr Rank no_rank{std::numeric_limits<std::uint32_t>::max()};
inline constexpr Role no_role{std::numeric_limits<std::uint16_t>::max()};
inline constexpr Time end_of_time{std::numeric_limits<std::int64_t>::max()};

template <class E>
requires std::is_enum_v<E>
constexpr auto number(E name) { return static_cast<std::underlying_type_t<E>>(name); }

constexpr Time operator+(Time t, Duration d) {
  const std::int64_t room = number(end_of_time) - (number(t) > 0 ? number(t) : 0);
  return number(d) >= room ? end_of_time : Time{number(t) + number(d)};
}
constexpr Duration operator-(Time a, Time b) { return Duration{number(a) - number(b)}; }
constexpr Duration operator*(Duration d, std::int64_t n) { return Duration{number(d) * n}; }
constexpr Duration operator+(Duration a, Duration b) { return Duration{number(a) + number(b)}; }

constexpr Duration nanoseconds(std::int64_t n) { return Duration{n}; }
constexpr Duration microseconds(std::int64_t n) { return Duration{n * 1'000}; }
constexpr Duration milliseconds(std::int64_t n) { return Duration{n * 1'000'000}; }
constexpr Duration seconds(std::int64_t n) { return Duration{n * 1'000'000'000}; }

// Names a process for longer than its pid lives: a pid is reused, a pid with its start time is not.
// start_time: clock ticks since boot, field 22 of /proc/<pid>/stat (proc(5)); 0 when unknown.
struct ProcessId {
  std::uint64_t pid = 0;
  std::uint64_t start_time = 0;
  friend constexpr auto operator<=>(const ProcessId&, const ProcessId&) = default;
};

// How an operation ended. A machine may branch on it; the text for people is built by whoever reports it.
enum class Status : std::uint8_t {
  ok,
  failed,       // it was tried and refused; the event's text says why
  timed_out,    // nobody answered within the time that the caller gave
  not_found,    // the name does not exist
  exists,       // the name is taken
  no_space,     // memory, disk or /dev/shm is full
  denied,       // permission, or owned by someone else
  invalid,      // content that breaks its format
  peer_lost,    // the other side is gone
  mismatch,     // versions, sizes or counts differ between the sides
  cancelled,    // the caller withdrew it
  unavailable,  // not in a state to do this now
};

constexpr const char* to_string(Status status) {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::failed:
      return "failed";
    case Status::timed_out:
      return "timed_out";
    case Status::not_found:
      return "not_found";
    case Status::exists:
      return "exists";
    case Status::no_space:
      return "no_space";
    case Status::denied:
      return "denied";
    case Status::invalid:
      return "invalid";
    case Status::peer_lost:
      return "peer_lost";
    case Status::mismatch:
      return "mismatch";
    case Status::cancelled:
      return "cancelled";
    case Status::unavailable:
      return "unavailable";
  }
  return "?";
}

}  // namespace tenter
