#include "hw/group/parent_watch.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string>
#include <system_error>

#include "hw/posix/process_stat.hpp"

namespace tenter::hw {
namespace {

tl::unexpected<Error> refused(const char* step) {
  const int code = errno;
  return error(Status::failed, std::string("parent watch: ") + step + ": " + std::generic_category().message(code), code);
}

// Returns when `stop` was written to.
bool wait_for_stop(int stop) {
  std::uint64_t one = 0;
  ssize_t got = 0;
  while ((got = read(stop, &one, sizeof one)) < 0 && errno == EINTR) {
  }
  return got > 0;
}

enum class Waited : std::uint8_t { came, stopped, timed_out, failed };

Waited wait_for(int awaited, int stop, int milliseconds) {
  pollfd both[2] = {{stop, POLLIN, 0}, {awaited, POLLIN, 0}};
  int ready = 0;
  while ((ready = poll(both, 2, milliseconds)) < 0 && (errno == EINTR || errno == EAGAIN)) {
  }
  if (ready == 0) return Waited::timed_out;
  if (ready > 0 && (both[0].revents & POLLIN) != 0) return Waited::stopped;
  return ready > 0 && (both[1].revents & POLLIN) != 0 ? Waited::came : Waited::failed;
}

// On a thread of its own. A poll that fails says nothing of the parent: then nobody is told that it is gone, and its death is
// left to the guardian and to the launcher's proxy.
void watch(int parent, int stop, Descriptor write_end, int milliseconds, int code) {
  const Waited waited = wait_for(parent, stop, -1);
  if (waited == Waited::failed) {
    std::fprintf(stderr, "tenter member: parent watch: poll: %s; the parent is not watched any more\n", std::strerror(errno));
    (void)wait_for_stop(stop);  // the life-line stays open for as long as this object lives
    return;
  }
  if (waited == Waited::stopped) return;
  write_end = Descriptor();
  if (wait_for(-1, stop, milliseconds) != Waited::stopped) _exit(code);
}

}  // namespace

Result<ProcessId> read_process_id(std::string_view text) {
  ProcessId process;
  const char* end = text.data() + text.size();
  const auto pid = std::from_chars(text.data(), end, process.pid);
  if (pid.ec == std::errc{} && pid.ptr != end && *pid.ptr == ':' && process.pid > 0) {
    const auto start = std::from_chars(pid.ptr + 1, end, process.start_time);
    if (start.ec == std::errc{} && start.ptr == end) return process;
  }
  return error(Status::invalid, "process id: \"" + std::string(text) + "\" is not pid:start_time");
}

std::string write_process_id(ProcessId process) { return std::to_string(process.pid) + ":" + std::to_string(process.start_time); }

Result<ParentWatch> ParentWatch::open(ProcessId parent) {
  ParentWatch watch;
  watch.parent_ = open_process(parent);
  if (!watch.parent_)
    return error(Status::not_found, "parent watch: process " + std::to_string(parent.pid) + ", started at " +
                                        std::to_string(parent.start_time) + ", is gone");
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return refused("pipe");
  watch.read_end_ = Descriptor(ends[0]);
  watch.write_end_ = Descriptor(ends[1]);
  watch.stop_ = Descriptor(eventfd(0, EFD_CLOEXEC));
  if (!watch.stop_) return refused("eventfd");
  return watch;
}

void ParentWatch::start(Duration grace, int code) {
  const auto milliseconds = static_cast<int>(number(grace) / 1'000'000);
  thread_ = std::thread([parent = parent_.get(), stop = stop_.get(), write_end = std::move(write_end_), milliseconds,
                         code]() mutable { watch(parent, stop, std::move(write_end), milliseconds, code); });
}

ParentWatch::~ParentWatch() {
  if (!thread_.joinable()) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = write(stop_.get(), &one, sizeof one);
  thread_.join();
}

}  // namespace tenter::hw
