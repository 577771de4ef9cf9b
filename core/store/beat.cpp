#include "core/store/beat.hpp"

#include <algorithm>

#include "core/check.hpp"
#include "core/store/checksum.hpp"
#include "core/text.hpp"
#include "core/wire.hpp"

namespace tenter::store {
namespace {

constexpr std::size_t checksum_offset = beat_bytes - 4;

Bytes magic() { return std::as_bytes(std::span(beat_magic.data(), beat_magic.size())); }

tl::unexpected<Error> wrong(std::string_view field, std::uint64_t offset, const std::string& found, std::string_view wanted) {
  return error(Status::invalid, "beat file: " + std::string(field) + " at offset " + text_of(offset) + " is " + found +
                                    ", wanted " + std::string(wanted));
}

Result<void> check(const Beat& beat) {
  if (beat.kind != BeatKind::core && beat.kind != BeatKind::reader) return wrong("kind", 8, text_of(number(beat.kind)), "1 or 2");
  const BeatState last = BeatState::closed;
  if (number(beat.state) < 1 || number(beat.state) > number(last))
    return wrong("state", 12, text_of(number(beat.state)), "1 to 3");
  if (is_nobodys(beat.generation)) return wrong("generation", 16, to_string(beat.generation), "one that is not all 0");
  if (is_nobodys(beat.reader) != (beat.kind == BeatKind::core))
    return wrong("reader", 32, to_string(beat.reader), "all 0 in a heartbeat, and only there");
  if (beat.period_ms == 0) return wrong("period_ms", 56, "0", "at least 1");
  return {};
}

}  // namespace

Blob encode_beat(const Beat& beat) {
  TENTER_CHECK(check(beat).has_value());
  wire::Writer writer(beat_bytes);
  writer.bytes(magic()).u32(number(beat.kind)).u32(number(beat.state));
  writer.u64(beat.generation.low).u64(beat.generation.high).u64(beat.reader.low).u64(beat.reader.high);
  writer.u64(beat.count).u32(beat.period_ms);
  writer.u32(crc32c(writer.written()));
  return writer.blob();
}

Result<Beat> decode_beat(Bytes file) {
  const std::size_t known = std::min(file.size(), magic().size());
  if (!std::equal(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(known), magic().begin()))
    return error(Status::invalid, "beat file: magic at offset 0 is not TNTRBEA1: no heartbeat and no lease");
  if (file.size() != beat_bytes)
    return error(Status::invalid, "beat file: " + text_of(std::uint64_t{file.size()}) + " bytes, wanted 64");
  const std::uint32_t sum = wire::load<std::uint32_t>(file.data() + checksum_offset), given = crc32c(file.first(checksum_offset));
  if (sum != given) return wrong("checksum", checksum_offset, text_of_hex(sum), text_of_hex(given) + ": damaged");
  wire::Reader reader(file.subspan(magic().size()));
  Beat beat;
  beat.kind = BeatKind{reader.u32()};
  beat.state = BeatState{reader.u32()};
  beat.generation = generation_of(reader.bytes(generation_bytes));
  beat.reader = generation_of(reader.bytes(generation_bytes));
  beat.count = reader.u64();
  beat.period_ms = reader.u32();
  if (auto rules = check(beat); !rules) return tl::unexpected(rules.error());
  return beat;
}

Result<Beat> decode_beat_of(Bytes file, Generation core, Generation reader) {
  auto beat = decode_beat(file);
  if (!beat) return beat;
  if (beat->generation != core)
    return error(Status::mismatch, "beat file: generation at offset 16 is " + to_string(beat->generation) + ", wanted " +
                                       to_string(core) + ": another job's");
  if (beat->reader != reader)
    return error(Status::mismatch,
                 "beat file: reader at offset 32 is " + to_string(beat->reader) + ", wanted " + to_string(reader));
  return beat;
}

}  // namespace tenter::store
