// How the decoders refuse: what was read, the field, its offset, its value, the rule.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "core/blob.hpp"
#include "core/error.hpp"
#include "core/text.hpp"

namespace tenter::slr3 {

inline tl::unexpected<Error> wrong(std::string_view what, std::string_view field, std::size_t offset, const std::string& value,
                                   std::string_view rule) {
  return error(Status::invalid, std::string(what) + ": " + std::string(field) + " at offset " + text_of(std::uint64_t{offset}) +
                                    " is " + value + ", " + std::string(rule));
}
inline tl::unexpected<Error> cut(std::string_view what, Bytes bytes) {
  return error(Status::invalid, std::string(what) + ": its fields do not end exactly at its " +
                                    text_of(std::uint64_t{bytes.size()}) + " bytes, or a length is above its limit");
}

}  // namespace tenter::slr3
