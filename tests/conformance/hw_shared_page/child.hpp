// One real process that hosts a SharedPagePart and obeys the test over a socket pair.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "core/wire.hpp"
#include "tests/conformance/hw_shared_page/messages.hpp"

namespace tenter::conformance {

class Child {
 public:
  Child();  // forks
  Child(Child&& other) noexcept;
  Child(const Child&) = delete;
  ~Child();  // ends it in order and reaps it

  template <class Action>
  void perform(const Action& action) {
    wire::Writer message;
    message.u8(perform_command);
    PageActions::write(message, action);
    send(message.written());
    (void)receive();
  }
  std::optional<Event> next();
  void park();  // returns once the process sleeps, or has found its event already
  std::optional<Event> woken();
  void kill();

 private:
  static constexpr std::uint8_t perform_command = 1, next_command = 2, park_command = 3;
  [[noreturn]] static void serve(int socket);
  void send(Bytes message);
  std::string receive();  // empty if the process is gone
  std::optional<Event> receive_event();

  pid_t pid_ = -1;
  int socket_ = -1;
};

}  // namespace tenter::conformance
