// How the hub and the executor number their operations: what it is, of which worker, and which one. A number is used once, so an
// answer that comes late or twice fits nothing that is awaited now.
#pragma once
#include <cstdint>

#include "core/names.hpp"

namespace tenter::control {

enum class OperationKind : std::uint8_t {
  join = 1,
  receive = 2,   // number: the receive's
  command = 3,   // the send of a command or of SHUTDOWN; number: its sequence
  beat = 4,      // the send of a HEALTH; number: its sequence
  deadline = 5,  // timer of a command; number: its sequence
  tick = 6,      // timer: beats are due, silence is counted
  startup = 7,   // timer: every executor has said HELLO
  end = 8,       // timer: the shutdown is over
  reply = 9,     // the send of an executor's HELLO or reply; number: counted over all
  execute = 10,  // number: the task's sequence
};

// kind: bits 0..7; worker: bits 8..23, at most 65,534 (executors_max); number: bits 24..63.
constexpr Op operation(OperationKind kind, std::uint32_t worker = 0, std::uint64_t number = 0) {
  return Op{static_cast<std::uint64_t>(kind) | (std::uint64_t{worker} << 8) | (number << 24)};
}
constexpr OperationKind kind_of(Op op) { return OperationKind{static_cast<std::uint8_t>(number(op))}; }
constexpr std::uint32_t worker_of(Op op) { return static_cast<std::uint16_t>(number(op) >> 8); }
constexpr std::uint64_t number_of(Op op) { return number(op) >> 24; }

static_assert(worker_of(operation(OperationKind::command, 65'534, 7)) == 65'534);
static_assert(number_of(operation(OperationKind::command, 65'534, 7)) == 7);

}  // namespace tenter::control
