// The page, version 1, declared once: offsets, widths, legal values, who writes. Spec B2; byte-compatible with the reference.
// All integers are little-endian.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/names.hpp"

namespace tenter::mailbox {

enum class GroupState : std::uint32_t { initializing = 0, ready = 1, terminal = 2, closed = 3 };

enum class RequestState : std::uint32_t {
  idle = 0,
  request_ready = 1,
  task_accepted = 2,
  task_done = 3,
  task_failed = 4,
  shutdown_ready = 5,
  shutdown_done = 6,
};

enum class Opcode : std::uint32_t { task = 1, control = 2, ping = 3, shutdown = 4 };
enum class Target : std::uint32_t { group = 1, rank = 2, per_rank = 3 };

// "?" for a value that is none of them.
constexpr const char* to_string(GroupState state) {
  switch (state) {
    case GroupState::initializing:
      return "INITIALIZING";
    case GroupState::ready:
      return "READY";
    case GroupState::terminal:
      return "TERMINAL";
    case GroupState::closed:
      return "CLOSED";
  }
  return "?";
}
constexpr const char* to_string(RequestState state) {
  switch (state) {
    case RequestState::idle:
      return "IDLE";
    case RequestState::request_ready:
      return "REQUEST_READY";
    case RequestState::task_accepted:
      return "TASK_ACCEPTED";
    case RequestState::task_done:
      return "TASK_DONE";
    case RequestState::task_failed:
      return "TASK_FAILED";
    case RequestState::shutdown_ready:
      return "SHUTDOWN_READY";
    case RequestState::shutdown_done:
      return "SHUTDOWN_DONE";
  }
  return "?";
}
constexpr const char* to_string(Opcode opcode) {
  switch (opcode) {
    case Opcode::task:
      return "TASK";
    case Opcode::control:
      return "CONTROL";
    case Opcode::ping:
      return "PING";
    case Opcode::shutdown:
      return "SHUTDOWN";
  }
  return "?";
}
constexpr const char* to_string(Target target) {
  switch (target) {
    case Target::group:
      return "GROUP";
    case Target::rank:
      return "RANK";
    case Target::per_rank:
      return "PER_RANK";
  }
  return "?";
}

// One field of the header: where it is, how wide, and whether it is signed.
struct Field {
  std::string_view name;
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
  bool is_signed = false;
  constexpr std::uint32_t end() const { return offset + bytes; }
};

namespace layout {

// clang-format off
inline constexpr Field magic          {"magic",            0,   8, false};
inline constexpr Field version        {"version",          8,   4, false};
inline constexpr Field header_size    {"header_bytes",    12,   4, false};
inline constexpr Field page_size      {"page_bytes",      16,   8, false};
inline constexpr Field world          {"world",           24,   4, false};
inline constexpr Field group_state    {"group_state",     28,   4, true};
inline constexpr Field request_state  {"request_state",   32,   4, true};
inline constexpr Field gap            {"gap",             36,   4, false};
inline constexpr Field sequence       {"sequence",        40,   8, false};
inline constexpr Field opcode         {"opcode",          48,   4, false};
inline constexpr Field target         {"target",          52,   4, false};
inline constexpr Field target_rank    {"target_rank",     56,   4, true};
inline constexpr Field request_count  {"request_count",   60,   4, false};
inline constexpr Field request_length {"request_bytes",   64,   4, false};
inline constexpr Field response_count {"response_count",  68,   4, false};
inline constexpr Field response_length{"response_bytes",  72,   4, false};
inline constexpr Field error_length   {"error_bytes",     76,   4, false};
inline constexpr Field reserved       {"reserved",        80, 176, false};
// clang-format on

inline constexpr Field fields[] = {
    magic,  version, header_size, page_size,     world,          group_state,    request_state,   gap,          sequence,
    opcode, target,  target_rank, request_count, request_length, response_count, response_length, error_length, reserved};

constexpr bool fields_are_contiguous() {
  std::uint32_t at = 0;
  for (const Field& field : fields) {
    if (field.offset != at) return false;
    at = field.end();
  }
  return at == 256;
}
static_assert(fields_are_contiguous());

inline constexpr std::string_view magic_bytes{"SMPIBOX\0", 8};
inline constexpr std::uint32_t protocol_version = 1;
inline constexpr std::uint32_t header_bytes = 256;
inline constexpr std::uint32_t vector_bytes_max = 16'777'216;
inline constexpr std::uint32_t error_bytes_max = 65'536;
inline constexpr std::uint64_t request_vector = header_bytes;
inline constexpr std::uint64_t response_vector = request_vector + vector_bytes_max;
inline constexpr std::uint64_t error_area = response_vector + vector_bytes_max;
inline constexpr std::uint64_t page_bytes = error_area + error_bytes_max;
static_assert(response_vector == 16'777'472 && error_area == 33'554'688 && page_bytes == 33'620'224);

// What the parent writes for a request: sequence .. response_length. The error length beside it is a word of its own.
inline constexpr std::uint64_t request_fields = sequence.offset;
inline constexpr std::uint64_t request_fields_bytes = error_length.offset - sequence.offset;
static_assert(request_fields_bytes == 36);

}  // namespace layout

// The words that are touched with release and acquire, and never otherwise.
inline constexpr Word group_word{layout::group_state.offset};
inline constexpr Word request_word{layout::request_state.offset};
inline constexpr Word error_length_word{layout::error_length.offset};

// No word of the page ever holds this value, so a watch for it is a load: it answers at once with what is there.
inline constexpr std::uint32_t impossible_value = 0xFFFF'FFFFu;

// A frame's payload, so that one frame alone always fits a vector: 4 count + 4 length + 40 frame header.
inline constexpr std::uint32_t frame_header_bytes = 40;
inline constexpr std::uint32_t frame_payload_max = layout::vector_bytes_max - 8 - frame_header_bytes;
static_assert(frame_payload_max == 16'777'168);

}  // namespace tenter::mailbox
