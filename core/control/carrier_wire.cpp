#include "core/control/carrier_wire.hpp"

#include "core/text.hpp"
#include "core/wire.hpp"

namespace tenter::control {
namespace {

tl::unexpected<Error> no_hello(const std::string& what, Status status = Status::invalid) {
  return error(status, "carrier hello: " + what);
}

}  // namespace

Blob write_carrier_hello(const CarrierHello& hello) {
  wire::Writer writer;
  writer.u32(carrier_magic).u32(carrier_version).u64(hello.session).u32(hello.rank).u32(hello.world);
  return writer.u32(number(hello.lane)).counted(hello.token.span()).blob();
}

Result<std::uint32_t> carrier_token_length(Bytes head) {
  wire::Reader reader(head);
  if (reader.u32() != carrier_magic) return no_hello("the first bytes are not TNTR");
  const std::uint32_t version = reader.u32();
  if (version != carrier_version) return no_hello("version " + text_of(version) + ", expected 1", Status::mismatch);
  (void)reader.bytes(offsetof(CarrierHelloLayout, token_bytes) - offsetof(CarrierHelloLayout, session));
  const std::uint32_t bytes = reader.u32();
  if (!reader.at_end() || bytes > carrier_token_bytes_max) return no_hello("a token of " + text_of(bytes) + " bytes");
  return bytes;
}

Result<CarrierHello> read_carrier_hello(Bytes whole) {
  if (whole.size() < carrier_hello_bytes) return no_hello("it is cut short");
  const auto token_bytes = carrier_token_length(whole.first(carrier_hello_bytes));
  if (!token_bytes) return tl::unexpected(token_bytes.error());
  if (whole.size() != carrier_hello_bytes + *token_bytes) return no_hello("its token is cut short");
  wire::Reader reader(whole.subspan(offsetof(CarrierHelloLayout, session)));
  CarrierHello hello;
  hello.session = reader.u64();
  hello.rank = reader.u32();
  hello.world = reader.u32();
  const std::uint32_t lane = reader.u32();
  const Bytes token = reader.counted(carrier_token_bytes_max);
  if (lane >= lanes) return no_hello("lane " + text_of(lane));
  hello.lane = StreamLane{lane};
  hello.token = Hidden({reinterpret_cast<const char*>(token.data()), token.size()});
  return hello;
}

Blob write_carrier_welcome(std::uint32_t world) { return wire::Writer().u32(carrier_magic).u32(world).blob(); }

Result<std::uint32_t> read_carrier_welcome(Bytes bytes) {
  wire::Reader reader(bytes);
  if (reader.u32() != carrier_magic) return error(Status::invalid, "carrier welcome: the first bytes are not TNTR");
  const std::uint32_t world = reader.u32();
  if (!reader.at_end()) return error(Status::invalid, "carrier welcome: not of 8 bytes");
  return world;
}

Blob write_message_head(MessageTag tag, std::uint32_t bytes) { return wire::Writer().u32(number(tag)).u32(bytes).blob(); }

MessageHead read_message_head(Bytes head) {
  wire::Reader reader(head);
  const MessageTag tag{reader.u32()};
  return {tag, reader.u32()};
}

}  // namespace tenter::control
