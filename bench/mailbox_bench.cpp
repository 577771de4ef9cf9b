// Mailbox round trips between two processes beside the raw ping-pong with the same four transitions and copies. Run by
// scripts/bench mailbox, which also runs the dispatch rows.
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/mailbox_pair.hpp"
#include "bench/raw/futex_ping_pong.hpp"
#include "bench/raw/socket_ping_pong.hpp"
#include "bench/raw/spin_ping_pong.hpp"
#include "bench/slices.hpp"

namespace {

using namespace tenter::bench;

constexpr std::uint64_t warm_up = 16;

std::vector<int> usable_cpus() {
  cpu_set_t set;
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(static_cast<unsigned>(cpu), &set)) cpus.push_back(cpu);
  return cpus;
}

// Made at its first slice, so that rows that were not chosen cost nothing.
Side ours(const PairOptions& options) {
  auto pair = std::make_shared<std::unique_ptr<MailboxPair>>();
  return {.slice =
              [pair, options](Budget budget, std::vector<std::uint32_t>& round_ns) {
                if (!*pair) *pair = MailboxPair::start(options);
                return *pair ? (*pair)->slice(budget, round_ns) : Elapsed{};
              },
          .other_cpu_ns = [pair] { return *pair ? (*pair)->rank_cpu_ns() : 0; }};
}

Side raw(Elapsed (*peer)(const PingPong&, Budget), PingPong work) {
  return {.slice =
              [peer, work](Budget budget, std::vector<std::uint32_t>& round_ns) mutable {
                work.round_ns = &round_ns;
                return peer(work, budget);
              },
          .other_cpu_ns = {}};
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<int> cpus = usable_cpus();
  if (cpus.empty()) return std::perror("sched_getaffinity"), 70;
  PingPong anywhere, apart, together;
  anywhere.warm_up = apart.warm_up = together.warm_up = warm_up;
  apart.caller_cpu = together.caller_cpu = together.child_cpu = cpus.front();
  apart.child_cpu = cpus.back();

  Report report("mailbox");
  if (cpus.size() > 1) {
    report.add({.name = "round_trip/blocking/two_cpus",
                .candidate = ours({.work = apart}),
                .peer = raw(futex_ping_pong, apart),
                .peer_name = "raw futex",
                .most_ratio = 1.2});
    report.add({.name = "round_trip/blocking/unpinned",
                .candidate = ours({.work = anywhere}),
                .peer = raw(futex_ping_pong, anywhere),
                .peer_name = "raw futex"});
    report.add({.name = "round_trip/busy/two_cpus",
                .candidate = ours({.work = apart, .busy = true}),
                .peer = raw(spin_ping_pong, apart),
                .peer_name = "raw spin",
                .most_ratio = 1.5});
    report.add({.name = "round_trip/busy/two_cpus_socket",
                .candidate = ours({.work = apart, .busy = true}),
                .peer = raw(socket_ping_pong, apart),
                .peer_name = "Unix socket",
                .most_ratio = 0.1});
  } else {
    std::fprintf(stderr, "mailbox_bench: one CPU only, rows for two are left out\n");
  }
  report.add({.name = "round_trip/blocking/one_cpu",
              .candidate = ours({.work = together, .pinned_at_birth = true}),
              .peer = raw(futex_ping_pong, together),
              .peer_name = "raw futex",
              .most_ratio = 1.3});
  return report.run(argc, argv);
}
