#include "bench/raw/socket_ping_pong.hpp"

#include <sys/socket.h>

namespace tenter::bench {
namespace {

// All of `bytes`; false at the end of the stream and on an error.
bool read_whole(int descriptor, std::vector<std::byte>& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t got = read(descriptor, bytes.data() + done, bytes.size() - done);
    if (got <= 0) return false;
    done += static_cast<std::size_t>(got);
  }
  return true;
}

bool write_whole(int descriptor, const std::vector<std::byte>& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t put = send(descriptor, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (put <= 0) return false;
    done += static_cast<std::size_t>(put);
  }
  return true;
}

}  // namespace

Elapsed socket_ping_pong(const PingPong& work, Budget budget) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return {};
  std::vector<std::byte> request(work.request_bytes), reply(work.reply_bytes);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    pin_to(work.child_cpu);
    while (read_whole(ends[1], request) && write_whole(ends[1], reply)) {
    }
    _exit(0);  // the caller closed its end, or is gone
  }
  close(ends[1]);
  Elapsed elapsed;
  if (child > 0) {
    cpu_set_t before;
    sched_getaffinity(0, sizeof(before), &before);
    pin_to(work.caller_cpu);
    std::int64_t start = monotonic_ns();
    for (std::uint64_t round = 0;; ++round) {
      if (round == work.warm_up) start = monotonic_ns();
      if (!write_whole(ends[0], request) || !read_whole(ends[0], reply)) break;
      if (round < work.warm_up) continue;
      const std::int64_t so_far = monotonic_ns() - start;
      if (work.round_ns) work.round_ns->push_back(static_cast<std::uint32_t>(so_far - elapsed.nanoseconds));
      elapsed.nanoseconds = so_far;
      if (budget.spent(++elapsed.rounds, so_far)) break;
    }
    sched_setaffinity(0, sizeof(before), &before);
  }
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  return elapsed;
}

}  // namespace tenter::bench
