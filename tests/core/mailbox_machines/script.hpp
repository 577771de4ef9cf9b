// Short names for scripting one machine by hand: events with its operation numbers, and questions about its actions.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/machine.hpp"
#include "core/mailbox/error_list.hpp"
#include "core/mailbox/layout.hpp"
#include "core/mailbox/notes.hpp"
#include "core/mailbox/operation.hpp"
#include "core/wire.hpp"

namespace tenter::mailbox::test {

inline Event word_event(auto kind, Word which, std::uint32_t value, std::uint64_t sequence = 0, std::uint32_t index = 0,
                        Time now = Time{1}) {
  return event::WordChanged{now, operation(kind, sequence, index), which, value};
}
inline Event copied_event(auto kind, Blob content, std::uint64_t sequence = 0, std::uint32_t index = 0, Time now = Time{1}) {
  return event::Copied{now, operation(kind, sequence, index), std::move(content)};
}
inline Event swapped_event(auto kind, std::uint32_t seen, std::uint64_t sequence = 0, std::uint32_t index = 0,
                           Time now = Time{1}) {
  return event::Swapped{now, operation(kind, sequence, index), seen};
}
inline Event fired_event(auto kind, Time now) { return event::TimerFired{now, operation(kind)}; }

inline Blob words(std::initializer_list<std::uint32_t> values) {
  wire::Writer writer;
  for (const std::uint32_t value : values) writer.u32(value);
  return writer.blob();
}
inline Blob sized(std::size_t bytes, std::uint8_t fill = 0) {
  return Blob(bytes, [&](MutableBytes to) { std::fill(to.begin(), to.end(), std::byte{fill}); });
}

// One machine and everything it did since the last clear().
template <class M>
struct Script {
  M machine;
  Outbox out;

  Script& operator<<(const Event& e) {
    EXPECT_TRUE(deliver(machine, e, out)) << name_of(e);
    return *this;
  }
  template <class A>
  std::vector<A> all() const {
    std::vector<A> found;
    for (const Action& action : out.actions())
      if (const A* a = std::get_if<A>(&action)) found.push_back(*a);
    return found;
  }
  template <class A>
  A last() const {
    const auto found = all<A>();
    if (!found.empty()) return found.back();
    ADD_FAILURE() << "no " << A::name << " in " << said();
    return A{};
  }
  template <class A>
  bool did(const A& wanted) const {
    for (const A& a : all<A>())
      if (a == wanted) return true;
    return false;
  }
  std::string said() const {
    std::string text;
    for (const Action& action : out.actions()) text += std::string(name_of(action)) + " ";
    return text;
  }
  void clear() { out.clear(); }
};

inline std::string first_message(const Blob& errors) {
  const auto list = decode_error_list(errors.bytes());
  return list.empty() ? std::string() : list[0].message;
}

}  // namespace tenter::mailbox::test
