// The commands of one route: numbered from 1 in the order of their sending, at most `window` of them unanswered. A reply is
// matched by its number, so one that comes late or again is known as such and costs nothing. Spec B2.3, A2.1; P-X6, P-A6.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/check.hpp"
#include "core/control/credit.hpp"
#include "core/control/slr3.hpp"
#include "core/describe.hpp"
#include "core/names.hpp"

namespace tenter::control {

inline constexpr std::uint32_t window_max = 64;

struct Command {
  std::uint64_t sequence = 0;
  Ticket ticket{};
  FrameType type = FrameType::task;  // or control
  ControlName control = task_result;
  std::uint32_t version = 0;                 // of the control
  std::uint64_t bytes = 0;                   // of the frame
  CreditSource credit = CreditSource::none;  // what paid for it, until it is sent
  bool timed = false;                        // a deadline is armed
  bool given_up = false;                     // its caller has been answered; its reply still holds its place in the window
  friend bool operator==(const Command&, const Command&) = default;
  TENTER_DESCRIBE(command, sequence, ticket, type, control, version, bytes, credit, timed, given_up)
};

enum class ReplyMatch : std::uint8_t {
  awaited,
  late,        // of a command that was given up
  repeated,    // was answered before
  never_sent,  // no command had this number yet
};

class Lane {
 public:
  Lane() = default;
  explicit Lane(std::uint32_t window) : window_(window) { TENTER_CHECK(window >= 1 && window <= window_max); }

  bool full() const { return commands_.size() >= window_; }
  bool empty() const { return commands_.empty(); }
  std::size_t size() const { return commands_.size(); }
  // Oldest first.
  std::vector<Command>& commands() { return commands_; }
  const std::vector<Command>& commands() const { return commands_; }

  // The next number; SHUTDOWN takes one, too.
  std::uint64_t number_next() { return ++numbered_; }
  void add(const Command& command) {
    TENTER_CHECK(!full() && command.sequence == numbered_);
    commands_.push_back(command);
  }
  Command* find(std::uint64_t sequence) {
    const auto found = std::find_if(commands_.begin(), commands_.end(), [&](const Command& c) { return c.sequence == sequence; });
    return found == commands_.end() ? nullptr : &*found;
  }
  ReplyMatch match(std::uint64_t sequence) const {
    for (const Command& command : commands_)
      if (command.sequence == sequence) return command.given_up ? ReplyMatch::late : ReplyMatch::awaited;
    return sequence >= 1 && sequence <= numbered_ ? ReplyMatch::repeated : ReplyMatch::never_sent;
  }
  void remove(std::uint64_t sequence) {
    std::erase_if(commands_, [&](const Command& c) { return c.sequence == sequence; });
  }
  void clear() { commands_.clear(); }
  // Commands whose callers were answered without a reply.
  std::uint32_t given_up() const {
    return static_cast<std::uint32_t>(
        std::count_if(commands_.begin(), commands_.end(), [](const Command& c) { return c.given_up; }));
  }

 private:
  std::uint32_t window_ = 1;
  std::uint64_t numbered_ = 0;
  std::vector<Command> commands_;  // at most window_

 public:
  friend bool operator==(const Lane&, const Lane&) = default;
  TENTER_DESCRIBE(lane, window_, numbered_, commands_)
};

}  // namespace tenter::control
