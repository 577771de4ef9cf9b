// Supervisors with a bug each: the shipped one, and what it is told or does is changed. Each is found by a claim that ours keeps.
#include "supervisor_kit.hpp"

namespace tenter::control {
namespace supervisor_planted_test {
namespace {

using namespace tenter::control::kit;

struct Planted {
  State state() const { return machine.state(); }
  std::string_view state_name() const { return machine.state_name(); }
  Supervisor machine;
};

template <class A, class Keep>
void keep_if(Outbox& box, Keep&& keep) {
  std::erase_if(box.actions(), [&](const Action& action) {
    const A* a = std::get_if<A>(&action);
    return a != nullptr && !keep(*a);
  });
}

// Only the launcher's exit counts: a rank that leaves before MPI_Init hangs the start until its deadline.
struct WatchesTheLauncherOnly : Planted {
  template <class E>
  void on(const E& e, Outbox& out) {
    if constexpr (std::is_same_v<E, event::ProcessExited>)
      if (start_kind<Kind>(e.op) == Kind::watch_rank) return;
    machine.on(e, out);
  }
};

// Ends the launcher and forgets its ranks.
struct KillsTheLauncherOnly : Planted {
  template <class E>
  void on(const E& e, Outbox& out) {
    Outbox box;
    machine.on(e, box);
    for (Action& action : box.actions())
      if (auto* kill = std::get_if<action::KillProcesses>(&action))
        std::erase_if(kill->processes, [](ProcessId process) { return process.pid != 100; });
    perform_all(box.actions(), out);
  }
};

// SIGTERM is enough.
struct NeverKillsHard : Planted {
  template <class E>
  void on(const E& e, Outbox& out) {
    Outbox box;
    machine.on(e, box);
    keep_if<action::KillProcesses>(box, [](const auto& kill) { return kill.signal != 9; });
    perform_all(box.actions(), out);
  }
};

// The host file of a failed start stays.
struct LeavesTheHostFile : Planted {
  template <class E>
  void on(const E& e, Outbox& out) {
    Outbox box;
    machine.on(e, box);
    keep_if<action::RemoveFile>(box, [](const auto&) { return false; });
    perform_all(box.actions(), out);
  }
};

// The host file is gone before the launcher has read it (4.7, an early version of the reference).
struct RemovesTheHostFileEarly : Planted {
  template <class E>
  void on(const E& e, Outbox& out) {
    machine.on(e, out);
    if constexpr (std::is_same_v<E, event::Spawned>) out.remove_file(Office::op(Kind::remove_hosts), Blob("hosts"));
  }
};

// Waits for the launcher without a time-out when the job has run (B4.4).
struct WaitsForEver : Planted {
  template <class E>
  void on(const E& e, Outbox& out) {
    Outbox box;
    machine.on(e, box);
    keep_if<action::Arm>(box, [&](const auto&) { return machine.state() != State::leaving; });
    perform_all(box.actions(), out);
  }
};

// The token is an argument.
struct TokenInArguments : Planted {
  template <class E>
  void on(const E& e, Outbox& out) {
    Outbox box;
    machine.on(e, box);
    for (Action& action : box.actions())
      if (auto* spawn = std::get_if<action::Spawn>(&action)) {
        std::vector<Blob> more(spawn->arguments.begin(), spawn->arguments.end());
        more.push_back(spawn->environment[0]);
        spawn->arguments = Parts(std::move(more));
      }
    perform_all(box.actions(), out);
  }
};

// Says GO when it has started the launcher.
struct GoesTooEarly : Planted {
  template <class E>
  void on(const E& e, Outbox& out) {
    machine.on(e, out);
    if constexpr (std::is_same_v<E, event::Spawned>) out.complete(Ticket{1}, start_note(StartNote::answer));
  }
};

// ---- claims: what went wrong, empty when all is well

template <class M>
std::string a_rank_that_leaves_ends_the_start() {
  OfficeOf<M> office;
  office.go(State::gathering);
  for (std::uint32_t rank = 0; rank < 3; ++rank) office.seen(rank);
  office.rank_exits(1);
  return office.timers.contains(office.op(Kind::grace)) ? "" : "nobody notices that rank 1 is gone";
}

template <class M>
std::string all_are_killed_in_the_end() {
  OfficeOf<M> office;
  office.go(State::running);
  office.take();
  office.stop(9);
  const auto soft = office.take();
  office.deliver(event::TimerFired{office.now, office.op(Kind::patience)});
  const auto hard = office.take();
  if (soft != std::vector<std::string>{"kill 15: 200 201 202 100"}) return "not everyone was asked to end";
  return hard == std::vector<std::string>{"kill 9: 200 201 202 100"} ? "" : "not everyone was killed";
}

template <class M>
std::string the_host_file_is_there_while_the_job_is_and_gone_afterwards() {
  OfficeOf<M> office;
  office.go(State::gathering);
  const auto removals = [&] { return std::count(office.log.begin(), office.log.end(), "remove_file"); };
  if (removals() != 0) return "removed while the launcher may read it";
  office.launcher_exits(1);
  office.fire(Kind::grace);
  return removals() == 1 ? "" : "left behind";
}

template <class M>
std::string the_wait_after_a_job_has_an_end() {
  OfficeOf<M> office;
  office.go(State::running);
  office.rank_exits(0);
  return office.timers.empty() ? "nothing ends the wait for the others" : "";
}

template <class M>
std::string the_token_is_no_argument() {
  OfficeOf<M> office;
  office.go(State::gathering);
  for (const Blob& argument : office.spawned[0].arguments)
    if (names(argument.text(), "AAECAwQF")) return "the token is an argument";
  return {};
}

template <class M>
std::string go_is_the_gates_word() {
  OfficeOf<M> office;
  office.go(State::gathering);
  return office.is_complete(1) ? "it said GO before the ranks were ready" : "";
}

TEST(SupervisorPlanted, each_bug_is_found_by_the_claim_that_it_breaks) {
  EXPECT_EQ(a_rank_that_leaves_ends_the_start<Supervisor>(), "");
  EXPECT_NE(a_rank_that_leaves_ends_the_start<WatchesTheLauncherOnly>(), "");
  EXPECT_EQ(all_are_killed_in_the_end<Supervisor>(), "");
  EXPECT_NE(all_are_killed_in_the_end<KillsTheLauncherOnly>(), "");
  EXPECT_NE(all_are_killed_in_the_end<NeverKillsHard>(), "");
  EXPECT_EQ(the_host_file_is_there_while_the_job_is_and_gone_afterwards<Supervisor>(), "");
  EXPECT_NE(the_host_file_is_there_while_the_job_is_and_gone_afterwards<LeavesTheHostFile>(), "");
  EXPECT_NE(the_host_file_is_there_while_the_job_is_and_gone_afterwards<RemovesTheHostFileEarly>(), "");
  EXPECT_EQ(the_wait_after_a_job_has_an_end<Supervisor>(), "");
  EXPECT_NE(the_wait_after_a_job_has_an_end<WaitsForEver>(), "");
  EXPECT_EQ(the_token_is_no_argument<Supervisor>(), "");
  EXPECT_NE(the_token_is_no_argument<TokenInArguments>(), "");
  EXPECT_EQ(go_is_the_gates_word<Supervisor>(), "");
  EXPECT_NE(go_is_the_gates_word<GoesTooEarly>(), "");
}

}  // namespace
}  // namespace supervisor_planted_test
}  // namespace tenter::control
