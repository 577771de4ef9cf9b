#include "tests/conformance/hw_shared_page/child.hpp"

#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <utility>
#include <vector>

#include "hw/shm/shared_page_part.hpp"

namespace tenter::conformance {

namespace {

constexpr int patience_ms = 20'000;

bool send_all(int socket, Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
  return true;
}

bool send_message(int socket, Bytes message) {
  wire::Writer whole(message.size() + 4);
  whole.counted(message);
  return send_all(socket, whole.written());
}

bool receive_all(int socket, char* to, std::size_t bytes) {
  while (bytes > 0) {
    pollfd ready{socket, POLLIN, 0};
    if (::poll(&ready, 1, patience_ms) <= 0) return false;
    const ssize_t got = ::recv(socket, to, bytes, 0);
    if (got <= 0) return false;
    to += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

std::string receive_message(int socket) {
  std::string length(4, '\0');
  if (!receive_all(socket, length.data(), 4)) return "";
  std::string message(wire::load<std::uint32_t>(reinterpret_cast<const std::byte*>(length.data())), '\0');
  return receive_all(socket, message.data(), message.size()) ? message : "";
}

// Sleeps on every word of the set at once, as the loop does (futex_waitv(2), Linux 5.16).
void sleep_on(const hw::WaitSet& waits) {
  std::vector<futex_waitv> words;
  for (const hw::FutexWait& wait : waits.futexes)
    words.push_back({wait.expected, reinterpret_cast<std::uintptr_t>(wait.address), FUTEX_32, 0});
  syscall(SYS_futex_waitv, words.data(), words.size(), 0, nullptr, CLOCK_MONOTONIC);
}

Bytes bytes_of_string(const std::string& text) { return std::as_bytes(std::span(text.data(), text.size())); }

void answer_event(int socket, hw::Context& context) {
  wire::Writer answer;
  answer.u8(context.inbox.empty() ? 0 : 1);
  if (!context.inbox.empty()) {
    const Event event = context.inbox.take_front().event;
    std::visit(
        [&](const auto& one) {
          if constexpr (PageEvents::holds<std::remove_cvref_t<decltype(one)>>) PageEvents::write(answer, one);
        },
        event);
  }
  send_message(socket, answer.written());
}

}  // namespace

void Child::serve(int socket) {
  int code = 0;
  {
    hw::Context context;
    hw::SharedPagePart part(context);
    for (;;) {
      const std::string message = receive_message(socket);
      if (message.empty()) break;
      wire::Reader reader(bytes_of_string(message));
      const std::uint8_t command = reader.u8();
      if (command == perform_command) {
        PageActions::read(reader, [&](const auto& action) { part.perform(action); });
        send_message(socket, wire::Writer().u8(0).written());
        continue;
      }
      part.poll();
      if (command == park_command) {
        send_message(socket, wire::Writer().u8(0).written());
        while (context.inbox.empty()) {
          hw::WaitSet waits;
          part.add_waits(waits);
          sleep_on(waits);
          part.poll();
        }
      }
      answer_event(socket, context);
    }
  }
  if (!hw::Resources::held_text().empty()) code = 1;
  _exit(code);
}

Child::Child() {
  int sockets[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) return;
  pid_ = ::fork();
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::close(sockets[0]);
    serve(sockets[1]);
  }
  ::close(sockets[1]);
  socket_ = sockets[0];
}

Child::Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, -1)), socket_(std::exchange(other.socket_, -1)) {}

Child::~Child() {
  if (socket_ >= 0) {
    ::shutdown(socket_, SHUT_RDWR);  // younger children hold a copy of this end
    ::close(socket_);
  }
  if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
}

void Child::send(Bytes message) { send_message(socket_, message); }
std::string Child::receive() { return receive_message(socket_); }

std::optional<Event> Child::receive_event() {
  const std::string answer = receive();
  if (answer.empty() || answer[0] == 0) return std::nullopt;
  wire::Reader reader(bytes_of_string(answer).subspan(1));
  std::optional<Event> event;
  PageEvents::read(reader, [&](const auto& one) { event = one; });
  return event;
}

std::optional<Event> Child::next() {
  send(wire::Writer().u8(next_command).written());
  return receive_event();
}

void Child::park() {
  send(wire::Writer().u8(park_command).written());
  (void)receive();
  // From here on the process only runs until it sleeps on its words: state S in /proc/<pid>/stat, after the last ')'.
  for (int tries = 0; tries < 1'000'000; ++tries) {
    std::ifstream file("/proc/" + std::to_string(pid_) + "/stat");
    std::string text;
    std::getline(file, text);
    const std::size_t name_end = text.rfind(')');
    if (name_end != std::string::npos && text.size() > name_end + 2 && text[name_end + 2] == 'S') return;
    ::sched_yield();
  }
}

std::optional<Event> Child::woken() { return receive_event(); }

void Child::kill() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
}

}  // namespace tenter::conformance
