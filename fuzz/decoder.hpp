// A fuzz target: a function that feeds a decoder bytes from anyone and checks what must hold for every input.
#pragma once
#include <string_view>

#include "core/blob.hpp"

namespace tenter::fuzz {

struct Decoder {
  std::string_view name;
  void (*run)(Bytes input);
};

}  // namespace tenter::fuzz
