#include "cli/hw_scenario.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "hw/loop/local_part.hpp"
#include "hw/loop/process.hpp"
#include "hw/posix/entropy_part.hpp"
#include "hw/posix/files_part.hpp"
#include "hw/posix/host_part.hpp"
#include "hw/posix/processes_part.hpp"
#include "hw/posix/timers_part.hpp"
#include "hw/shm/shared_page_part.hpp"
#include "sim/choice.hpp"

namespace tenter::cli {
namespace {

using ScenarioPort =
    Port<hw::SharedPagePart, hw::TimersPart, hw::LocalPart, hw::FilesPart, hw::ProcessesPart, hw::EntropyPart, hw::HostPart>;

const std::string still_there = "is still there, in ";  // how the report of a process begins whose patience was over

// A machine of any kind on real parts: what it asks for is done as soon as its handler has returned, in its order.
class OnParts {
 public:
  explicit OnParts(AnyMachine machine) : machine_(std::move(machine)) {}

  template <class E>
  void on(const E& event, ScenarioPort& port) {
    machine_.deliver(Event(event), out_);
    for (const Action& action : out_.actions()) std::visit([&](const auto& a) { perform(a, port); }, action);
    out_.clear();
  }
  std::string text() const { return fmt::format("{} {}", machine_.name(), machine_.state_name()); }

 private:
  template <class A>
  static void perform(const A& action, ScenarioPort& port) {
    if constexpr (PerformsOne<ScenarioPort, A>)
      port.perform(action);
    else
      throw std::runtime_error(fmt::format("no part here performs {}; the protocol needs a run of its own (Registry::hardware)",
                                           text_of(Action(action))));
  }

  AnyMachine machine_;
  Outbox out_;
};

// A scenario says "lease" to a page; on this machine, where others may run it too, that is a name of this run alone.
std::string page_prefix(const std::string& run_folder) { return std::filesystem::path(run_folder).filename().string() + "-"; }

// What processes that were ended by a signal could not give back themselves.
void remove_pages(const std::string& prefix) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm", ignored))
    if (const std::string name = entry.path().filename().string(); name.starts_with(prefix)) (void)hw::unlink_page(name);
}

// Where the processes of a run keep their things: files in a folder each, pages under a prefix for all.
struct Places {
  std::string root, pages;
  std::string folder_of(const sim::ProcessSpec& spec) const { return root + "/" + spec.files_root; }
};

// Set in the child while its loop runs, for the signal handler: who is told to end gives back its page's name first.
hw::Context* told_context = nullptr;
volatile sig_atomic_t told_to_end = 0;
void end_soon(int) {
  told_to_end = 1;
  if (told_context != nullptr) told_context->nudge();  // a counter and a futex call: safe in a handler
}

template <class... Machines>
std::string run_machines(const std::string& folder, const std::string& pages, Duration patience, int& code,
                         Machines... machines) {
  hw::Context context;
  ScenarioPort port{{context, pages}, {context}, {context}, {context, folder}, {context}, {context}, {context}, {}};
  hw::Process process(context, port, std::move(machines)...);
  told_context = &context;
  signal(SIGTERM, &end_soon);
  process.start();
  const bool ended =
      process.run_until_quiet([&] { return port.exit_requested().has_value() || told_to_end != 0; }, hw::now() + patience);
  signal(SIGTERM, SIG_DFL);
  told_context = nullptr;
  code = port.exit_requested() ? port.exit_requested()->code : ended && told_to_end == 0 ? 0 : 1;
  std::string text = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return ((process.template machine<I>().text() + "; ") + ... + std::string());
  }
  (std::index_sequence_for<Machines...>{});
  text.resize(text.size() - 2);
  return (ended ? "ended in " : still_there) + text;
}

// In the child: never returns.
[[noreturn]] void be_process(const sim::ProcessSpec& spec, const Places& places, Duration patience, int report) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  int code = 1;
  std::string text;
  try {
    const auto& m = spec.machines;
    const std::string folder = places.folder_of(spec);
    switch (m.size()) {
      case 1:
        text = run_machines(folder, places.pages, patience, code, OnParts(m[0]));
        break;
      case 2:
        text = run_machines(folder, places.pages, patience, code, OnParts(m[0]), OnParts(m[1]));
        break;
      case 3:
        text = run_machines(folder, places.pages, patience, code, OnParts(m[0]), OnParts(m[1]), OnParts(m[2]));
        break;
      default:
        text = fmt::format("hosts {} machines; 1 to 3 can be run", m.size());
    }
  } catch (const std::exception& failure) {
    text = failure.what();
  }
  const ssize_t written = write(report, text.data(), text.size());  // less than PIPE_BUF: whole
  _exit(written < 0 && code == 0 ? 1 : code);
}

struct Child {
  std::string name;
  pid_t pid = -1;
  int report = -1;
};

Child start_process(const sim::ProcessSpec& spec, const Places& places, Duration patience) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error(fmt::format("{}: pipe: {}", spec.name, std::strerror(errno)));
  std::filesystem::create_directories(places.folder_of(spec));
  const pid_t pid = fork();
  if (pid == 0) {
    close(ends[0]);
    be_process(spec, places, patience, ends[1]);
  }
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    throw std::runtime_error(fmt::format("{}: fork: {}", spec.name, std::strerror(errno)));
  }
  return {spec.name, pid, ends[0]};
}

std::string report_of(int descriptor) {
  char text[PIPE_BUF];
  const ssize_t length = read(descriptor, text, sizeof text);
  return std::string(text, length > 0 ? static_cast<std::size_t>(length) : 0);
}

// Waits for the end of each and says what was wrong with it. `enough` ends them all; their own patience ends one that does not
// listen.
void await(const std::vector<Child>& children, const std::function<bool()>& enough, HardwareOutcome& outcome) {
  constexpr int look_ms = 100;
  bool killed = false;
  for (const Child& child : children) {
    pollfd end{child.report, POLLIN, 0};
    while (poll(&end, 1, look_ms) == 0)
      if (!killed && enough()) {
        for (const Child& other : children) kill(other.pid, SIGTERM);
        killed = true;
      }
    const std::string text = report_of(child.report);
    int status = 0;
    while (waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
    }
    close(child.report);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
      ++outcome.answers;
    } else if (!killed) {
      const std::string how = WIFSIGNALED(status) ? fmt::format("ended by signal {}", WTERMSIG(status))
                                                  : fmt::format("exit code {}", WEXITSTATUS(status));
      outcome.failures.push_back({"every process ends with 0",
                                  fmt::format("{}: {}{}{}", child.name, how, text.empty() ? "" : ", ", text),
                                  text.starts_with(still_there)});
    }
  }
}

void run_once(const sim::ScenarioFunction& build, std::uint64_t seed, const Places& places, const HardwareOptions& options,
              HardwareOutcome& outcome) {
  sim::Choices choices = sim::Choices::seeded(seed);
  sim::Scenario scenario(choices);
  build(scenario);
  std::vector<Child> children;
  for (const auto& spec : scenario.processes()) children.push_back(start_process(*spec, places, options.patience));
  await(children, options.interrupted, outcome);
}

}  // namespace

bool can_run_on_hardware(const sim::ScenarioFunction& build) {
  sim::Choices choices = sim::Choices::seeded(1);
  sim::Scenario scenario(choices);
  build(scenario);
  return !scenario.has_users_or_launchers();
}

HardwareOutcome run_on_hardware(const sim::ScenarioFunction& scenario, const HardwareOptions& options) {
  HardwareOutcome outcome;
  outcome.unit = "processes";
  std::string root = (std::filesystem::temp_directory_path() / "tenter-hw-run-XXXXXX").string();
  if (mkdtemp(root.data()) == nullptr) throw std::runtime_error(fmt::format("{}: {}", root, std::strerror(errno)));
  const Places places{root, page_prefix(root)};
  for (std::uint64_t i = 0; i < options.requests && outcome.failures.empty() && !options.interrupted(); ++i) {
    try {
      run_once(scenario, options.seed + i, places, options, outcome);
    } catch (const std::exception& failure) {
      outcome.failures.push_back({"the scenario runs", failure.what(), false});
    }
    if (!outcome.failures.empty()) outcome.seed = options.seed + i;
    options.progress(i + 1);
  }
  remove_pages(places.pages);
  std::error_code ignored;
  std::filesystem::remove_all(root, ignored);
  return outcome;
}

}  // namespace tenter::cli
