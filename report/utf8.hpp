// UTF-8 as output formats need it: made valid, and measured.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace tenter::report {

// `text` with every byte that is part of no well-formed sequence (RFC 3629: no overlong form, no surrogate, at most U+10FFFF)
// replaced by U+FFFD.
std::string valid_utf8(std::string_view text);

// Code points in `text`, which is how many columns a terminal needs for it (wide and combining characters are not treated).
std::size_t columns_of(std::string_view text);

}  // namespace tenter::report
