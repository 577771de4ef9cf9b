// Lines for people on standard error. What cannot be written there is lost; that changes neither the work nor the exit code.
#pragma once
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

namespace tenter::cli {

inline void tell_text(const std::string& text) { (void)std::fwrite(text.data(), 1, text.size(), stderr); }

template <class... Values>
void tell(fmt::format_string<Values...> format, Values&&... values) {
  tell_text(fmt::format(format, std::forward<Values>(values)...));
}

}  // namespace tenter::cli
