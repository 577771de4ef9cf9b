// `tenter sim replay DIR`: every process that was recorded on hardware is fed its own log and must act as it did.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cli/report/junit.hpp"
#include "cli/report/result_json.hpp"
#include "cli/sim_commands.hpp"
#include "core/recording/replay.hpp"
#include "core/text.hpp"

namespace tenter::cli {
namespace {

Result<Blob> read_bytes(const std::string& path) {
  constexpr std::uint64_t bytes_max = std::uint64_t{1} << 30;  // it is held in memory whole
  std::error_code failure;
  if (!std::filesystem::is_regular_file(path, failure))
    return error(Status::invalid, path + ": " + (failure ? failure.message() : std::string("it is no regular file")));
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return error(Status::not_found, path + ": cannot be read");
  const auto size = static_cast<std::size_t>(file.tellg());
  if (size > bytes_max)
    return error(Status::invalid, path + ": " + std::to_string(size) + " bytes, the limit is " + std::to_string(bytes_max));
  file.seekg(0);
  Blob bytes(size,
             [&](MutableBytes to) { file.read(reinterpret_cast<char*>(to.data()), static_cast<std::streamsize>(to.size())); });
  if (!file) return error(Status::failed, path + ": cannot be read to its end");
  return bytes;
}

Result<std::vector<AnyMachine>> make_machines(const Registry& registry, const recording::LogHeader& header) {
  std::vector<AnyMachine> machines;
  for (const recording::RoleHeader& role : header.roles) {
    const Registry::MakeMachine* make = registry.find_role(role.machine);
    if (make == nullptr)
      return error(Status::not_found, "this command has no machine \"" + role.machine + "\" (role " +
                                          std::to_string(machines.size()) + " of " + header.process + ")");
    try {
      machines.push_back((*make)(role.configuration.bytes()));
    } catch (const std::exception& cause) {
      return error(Status::invalid, "the configuration of \"" + role.machine + "\" is not accepted: " + cause.what());
    }
  }
  return machines;
}

struct Replayed {
  recording::LogHeader header;
  recording::ReplayResult result;
};

// The last events of all processes, in the order of their clocks. One host has one CLOCK_MONOTONIC; of several hosts only the
// order within a process is meant.
class Timeline {
 public:
  explicit Timeline(std::size_t kept) : kept_(kept) {}
  void add(const std::string& process, const recording::ReplayStep& step) {
    if (kept_ == 0) return;
    const Time at = std::visit([](const auto& event) { return event.now; }, step.event);
    lines_.push_back({at, fmt::format("{:<8} {}.{}  {}  ->  {}", process, step.machine, step.state, text_of(step.event),
                                      recording::text_of_actions(step.actions))});
    if (lines_.size() >= 8 * kept_ + 4096) sort_and_cut();
  }
  void print() {
    sort_and_cut();
    for (const Line& line : lines_)
      fmt::print("{:>12.6f} s  {}\n", static_cast<double>(number(line.at - lines_.front().at)) / 1e9, line.text);
  }

 private:
  struct Line {
    Time at{};
    std::string text;
  };
  void sort_and_cut() {
    std::stable_sort(lines_.begin(), lines_.end(), [](const Line& a, const Line& b) { return number(a.at) < number(b.at); });
    if (lines_.size() > kept_) lines_.erase(lines_.begin(), lines_.end() - static_cast<std::ptrdiff_t>(kept_));
  }

  std::size_t kept_;
  std::vector<Line> lines_;
};

Result<Replayed> replay_process(const Registry& registry, const std::filesystem::path& path, Timeline& timeline) {
  const auto log = read_bytes(path.string());
  if (!log) return tl::unexpected(log.error());
  const auto blobs = read_bytes(std::filesystem::path(path).replace_extension(".blobs").string());
  if (!blobs) return tl::unexpected(blobs.error());
  auto reader = recording::LogReader::open(log->bytes(), recording::BlobStore(blobs->bytes()));
  if (!reader) return error(reader.error().status, path.string() + ": " + reader.error().what);
  auto machines = make_machines(registry, reader->header());
  if (!machines) return error(machines.error().status, path.string() + ": " + machines.error().what);
  recording::ReplayResult result = recording::replay(
      *reader, *machines, [&](const recording::ReplayStep& step) { timeline.add(reader->header().process, step); });
  return Replayed{reader->header(), std::move(result)};
}

void print_line(const Replayed& replayed) {
  const auto& [header, result] = replayed;
  if (result.difference) {
    const recording::Difference& d = *result.difference;
    fmt::print("{}  DIFFERS at step {}: role {}, {}\n    event    {}\n    recorded {:#010x}\n    replayed {:#010x}  {}\n",
               header.process, d.step, number(d.role), d.state, d.event, d.expected, d.got, d.actions);
  } else if (result.cut) {
    fmt::print("{}  {} events  every digest equal  (no more: {}; the process was killed while it wrote)\n", header.process,
               result.steps, result.damage->what);
  } else if (result.damage) {
    fmt::print("{}  {} events  every digest equal, then damaged: {}\n", header.process, result.steps, result.damage->what);
  } else {
    fmt::print("{}  {} events  every digest equal{}\n", header.process, result.steps,
               result.complete ? "" : "  (the log has no end: the process was killed)");
  }
}

void add_to(report::RunResult& run, const Replayed& replayed, const std::string& file, const std::string& again) {
  const auto& [header, result] = replayed;
  run.protocol = header.protocol;
  run.seeds += 1;
  run.events += result.steps;
  if (result.equal()) return;
  run.failed += 1;
  run.verdict = report::Verdict::fail;
  const auto& d = result.difference;
  run.failures.push_back(
      {d ? "replay.same_actions" : "replay.readable_log", 0, result.steps, header.process,
       d ? fmt::format("{}: recorded {:#010x}, replayed {:#010x} {}", d->event, d->expected, d->got, d->actions)
         : result.damage->what,
       file, again});
}

std::vector<std::filesystem::path> logs_in(const std::string& folder) {
  std::vector<std::filesystem::path> logs;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".log") logs.push_back(entry.path());
  std::sort(logs.begin(), logs.end());
  return logs;
}

// A side file whose log is gone: the recording of a process is missing. Its path, or nothing.
std::optional<std::filesystem::path> without_log(const std::string& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".blobs" &&
        !std::filesystem::exists(std::filesystem::path(entry.path()).replace_extension(".log")))
      return entry.path();
  return std::nullopt;
}

}  // namespace

int replay_recordings(const Context& context, const std::string& folder, std::size_t timeline_events) {
  const auto logs = logs_in(folder);
  if (logs.empty()) return usage_error(folder + ": holds no recording (no *.log)");
  if (const auto alone = without_log(folder)) return usage_error(alone->string() + ": the log beside it is missing");
  report::RunResult run;
  run.command = "sim replay";
  run.verdict = report::Verdict::pass;
  const std::string again = context.program + " sim replay " + folder;
  Timeline timeline(context.human_output() ? timeline_events : 0);
  for (const auto& path : logs) {
    const auto replayed = replay_process(context.registry, path, timeline);
    if (!replayed) return usage_error(replayed.error().what);
    if (context.human_output() && (!context.common.quiet || !replayed->result.equal())) print_line(*replayed);
    add_to(run, *replayed, path.string(), again);
  }
  write_result_text(context, report::json_of(run), report::junit_of(run));
  timeline.print();
  const bool pass = run.verdict == report::Verdict::pass;
  if (context.human_output() && !context.common.quiet)
    fmt::print("{}  {} processes, {} events\n", pass ? "PASS" : "FAIL", run.seeds, run.events);
  return pass ? exit_code::pass : exit_code::mismatch;
}

}  // namespace tenter::cli
