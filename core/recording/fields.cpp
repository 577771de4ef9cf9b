#include "core/recording/fields.hpp"

namespace tenter::recording {

std::uint64_t get_varint(wire::Reader& from, bool& ok) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const std::uint8_t byte = from.u8();
    if (!from.ok() || (shift == 63 && byte > 1)) break;
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  ok = false;
  return 0;
}

}  // namespace tenter::recording
