// What the world can tell a machine. Everything a machine learns is one of these, so a log of the delivered events is all a
// replay needs. `now` is the receiving process's own steady clock; results carry the `op` that the machine chose.
#pragma once
#include <cstdint>
#include <variant>

#include "core/blob.hpp"
#include "core/comm_event.hpp"
#include "core/describe.hpp"
#include "core/fabric_event.hpp"
#include "core/names.hpp"
#include "core/one_of.hpp"
#include "core/stream_event.hpp"

namespace tenter {

// A message between the machines of one process, and the call and answer of a user thread. The meaning of kind, a, b and c
// belongs to the protocol, which keeps one header of builders and readers for its notes.
struct Note {
  std::uint32_t kind = 0;
  Status status = Status::ok;
  std::uint64_t ticket = 0;
  std::int64_t a = 0, b = 0, c = 0;
  Blob text;
  Parts parts;
  friend bool operator==(const Note&, const Note&) = default;
  TENTER_DESCRIBE(note, kind, status, ticket, a, b, c, text, parts)
};

namespace event {

// Every process: its machines are told once, in the order of their roles, before anything else.
struct Started {
  Time now{};
  friend bool operator==(const Started&, const Started&) = default;
  TENTER_DESCRIBE(started, now)
};
struct TimerFired {  // Timers: never before the time asked for
  Time now{};
  Op op{};
  friend bool operator==(const TimerFired&, const TimerFired&) = default;
  TENTER_DESCRIBE(timer_fired, now, op)
};

// SharedPage.
struct PageOpened {  // create_page, open_page. bytes: size of what was found; owner: user id of the page's owner
  Time now{};
  Op op{};
  Status status = Status::ok;
  std::uint64_t bytes = 0;
  Blob text;  // for people, when status is not ok: names the page and the cause
  friend bool operator==(const PageOpened&, const PageOpened&) = default;
  TENTER_DESCRIBE(page_opened, now, op, status, bytes, text)
};
struct WordChanged {  // watch: value was load-acquired and differs from the value watched for
  Time now{};
  Op op{};
  Word word{};
  std::uint32_t value = 0;
  friend bool operator==(const WordChanged&, const WordChanged&) = default;
  TENTER_DESCRIBE(word_changed, now, op, word, value)
};
struct Copied {  // copy_in: a private copy of the region
  Time now{};
  Op op{};
  Blob content;
  friend bool operator==(const Copied&, const Copied&) = default;
  TENTER_DESCRIBE(copied, now, op, content)
};
struct Swapped {  // publish_if: it was stored if and only if seen equals the expected value
  Time now{};
  Op op{};
  std::uint32_t seen = 0;
  friend bool operator==(const Swapped&, const Swapped&) = default;
  TENTER_DESCRIBE(swapped, now, op, seen)
};

// Collective. content: bcast's payload; parts: one blob a rank (gather: at the root only; allgather: everywhere).
struct CollectiveDone {
  Time now{};
  Op op{};
  Status status = Status::ok;
  Blob content;
  Parts parts;
  friend bool operator==(const CollectiveDone&, const CollectiveDone&) = default;
  TENTER_DESCRIBE(collective_done, now, op, status, content, parts)
};

// Files.
struct FileDone {  // publish_file, read_file, remove_file, make_directory, remove_directory
  Time now{};
  Op op{};
  Status status = Status::ok;
  Blob content;  // read_file: the bytes; on failure: the cause, for people
  friend bool operator==(const FileDone&, const FileDone&) = default;
  TENTER_DESCRIBE(file_done, now, op, status, content)
};
struct FilesListed {  // list_files: names in byte order, without temporaries
  Time now{};
  Op op{};
  Status status = Status::ok;
  Parts names;
  friend bool operator==(const FilesListed&, const FilesListed&) = default;
  TENTER_DESCRIBE(files_listed, now, op, status, names)
};
struct FilesChanged {  // watch_files: something under the directory may have changed; may come without a reason
  Time now{};
  Op op{};
  friend bool operator==(const FilesChanged&, const FilesChanged&) = default;
  TENTER_DESCRIBE(files_changed, now, op)
};

// Processes.
struct Spawned {
  Time now{};
  Op op{};
  Status status = Status::ok;
  ProcessId process;
  Blob text;
  friend bool operator==(const Spawned&, const Spawned&) = default;
  TENTER_DESCRIBE(spawned, now, op, status, process, text)
};
struct ProcessExited {  // spawn (a child) and watch_process (anyone: code, signal are -1 unless it is or became our child)
  Time now{};
  Op op{};
  std::int32_t code = 0;
  std::int32_t signal = 0;
  friend bool operator==(const ProcessExited&, const ProcessExited&) = default;
  TENTER_DESCRIBE(process_exited, now, op, code, signal)
};
// inspect_processes, a letter a process: R runs or sleeps, H runs with a stopped helper, T stopped, Z zombie, X gone
struct ProcessesInspected {
  Time now{};
  Op op{};
  Blob states;
  friend bool operator==(const ProcessesInspected&, const ProcessesInspected&) = default;
  TENTER_DESCRIBE(processes_inspected, now, op, states)
};
struct ParentExited {  // the process that started this one is gone (life-line closed)
  Time now{};
  friend bool operator==(const ParentExited&, const ParentExited&) = default;
  TENTER_DESCRIBE(parent_exited, now)
};

// Client and Local.
struct Submitted {
  Time now{};
  Ticket ticket{};
  Note call;
  friend bool operator==(const Submitted&, const Submitted&) = default;
  TENTER_DESCRIBE(submitted, now, ticket, call)
};
struct Told {
  Time now{};
  Role from{};
  Note note;
  friend bool operator==(const Told&, const Told&) = default;
  TENTER_DESCRIBE(told, now, from, note)
};

// Work, Entropy, Host.
struct Executed {
  Time now{};
  Op op{};
  Status status = Status::ok;
  Blob reply;  // result, or the error's text
  friend bool operator==(const Executed&, const Executed&) = default;
  TENTER_DESCRIBE(executed, now, op, status, reply)
};
struct RandomBytes {
  Time now{};
  Op op{};
  Blob content;
  friend bool operator==(const RandomBytes&, const RandomBytes&) = default;
  TENTER_DESCRIBE(random_bytes, now, op, content)
};
struct HostDescribed {
  Time now{};
  Op op{};
  ProcessId self;
  std::uint32_t user = 0;
  Blob host;  // host name
  friend bool operator==(const HostDescribed&, const HostDescribed&) = default;
  TENTER_DESCRIBE(host_described, now, op, self, user, host)
};

}  // namespace event

struct Event
    : std::variant<event::Started, event::TimerFired, event::PageOpened, event::WordChanged, event::Copied, event::Swapped,
                   event::CollectiveDone, event::FileDone, event::FilesListed, event::FilesChanged, event::Spawned,
                   event::ProcessExited, event::ProcessesInspected, event::ParentExited, event::Submitted, event::Told,
                   event::Executed, event::RandomBytes, event::HostDescribed, event::FabricOpened, event::FabricDone,
                   event::RegionRegistered, event::ReadDone, event::WorldJoined, event::MessageSent, event::MessageArrived,
                   event::Listening, event::Connected, event::StreamRead, event::StreamWritten> {
  using Variant = variant;  // std::visit, std::get_if and std::holds_alternative take an Event as they take this
  Event() = default;
  template <OneOf<Variant> A>
  Event(A&& alternative) : Variant(std::in_place_type<std::remove_cvref_t<A>>, std::forward<A>(alternative)) {}
};

inline std::string_view name_of(const Event& event) {
  return std::visit([](const auto& e) { return std::remove_cvref_t<decltype(e)>::name; }, event);
}

}  // namespace tenter
