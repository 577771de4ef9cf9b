#include "core/slr3/message.hpp"

#include "core/slr3/refusal.hpp"
#include "core/text.hpp"
#include "core/utf8.hpp"
#include "core/wire.hpp"

namespace tenter::slr3 {
namespace {

std::string_view text_of_bytes(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

Result<std::string> text_field(std::string_view payload, std::string_view field, std::size_t offset, Bytes bytes) {
  const std::string_view text = text_of_bytes(bytes);
  if (const std::size_t end = text.empty() ? 0 : utf8_run(text, 0); end != text.size())
    return wrong(payload, field, offset + 4 + end, "no UTF-8", "texts are UTF-8");
  return std::string(text);
}

}  // namespace

std::string error_text(std::string_view text) {
  // Repairing may triple what is there, so only what can matter is repaired; the cut inside a character falls behind the limit.
  const std::string repaired = utf8_repaired(text.substr(0, error_text_bytes_max + 4));
  return std::string(utf8_cut(repaired, error_text_bytes_max));
}

Blob write_hello(const Hello& hello) {
  wire::Writer writer(32 + hello.profile.size());
  writer.u64(hello.session).i32(hello.worker).u32(frame_version).counted(hello.profile);
  return writer.u64(hello.features).u32(number(hello.ready)).blob();
}

Result<Hello> read_hello(Bytes payload) {
  wire::Reader reader(payload);
  Hello hello;
  hello.session = reader.u64();
  hello.worker = reader.i32();
  const std::uint32_t version = reader.u32();
  const Bytes profile = reader.counted(string_bytes_max);
  hello.features = reader.u64();
  const std::uint32_t ready = reader.u32();
  if (!reader.at_end()) return cut("HELLO", payload);
  if (hello.session == 0) return wrong("HELLO", "session", 0, "0", "never 0");
  if (hello.worker < 0) return wrong("HELLO", "worker", 8, text_of(hello.worker), "never negative");
  if (version != frame_version) return wrong("HELLO", "protocol version", 12, text_of(version), "expected 3");
  if (ready > 1) return wrong("HELLO", "ready state", payload.size() - 4, text_of(ready), "expected 0 or 1");
  auto text = text_field("HELLO", "profile", 16, profile);
  if (!text) return tl::unexpected(text.error());
  hello.profile = std::move(*text);
  hello.ready = ReadyState{ready};
  return hello;
}

Blob write_control(const ControlCall& call) {
  wire::Writer writer(control_head_bytes + call.command.size());
  return writer.u32(number(call.name)).u32(call.version).counted(call.command).blob();
}

Result<ControlCall> read_control(Bytes payload) {
  wire::Reader reader(payload);
  ControlCall call;
  const std::uint32_t name = reader.u32();
  call.version = reader.u32();
  call.command = reader.counted(payload_bytes_max);
  if (!reader.at_end()) return cut("CONTROL", payload);
  if (name < 1 || name > 17) return wrong("CONTROL", "name", 0, text_of(name), "expected 1 to 17");
  if (call.version == 0) return wrong("CONTROL", "version", 4, "0", "never 0");
  call.name = ControlName{name};
  return call;
}

ControlName control_name_of(Bytes payload) {
  if (payload.size() < 4) return ControlName::prepare_callable;
  const auto name = wire::load<std::uint32_t>(payload.data());
  return name >= 1 && name <= 17 ? ControlName{name} : ControlName::prepare_callable;
}

Blob write_control_reply(const ControlReply& reply) {
  wire::Writer writer(control_reply_head_bytes + reply.error.size() + reply.result.size());
  writer.u64(reply.sequence).u32(number(reply.name)).u32(reply.version).i32(reply.code);
  return writer.counted(error_text(reply.error)).counted(reply.result).blob();
}

Result<ControlReply> read_control_reply(Bytes payload) {
  wire::Reader reader(payload);
  ControlReply reply;
  reply.sequence = reader.u64();
  const std::uint32_t name = reader.u32();
  reply.version = reader.u32();
  reply.code = reader.i32();
  const Bytes text = reader.counted(error_text_bytes_max);
  reply.result = reader.counted(payload_bytes_max);
  if (!reader.at_end()) return cut("CONTROL_REPLY", payload);
  if (name > 17) return wrong("CONTROL_REPLY", "name", 8, text_of(name), "expected 0 to 17");
  if (reply.version == 0) return wrong("CONTROL_REPLY", "version", 12, "0", "never 0");
  reply.name = ControlName{name};
  reply.error = error_text(text_of_bytes(text));
  return reply;
}

Blob write_completion(const Completion& completion) {
  wire::Writer writer(completion_head_bytes + completion.error.size());
  return writer.u64(completion.sequence).i32(completion.code).counted(error_text(completion.error)).blob();
}

Result<Completion> read_completion(Bytes payload) {
  wire::Reader reader(payload);
  Completion completion;
  completion.sequence = reader.u64();
  completion.code = reader.i32();
  const Bytes text = reader.counted(error_text_bytes_max);
  if (!reader.at_end()) return cut("COMPLETION", payload);
  completion.error = error_text(text_of_bytes(text));
  return completion;
}

}  // namespace tenter::slr3
