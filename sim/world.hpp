// A simulated world: one queue, virtual time, processes with their machines, and a model of each port. One world is one run; it
// is a function of its choices and its scenario and of nothing else.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/choice.hpp"
#include "sim/fault.hpp"
#include "sim/model/collectives.hpp"
#include "sim/model/comm.hpp"
#include "sim/model/fabric.hpp"
#include "sim/model/files.hpp"
#include "sim/model/launchers.hpp"
#include "sim/model/pages.hpp"
#include "sim/model/stream.hpp"
#include "sim/model/timers.hpp"
#include "sim/mutation.hpp"
#include "sim/mutation_effect.hpp"
#include "sim/property.hpp"
#include "sim/queue.hpp"
#include "sim/scenario.hpp"
#include "sim/world_client.hpp"

namespace tenter::sim {

struct Finding {
  FindingKind kind = FindingKind::safety;
  std::string property;
  std::string text;
  std::uint64_t step = 0;
  Time now{};
  std::string process;
};

// What happened next to a process, for the log and the last-events list.
struct LogLine {
  std::uint64_t step = 0;
  Time now{};
  ProcessIndex process = 0;
  Role role{};
  std::string_view state;  // of the machine before the event
  Event event;
  std::vector<Action> actions;
};

struct WorldOptions {
  Mutation mutation;
  bool keep_log = false;         // every event with its actions: for stories, not for search
  bool keep_sites = false;       // (machine, state, event) pairs that were hit, with their actions
  std::uint64_t stop_after = 0;  // 0: no limit; else end after this step
  std::uint64_t break_at = 0;    // raise SIGTRAP before this step, for a debugger
};

// A unit of the queue.
struct Item {
  enum class Kind : std::uint8_t {
    none,
    turn,
    deliver,
    timer,
    watch,
    drain,
    start,
    resume,
    exit,
    job,
    heal,
    end,
    fault,
    restart,
    guard,
    scribble,
    nic,
    message,
    stream
  } kind = Kind::none;
  ProcessIndex process = 0;
  Role role{};
  std::uint64_t a = 0, b = 0;
  Event event;
};

struct Site {
  std::string_view machine, state, event;
  std::vector<Action> actions;  // of its longest occurrence
};

class World : public Findings {
 public:
  World(Choices& choices, Scenario& scenario, const std::vector<Property>& properties, WorldOptions options);
  ~World() override;

  // Runs to the end or to the first failure.
  void run();
  // The same by hand, for tests of the models: begin, step until it answers false, and actions that no machine asked for.
  void begin();
  bool step();
  void inject(ProcessIndex process, Role role, Action action);

  const std::optional<Finding>& finding() const { return finding_; }
  bool decided() const { return decided_; }  // false: the step limit was reached first
  std::uint64_t digest() const { return digest_.value(); }
  std::uint64_t steps() const { return steps_; }            // events delivered to machines
  std::uint64_t boot_steps() const { return boot_steps_; }  // of these, before the scenario's quiet boot was over
  std::uint64_t turns() const { return turns_; }            // units taken from the queue
  const std::vector<LogLine>& log() const { return log_; }
  const std::vector<Site>& sites() const { return sites_; }
  const MutationEffect& mutation_effect() const { return mutation_watch_.effect(); }
  // Whether the last of `actions`, with those before it still to be performed, would change anything.
  Neutral neutral_if_dropped(const Process& p, Role role, std::span<const Action> actions) const;
  bool alone(const Process& p) const;
  const std::vector<bool>& sometimes_seen() const { return seen_; }  // parallel to the properties
  std::string waits() const;                                         // who waits for what, for people

  // For models and views.
  Time now() const { return now_; }
  Choices& choices() { return choices_; }
  Process& process(ProcessIndex index) { return *processes_[index]; }
  const Process& process(ProcessIndex index) const { return *processes_[index]; }
  std::size_t process_count() const { return processes_.size(); }
  const PagesModel& pages() const { return pages_; }
  PagesModel& pages() { return pages_; }
  CollectivesModel& collectives() { return collectives_; }
  const LauncherSpec* launcher(std::string_view program) const;
  const FilesModel& files() const { return files_; }
  FilesModel& files() { return files_; }
  const FabricModel& fabric() const { return fabric_; }
  FabricModel& fabric() { return fabric_; }
  const CommModel& comm() const { return comm_; }
  CommModel& comm() { return comm_; }
  const StreamsModel& streams() const { return streams_; }
  const WorldOptions& options() const { return options_; }

  // The event reaches the machine after `base` and a chosen delay; at once (behind what is in the inbox) when both are 0.
  Time post(ProcessIndex to, Role role, Event event, Duration base, std::uint64_t ticket = 0);
  void schedule(Duration after, Item item);
  void wake(ProcessIndex index);  // give the process a turn when it has something to do
  Duration chosen_delay(Tag tag, std::uint32_t entity);
  bool allowed(Tag fault);  // budget left and not healed
  void spend(Tag fault);
  ProcessIndex add_process(ProcessSpec spec, ProcessIndex parent);
  void start_process(ProcessIndex index);
  void end_process(ProcessIndex index, std::int32_t code, std::int32_t signal);
  void signal_process(ProcessIndex index, std::int32_t signal);
  ProcessIndex find(ProcessId id) const;
  bool healed() const { return healed_; }
  Time heals_at() const { return Time{} + scenario_.chaos_; }
  std::uint64_t faults_spent() const { return faults_spent_; }
  std::uint64_t host_crashes() const { return host_crashes_; }
  const Workload* workload() const { return workload_.get(); }
  Workload* workload() { return workload_.get(); }

  // Findings.
  void fail(FindingKind kind, std::string property, std::string text) override;
  void seen(std::string_view sometimes) override;

  // Client.
  Ticket submit(ProcessIndex process, Role role, Note call);
  std::size_t open_tickets() const { return open_tickets_.size(); }
  ProcessIndex find(std::string_view name) const;  // the newest

 private:
  friend class WorldClient;
  void handle(Item& item);
  void take_turn(Process& p);
  void deliver(Process& p, Inbound&& inbound);
  void deliver_to(Process& p, Role role, const Event& event);
  bool hand_over(AnyMachine& machine, const Event& event);
  bool hand_over_mutated(Process& p, Role role, AnyMachine& machine, const Event& event);
  void digest_step(const Process& p, Role role, const Event& event);
  void check_step(const Step& step);
  bool quiescent() const;
  void end_boot();
  void choose_fate(Process& p);
  bool host_may_crash(const Process& p);
  void crash_host(ProcessIndex of);
  void abandon_tickets(ProcessIndex index);
  void restart(ProcessIndex index);
  void end_job(ProcessIndex dead);
  void form_job(const std::string& job);
  void check_leftovers();
  bool advance(Process& p);  // performs the first pending action; false: it waits
  void note_site(std::string_view machine, std::string_view state, const Event& event, const std::vector<Action>& actions);
  bool still_valid(Process& p, const Inbound& inbound);
  void finish();
  bool perform(Process& p, Role role, const Action& action);
  void perform_work(Process& p, Role role, const action::Execute& a);
  void perform_complete(Process& p, const action::Complete& a);

  Choices& choices_;
  Scenario& scenario_;
  const std::vector<Property>& properties_;
  WorldOptions options_;
  std::unique_ptr<Workload> workload_;
  WorldClient client_;

  Queue<Item> queue_;
  Time now_{};
  std::vector<std::unique_ptr<Process>> processes_;
  TimersModel timers_;
  PagesModel pages_;
  CollectivesModel collectives_;
  FilesModel files_;
  LaunchersModel launchers_;
  FabricModel fabric_;
  CommModel comm_;
  StreamsModel streams_;

  std::vector<std::unique_ptr<Monitor>> monitors_;
  std::vector<std::uint32_t> each_step_;  // properties that every event is judged by
  std::vector<bool> seen_;
  std::optional<Finding> finding_;
  struct OpenTicket {
    Ticket ticket{};
    ProcessIndex process = 0;
  };
  std::vector<OpenTicket> open_tickets_;
  std::uint64_t next_ticket_ = 1;
  ProcessIndex current_ = no_process;
  ProcessIndex current_turn_ = no_process;  // whose turn it is: it needs no waking
  std::size_t phase_marks_ = 0;             // heal and end marks still in the queue
  std::uint64_t random_drawn_ = 0;
  std::uint64_t faults_spent_ = 0, host_crashes_ = 0;

  Digest digest_;
  Outbox outbox_;
  MutationWatch mutation_watch_;
  std::vector<LogLine> log_;
  std::vector<Site> sites_;
  std::uint64_t steps_ = 0, turns_ = 0, boot_steps_ = 0;
  bool booting_ = false;
  bool healed_ = false, decided_ = true, over_ = false;
};

// What properties may look at: everything, changing nothing.
class View {
 public:
  explicit View(const World& world) : world_(world) {}
  const World& world() const { return world_; }
  Time now() const { return world_.now(); }

  // Calls visit(process, machine) for every machine that is an M, also of processes that have ended.
  template <Machine M, class Visit>
  void for_each(Visit&& visit) const {
    for (ProcessIndex i = 0; i < world_.process_count(); ++i)
      for (const AnyMachine& any : world_.process(i).machines)
        if (const M* machine = any.template as<M>()) visit(world_.process(i), *machine);
  }
  // The first machine that is an M, or null.
  template <Machine M>
  const M* one() const {
    const M* found = nullptr;
    for_each<M>([&](const Process&, const M& machine) {
      if (!found) found = &machine;
    });
    return found;
  }
  // Newest value of a control word of the page with this name, or of the only page; none when it was never created.
  std::optional<std::uint32_t> word(Word word, std::string_view page_name = {}) const {
    return world_.pages().newest(word, page_name);
  }

 private:
  const World& world_;
};

}  // namespace tenter::sim
