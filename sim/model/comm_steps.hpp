// What the queue holds for the messages' model: Item::a is a lane, Item::b one of these.
#pragma once
#include <cstdint>

#include "core/names.hpp"

namespace tenter::sim::comm {

inline constexpr Duration hop = microseconds(2);
inline constexpr std::uint64_t arrival = 0;         // its next message reaches the receiver's port
inline constexpr std::uint64_t tell_sender = 1;     // that its receiver has ended
inline constexpr std::uint64_t tell_receiver = 2;   // that its sender has ended
inline constexpr std::uint64_t first_transfer = 3;  // this and above: the end of that transfer

}  // namespace tenter::sim::comm
