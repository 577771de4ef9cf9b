// `tenter control run`: supervisor, gate, launcher and tasks in one. The tasks are given out by rank 0 (control_rank.cpp), which
// writes down what came of each; here it is counted, shown and judged.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <sstream>
#include <vector>

#include "cli/control_commands.hpp"
#include "cli/control_results.hpp"
#include "cli/control_work.hpp"
#include "cli/report/json_writer.hpp"
#include "cli/tell.hpp"
#include "hw/control/rank_place.hpp"
#include "hw/control/supervisor_host.hpp"
#include "hw/group/group.hpp"
#include "hw/os/file.hpp"
#include "hw/os/status.hpp"
#include "hw/record/private_directory.hpp"

namespace tenter::cli {
namespace {

constexpr std::uint64_t topology_file_bytes_max = 64u << 20;
constexpr std::size_t results_kept_max = 100'000;  // in the JSON

struct Job {
  control::Topology topology;
  std::string topology_text, work, tasks_text;
  std::uint64_t count = 0;
  bool vectors = false;
};

Result<control::Topology> topology_of(const ControlRunOptions& options) {
  if (!options.topology.empty()) {
    const auto text = os::read_file(options.topology, topology_file_bytes_max);
    if (!text) return error(text.error().status, "topology " + text.error().what);
    auto topology = control::parse_topology(*text);
    if (!topology) return error(topology.error().status, options.topology + ": " + topology.error().what);
    return topology;
  }
  control::Topology topology;
  for (std::uint32_t rank = 1; rank < options.ranks; ++rank) {
    control::ExecutorPlace executor;
    executor.rank = rank;
    executor.worker = rank - 1;
    topology.executors.push_back(executor);
  }
  return topology;
}

Result<Job> job_of(const ControlRunOptions& options) {
  auto topology = topology_of(options);
  if (!topology) return tl::unexpected(topology.error());
  Job job{std::move(*topology), {}, {}, {}, 0, options.work == "vector_add"};
  job.topology_text = control::print_topology(job.topology);
  if (job.vectors) {
    job.work = fmt::format("vector_add {}", options.rows);
    job.count = vector_pieces(options.rows);
    return job;
  }
  const std::string who = "tasks " + options.tasks;
  auto text = options.tasks == "-" ? os::read_to_end(0, who, control_tasks_bytes_max)
                                   : os::read_file(options.tasks, control_tasks_bytes_max);
  if (!text) return error(text.error().status, options.tasks == "-" ? text.error().what : "tasks " + text.error().what);
  const auto tasks = control_tasks(*text, static_cast<std::uint32_t>(job.topology.executors.size()));
  if (!tasks) return tl::unexpected(tasks.error());
  if (tasks->empty()) return error(Status::invalid, who + ": it holds no task");
  job.work = "tasks";
  job.tasks_text = std::move(*text);
  job.count = tasks->size();
  return job;
}

Result<void> write_private(const std::string& file, const std::string& text) {
  const hw::Descriptor to(open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!to) return os::system_error(file, errno);
  const os::Written written = os::write_all(to.get(), std::as_bytes(std::span(text.data(), text.size())));
  if (written.native != 0) return os::system_error(file, written.native);
  return {};
}

Result<void> leave_work(const Job& job, const std::string& folder) {
  const std::pair<const char*, const std::string*> files[] = {{control_work_file, &job.work},
                                                              {control_tasks_file, &job.tasks_text}};
  for (const auto& [name, text] : files)
    if (auto written = write_private(folder + name, *text); !written) return written;
  return write_private(folder + control_results_file, {});
}

// Every task's result, each counted once.
class Tally {
 public:
  Tally(const Context& context, const Job& job) : context_(context), job_(job), seen_(job.count, false) {}

  void take(std::string_view line) {
    if (auto said = read_control_note(line)) {
      if (said->starts_with(control_shutdown_note)) over_ = true;
      trouble_ += (trouble_.empty() ? "" : "; ") + *said;
      return;
    }
    auto result = read_control_result(line);
    if (!result || result->index >= seen_.size()) {
      wrong_ = "rank 0 wrote a line that is no result";
      return;
    }
    if (seen_[result->index]) wrong_ = fmt::format("task {} was answered twice", result->number);
    if (!seen_[result->index]) ++done_;
    seen_[result->index] = true;
    failed_ += result->status != Status::ok;
    show(*result);
    if (results_.size() < results_kept_max) results_.push_back(std::move(*result));
  }

  // Rank 0 has nothing more to do, and somebody has not left: they are not waited for.
  bool over() const { return over_; }
  std::uint64_t done() const { return done_; }
  std::uint64_t failed() const { return failed_; }
  const std::string& trouble() const { return trouble_; }
  const std::string& wrong() const { return wrong_; }
  const std::vector<ControlResult>& results() const { return results_; }

 private:
  void show(const ControlResult& result) {
    const bool failed = result.status != Status::ok;
    if (context_.human_output() && (failed || !job_.vectors)) {
      const std::string head = fmt::format("{} {} worker {}", result.number, result.callable, result.worker);
      if (failed)
        fmt::print("{}: FAILED ({}): {}\n", head, to_string(result.status), shown_text(result.error));
      else
        fmt::print("{}: ok: {}\n", head, shown_text(result.result));
      std::fflush(stdout);
    }
    const std::uint64_t step = std::max<std::uint64_t>(1, job_.count / 20);
    if (!context_.common.quiet && (done_ % step == 0 || done_ == job_.count)) tell("{} of {} tasks\n", done_, job_.count);
  }

  const Context& context_;
  const Job& job_;
  std::vector<bool> seen_;
  std::vector<ControlResult> results_;
  std::uint64_t done_ = 0, failed_ = 0;
  std::string trouble_, wrong_;
  std::atomic<bool> over_ = false;  // asked by the supervisor's thread, told by the follower's
};

void write_json(const Context& context, const ControlRunOptions& options, const Job& job, const Tally& tally,
                const std::string& trouble) {
  if (context.common.json.empty()) return;
  std::ostringstream text;
  {
    const bool passed = tally.done() == job.count && tally.failed() == 0 && trouble.empty();
    report::JsonWriter json(text);
    json.begin_object().member("schema", "tenter.control_run/1").member("command", "control run");
    json.member("verdict", interrupted() ? "unknown" : passed ? "pass" : "fail").member("transport", options.transport);
    json.member("ranks", job.topology.world()).member("tasks", job.count).member("done", tally.done());
    json.member("failed", tally.failed()).member("job_error", trouble).key("results").begin_array();
    for (const ControlResult& result : tally.results()) {
      json.begin_object().member("number", result.number).member("callable", result.callable).member("worker", result.worker);
      json.member("status", to_string(result.status)).member("error", result.error);
      json.member("result", result.result).member("bytes", result.bytes).end_object();
    }
    json.end_array().end_object();
  }
  write_result_text(context, text.str() + "\n", "");
}

Result<control::JobSpec> spec_of(const ControlRunOptions& options, const Job& job, const std::string& folder) {
  hw::RankOrder order;
  order.transport = options.transport == "tcp" ? hw::ControlTransport::tcp : hw::ControlTransport::mpi;
  while (getrandom(&order.session, sizeof order.session, 0) != sizeof order.session || order.session == 0) {
  }
  order.window = options.window;
  order.supervisor = hw::own_process();
  order.host = hw::own_host();
  order.folder = folder;
  control::JobSpec spec;
  spec.topology = job.topology_text;
  spec.patience = Duration{static_cast<std::int64_t>(options.start_seconds * 1e9)};
  spec.plan.launcher = options.launcher;
  spec.plan.family =
      options.family == "auto" ? hw::family_of_launcher(options.launcher) : *control::parse_launcher_family(options.family);
  spec.plan.as_root = geteuid() == 0;
  spec.plan.program = {hw::this_program(), "control-rank"};
  auto environment = hw::rank_environment(order, job.topology);
  if (!environment) return tl::unexpected(environment.error());
  spec.plan.environment = std::move(*environment);
  if (!options.record.empty())
    spec.plan.environment.emplace_back(hw::record_variable, std::filesystem::absolute(options.record).string());
  return spec;
}

// What went wrong with the job; empty: nothing.
std::string run_job(const Context& context, const ControlRunOptions& options, const Job& job, Tally& tally) {
  if (!options.record.empty())
    if (auto made = hw::make_recording_directory(options.record); !made) return made.error().what;
  auto host = hw::SupervisorHost::open({hw::this_program(), "member"});
  if (!host) return host.error().what;
  if (auto left = leave_work(job, (*host)->folder()); !left) return left.error().what;
  const auto spec = spec_of(options, job, (*host)->folder());
  if (!spec) return spec.error().what;
  const OnInterrupt nudge([&] { (*host)->nudge(); });
  LineFollower follower((*host)->folder() + control_results_file, [&](std::string_view line) {
    tally.take(line);
    if (tally.over()) (*host)->nudge();
  });
  if (auto started = (*host)->start(*spec, [] { return interrupted(); }); !started) {
    follower.finish();
    return started.error().what;
  }
  if (!context.common.quiet) tell("{} ranks have joined over {}\n", job.topology.world(), options.transport);
  const auto ended = (*host)->wait([&] { return interrupted() || tally.over(); });
  follower.finish();
  if (ended) return {};
  if (!tally.over()) return ended.error().what;
  const std::size_t left = ended.error().what.find("left behind: ");  // the rest is that we have ended it
  return left == std::string::npos ? "" : ended.error().what.substr(left);
}

int judged(const Context& context, const Job& job, const Tally& tally, const std::string& trouble) {
  if (interrupted()) {
    tell("{}: interrupted after {} of {} tasks\n", program_name(), tally.done(), job.count);
    return exit_code::interrupted;
  }
  if (!trouble.empty()) {
    tell("{}: the job failed: {}\n", program_name(), shown_text(trouble));
    return control_exit::job_failed;
  }
  if (context.human_output() && job.vectors && tally.failed() == 0)
    fmt::print("vector_add: {} tasks on {} executors, every element is right\n", job.count, job.topology.executors.size());
  return tally.failed() == 0 ? control_exit::all_ok : control_exit::failed;
}

}  // namespace

int control_run(const Context& context, const ControlRunOptions& options) {
  if (options.topology.empty() == (options.ranks == 0)) return usage_error("one of --topology and --ranks is needed");
  if (options.work.empty() == options.tasks.empty()) return usage_error("one of a built-in work and --tasks is needed");
  // What a stranger or a rank says there holds the token, which no file may have.
  if (!options.record.empty() && options.transport == "tcp")
    return usage_error("--record is for transport mpi: over tcp the token of the start would be in the recording");
  const auto job = job_of(options);
  if (!job) return usage_error(job.error().what);
  watch_interrupt();
  Tally tally(context, *job);
  const std::string of_supervisor = run_job(context, options, *job, tally);
  std::string trouble = tally.trouble();  // what rank 0 said comes first: the rest mostly follows from it
  const auto add = [&](const std::string& more) {
    if (!more.empty()) trouble += (trouble.empty() ? "" : "; ") + more;
  };
  add(of_supervisor);
  add(tally.wrong());
  if (trouble.empty() && tally.done() != job->count)
    add(fmt::format("{} of {} tasks were never answered", job->count - tally.done(), job->count));
  write_json(context, options, *job, tally, trouble);
  return judged(context, *job, tally, trouble);
}

}  // namespace tenter::cli
