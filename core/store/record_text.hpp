// The one way in which a record's errors are worded: what is judged, the field, its offset in the file, found and wanted.
#pragma once
#include <optional>
#include <string>

#include "core/error.hpp"
#include "core/store/layout.hpp"
#include "core/text.hpp"

namespace tenter::store {

// Which part of a record file a field belongs to.
struct Part {
  std::uint64_t offset = 0;           // of the header or the rank's record in what is judged
  std::optional<std::uint32_t> rank;  // nothing: the header
};

inline constexpr Part header_part{0, std::nullopt};
constexpr Part rank_part(std::uint32_t rank) { return {layout::header_bytes + std::uint64_t{rank} * layout::record_bytes, rank}; }

inline std::string place_of(Part part, const Field& field) {
  return "record file: " + (part.rank ? "rank " + text_of(*part.rank) + ": " : std::string()) + std::string(field.name) +
         " at offset " + text_of(part.offset + field.offset);
}

inline tl::unexpected<Error> wrong(Status status, Part part, const Field& field, std::string found, std::string_view wanted) {
  return error(status, place_of(part, field) + " is " + std::move(found) + ", wanted " + std::string(wanted));
}
inline tl::unexpected<Error> wrong(Part part, const Field& field, std::uint64_t found, std::string_view wanted) {
  return wrong(Status::invalid, part, field, text_of(found), wanted);
}

}  // namespace tenter::store
