// The kinds of fault, as data: which port they are legal on, what they cost when a failure is shrunk, how they read.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sim/choice.hpp"

namespace tenter::sim {

struct FaultKind {
  Tag tag{};
  std::string_view name;
  std::string_view port;      // the port whose contract allows it (docs/ports/)
  std::uint32_t cost = 1;     // the shrinker drops dear ones first
  std::string_view sentence;  // "{0} ..." with the entity's name
};

std::span<const FaultKind> fault_kinds();
const FaultKind* fault_kind(Tag tag);
const FaultKind* fault_kind(std::string_view name);

// Where a process crashes or stops: the answer of that choice (1..places_max - 1) as an action number, log-uniform from 1 to
// about 1,500, rising, so that a lower answer is an earlier place.
inline constexpr std::uint32_t places_max = 128;
std::uint64_t place_of(std::uint32_t answer);

// The kind in general: "a process is killed before its action number N".
std::string sentence_of(const FaultKind& kind);

// One line for people: "rank 2 stops at its 14th action".
std::string describe_fault(const FaultKind& kind, std::string_view entity, const TapeEntry& entry);

}  // namespace tenter::sim
