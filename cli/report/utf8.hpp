// UTF-8 as a terminal needs it: measured. Made valid it is by core/utf8.hpp.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace tenter::report {

// Code points in `text`, which is how many columns a terminal needs for it (wide and combining characters are not treated).
std::size_t columns_of(std::string_view text);

}  // namespace tenter::report
