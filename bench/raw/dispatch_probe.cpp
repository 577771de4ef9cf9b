// Measures the collective part beside its raw peers, in adjacent slices of one run:
//   mpiexec -n RANKS dispatch_probe dispatch [pairs] [request bytes] [reply bytes]   busy rounds, part / yielding / plain MPI
//   mpiexec -n RANKS dispatch_probe idle [seconds]                                   CPU of an idle rank
//   mpiexec -n RANKS dispatch_probe gap [gaps]                                       first answer after 250 ms of silence
// With PROBE_NO_SAFETY_NET in the environment a missing ring shows as a run that stands still.
//   mpiexec -n RANKS dispatch_probe soak [rounds]                                    resident size over the rounds
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include <sys/resource.h>

#include "bench/raw/mpi_dispatch.hpp"
#include "bench/raw/spin_ping_pong.hpp"
#include "hw/mpi/large_buffers.hpp"
#include "tests/mpi/mpi_world.hpp"

namespace {

using namespace tenter;
using bench::Budget;
using bench::Elapsed;
using hw::MpiWorld;

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
}

long resident_kib() {
  std::ifstream file("/proc/self/statm");
  long pages = 0;
  file >> pages >> pages;
  return pages * 4;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

// Rounds of bcast and gather through the part, like the raw ones; `deadline`-free: a rank waits as long as it takes.
class Dispatch {
 public:
  explicit Dispatch(MpiWorld& world) : world_(world) {}
  bool root() const { return world_.self() == Rank{0}; }

  // One round; the first byte of the request is returned by every rank.
  char round(const Blob& request, const Blob& reply) {
    world_.perform(world_.self(), action::Bcast{Op{1}, world_communicator, Rank{0}, root() ? request : Blob()});
    const char first = await().content.text().front();
    world_.perform(world_.self(), action::Gather{Op{2}, world_communicator, Rank{0}, reply});
    await();
    return first;
  }
  Elapsed run(std::size_t request_bytes, std::size_t reply_bytes, Budget budget) {
    const Blob more(request_bytes, [](MutableBytes to) { std::memset(to.data(), 0, to.size()); });
    const Blob last(request_bytes, [](MutableBytes to) { std::memset(to.data(), 1, to.size()); });
    Elapsed elapsed;
    const std::int64_t start = bench::monotonic_ns();
    for (char stop = 0; stop == 0;) {
      const Blob reply(reply_bytes, [](MutableBytes to) { std::memset(to.data(), 2, to.size()); });
      stop = round(root() && budget.spent(elapsed.rounds + 1, bench::monotonic_ns() - start) ? last : more, reply);
      ++elapsed.rounds;
    }
    elapsed.nanoseconds = bench::monotonic_ns() - start;
    return elapsed;
  }

 private:
  event::CollectiveDone await() {
    auto& events = world_.events(world_.self());
    while (!world_.run(1)) {
    }
    event::CollectiveDone done = std::move(events.front());
    events.clear();
    if (done.status != Status::ok) std::fprintf(stderr, "%s\n", std::string(done.content.text()).c_str());
    return done;
  }
  MpiWorld& world_;
};

void print_counters(MpiWorld& world, const char* when) {
  const auto& counters = world.part().counters();
  std::printf("rank %u %s: completed %llu, sleeps %llu, safety net wakes %llu (rescues %llu), futex wakes sent %llu\n",
              number(world.self()), when, static_cast<unsigned long long>(counters.completed),
              static_cast<unsigned long long>(counters.sleeps), static_cast<unsigned long long>(counters.safety_net_wakes),
              static_cast<unsigned long long>(counters.safety_net_rescues),
              static_cast<unsigned long long>(world.doorbell().wakes()));
  std::fflush(stdout);
}

void dispatch(MpiWorld& world, int pairs, std::size_t request_bytes, std::size_t reply_bytes) {
  Dispatch ours(world);
  const Budget slice{0, 10'000'000};
  std::vector<double> part, yielding, plain, to_yielding, to_plain, probe;
  for (int pair = 0; pair < pairs; ++pair) {
    const double spin = ours.root() ? bench::spin_probe({0, 5'000'000}).ns_a_round() : 0;
    const double a = ours.run(request_bytes, reply_bytes, slice).ns_a_round();
    const double b = mpi_dispatch_yielding(MPI_COMM_WORLD, request_bytes, reply_bytes, slice).ns_a_round();
    const double c = mpi_dispatch_plain(MPI_COMM_WORLD, request_bytes, reply_bytes, slice).ns_a_round();
    part.push_back(a), yielding.push_back(b), plain.push_back(c), to_yielding.push_back(a / b), to_plain.push_back(c / a),
        probe.push_back(spin);
  }
  if (ours.root()) {
    std::printf(
        "%u ranks, %zu B + %zu B, %d pairs: part %.1f us, yielding %.1f us, plain %.1f us a round (medians); part / yielding "
        "%.2f, plain / part "
        "%.1f; spin probe %.0f ns\n",
        world.size(), request_bytes, reply_bytes, pairs, median(part) / 1e3, median(yielding) / 1e3, median(plain) / 1e3,
        median(to_yielding), median(to_plain), median(probe));
  }
  print_counters(world, "after dispatch");
}

// All but rank 0 wait in a bcast, as the members of a mailbox group do; rank 0 sleeps without a collective.
void idle(MpiWorld& world, double for_seconds) {
  Dispatch ours(world);
  ours.run(64, 64, {100, 0});
  const double cpu = cpu_seconds();
  const std::int64_t start = bench::monotonic_ns();
  if (!ours.root()) world.perform(world.self(), action::Bcast{Op{1}, world_communicator, Rank{0}, Blob()});
  const Time until = hw::now() + Duration{static_cast<std::int64_t>(for_seconds * 1e9)};
  while (number(hw::now()) < number(until)) world.turn(until);
  const double elapsed = static_cast<double>(bench::monotonic_ns() - start) * 1e-9;
  std::printf("rank %u idle: %.3f %% of a core over %.1f s\n", number(world.self()), 100 * (cpu_seconds() - cpu) / elapsed,
              elapsed);
  print_counters(world, "idle");
  if (ours.root()) world.perform(world.self(), action::Bcast{Op{1}, world_communicator, Rank{0}, Blob(std::string_view("x"))});
  world.run(1);
  world.events(world.self()).clear();
}

void gap(MpiWorld& world, int gaps) {
  Dispatch ours(world);
  std::vector<double> first;
  for (int i = 0; i < gaps; ++i) {
    if (ours.root()) {
      const Time until = hw::now() + milliseconds(250);
      while (number(hw::now()) < number(until)) world.turn(until);
    }
    const std::int64_t start = bench::monotonic_ns();
    ours.round(Blob(std::string_view("request")), Blob(std::string_view("reply")));
    first.push_back(static_cast<double>(bench::monotonic_ns() - start) / 1e3);
  }
  std::sort(first.begin(), first.end());
  if (ours.root())
    std::printf("first answer after 250 ms: median %.0f us, p99 %.0f us, worst %.0f us\n", first[first.size() / 2],
                first[first.size() * 99 / 100], first.back());
  print_counters(world, "gap");
}

void soak(MpiWorld& world, std::uint64_t rounds) {
  Dispatch ours(world);
  for (int tenth = 0; tenth <= 10; ++tenth) {
    const Elapsed elapsed = ours.run(64 + 8192, 64 + 2048, {rounds / 10, 0});
    std::printf("rank %u, %d/10: resident %ld KiB, %.1f us a round\n", number(world.self()), tenth, resident_kib(),
                elapsed.ns_a_round() / 1e3);
  }
  print_counters(world, "soak");
}

}  // namespace

int main(int argc, char** argv) {
  hw::keep_large_buffers();
  auto environment = hw::MpiEnvironment::open({});
  if (!environment.has_value()) return std::fprintf(stderr, "%s\n", environment.error().what.c_str()), 2;
  MpiWorld::environment = &*environment;
  hw::CollectiveLimits limits = MpiWorld::small_limit();
  if (std::getenv("PROBE_NO_SAFETY_NET") != nullptr) limits.wait.net_first = limits.wait.net_most = seconds(600);
  MpiWorld world(limits);
  const std::string what = argc > 1 ? argv[1] : "dispatch";
  const auto argument = [&](int index, const char* otherwise) { return std::string(argc > index ? argv[index] : otherwise); };
  if (what == "idle")
    idle(world, std::stod(argument(2, "10")));
  else if (what == "gap")
    gap(world, std::stoi(argument(2, "20")));
  else if (what == "soak")
    soak(world, std::stoull(argument(2, "100000")));
  else
    dispatch(world, std::stoi(argument(2, "31")), std::stoul(argument(3, "64")), std::stoul(argument(4, "64")));
  return 0;
}
