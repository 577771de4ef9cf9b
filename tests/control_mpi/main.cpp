// Rank 0 runs the scenario that it is given, the others serve.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <map>

#include "hw/resource.hpp"
#include "tests/control_mpi/control_world.hpp"

namespace tenter::hw::control_world {
namespace {

using control::any_worker;

// What is open: the ticket's number, length and how it is asked.
struct Asked {
  std::uint64_t which = 0;
  std::size_t bytes = 0;
  bool made_there = false;
};

Blob payload_of(const Asked& asked) {
  if (asked.made_there) return task("numbered", {asked.which, asked.bytes});
  return task("echo", {}, numbered_bytes(asked.which, asked.bytes).bytes());
}

constexpr std::size_t task_sizes[] = {0, 1, 40, 1'023, 4'096, 8'191, 8'193, 65'536, 300'000, 1'048'576};
constexpr std::size_t largest_result = control::payload_bytes_max - control::control_reply_head_bytes;

void thousands_of_tasks(Controller& controller, std::uint32_t executors, Judge& judge) {
  constexpr std::uint64_t tasks = 3'000;
  std::deque<std::pair<Ticket, Asked>> open;
  std::uint64_t begun = 0, answered = 0, refused = 0;
  const auto submit = [&](const Asked& asked) {
    const auto ticket = controller.submit(any_worker, payload_of(asked), seconds(60));
    if (judge.expect(ticket.has_value(), "a submit was refused")) open.emplace_back(*ticket, asked);
  };
  while (answered < tasks) {
    while (begun < tasks && open.size() < executors * window) {
      const bool large = begun % 150 == 0;
      submit({begun, large ? largest_result - begun : task_sizes[begun % std::size(task_sizes)], large || begun % 3 == 0});
      ++begun;
    }
    const auto [ticket, asked] = open.front();
    open.pop_front();
    const auto result = controller.wait(ticket, now() + seconds(90));
    if (!result && result.error().status == Status::no_space) {
      ++refused;
      submit(asked);
      continue;
    }
    ++answered;
    if (!judge.expect(result.has_value(), "task " + std::to_string(asked.which) + ": " + (result ? "" : result.error().what)))
      return;
    judge.expect(*result == numbered_bytes(asked.which, asked.bytes), "result of task " + std::to_string(asked.which));
    judge.expect(!controller.wait(ticket, now() + milliseconds(1)), "a second outcome of a ticket");
  }
  std::uint64_t done = 0;
  for (std::uint32_t worker = 0; worker < executors; ++worker)
    if (const auto count = controller.run(worker, task("executed"), seconds(20))) done += number_in(*count);
  judge.expect(done == tasks, std::to_string(done) + " were executed of " + std::to_string(tasks));
  std::printf("%llu were tried again for lack of credit or window\n", static_cast<unsigned long long>(refused));
  // The largest frame there is, towards an executor that has no device for it.
  const auto copy = controller.control(0, control::ControlName::copy_to_remote,
                                       numbered_bytes(1, control::payload_bytes_max - control::control_head_bytes), seconds(30));
  const auto answer = controller.wait(copy.value(), now() + seconds(30));
  judge.expect(!answer && answer.error().what.find("unsupported") != std::string::npos, "a control of 16 MiB");
  const auto failing = controller.run(1, task("fail", {}, numbered_bytes(1, 0).bytes()), seconds(20));
  judge.expect(!failing && failing.error().status == Status::failed, "a task that fails");
  const auto health = controller.health();
  judge.expect(health && health->size() == executors && (*health)[1].state == control::RouteState::ready, "health");
}

void stopped_executor(Controller& controller, std::uint32_t, Judge& judge) {
  const auto pid = static_cast<pid_t>(number_in(controller.run(1, task("pid"), seconds(20)).value_or(Blob())));
  if (!judge.expect(pid > 1, "its pid")) return;
  kill(pid, SIGSTOP);
  const Time stopped = now();
  const auto lost = controller.submit(1, task("echo"));
  const auto answer = controller.wait(lost.value(), now() + seconds(30));
  const Duration after = now() - stopped;
  judge.expect(!answer && answer.error().status == Status::peer_lost, "a task for a stopped executor is answered as lost");
  judge.expect(number(after) <= number(beat * (silent_beats + 3)), std::to_string(number(after) / 1'000'000) + " ms until found");
  judge.expect(number(after) >= number(beat * (silent_beats - 1)), "found before it was silent for long enough");
  for (const std::uint32_t worker : {0u, 2u}) {
    const Blob content = numbered_bytes(worker, 200'000);
    const auto result = controller.run(worker, task("echo", {}, content.bytes()), seconds(20));
    judge.expect(result && *result == content, "worker " + std::to_string(worker) + " serves on");
  }
  const auto health = controller.health();
  judge.expect(health && (*health)[1].state == control::RouteState::failed && (*health)[0].state == control::RouteState::ready &&
                   (*health)[2].state == control::RouteState::ready,
               "only that route has failed");
  const auto end = controller.shutdown(seconds(5));
  judge.expect(!end && end.error().what.find("rank 2 (worker 1)") != std::string::npos, "the end names it");
  judge.expect(controller.exit_code(seconds(1)) == 1, "the exit code");
  // Not before the verdict: a launcher that sees a rank killed may end this one too.
  judge.after_the_verdict([pid] { kill(pid, SIGKILL); });
}

void shutdown_that_waits(Controller& controller, std::uint32_t executors, Judge& judge) {
  std::vector<Ticket> open;
  for (std::uint32_t worker = 0; worker < executors; ++worker)
    for (std::uint32_t i = 0; i < window; ++i) open.push_back(controller.submit(worker, task("sleep_ms", {100})).value());
  const Time begun = now();
  const auto end = controller.shutdown(seconds(20));
  judge.expect(end.has_value(), "the shutdown: " + (end ? std::string() : end.error().what));
  judge.expect(number(now() - begun) >= number(milliseconds(300)), "it did not wait for what was in flight");
  for (const Ticket ticket : open) {
    const auto result = controller.wait(ticket, now() + seconds(1));
    judge.expect(result.has_value(), "what was in flight: " + (result ? std::string() : result.error().what));
  }
  judge.expect(controller.exit_code(seconds(20)) == 0, "all leave in order");
}

void shutdown_by_its_deadline(Controller& controller, std::uint32_t, Judge& judge) {
  const Ticket endless = controller.submit(2, task("sleep_ms", {60'000})).value();
  const auto here = controller.run(0, task("echo"), seconds(20));
  judge.expect(here.has_value(), "another worker");
  const Time begun = now();
  const auto end = controller.shutdown(seconds(1));
  const Duration took = now() - begun;
  judge.expect(!end && end.error().status == Status::timed_out, "the shutdown tells of it");
  judge.expect(!end && end.error().what.find("rank 3 (worker 2)") != std::string::npos, "and names the executor");
  judge.expect(number(took) >= number(milliseconds(950)) && number(took) <= number(seconds(3)),
               "it took " + std::to_string(number(took) / 1'000'000) + " ms of 1,000");
  const auto result = controller.wait(endless, now() + seconds(1));
  judge.expect(!result && !result.error().what.empty(), "what was in flight is answered");
  judge.expect(controller.exit_code(seconds(1)) == 1, "the exit code");
}

void idle(Controller& controller, std::uint32_t executors, Judge& judge) {
  const auto used = [&](std::uint32_t worker) {
    return number_in(controller.run(worker, task("cpu_us"), seconds(20)).value_or(Blob()));
  };
  std::vector<std::uint64_t> before;
  for (std::uint32_t worker = 0; worker < executors; ++worker) before.push_back(used(worker));
  const std::uint64_t own = own_cpu_us();
  const auto pause = controller.run(0, task("sleep_ms", {2'000}), seconds(20));
  judge.expect(pause.has_value(), "the pause");
  const std::uint64_t own_used = own_cpu_us() - own;
  std::printf("CPU of 2,000 ms: rank 0 %llu us", static_cast<unsigned long long>(own_used));
  judge.expect(own_used < 40'000, "rank 0 took " + std::to_string(own_used) + " us");
  for (std::uint32_t worker = 0; worker < executors; ++worker) {
    const std::uint64_t took = used(worker) - before[worker];
    std::printf(", rank %u %llu us", worker + 1, static_cast<unsigned long long>(took));
    judge.expect(took < 40'000, "rank " + std::to_string(worker + 1) + " took " + std::to_string(took) + " us");
  }
  std::printf("\n");
}

void round_trips(Controller& controller, std::uint32_t, Judge& judge) {
  for (const std::size_t bytes : {std::size_t{64}, std::size_t{4'096}, std::size_t{65'536}, std::size_t{1'048'576}}) {
    const Blob content = numbered_bytes(1, bytes);
    const Blob payload = task("numbered", {1, bytes});
    std::vector<std::int64_t> took;
    for (int i = 0; i < 200; ++i) {
      const Time begun = now();
      const auto result = controller.run(0, payload, seconds(20));
      took.push_back(number(now() - begun));
      if (!judge.expect(result && *result == content, "a result of " + std::to_string(bytes) + " bytes")) return;
    }
    std::sort(took.begin(), took.end());
    std::printf("%zu bytes back: median %lld us, 90 %% within %lld us\n", bytes,
                static_cast<long long>(took[took.size() / 2] / 1'000),
                static_cast<long long>(took[took.size() * 9 / 10] / 1'000));
    judge.expect(took[took.size() / 2] < 20'000'000, "a round trip of " + std::to_string(bytes) + " bytes waits for a net");
  }
}

using Scenario = void (*)(Controller&, std::uint32_t, Judge&);
const std::map<std::string, Scenario> scenarios = {
    {"thousands_of_tasks_of_all_sizes_are_answered_once", thousands_of_tasks},
    {"a_stopped_executor_is_found_and_the_others_serve_on", stopped_executor},
    {"a_shutdown_waits_for_what_is_in_flight_and_every_executor_leaves", shutdown_that_waits},
    {"a_shutdown_ends_by_its_deadline_whatever_runs", shutdown_by_its_deadline},
    {"ranks_that_have_nothing_to_do_take_no_cpu", idle},
    {"a_round_trip_costs_little_more_than_that_of_its_messages", round_trips},
};

bool control(MpiCarrier& carrier, const std::string& name) {
  Judge judge(name);
  const std::uint32_t executors = carrier.size() - 1;
  const auto rank = make_control_rank(carrier, control::Hub(hub_config(executors)));
  {
    const auto controller = Controller::start(*rank, seconds(60));
    if (judge.expect(controller.has_value(), "the start: " + (controller ? "" : controller.error().what))) {
      scenarios.at(name)(**controller, executors, judge);
      if (!rank->exit_asked()) {  // the scenario is not about the end
        const auto end = (*controller)->shutdown(seconds(20));
        judge.expect(end.has_value(), "the shutdown: " + (end ? "" : end.error().what));
        judge.expect((*controller)->exit_code(seconds(20)) == 0, "all leave in order");
      }
    }
  }
  if (!MpiEnvironment::abandoned()) judge.expect(rank->part().in_flight() == 0, rank->part().in_flight_text());
  return judge.say();
}

int run(const std::string& name) {
  auto carrier = MpiCarrier::open(4);
  if (!carrier) {
    std::fprintf(stderr, "%s: wrong: %s\n", name.c_str(), carrier.error().what.c_str());
    return 1;
  }
  const std::uint32_t self = number((*carrier)->rank());
  if (self == 0) return control(**carrier, name) ? 0 : 1;
  int code = 0;
  {
    const auto rank = make_control_rank(**carrier, control::Executor(executor_config(self, (*carrier)->size())), call);
    code = serve(*rank);
  }
  carrier->reset();
  if (const std::string held = Resources::held_text(); !held.empty()) {
    std::fprintf(stderr, "%s: wrong: rank %u still holds %s\n", name.c_str(), self, held.c_str());
    return 1;
  }
  return code;
}

}  // namespace
}  // namespace tenter::hw::control_world

int main(int argc, char** argv) {
  if (argc != 2 || !tenter::hw::control_world::scenarios.contains(argv[1])) {
    std::fprintf(stderr, "usage: mpiexec -n 4 %s SCENARIO\n", argv[0]);
    return 64;
  }
  alarm(110);  // a rank that waits for ever ends the world
  return tenter::hw::control_world::run(argv[1]);
}
