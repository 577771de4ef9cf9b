// What an executor can do beyond SLR3, said in the feature flags of its HELLO. The reference's executors send 0 there and its
// controller never reads them, so either end works with the reference's other end.
#pragma once
#include <cstdint>

namespace tenter::control {

inline constexpr std::uint64_t takes_beats = 1;      // the controller sends HEALTH, too; its silence is noticed
inline constexpr std::uint64_t returns_results = 2;  // a task's result comes as a CONTROL_REPLY of the name task_result
inline constexpr std::uint64_t says_goodbye = 4;     // its last frame is a HELLO that says not_ready
inline constexpr std::uint64_t all_features = takes_beats | returns_results | says_goodbye;

}  // namespace tenter::control
