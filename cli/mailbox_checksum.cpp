// `tenter mailbox map checksum`: each file is streamed to one rank, a chunk a round; one PER_RANK request carries every rank's
// chunk. What is printed is what sha256sum(1) prints, in the order of the arguments.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include "cli/mailbox_commands.hpp"
#include "cli/tell.hpp"
#include "hw/group/bus_error.hpp"
#include "hw/group/callables.hpp"
#include "hw/group/group.hpp"
#include "hw/posix/descriptor.hpp"

namespace tenter::cli {
namespace {

constexpr std::size_t chunk_bytes = 512 * 1024;  // a TASK frame carries at most 1 MiB

struct Outcome {
  bool done = false;
  std::string hex;      // empty: unreadable
  std::string trouble;  // as strerror says it
};

// One rank's present file.
struct Stream {
  std::size_t index = 0;  // of the arguments
  hw::Descriptor file;
  bool begun = false;
  bool last = false;  // the chunk under way is the last one
};

// A FIFO is opened without waiting for its writer: the reads wait, and they can be interrupted.
hw::Descriptor open_file(const std::string& name, std::string& trouble) {
  struct stat found {};
  if (name != "-" && stat(name.c_str(), &found) == 0 && S_ISCHR(found.st_mode)) {
    trouble = "a device has no end; pipe what is wanted of it into -";
    return {};
  }
  hw::Descriptor file(name == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                                  : open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) trouble = std::strerror(errno);
  return file;
}

// A chunk with its command byte; nothing when the file could not be read, or at an interruption.
std::optional<Blob> next_chunk(Stream& stream, std::string& trouble) {
  std::vector<std::byte> bytes(1 + chunk_bytes);
  std::size_t have = 0;
  while (have < chunk_bytes && !stream.last) {
    if (!readable_before_interrupt(stream.file.get())) return std::nullopt;
    const ssize_t got = read(stream.file.get(), bytes.data() + 1 + have, chunk_bytes - have);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) {
      trouble = std::strerror(errno);
      return std::nullopt;
    }
    stream.last = got == 0;
    have += static_cast<std::size_t>(got);
  }
  bytes[0] = static_cast<std::byte>((stream.begun ? 0 : hw::checksum_begin) | hw::checksum_update |
                                    (stream.last ? hw::checksum_finish : 0));
  stream.begun = true;
  return Blob(Bytes(bytes.data(), 1 + have));
}

std::string hex_of(Bytes bytes) {
  std::string hex;
  for (const std::byte byte : bytes) hex += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return hex;
}

class Map {
 public:
  Map(const MailboxChecksumOptions& options, hw::Group& group)
      : options_(options), group_(group), streams_(options.ranks), outcomes_(options.files.size()) {}

  // Rounds until every file is done; printed as soon as those before it are.
  Result<bool> run() {
    const Duration deadline = seconds(1) * static_cast<std::int64_t>(options_.deadline_seconds);
    while (true) {
      std::vector<hw::Task> tasks;
      bool any = false;
      for (std::optional<Stream>& stream : streams_) {
        tasks.push_back({{}, chunk_for(stream)});
        any |= stream.has_value();
      }
      if (interrupted()) return good_;
      if (any) {
        auto results = group_.submit_all("checksum", tasks, deadline);
        if (!results && interrupted()) return good_;
        if (!results) return tl::unexpected(results.error());
        take(*results);
      }
      print();
      if (!any) return good_;
    }
  }

  std::size_t printed() const { return printed_; }

 private:
  // A rank without a file hashes nothing: in a PER_RANK request every rank has a part.
  Blob chunk_for(std::optional<Stream>& stream) {
    while (true) {
      if (!stream && next_ == options_.files.size()) {
        const std::byte nothing{hw::checksum_begin};
        return Blob(Bytes(&nothing, 1));
      }
      if (!stream) open_next(stream);
      if (!stream) continue;
      std::string trouble;
      if (auto chunk = next_chunk(*stream, trouble)) return *chunk;
      if (interrupted()) return {};
      fail(stream->index, trouble);
      stream.reset();
    }
  }

  void open_next(std::optional<Stream>& stream) {
    const std::size_t index = next_++;
    std::string trouble;
    hw::Descriptor file = open_file(options_.files[index], trouble);
    if (!file) return fail(index, trouble);
    stream.emplace();
    stream->index = index;
    stream->file = std::move(file);
  }

  void take(const std::vector<Blob>& results) {
    for (std::size_t rank = 0; rank < streams_.size(); ++rank) {
      std::optional<Stream>& stream = streams_[rank];
      if (!stream || !stream->last) continue;
      outcomes_[stream->index].hex = hex_of(results[rank].bytes());
      outcomes_[stream->index].done = true;
      stream.reset();
    }
  }

  void fail(std::size_t index, const std::string& trouble) {
    outcomes_[index].trouble = trouble;
    outcomes_[index].done = true;
  }

  void print() {
    for (; printed_ < outcomes_.size() && outcomes_[printed_].done; ++printed_) {
      const Outcome& outcome = outcomes_[printed_];
      const std::string& name = options_.files[printed_];
      if (outcome.hex.empty()) {
        good_ = false;
        std::fflush(stdout);
        tell("{}: {}: {}\n", program_name(), shown_text(name), outcome.trouble);
      } else {
        print_line(outcome.hex, name);
      }
    }
    std::fflush(stdout);
  }

  // sha256sum marks a line whose name holds a newline, a carriage return or a backslash, and escapes them.
  static void print_line(const std::string& hex, const std::string& name) {
    std::string shown;
    for (const char c : name) shown += c == '\n' ? "\\n" : c == '\r' ? "\\r" : c == '\\' ? "\\\\" : std::string(1, c);
    fmt::print("{}{}  {}\n", shown == name ? "" : "\\", hex, shown);
  }

  const MailboxChecksumOptions& options_;
  hw::Group& group_;
  std::vector<std::optional<Stream>> streams_;  // one a rank
  std::vector<Outcome> outcomes_;               // one a file
  std::size_t next_ = 0;                        // file to open
  std::size_t printed_ = 0;
  bool good_ = true;
};

}  // namespace

int mailbox_checksum(const Context&, const MailboxChecksumOptions& options) {
  hw::GroupSpec spec;
  spec.ranks = options.ranks;
  spec.launcher = options.launcher;
  spec.record = options.record;
  spec.member = {hw::this_program(), "member"};
  tell_orphans();
  watch_interrupt();
  auto group = hw::Group::start(spec);
  if (!group) {
    tell("{}: {}\n", program_name(), shown_text(group.error().what));
    return interrupted() ? exit_code::interrupted : mailbox_exit::group_failed;
  }
  Map map(options, **group);
  hw::tell_bus_errors(program_name(), (*group)->page());
  std::optional<OnInterrupt> stop(std::in_place, [&] { (void)(*group)->shutdown(milliseconds(1)); });
  auto all_good = map.run();
  stop.reset();
  auto closed = (*group)->shutdown(seconds(30));
  warn_of_recording(**group);
  if (interrupted()) {
    tell("{}: interrupted after {} of {} files\n", program_name(), map.printed(), options.files.size());
    return exit_code::interrupted;
  }
  if (!all_good) tell("{}: {}\n", program_name(), shown_text(all_good.error().what));
  if (!closed) tell("{}: {}\n", program_name(), shown_text(closed.error().what));
  if (!all_good || !closed) return mailbox_exit::group_failed;
  return *all_good ? mailbox_exit::all_ok : mailbox_exit::task_failed;
}

}  // namespace tenter::cli
