// What the two ends of a carrier over byte streams (over_streams.hpp) say before the first message, and how messages are framed.
// All integers little-endian, no padding.
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/blob.hpp"
#include "core/control/hidden.hpp"
#include "core/describe.hpp"
#include "core/error.hpp"
#include "core/names.hpp"

namespace tenter::control {

inline constexpr std::uint32_t carrier_magic = 0x5254'4E54;  // "TNTR"
inline constexpr std::uint32_t carrier_version = 1;
inline constexpr std::uint32_t carrier_token_bytes_max = 256;

enum class StreamLane : std::uint32_t { command, health };
inline constexpr std::uint32_t lanes = 2;
constexpr std::string_view to_string(StreamLane lane) { return lane == StreamLane::command ? "command" : "health"; }

// The first bytes of a connection, then `token_bytes` of token. Sent by who connects.
struct CarrierHelloLayout {
  std::uint32_t magic, version;
  std::uint64_t session;
  std::uint32_t rank, world, lane, token_bytes;
};
static_assert(sizeof(CarrierHelloLayout) == 32);
static_assert(offsetof(CarrierHelloLayout, session) == 8 && offsetof(CarrierHelloLayout, rank) == 16);
static_assert(offsetof(CarrierHelloLayout, lane) == 24 && offsetof(CarrierHelloLayout, token_bytes) == 28);
inline constexpr std::uint32_t carrier_hello_bytes = sizeof(CarrierHelloLayout);

// The answer, once the whole world is there: magic, world.
inline constexpr std::uint32_t carrier_welcome_bytes = 8;

// Before each message: its tag and its bytes.
struct MessageHeadLayout {
  std::uint32_t tag, bytes;
};
static_assert(sizeof(MessageHeadLayout) == 8 && offsetof(MessageHeadLayout, bytes) == 4);
inline constexpr std::uint32_t message_head_bytes = sizeof(MessageHeadLayout);

struct CarrierHello {
  std::uint64_t session = 0;
  std::uint32_t rank = 0, world = 0;
  StreamLane lane = StreamLane::command;
  Hidden token;
  friend bool operator==(const CarrierHello&, const CarrierHello&) = default;
  TENTER_DESCRIBE(carrier_hello, session, rank, world, lane, token)
};

Blob write_carrier_hello(const CarrierHello& hello);
// Bytes of the token that follows a head of carrier_hello_bytes. invalid: the text names the field.
Result<std::uint32_t> carrier_token_length(Bytes head);
// Head and token. invalid (the format) or mismatch (the version); the token is in no text.
Result<CarrierHello> read_carrier_hello(Bytes whole);

Blob write_carrier_welcome(std::uint32_t world);
Result<std::uint32_t> read_carrier_welcome(Bytes bytes);  // the world

Blob write_message_head(MessageTag tag, std::uint32_t bytes);
struct MessageHead {
  MessageTag tag{};
  std::uint32_t bytes = 0;
};
MessageHead read_message_head(Bytes head);  // of message_head_bytes

}  // namespace tenter::control
