// Tasks of control beside raw MPI messages of the same bytes: `scripts/bench control`, which starts
// `mpiexec -n 2 control_bench [--pairs N] [--slice-ms N] [--json FILE] [Google Benchmark's options]` for the round trips and
// `mpiexec -n 9 control_bench` for eight executors with a window of eight.
//
// Rank 0 drives the Hub's loop itself; the executors drive theirs, or answer the raw peer, as rank 0 says.
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/raw/mpi_echo.hpp"
#include "bench/shared_turn.hpp"
#include "bench/slices.hpp"
#include "core/control/calls.hpp"
#include "hw/control/builtin_callables.hpp"
#include "hw/control/control_rank.hpp"
#include "hw/control/mpi_carrier.hpp"

namespace {

using namespace tenter;
using namespace tenter::bench;

constexpr std::uint32_t serves_control = 0, serves_raw = 1, is_over = 2;
constexpr std::uint32_t window = 8;
constexpr Duration patience = seconds(20);
constexpr const char* by_thread = "echo_by_thread";  // the same as echo, on the work thread
constexpr std::size_t bytes_max = std::size_t{1} << 20;

bool failed(const std::string& why) {
  std::fprintf(stderr, "control: %s\n", why.c_str());
  return false;
}

class Bench {
 public:
  Bench(hw::ControlRank& rank, std::uint32_t executors, SharedTurn& turn, MpiEcho& raw)
      : rank_(rank), executors_(executors), turn_(turn), raw_(raw) {}

  bool start() { return call(control::call_note(control::CallKind::start)); }
  bool shutdown() {
    return call(control::shutdown_note(patience)) &&
           rank_.run_until([&] { return rank_.exit_asked().has_value(); }, hw::now() + patience);
  }

  // `tasks` to every executor, and all their answers.
  bool round(const Blob& payload, std::size_t answer_bytes, std::uint32_t tasks) {
    open_.clear();
    for (std::uint32_t i = 0; i < tasks; ++i)
      for (std::uint32_t worker = 0; worker < executors_; ++worker) {
        const auto ticket = submit(control::submit_note({worker, patience, payload}));
        if (!ticket) return failed(ticket.error().what);
        open_.push_back(*ticket);
      }
    for (const Ticket ticket : open_) {
      const auto answer = await(ticket);
      if (!answer || answer->status != Status::ok) return failed(answer ? std::string(answer->text.text()) : "no answer");
      if (answer->parts.empty() || answer->parts[0].size() != answer_bytes) return failed("a wrong answer");
    }
    return true;
  }
  // An executor that sleeps in its loop wakes by a task, sees whose turn it is, and answers when it is control's again.
  bool give(std::uint32_t to) {
    if (turn_.give(to) == to) return true;
    if (to == serves_control) {
      for (const Ticket ticket : std::exchange(woken_, {}))
        if (const auto answer = await(ticket); !answer || answer->status != Status::ok)
          return failed("an executor does not wake");
      return true;
    }
    const auto wake = hw::task_payload("echo", {}, {});
    for (std::uint32_t worker = 0; worker < executors_; ++worker) {
      const auto ticket = submit(control::submit_note({worker, Duration{}, wake.value()}));
      if (!ticket) return failed(ticket.error().what);
      woken_.push_back(*ticket);
    }
    rank_.run_until([] { return false; }, hw::now() + milliseconds(1));  // until they are sent
    return true;
  }
  Side tasks(const Blob& payload, std::size_t bytes, std::uint32_t count) {
    return {.slice =
                [this, payload, bytes, count](Budget budget, std::vector<std::uint32_t>& round_ns) {
                  if (!give(serves_control) || !round(payload, bytes, count)) return Elapsed{};
                  return run_rounds(budget, &round_ns, [&] { return round(payload, bytes, count); });
                },
            .other_cpu_ns = [this] { return turn_.cpu_ns_of_others(); }};
  }
  Side messages(std::size_t bytes, std::uint32_t count) {
    return {.slice =
                [this, bytes, count](Budget budget, std::vector<std::uint32_t>& round_ns) {
                  if (!give(serves_raw)) return Elapsed{};
                  const auto one = [&] { return raw_.round(bytes, static_cast<int>(count)), true; };
                  one();
                  return run_rounds(budget, &round_ns, one);
                },
            .other_cpu_ns = [this] { return turn_.cpu_ns_of_others(); }};
  }

 private:
  Result<Ticket> submit(Note note) { return rank_.client().submit(Role{0}, std::move(note), hw::ClientPart::Wake::nobody); }
  std::optional<Note> await(Ticket ticket) {
    rank_.run_until([&] { return rank_.client().done(ticket); }, hw::now() + patience + seconds(5));
    return rank_.client().take(ticket);
  }
  bool call(Note note) {
    const auto ticket = submit(std::move(note));
    const auto answer = ticket ? await(*ticket) : std::nullopt;
    return (answer && answer->status == Status::ok) || failed(answer ? std::string(answer->text.text()) : "no answer");
  }

  hw::ControlRank& rank_;
  const std::uint32_t executors_;
  SharedTurn& turn_;
  MpiEcho& raw_;
  std::vector<Ticket> open_, woken_;
};

int measure(Bench& bench, bool one_executor, int argc, char** argv) {
  Report report(one_executor ? "control" : "control_many");
  const auto row = [&](const std::string& name, std::size_t bytes, std::uint32_t count, const std::string& unit,
                       double most_ratio, const char* callable = "echo") {
    const std::vector<std::byte> content(bytes, std::byte{7});
    report.add({.name = name,
                .candidate = bench.tasks(hw::task_payload(callable, {}, content).value(), bytes, count),
                .peer = bench.messages(bytes, count),
                .peer_name = "raw MPI",
                .unit = unit,
                .most_ratio = most_ratio});
  };
  if (one_executor) {
    for (const std::size_t bytes : {std::size_t{64}, std::size_t{1024}, std::size_t{4096}, std::size_t{65'536}, bytes_max})
      row("round_trip/" + std::to_string(bytes), bytes, 1, "echo task", bytes <= 4096 ? 1.3 : 1.8);
    row("round_trip_by_work_thread/64", 64, 1, "echo task", 1.3, by_thread);
  } else {
    row("executors_of_window_8/64", 64, window, "echo task, 8 at once an executor", 1 / 0.8);
  }
  return report.run(argc, argv);
}

template <class Machine, class... More>
bool leave(hw::ControlRankOn<hw::MpiCarrier, Machine, More...>& rank) {
  return rank.leave(patience);
}

int give_tasks(hw::MpiCarrier& carrier, SharedTurn& turn, MpiEcho& raw, int argc, char** argv) {
  control::HubConfig config;
  config.profiles.assign(carrier.size() - 1, "sim");
  config.window = window;
  const auto rank = hw::make_control_rank(carrier, control::Hub(config));
  Bench bench(*rank, carrier.size() - 1, turn, raw);
  if (!bench.start()) return 70;
  const int code = measure(bench, carrier.size() == 2, argc, argv);
  const bool ended = bench.give(serves_control) && bench.shutdown();
  turn.give(is_over);
  return ended && leave(*rank) ? code : 70;
}

int execute(hw::MpiCarrier& carrier, SharedTurn& turn, MpiEcho& raw) {
  hw::ControlCallables callables = hw::control_callables();
  callables.emplace_back(by_thread, callables.front().second);
  control::ExecutorConfig config;
  config.worker = number(carrier.rank()) - 1;
  config.world = carrier.size();
  config.callables = hw::registered(callables);
  const auto call = [&callables](const Blob& name, const Blob& payload) { return hw::run_callable(callables, name, payload); };
  const auto rank = hw::make_control_rank(carrier, control::Executor(config), call, hw::is_prompt);
  while (!rank->exit_asked())
    if (turn.now() == serves_raw)
      raw.serve_once();
    else
      rank->run_until([&] { return turn.now() == serves_raw || rank->exit_asked(); }, end_of_time, nullptr);
  return leave(*rank) ? 0 : 70;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint32_t ranks = hw::world_promised_by_launcher();
  if (ranks < 2) return failed("start with mpiexec -n 2, or -n 9"), 64;
  auto carrier = hw::MpiCarrier::open(ranks);
  if (!carrier) return failed(carrier.error().what), 70;
  SharedTurn turn;
  MpiEcho raw(bytes_max, ranks > hw::usable_cpus());
  const bool first = number((*carrier)->rank()) == 0;
  const int code = first ? give_tasks(**carrier, turn, raw, argc, argv) : execute(**carrier, turn, raw);
  if (first) raw.end();
  return code;
}
