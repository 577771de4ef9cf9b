#include "core/slr3/frame.hpp"

#include <algorithm>
#include <string>

#include "core/text.hpp"
#include "core/wire.hpp"

namespace tenter::slr3 {
namespace {

tl::unexpected<Error> wrong_field(const layout::Field& field, std::uint64_t value, std::string_view rule) {
  return error(Status::invalid, "frame: " + std::string(field.name) + " at offset " + text_of(field.offset) + " is " +
                                    text_of(value) + ", " + std::string(rule));
}

std::uint32_t u32_of(Bytes bytes, const layout::Field& field) { return wire::load<std::uint32_t>(bytes.data() + field.offset); }
std::uint64_t u64_of(Bytes bytes, const layout::Field& field) { return wire::load<std::uint64_t>(bytes.data() + field.offset); }

}  // namespace

Result<Blob> write_frame(FrameType type, const FrameIdentity& identity, Bytes payload, std::uint32_t flags) {
  if (payload.size() > payload_bytes_max) return wrong_field(layout::payload_bytes, payload.size(), "more than 16777216");
  if ((flags & ~group_target_flag) != 0) return wrong_field(layout::flags, flags, "only bit 0 is known");
  return Blob(layout::header_bytes + payload.size(), [&](MutableBytes to) {
    std::byte* const at = to.data();
    wire::store(at + layout::magic.offset, frame_magic);
    wire::store(at + layout::version.offset, frame_version);
    wire::store(at + layout::type.offset, number(type));
    wire::store(at + layout::session.offset, identity.session);
    wire::store(at + layout::worker.offset, static_cast<std::uint32_t>(identity.worker));
    wire::store(at + layout::sequence.offset, identity.sequence);
    wire::store(at + layout::payload_bytes.offset, static_cast<std::uint32_t>(payload.size()));
    wire::store(at + layout::flags.offset, flags);
    std::copy(payload.begin(), payload.end(), at + layout::header_bytes);
  });
}

Result<Frame> read_frame(Bytes bytes) {
  if (bytes.size() < layout::header_bytes)
    return error(Status::invalid, "frame: " + text_of(std::uint64_t{bytes.size()}) + " bytes are fewer than the header's 40");
  if (const auto magic = u32_of(bytes, layout::magic); magic != frame_magic) return wrong_field(layout::magic, magic, "not SLR3");
  if (const auto version = u32_of(bytes, layout::version); version != frame_version)
    return wrong_field(layout::version, version, "expected 3");
  const std::uint32_t type = u32_of(bytes, layout::type);
  if (type < 1 || type > 7) return wrong_field(layout::type, type, "expected 1 to 7");
  const std::uint32_t flags = u32_of(bytes, layout::flags);
  if ((flags & ~group_target_flag) != 0) return wrong_field(layout::flags, flags, "only bit 0 is known");
  const std::uint32_t length = u32_of(bytes, layout::payload_bytes);
  if (length > payload_bytes_max) return wrong_field(layout::payload_bytes, length, "more than 16777216");
  if (length != bytes.size() - layout::header_bytes)
    return wrong_field(layout::payload_bytes, length,
                       text_of(std::uint64_t{bytes.size() - layout::header_bytes}) + " bytes follow the header");
  Frame frame;
  frame.type = FrameType{type};
  frame.identity = {u64_of(bytes, layout::session), static_cast<std::int32_t>(u32_of(bytes, layout::worker)),
                    u64_of(bytes, layout::sequence)};
  frame.flags = flags;
  frame.payload = bytes.subspan(layout::header_bytes);
  return frame;
}

std::string describe(FrameType type, const FrameIdentity& identity) {
  return std::string(to_string(type)) + " of session " + text_of_hex(identity.session) + ", worker " + text_of(identity.worker) +
         ", sequence " + text_of(identity.sequence);
}

}  // namespace tenter::slr3
