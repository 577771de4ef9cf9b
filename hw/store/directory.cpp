#include "hw/store/directory.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <system_error>

#include "core/store/file_name.hpp"
#include "core/store/layout.hpp"
#include "hw/loop/park.hpp"
#include "hw/posix/files_part.hpp"

namespace tenter::hw {
namespace {

constexpr Duration first_look_again = milliseconds(10), last_look_again = milliseconds(250), between_beats = milliseconds(50);
constexpr std::uint64_t record_bytes_max = store::layout::file_bytes(store::layout::cores_max);
constexpr Op only_op{1};

}  // namespace

// The machines' own port, asked by hand: its answers are in the inbox when the action returns.
struct StoreDirectory::Inside {
  Inside(const std::string& where, std::optional<std::uint32_t> owner) : path(where), files(context, where, owner) {}

  Result<Blob> read(const std::string& name, std::uint64_t limit) {
    files.perform(action::ReadFile{only_op, Blob(std::string_view(name)), limit});
    const auto done = std::get<event::FileDone>(context.inbox.take_front().event);
    if (done.status != Status::ok) return error(done.status, path + ": " + std::string(done.content.text()));
    return done.content;
  }
  Result<std::vector<std::string>> list(const std::string& directory) {
    files.perform(action::ListFiles{only_op, Blob(std::string_view(directory))});
    const auto done = std::get<event::FilesListed>(context.inbox.take_front().event);
    if (done.status != Status::ok) return error(done.status, path + "/" + directory + ": cannot be listed");
    std::vector<std::string> names;
    for (const Blob& name : done.names) names.emplace_back(name.text());
    return names;
  }

  void rest(Duration time) {
    WaitSet until;
    until.until(now() + time);
    parker.park(until, context.nudges.load());
  }

  std::string path;
  Context context;
  Parker parker{context};
  FilesPart files;
};

StoreDirectory::StoreDirectory(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
StoreDirectory::StoreDirectory(StoreDirectory&&) noexcept = default;
StoreDirectory& StoreDirectory::operator=(StoreDirectory&&) noexcept = default;
StoreDirectory::~StoreDirectory() = default;

Result<void> check_store_directory(const std::string& path) {
  std::error_code failed;
  const auto found = std::filesystem::status(path, failed);
  if (!std::filesystem::is_directory(found)) return error(Status::not_found, path + ": there is no such directory");
  using std::filesystem::perms;
  if ((found.permissions() & (perms::group_write | perms::others_write)) != perms::none)
    return error(Status::denied, path + ": others may write to this directory; a store's is its user's alone");
  return {};
}

Result<StoreDirectory> StoreDirectory::open(const std::string& path, std::optional<std::uint32_t> owner) {
  if (auto usable = check_store_directory(path); !usable) return tl::unexpected(usable.error());
  try {
    return StoreDirectory(std::make_unique<Inside>(path, owner));
  } catch (const std::exception& failure) {
    return error(Status::denied, failure.what());
  }
}

Result<std::vector<std::string>> StoreDirectory::variables() {
  auto names = inside_->list({});
  if (!names) return names;
  std::vector<std::string> found;
  for (const std::string& name : *names)
    if (auto variable = store::variable_of_file_name(name)) found.push_back(std::move(*variable));
  std::sort(found.begin(), found.end());
  return found;
}

Result<store::Record> StoreDirectory::record(const std::string& variable) {
  const auto name = store::record_file_name(variable);
  if (!name) return tl::unexpected(name.error());
  const auto bytes = inside_->read(*name, record_bytes_max);
  if (!bytes && bytes.error().status == Status::not_found)
    return error(Status::not_found, inside_->path + "/" + *name + ": \"" + variable + "\" is not published there");
  if (!bytes) return tl::unexpected(bytes.error());
  auto record = store::decode_record(bytes->bytes());
  if (!record) return error(record.error().status, inside_->path + "/" + *name + ": " + record.error().what);
  if (record->variable != variable)
    return error(Status::invalid, inside_->path + "/" + *name + ": it is the record of variable \"" + record->variable + "\"");
  return record;
}

// The directory is listed before each further look, so that no cached "does not exist" of a network file system is believed.
Result<store::Record> StoreDirectory::wait_for_record(const std::string& variable, Duration patience,
                                                      const std::function<bool()>& ends) {
  const Time deadline = now() + patience;
  Duration rest = first_look_again;
  for (;;) {
    if (ends()) return error(Status::cancelled, "interrupted while waiting for \"" + variable + "\"");
    auto found = record(variable);
    if (found || !store::record_file_name(variable)) return found;
    const Time at = now();
    if (at >= deadline)
      return error(Status::timed_out, "join \"" + variable + "\": not there by the deadline; last: " + found.error().what);
    inside_->rest(std::min(rest, deadline - at));
    rest = std::min(rest * 2, last_look_again);
    (void)inside_->list({});
  }
}

namespace {

// One heartbeat, look by look.
struct Listening {
  CoreState state;
  std::uint64_t count = 0;
  Time moved{};
  bool seen = false, judged = false;

  void judge(CoreLife life, std::string why) {
    state.life = life;
    state.why = std::move(why);
    judged = life != CoreLife::unknown;
  }
  void hear(const Result<store::Beat>& beat, Time at) {
    if (!beat && beat.error().status == Status::not_found)
      return judge(CoreLife::dead, "it has no heartbeat: it has closed, or its files were cleaned");
    if (!beat) return judge(CoreLife::unknown, "its heartbeat cannot be read: " + beat.error().what);
    if (beat->state == store::BeatState::closing) return judge(CoreLife::closing, "announced; it waits for its readers");
    if (beat->state == store::BeatState::closed) return judge(CoreLife::closed, "announced");
    if (seen && beat->count != count) return judge(CoreLife::alive, "its heartbeat moves");
    if (!seen) moved = at;
    seen = true;
    count = beat->count;
    const Duration period = milliseconds(std::min<std::uint32_t>(beat->period_ms, 60'000));
    if (at - moved >= period * store::periods_to_expire)
      return judge(CoreLife::dead, "its heartbeat stands still for four of its periods");
    judge(CoreLife::unknown, "its heartbeat was not watched long enough");
  }
};

}  // namespace

std::vector<CoreState> StoreDirectory::judge(const std::vector<store::Generation>& cores, Duration patience,
                                             const std::function<bool()>& ends) {
  std::vector<Listening> all;
  for (const store::Generation& core : cores) {
    Listening listening;
    listening.state.generation = core;
    all.push_back(std::move(listening));
  }
  const Time deadline = now() + patience;
  for (;;) {
    for (Listening& one : all) {
      if (one.judged) continue;
      const auto bytes = inside_->read(store::heartbeat_file_name(one.state.generation), store::beat_bytes);
      one.hear(bytes ? store::decode_beat_of(bytes->bytes(), one.state.generation, {})
                     : Result<store::Beat>(tl::unexpected(bytes.error())),
               now());
    }
    const bool done = std::all_of(all.begin(), all.end(), [](const Listening& one) { return one.judged; });
    if (done || now() >= deadline || ends()) break;
    inside_->rest(std::min(between_beats, deadline - now()));
  }
  std::vector<CoreState> states;
  for (Listening& one : all) {
    const auto leases = inside_->list(store::readers_directory(one.state.generation));
    if (leases)
      one.state.readers = static_cast<std::uint64_t>(std::count_if(
          leases->begin(), leases->end(), [](const std::string& name) { return name.ends_with(store::lease_suffix); }));
    states.push_back(std::move(one.state));
  }
  return states;
}

}  // namespace tenter::hw
