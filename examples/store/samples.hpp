// What both programs of this example know of the data: a row is a sample, eight features and then what is to be predicted.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace samples {

inline constexpr const char* variable = "train/samples";
inline constexpr std::size_t features = 8;
using Sample = std::array<float, features + 1>;
static_assert(sizeof(Sample) == (features + 1) * sizeof(float));

// The law behind the data, which a trainer has to find.
inline constexpr std::array<float, features> law = {0.5F, -1.25F, 2.0F, 0.0F, 3.0F, -0.75F, 1.0F, -2.5F};

// Sample number `row`: the same on every machine.
inline Sample sample(std::uint64_t row) {
  Sample made{};
  std::uint64_t state = row * 0x9E37'79B9'7F4A'7C15u + 1;
  for (std::size_t i = 0; i < features; ++i) {
    state = (state ^ (state >> 29)) * 0xBF58'476D'1CE4'E5B9u;
    made[i] = static_cast<float>(state >> 40) / static_cast<float>(1u << 24) - 0.5F;
    made[features] += law[i] * made[i];
  }
  return made;
}

}  // namespace samples
