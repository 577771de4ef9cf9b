#include "hw/group/bus_error.hpp"

#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace tenter::hw {
namespace {

constexpr std::size_t name_bytes_max = 200;

// Made before the signal: a handler may not allocate.
std::array<char, 2 * name_bytes_max + 256> before_address{}, after_address{};

void copy_text(std::array<char, 2 * name_bytes_max + 256>& to, std::string_view text) {
  to.fill('\0');
  text.substr(0, to.size() - 1).copy(to.data(), to.size() - 1);
}

void say(const char* text, std::size_t bytes) { [[maybe_unused]] const ssize_t wrote = write(STDERR_FILENO, text, bytes); }

// SA_RESETHAND: the access is repeated after it, and the default action ends the process with its core.
extern "C" void on_bus_error(int, siginfo_t* what, void*) {
  std::array<char, 18> address{'0', 'x'};
  const auto value = reinterpret_cast<std::uintptr_t>(what->si_addr);
  for (std::size_t digit = 0; digit < 16; ++digit) address[2 + digit] = "0123456789abcdef"[value >> (60 - 4 * digit) & 0xF];
  say(before_address.data(), std::strlen(before_address.data()));
  say(address.data(), address.size());
  say(after_address.data(), std::strlen(after_address.data()));
}

}  // namespace

void tell_bus_errors(const std::string& who, const std::string& page) {
  copy_text(before_address, who.substr(0, name_bytes_max) + ": bus error at ");
  copy_text(after_address, ": the memory of a mapped file is gone; was page /dev/shm/" + page.substr(0, name_bytes_max) +
                               " truncated by another program?\n");
  struct sigaction action {};
  action.sa_sigaction = &on_bus_error;
  action.sa_flags = SA_SIGINFO | static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, nullptr);
}

}  // namespace tenter::hw
