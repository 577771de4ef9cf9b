// SLR3, version 3, declared once: offsets, widths, limits, names. Spec B2; byte-compatible with the reference. All integers are
// little-endian and unaligned; a frame is its 40-byte header and its payload, nothing after.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/names.hpp"

namespace tenter::slr3 {

enum class FrameType : std::uint32_t {
  hello = 1,
  task = 2,
  control = 3,
  control_reply = 4,
  completion = 5,
  health = 6,
  shutdown = 7,
};

// The lanes of the transport: the MPI tag that a type travels with.
inline constexpr MessageTag command_tag{1}, reply_tag{2}, health_tag{3}, lifecycle_tag{4};

constexpr MessageTag tag_of(FrameType type) {
  switch (type) {
    case FrameType::task:
    case FrameType::control:
      return command_tag;
    case FrameType::control_reply:
    case FrameType::completion:
      return reply_tag;
    case FrameType::health:
      return health_tag;
    case FrameType::hello:
    case FrameType::shutdown:
      break;
  }
  return lifecycle_tag;
}
// Who may send it: the controller, or an executor.
constexpr bool from_controller(FrameType type) {
  return type == FrameType::task || type == FrameType::control || type == FrameType::shutdown;
}

constexpr std::string_view to_string(FrameType type) {
  constexpr std::string_view names[] = {"?", "HELLO", "TASK", "CONTROL", "CONTROL_REPLY", "COMPLETION", "HEALTH", "SHUTDOWN"};
  return number(type) < std::size(names) ? names[number(type)] : names[0];
}

// The 17 controls (B2.7); 18 is used by a local protocol and stays free.
enum class ControlName : std::uint32_t {
  unregister_callable = 1,
  prepare_register_callable = 2,
  commit_register_callable = 3,
  abort_register_callable = 4,
  prepare_callable = 5,
  alloc_remote_buffer = 6,
  free_remote_buffer = 7,
  copy_to_remote = 8,
  copy_from_remote = 9,
  export_buffer = 10,
  import_buffer = 11,
  release_import = 12,
  comm_init = 13,
  alloc_domain = 14,
  release_domain = 15,
  copy_to_domain = 16,
  copy_from_domain = 17,
};

constexpr std::string_view to_string(ControlName name) {
  constexpr std::string_view names[] = {"TASK",
                                        "UNREGISTER_CALLABLE",
                                        "PREPARE_REGISTER_CALLABLE",
                                        "COMMIT_REGISTER_CALLABLE",
                                        "ABORT_REGISTER_CALLABLE",
                                        "PREPARE_CALLABLE",
                                        "ALLOC_REMOTE_BUFFER",
                                        "FREE_REMOTE_BUFFER",
                                        "COPY_TO_REMOTE",
                                        "COPY_FROM_REMOTE",
                                        "EXPORT_BUFFER",
                                        "IMPORT_BUFFER",
                                        "RELEASE_IMPORT",
                                        "COMM_INIT",
                                        "ALLOC_DOMAIN",
                                        "RELEASE_DOMAIN",
                                        "COPY_TO_DOMAIN",
                                        "COPY_FROM_DOMAIN"};
  return number(name) < std::size(names) ? names[number(name)] : "?";
}

namespace layout {

struct Field {
  std::string_view name;
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
  constexpr std::uint32_t end() const { return offset + bytes; }
};

// clang-format off
inline constexpr Field magic         {"magic",          0, 4};
inline constexpr Field version       {"version",        4, 4};
inline constexpr Field type          {"type",           8, 4};
inline constexpr Field session       {"session",       12, 8};
inline constexpr Field worker        {"worker",        20, 4};
inline constexpr Field sequence      {"sequence",      24, 8};
inline constexpr Field payload_bytes {"payload bytes", 32, 4};
inline constexpr Field flags         {"flags",         36, 4};
// clang-format on
inline constexpr std::uint32_t header_bytes = 40;

static_assert(magic.end() == version.offset && version.end() == type.offset && type.end() == session.offset);
static_assert(session.end() == worker.offset && worker.end() == sequence.offset && sequence.end() == payload_bytes.offset);
static_assert(payload_bytes.end() == flags.offset && flags.end() == header_bytes);

}  // namespace layout

inline constexpr std::uint32_t frame_magic = 0x3352'4C53;  // the bytes S L R 3
inline constexpr std::uint32_t frame_version = 3;
inline constexpr std::uint32_t group_target_flag = 1;  // accepted and without effect from point to point
inline constexpr std::uint32_t control_version = 1;
inline constexpr std::uint32_t domain_control_version = 2;  // of COMM_INIT

inline constexpr std::uint32_t payload_bytes_max = 16'777'216;
inline constexpr std::uint32_t frame_bytes_max = payload_bytes_max + layout::header_bytes;
inline constexpr std::uint32_t string_bytes_max = 1'024;      // profile in HELLO
inline constexpr std::uint32_t prefix_bytes_max = 1'023;      // output prefix: the reference's decoder refuses 1,024 (B2.6 b)
inline constexpr std::uint32_t error_text_bytes_max = 4'096;  // bytes, not characters (B2.9)
inline constexpr std::uint32_t tensors_max = 4'096, scalars_max = 4'096;
inline constexpr std::uint32_t inline_bytes_max = 1'048'576;
inline constexpr std::uint32_t transport_profile_bytes_max = 128, transport_descriptor_bytes_max = 4'096;
inline constexpr std::uint32_t dimensions_max = 5;
inline constexpr std::uint32_t callable_digest_bytes = 32;
inline constexpr std::uint32_t control_head_bytes = 12, control_reply_head_bytes = 28, completion_head_bytes = 16;
inline constexpr std::uint32_t copy_head_bytes = 36;

static_assert(frame_bytes_max == 16'777'256);

}  // namespace tenter::slr3
