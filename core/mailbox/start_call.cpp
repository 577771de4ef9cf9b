#include "core/mailbox/start_call.hpp"

#include <string>
#include <vector>

#include "core/mailbox/notes.hpp"
#include "core/mailbox/vector.hpp"
#include "core/text.hpp"
#include "core/wire.hpp"

namespace tenter::mailbox {

namespace {

constexpr std::uint32_t spec_format = 1;
constexpr std::size_t root_bytes_max = 4'096;

std::string text(std::uint64_t value) { return text_of(value); }

bool has_nul(const Blob& blob) { return blob.text().find('\0') != std::string_view::npos; }

std::string check(const StartSpec& spec) {
  if (spec.world == 0) return "world is 0: a group has at least one rank";
  if (prefix_bytes(spec.world) >= layout::vector_bytes_max)
    return "world is " + text(spec.world) + ": its payload vector cannot fit the page";
  if (number(spec.patience) < 0) return "patience is negative";
  if (!spec.root.text().starts_with('/') || has_nul(spec.root)) return "root is not an absolute path";
  if (spec.arguments.empty() || spec.arguments[0].empty()) return "arguments: no program to start";
  for (std::size_t i = 0; i < spec.arguments.size(); ++i)
    if (has_nul(spec.arguments[i])) return "arguments: number " + text(i) + " has a zero byte";
  for (std::size_t i = 0; i < spec.environment.size(); ++i) {
    const std::string_view entry = spec.environment[i].text();
    if (entry.find('=') == std::string_view::npos || entry.starts_with('=') || has_nul(spec.environment[i]))
      return "environment: entry " + text(i) + " is not NAME=value";
    if (entry.starts_with("TENTER_MAILBOX_"))
      return "environment: entry " + text(i) + " takes a name of ours, TENTER_MAILBOX_...";
  }
  return {};
}

}  // namespace

Note start_call(const StartSpec& spec) {
  wire::Writer writer;
  writer.u32(spec_format).u32(spec.world).i64(number(spec.patience)).counted(spec.root.bytes());
  writer.u32(static_cast<std::uint32_t>(spec.arguments.size())).u32(static_cast<std::uint32_t>(spec.environment.size()));
  Note note = text_note(NoteKind::start, writer.blob());
  std::vector<Blob> parts(spec.arguments.begin(), spec.arguments.end());
  parts.insert(parts.end(), spec.environment.begin(), spec.environment.end());
  note.parts = Parts(std::move(parts));
  return note;
}

Result<StartSpec> read_start(const Note& call) {
  if (!is(call, NoteKind::start)) return error(Status::invalid, "start: a call of kind " + text(call.kind) + " starts nothing");
  wire::Reader reader(call.text.bytes());
  const std::uint32_t format = reader.u32();
  if (reader.ok() && format != spec_format)
    return error(Status::mismatch, "start: the spec has format " + text(format) + ", expected " + text(spec_format));
  StartSpec spec;
  spec.world = reader.u32();
  spec.patience = Duration{reader.i64()};
  spec.root = Blob(reader.counted(root_bytes_max));
  const std::uint64_t arguments = reader.u32(), environment = reader.u32();
  if (!reader.at_end()) return error(Status::invalid, "start: the spec breaks its format at offset " + text(reader.offset()));
  if (arguments + environment != call.parts.size())
    return error(Status::invalid, "start: the spec announces " + text(arguments + environment) +
                                      " arguments and environment entries, " + text(call.parts.size()) + " came");
  const auto middle = call.parts.begin() + arguments;
  spec.arguments = Parts(std::vector<Blob>(call.parts.begin(), middle));
  spec.environment = Parts(std::vector<Blob>(middle, call.parts.end()));
  if (const std::string wrong = check(spec); !wrong.empty()) return error(Status::invalid, "start: " + wrong);
  return spec;
}

Note stop_call(Duration patience) {
  Note note = plain_note(NoteKind::stop);
  note.a = number(patience);
  return note;
}

Result<Duration> read_stop(const Note& call) {
  if (!is(call, NoteKind::stop)) return error(Status::invalid, "shutdown: a call of kind " + text(call.kind) + " stops nothing");
  if (call.a < 0) return error(Status::invalid, "shutdown: its time-out is negative");
  return Duration{call.a};
}

Note started_answer(const StartedGroup& group) {
  Note note = answer_note(Status::ok, Parts{group.page, group.directory});
  note.a = static_cast<std::int64_t>(group.launcher.pid);
  note.b = static_cast<std::int64_t>(group.launcher.start_time);
  return note;
}

Result<StartedGroup> read_started(const Note& answer) {
  if (!is(answer, NoteKind::answer) || answer.status != Status::ok || answer.parts.size() != 2)
    return error(Status::invalid, "start: this is not the answer to a start that succeeded");
  return StartedGroup{
      answer.parts[0], answer.parts[1], {static_cast<std::uint64_t>(answer.a), static_cast<std::uint64_t>(answer.b)}};
}

}  // namespace tenter::mailbox
