#include "core/control/supervisor_values.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "core/wire.hpp"

namespace tenter::control {
namespace {

constexpr std::uint32_t job_format = 1;
constexpr std::size_t root_path_max = 4'096, names_shown_max = 16;
constexpr std::size_t head_parts = 4;  // topology, root, launcher, listen

tl::unexpected<Error> no_job(const std::string& what) { return error(Status::invalid, "start: " + what); }

std::string process_text(ProcessId process) { return " (pid " + text_of(process.pid) + ")"; }

}  // namespace

Note job_call(const JobSpec& spec) {
  wire::Writer writer;
  writer.u32(job_format).i64(number(spec.patience)).u32(number(spec.plan.family)).u32(spec.plan.as_root ? 1 : 0);
  writer.u32(static_cast<std::uint32_t>(spec.plan.program.size()));
  writer.u32(static_cast<std::uint32_t>(spec.plan.environment.size()));
  Note note = start_note(StartNote::start);
  note.text = writer.blob();
  std::vector<Blob> parts;
  for (const std::string* part : {&spec.topology, &spec.root, &spec.plan.launcher, &spec.listen})
    parts.emplace_back(std::string_view(*part));
  for (const std::string& argument : spec.plan.program) parts.emplace_back(std::string_view(argument));
  for (const auto& [name, value] : spec.plan.environment) {
    parts.emplace_back(std::string_view(name));
    parts.emplace_back(std::string_view(value));
  }
  note.parts = Parts(std::move(parts));
  return note;
}

Result<JobSpec> read_job(const Note& call) {
  if (!is(call, StartNote::start)) return no_job("a call of kind " + text_of(call.kind) + " starts nothing");
  wire::Reader reader(call.text.bytes());
  const std::uint32_t format = reader.u32();
  if (reader.ok() && format != job_format) return no_job("the call has format " + text_of(format) + ", expected 1");
  JobSpec spec;
  spec.patience = Duration{reader.i64()};
  const std::uint32_t family = reader.u32();
  spec.plan.as_root = reader.u32() != 0;
  const std::uint64_t program = reader.u32(), variables = reader.u32();
  if (!reader.at_end()) return no_job("the call breaks its format at offset " + text_of(std::uint64_t{reader.offset()}));
  if (family > number(LauncherFamily::open_mpi)) return no_job("launcher family " + text_of(family) + " is none");
  if (head_parts + program + 2 * variables != call.parts.size())
    return no_job("the call announces " + text_of(head_parts + program + 2 * variables) + " parts, " +
                  text_of(std::uint64_t{call.parts.size()}) + " came");
  if (number(spec.patience) < 0) return no_job("patience is negative");
  const auto part = [&](std::uint64_t index) { return std::string(call.parts[index].text()); };
  spec.topology = part(0);
  spec.root = part(1);
  spec.plan.launcher = part(2);
  spec.listen = part(3);
  spec.plan.family = LauncherFamily{static_cast<std::uint8_t>(family)};
  for (std::uint64_t i = 0; i < program; ++i) spec.plan.program.push_back(part(head_parts + i));
  for (std::uint64_t i = 0; i < variables; ++i)
    spec.plan.environment.emplace_back(part(head_parts + program + 2 * i), part(head_parts + program + 2 * i + 1));
  if (!spec.root.starts_with('/') || spec.root.size() > root_path_max || spec.root.find('\0') != std::string::npos)
    return no_job("root is no absolute path of at most 4096 bytes");
  if (auto good = check_plan(spec.plan); !good) return tl::unexpected(good.error());
  return spec;
}

bool JobProcesses::all_gone() const {
  if (spawned && !launcher_gone) return false;
  return std::all_of(ranks.begin(), ranks.end(), [](const JobRank& rank) { return !rank.watched || rank.gone; });
}

std::vector<ProcessId> JobProcesses::alive() const {
  std::vector<ProcessId> list;
  for (const JobRank& rank : ranks)
    if (rank.watched && !rank.gone) list.push_back(rank.process);
  if (spawned && !launcher_gone) list.push_back(launcher);
  return list;
}

std::string JobProcesses::names() const {
  std::string text;
  std::size_t count = 0;
  const auto add = [&](const std::string& who) {
    if (++count <= names_shown_max) text += (text.empty() ? "" : ", ") + who;
  };
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    if (ranks[rank].watched && !ranks[rank].gone)
      add("rank " + text_of(std::uint64_t{rank}) + " on " + ranks[rank].host + process_text(ranks[rank].process));
  if (spawned && !launcher_gone) add("the launcher" + process_text(launcher));
  return count > names_shown_max ? text + " and " + text_of(std::uint64_t{count - names_shown_max}) + " more" : text;
}

std::string JobProcesses::exits() const {
  std::string text;
  if (first_gone >= 0) {
    const JobRank& rank = ranks[static_cast<std::size_t>(first_gone)];
    text = "rank " + text_of(first_gone) + " on " + rank.host + process_text(rank.process) +
           " is gone, the first of the ranks that was seen to be";
  }
  if (!launcher_gone) return text;
  text += (text.empty() ? "" : "; ") + ("the launcher" + process_text(launcher));
  if (signal > 0) return text + " was ended by signal " + text_of(signal);
  return text + " exited with code " + text_of(code) +
         (code == 0 ? "" : " (under Hydra the bitwise OR of the codes of all ranks, so no single rank's)");
}

std::string token_text(Bytes random) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string text;
  std::uint32_t bits = 0, held = 0;
  for (const std::byte byte : random) {
    bits = ((bits << 8) | std::to_integer<std::uint32_t>(byte)) & 0xFFFF;
    for (held += 8; held >= 6; held -= 6) text += digits[(bits >> (held - 6)) & 63];
  }
  if (held > 0) text += digits[(bits << (6 - held)) & 63];
  return text;
}

std::string hex_text(Bytes bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += digits[std::to_integer<unsigned>(byte) >> 4];
    text += digits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

std::string_view to_string(SupervisorState state) {
  constexpr std::string_view names[] = {"idle",       "describing", "drawing", "opening",     "writing", "spawning", "gathering",
                                        "suspecting", "running",    "leaving", "terminating", "killing", "cleaning", "ended"};
  return names[static_cast<std::size_t>(state)];
}

}  // namespace tenter::control
