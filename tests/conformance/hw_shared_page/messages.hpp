// Actions and events of the SharedPage port as messages between the test and its child processes: the index of the type in the
// list, then the described fields.
#pragma once
#include <cstdint>
#include <optional>
#include <variant>

#include "core/action.hpp"
#include "core/event.hpp"
#include "core/wire.hpp"

namespace tenter::conformance {

template <class T>
void put(wire::Writer& to, const T& value) {
  if constexpr (std::is_same_v<T, Blob>) {
    to.counted(value.bytes());
  } else if constexpr (std::is_enum_v<T>) {
    to.u64(static_cast<std::uint64_t>(number(value)));
  } else if constexpr (std::is_integral_v<T>) {
    to.u64(static_cast<std::uint64_t>(value));
  } else {
    std::apply([&](const auto&... field) { (put(to, field), ...); }, T::fields(value));
  }
}

template <class T>
void get(wire::Reader& from, T& value) {
  if constexpr (std::is_same_v<T, Blob>) {
    value = Blob(from.counted(0xFFFFFFFFu));
  } else if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
    value = static_cast<T>(from.u64());
  } else {
    std::apply([&](auto&... field) { (get(from, field), ...); }, T::fields(value));
  }
}

// The kinds that a message may hold.
template <class... Kinds>
struct Messages {
  template <class T>
  static constexpr bool holds = (std::is_same_v<T, Kinds> || ...);
  template <class T>
  static void write(wire::Writer& to, const T& value) {
    std::uint8_t index = 0;
    (void)((std::is_same_v<T, Kinds> || (++index, false)) || ...);
    to.u8(index);
    put(to, value);
  }
  template <class Visit>
  static void read(wire::Reader& from, Visit visit) {
    const std::uint8_t wanted = from.u8();
    std::uint8_t index = 0;
    (read_if<Kinds>(from, index++ == wanted, visit), ...);
  }

 private:
  template <class T, class Visit>
  static void read_if(wire::Reader& from, bool wanted, Visit& visit) {
    if (!wanted) return;
    T value{};
    get(from, value);
    visit(value);
  }
};

using PageActions =
    Messages<action::CreatePage, action::OpenPage, action::ClosePage, action::UnlinkPage, action::WriteRegion, action::CopyIn,
             action::Publish, action::PublishQuiet, action::PublishIf, action::Watch, action::Unwatch>;
using PageEvents = Messages<event::PageOpened, event::WordChanged, event::Copied, event::Swapped>;

}  // namespace tenter::conformance
