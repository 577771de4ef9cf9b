// `tenter mailbox inspect` and `clean`: pages under /dev/shm, decoded, and who maps them.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "cli/mailbox_commands.hpp"
#include "cli/report/json_writer.hpp"
#include "cli/tell.hpp"
#include "core/mailbox/error_list.hpp"
#include "core/mailbox/header.hpp"
#include "core/mailbox/layout.hpp"
#include "core/wire.hpp"
#include "hw/group/group_files.hpp"
#include "hw/group/orphans.hpp"
#include "hw/os/file.hpp"

namespace tenter::cli {
namespace {

namespace fs = std::filesystem;
namespace layout = mailbox::layout;

const fs::path shared_memory = "/dev/shm";
constexpr std::uint64_t maps_bytes_max = 64 * 1024 * 1024, comm_bytes_max = 4096;

struct Mapper {
  std::uint64_t pid = 0;
  std::string program;
};

// A page of mode 0600 is mapped by processes of its own user only (and by root's).
bool is_ours(const fs::path& path) {
  struct stat found {};
  return stat(path.c_str(), &found) == 0 && found.st_uid == geteuid();
}

// A file of a page's size that begins as a page does; a link is none. Anybody may call a file as pages are called.
bool is_page(const fs::path& path) {
  struct stat found {};
  if (lstat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string magic(layout::magic_bytes.size(), '\0');
  file.read(magic.data(), static_cast<std::streamsize>(magic.size()));
  return file && magic == layout::magic_bytes;
}

// Processes whose maps name the page. `blind`: processes of ours whose maps could not be read.
std::vector<Mapper> mappers_of(const std::string& name, std::size_t& blind) {
  const std::string path = " " + (shared_memory / name).string() + "\n";
  std::vector<Mapper> found;
  std::error_code failure;
  for (fs::directory_iterator entry("/proc", failure), end; !failure && entry != end; entry.increment(failure)) {
    const std::string number = entry->path().filename().string();
    Mapper mapper;
    const auto [last, bad] = std::from_chars(number.data(), number.data() + number.size(), mapper.pid);
    if (bad != std::errc{} || *last != '\0') continue;
    const auto maps = os::read_file((entry->path() / "maps").string(), maps_bytes_max);
    const bool denied = !maps && maps.error().status != Status::not_found && maps.error().native != ESRCH;  // else it is gone
    // Some containers hide their init, which is no process of a group.
    if (denied && mapper.pid != 1 && is_ours(entry->path())) ++blind;
    if (!maps || maps->find(path) == std::string::npos) continue;
    mapper.program = os::read_file((entry->path() / "comm").string(), comm_bytes_max).value_or("");
    if (!mapper.program.empty() && mapper.program.back() == '\n') mapper.program.pop_back();
    found.push_back(std::move(mapper));
  }
  std::sort(found.begin(), found.end(), [](const Mapper& a, const Mapper& b) { return a.pid < b.pid; });
  return found;
}

// The group that a page belongs to, by its manifest; nothing when that is gone or elsewhere.
const hw::FoundGroup* group_of(const std::vector<hw::FoundGroup>& groups, const std::string& page) {
  const auto found =
      std::find_if(groups.begin(), groups.end(), [&](const hw::FoundGroup& group) { return group.manifest.page == page; });
  return found == groups.end() ? nullptr : &*found;
}

std::string whose(const hw::FoundGroup* group, const fs::path& page) {
  if (group != nullptr) return group->text();
  struct stat found {};
  const auto age = stat(page.c_str(), &found) == 0 ? std::time(nullptr) - found.st_mtime : 0;
  return fmt::format("owner unknown, no manifest; {} s old", age);
}

// A page that nobody maps here may be mapped where this process does not see: only its owner's death, seen from here, is a reason
// to remove it. Empty: it may go.
std::string why_kept(const hw::FoundGroup* group, bool without_manifest) {
  if (group == nullptr) return without_manifest ? "" : "its owner cannot be asked for (--without-manifest removes it too)";
  if (group->elsewhere) return "its owner is not to be seen from here";
  return group->orphaned ? "" : "its owner lives";
}

struct Page {
  std::string header;
  std::uint64_t bytes = 0;
  std::string reason;
};

Result<Page> read_page(const std::string& name) {
  if (name.empty() || name.find('/') != std::string::npos)
    return error(Status::invalid, "inspect: \"" + name + "\" is no page name; it is a file name in /dev/shm");
  struct stat kind {};
  if (stat((shared_memory / name).c_str(), &kind) == 0 && !S_ISREG(kind.st_mode))
    return error(Status::invalid, "inspect: " + (shared_memory / name).string() + " is no regular file");
  std::ifstream file(shared_memory / name, std::ios::binary);
  if (!file) return error(Status::not_found, "inspect: " + (shared_memory / name).string() + ": " + std::strerror(errno));
  Page page;
  page.header.resize(layout::header_bytes);
  file.read(page.header.data(), layout::header_bytes);
  if (file.gcount() != layout::header_bytes)
    return error(Status::invalid,
                 "inspect: " + name + " has " + std::to_string(file.gcount()) + " bytes, fewer than a header's 256");
  std::error_code failure;
  page.bytes = fs::file_size(shared_memory / name, failure);
  const auto length =
      wire::load<std::uint32_t>(reinterpret_cast<const std::byte*>(page.header.data()) + layout::error_length.offset);
  if (length > 0 && length <= layout::error_bytes_max && page.bytes == layout::page_bytes) {
    page.reason.resize(length);
    file.seekg(static_cast<std::streamoff>(layout::error_area));
    file.read(page.reason.data(), length);
  }
  return page;
}

std::string value_of(const Page& page, const mailbox::Field& field) {
  const auto* at = reinterpret_cast<const std::byte*>(page.header.data()) + field.offset;
  if (field.bytes == 8 && field.offset == layout::magic.offset)
    return page.header.compare(0, 8, layout::magic_bytes) == 0 ? "SMPIBOX" : "WRONG";
  if (field.bytes == 8) return std::to_string(wire::load<std::uint64_t>(at));
  if (field.bytes != 4)
    return std::all_of(at, at + field.bytes, [](std::byte b) { return b == std::byte{0}; }) ? "zero" : "NOT ZERO";
  const auto value = wire::load<std::uint32_t>(at);
  const std::string number = field.is_signed ? std::to_string(static_cast<std::int32_t>(value)) : std::to_string(value);
  if (field.offset == layout::group_state.offset) return number + " " + to_string(mailbox::GroupState{value});
  if (field.offset == layout::request_state.offset) return number + " " + to_string(mailbox::RequestState{value});
  if (field.offset == layout::opcode.offset) return number + " " + to_string(mailbox::Opcode{value});
  if (field.offset == layout::target.offset) return number + " " + to_string(mailbox::Target{value});
  return number;
}

// What an attach would refuse it for, whatever state it is in; empty: nothing.
std::string problem_of(const Page& page) {
  const auto checked = mailbox::check_attach(std::as_bytes(std::span(page.header)), page.bytes, 0, mailbox::AttachAs::observer);
  return checked ? std::string() : checked.error().what;
}

void print_json(const Context& context, const std::string& name, const Page& page, const std::vector<Mapper>& mappers) {
  std::ostringstream text;
  {
    report::JsonWriter json(text);
    json.begin_object().member("schema", "tenter.mailbox_page/1").member("page", name).member("bytes", page.bytes);
    json.key("fields").begin_object();
    for (const mailbox::Field& field : layout::fields) json.member(field.name, value_of(page, field));
    json.end_object().member("problem", problem_of(page)).member("reason", page.reason).key("mapped_by").begin_array();
    for (const Mapper& mapper : mappers)
      json.begin_object().member("pid", mapper.pid).member("program", mapper.program).end_object();
    json.end_array().end_object();
  }
  write_result_text(context, text.str() + "\n", "");
}

}  // namespace

int mailbox_inspect(const Context& context, const std::string& asked) {
  const std::string name = asked.starts_with('/') ? asked.substr(1) : asked;
  auto page = read_page(name);
  if (!page) return usage_error(page.error().what);
  std::size_t blind = 0;
  const std::vector<Mapper> mappers = mappers_of(name, blind);
  if (!context.common.json.empty()) print_json(context, name, *page, mappers);
  if (context.human_output()) {
    fmt::print("{}  {} bytes\n", name, page->bytes);
    if (const std::string problem = problem_of(*page); !problem.empty()) fmt::print("  WRONG: {}\n", problem);
    for (const mailbox::Field& field : layout::fields)
      fmt::print("  {:4}  {:<15} {}\n", field.offset, field.name, value_of(*page, field));
    if (!page->reason.empty())
      fmt::print("  errors: {}\n",
                 shown_text(mailbox::text_of_errors(mailbox::decode_error_list(std::as_bytes(std::span(page->reason))))));
    for (const Mapper& mapper : mappers) fmt::print("  mapped by {} ({})\n", mapper.pid, mapper.program);
    if (mappers.empty()) fmt::print("  mapped by nobody{}\n", blind > 0 ? " that we may look at" : ": left over");
    const std::vector<hw::FoundGroup> groups = hw::find_groups();
    fmt::print("  {}\n", whose(group_of(groups, name), shared_memory / name));
  }
  return problem_of(*page).empty() ? mailbox_exit::all_ok : mailbox_exit::task_failed;
}

int mailbox_clean(const Context&, bool yes, bool without_manifest) {
  bool good = true;
  std::size_t found = 0, seen = 0;
  std::error_code failure;
  const std::vector<hw::FoundGroup> groups = hw::find_groups();
  for (const fs::directory_entry& entry : fs::directory_iterator(shared_memory, failure)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(hw::page_prefix)) continue;
    ++seen;
    if (!is_ours(entry.path())) {
      fmt::print("{}  another user's\n", name);
      continue;
    }
    if (!is_page(entry.path())) {
      fmt::print("{}  no page, or one that is not whole: it is left alone\n", shown_text(name));
      continue;
    }
    std::size_t blind = 0;
    const std::vector<Mapper> mappers = mappers_of(name, blind);
    const hw::FoundGroup* group = group_of(groups, name);
    const std::string of_whom = whose(group, entry.path());
    if (!mappers.empty() || blind > 0) {
      fmt::print("{}  in use{}; {}\n", name, mappers.empty() ? ", perhaps: not every process may be looked at" : "", of_whom);
      continue;
    }
    if (const std::string why = why_kept(group, without_manifest); !why.empty()) {
      fmt::print("{}  kept, {}; {}\n", name, why, of_whom);
      continue;
    }
    ++found;
    if (yes && !fs::remove(entry.path(), failure)) {
      good = false;
      tell("{}: {}: {}\n", program_name(), name, failure.message());
    } else {
      fmt::print("{}  {}; {}\n", name, yes ? "removed" : "left over", of_whom);
    }
    if (yes && group != nullptr && group->orphaned && fs::remove_all(group->folder, failure) == static_cast<std::uintmax_t>(-1)) {
      good = false;
      tell("{}: {}: {}\n", program_name(), group->folder, failure.message());
    }
  }
  if (seen == 0) fmt::print("no pages under {}\n", shared_memory.string());
  if (found > 0 && !yes) fmt::print("with --yes they are removed\n");
  return good ? mailbox_exit::all_ok : mailbox_exit::task_failed;
}

void tell_orphans() {
  for (const hw::FoundGroup& group : hw::find_groups()) {
    if (!group.orphaned) continue;
    tell("{0}: note: page {1} is {2}; it is not used again, `{0} mailbox clean --yes` removes it\n", program_name(),
         group.manifest.page, group.text());
  }
}

}  // namespace tenter::cli
