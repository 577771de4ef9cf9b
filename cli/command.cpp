#include "cli/command.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <numeric>
#include <span>

#include "cli/report/atomic_file.hpp"
#include "cli/tell.hpp"
#include "cli/version.hpp"
#include "hw/os/file.hpp"
#include "hw/os/status.hpp"

namespace tenter::cli {
namespace {

std::atomic<int> interrupts{0};
int interrupt_event = -1;  // eventfd(2): readable from the first interruption on; a handler may wake nobody otherwise
std::string called = "tenter";

extern "C" void on_interrupt(int) {
  if (interrupts.fetch_add(1) >= 1) _exit(exit_code::interrupted);
  const int native = errno;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t wrote = write(interrupt_event, &one, sizeof one);
  errno = native;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0u);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

Result<void> write_to(const std::string& path, const std::string& text) {
  if (path != "-") return report::write_file_atomically(path, text);
  std::fflush(stdout);
  const os::Written written = os::write_all(STDOUT_FILENO, std::as_bytes(std::span(text.data(), text.size())));
  if (written.native != 0) return os::system_error("standard output", written.native);
  return {};
}

void write_or_tell(const Context& context, const std::string& path, const std::string& text) {
  if (path.empty()) return;
  const auto written = write_to(path, text);
  if (written) return;
  tell("{}: the result is not written: {}\n", program_name(), written.error().what);
  context.result_lost = true;
}

}  // namespace

bool Context::color() const {
  return report::wants_color(report::parse_color(common.color).value_or(report::ColorChoice::automatic),
                             report::facts_of_descriptor(1));
}

std::string verdict_word(const Context& context, report::Verdict verdict) {
  switch (verdict) {
    case report::Verdict::pass:
      return report::colored("PASS", report::Color::green, context.color());
    case report::Verdict::fail:
      return report::colored("FAIL", report::Color::red, context.color());
    case report::Verdict::unknown:
      break;
  }
  return report::colored("UNKNOWN", report::Color::yellow, context.color());
}

const std::string& program_name() { return called; }
void set_program_name(std::string_view called_as) {
  const std::size_t slash = called_as.rfind('/');
  if (slash != std::string_view::npos) called_as.remove_prefix(slash + 1);
  if (!called_as.empty()) called = called_as;
}

int usage_error(const std::string& text) {
  tell("{}: {}\n", program_name(), shown_text(text));
  return exit_code::usage;
}

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  std::string best;
  std::size_t best_distance = word.size() / 2 + 2;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

const sim::Protocol* find_protocol(const Context& context, const std::string& name, int& code) {
  if (const sim::Protocol* found = context.registry.find(name)) return found;
  std::vector<std::string> known;
  for (const sim::Protocol& protocol : context.registry.protocols()) known.push_back(protocol.name());
  const std::string close = nearest(name, known);
  code = usage_error(fmt::format("no protocol called '{}'{}; known: {}", name,
                                 close.empty() ? "" : "; did you mean '" + close + "'?", fmt::join(known, ", ")));
  return nullptr;
}

bool interrupted() { return interrupts.load(std::memory_order_relaxed) > 0; }
void watch_interrupt() {
  interrupts = 0;
  if (interrupt_event >= 0) close(interrupt_event);
  interrupt_event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  struct sigaction action {};
  action.sa_handler = &on_interrupt;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    sigaction(signal, &action, nullptr);
  }
}

bool readable_before_interrupt(int descriptor) {
  pollfd either[] = {{descriptor, POLLIN, 0}, {interrupt_event, POLLIN, 0}};
  while (poll(either, 2, -1) < 0 && errno == EINTR) {
  }
  return !interrupted();
}

void forget_handlers_of_libraries() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) std::signal(signal, SIG_DFL);
  }
}

OnInterrupt::OnInterrupt(std::function<void()> then)
    : over_(eventfd(0, EFD_CLOEXEC)), thread_([this, then = std::move(then)] {
        pollfd either[] = {{interrupt_event, POLLIN, 0}, {over_, POLLIN, 0}};
        while (poll(either, 2, -1) < 0 && errno == EINTR) {
        }
        if ((either[1].revents & POLLIN) == 0 && interrupted()) then();
      }) {}
OnInterrupt::~OnInterrupt() {
  eventfd_write(over_, 1);
  thread_.join();
  close(over_);
}

std::string shown_text(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F)
      shown += fmt::format("\\x{:02x}", byte);
    else
      shown += c;
  }
  return shown;
}

bool standard_output_is_whole() {
  const bool flushed = std::fflush(stdout) == 0;
  const int code = errno;
  if (flushed && std::ferror(stdout) == 0) return true;
  tell("{}: standard output is lost: {}\n", program_name(), flushed ? "a write failed" : std::strerror(code));
  return false;
}

void write_result_text(const Context& context, const std::string& json, const std::string& junit) {
  write_or_tell(context, context.common.json, json);
  write_or_tell(context, context.common.junit, junit);
}

std::string version_text() { return fmt::format("{} ({})", version, commit); }

std::string make_run_folder(const Context& context, const std::string& protocol) {
  namespace fs = std::filesystem;
  std::time_t now = std::time(nullptr);
  const std::string name = fmt::format("{}-{:%Y%m%dT%H%M%S}-{}", protocol, fmt::gmtime(now), getpid());
  const fs::path folder = fs::path(context.common.out) / name;
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw std::runtime_error(fmt::format("cannot make the folder {}: {}", folder.string(), failed.message()));
  const fs::path latest = fs::path(context.common.out) / "latest";
  fs::remove(latest, failed);
  fs::create_directory_symlink(name, latest, failed);
  return folder.string();
}

bool parse_seed(std::string_view text, std::uint64_t& seed) {
  const int base = text.starts_with("0x") ? 16 : 10;
  if (base == 16) text.remove_prefix(2);
  const auto result = std::from_chars(text.data(), text.data() + text.size(), seed, base);
  return !text.empty() && result.ec == std::errc{} && result.ptr == text.data() + text.size();
}

}  // namespace tenter::cli
