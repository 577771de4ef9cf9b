// `tenter store info`: what is published in a directory, by whom, and whether its job is alive.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "cli/report/json_writer.hpp"
#include "cli/store_rows.hpp"
#include "hw/store/directory.hpp"

namespace tenter::cli {
namespace {

std::string shape_text(const store::Record& record) {
  std::string text = fmt::format("{}", total_rows(record));
  for (const std::uint64_t dimension : record.row_shape) text += fmt::format(" x {}", dimension);
  return text;
}

void write_variable(report::JsonWriter& json, const store::Record& record, const hw::CoreState& core) {
  json.begin_object().member("name", record.variable).member("dtype", to_string(record.dtype));
  json.key("row_shape").begin_array();
  for (const std::uint64_t dimension : record.row_shape) json.value(dimension);
  json.end_array().member("rows", total_rows(record)).key("rows_by_rank").begin_array();
  for (const store::Shard& shard : record.shards) json.value(shard.rows);
  json.end_array().member("versioned", record.versioned).member("provider", record.provider);
  json.member("job", record.job).member("host", record.host).member("owner_pid", record.owner.pid);
  json.member("generation", to_string(record.generation)).member("state", hw::to_string(core.life));
  json.member("why", core.why).member("readers", core.readers).end_object();
}

struct Seen {
  std::vector<store::Record> records;
  std::vector<Error> refused;
};

Seen look(hw::StoreDirectory& directory, const std::vector<std::string>& names) {
  Seen seen;
  for (const std::string& name : names) {
    auto record = directory.record(name);
    if (record)
      seen.records.push_back(std::move(*record));
    else if (record.error().status != Status::not_found)  // removed since it was listed
      seen.refused.push_back(record.error());
  }
  return seen;
}

}  // namespace

int store_info(const Context& context, const StoreInfoOptions& options) {
  watch_interrupt();
  const auto owner = user_number(options.owner);
  if (!owner) return usage_error(owner.error().what);
  auto directory = hw::StoreDirectory::open(options.directory, *owner);
  if (!directory) return store_failed(directory.error());
  const auto names = directory->variables();
  if (!names) return store_failed(names.error());
  const Seen seen = look(*directory, *names);
  std::vector<store::Generation> cores;  // each once: a job has many variables
  for (const store::Record& record : seen.records)
    if (std::find(cores.begin(), cores.end(), record.generation) == cores.end()) cores.push_back(record.generation);
  const auto states = directory->judge(cores, duration_of_seconds(options.wait), [] { return interrupted(); });
  const auto state_of = [&](const store::Record& record) -> const hw::CoreState& {
    return *std::find_if(states.begin(), states.end(), [&](const auto& s) { return s.generation == record.generation; });
  };
  if (context.human_output()) {
    for (const store::Record& record : seen.records)
      fmt::print("{}  {}  {}  {} ranks  {}  job {} on {}, pid {}: {} ({}), {} readers\n", shown_text(record.variable),
                 to_string(record.dtype), shape_text(record), record.shards.size(), shown_text(record.provider),
                 shown_text(record.job), shown_text(record.host), record.owner.pid, hw::to_string(state_of(record).life),
                 shown_text(state_of(record).why), state_of(record).readers);
    if (names->empty()) fmt::print("nothing is published in {}\n", shown_text(options.directory));
  }
  int code = exit_code::pass;
  for (const Error& refused : seen.refused) code = store_failed(refused);
  if (!context.common.json.empty()) {
    std::ostringstream text;
    {
      report::JsonWriter json(text);
      json.begin_object().member("schema", "tenter.store_info/1").member("directory", options.directory);
      json.key("variables").begin_array();
      for (const store::Record& record : seen.records) write_variable(json, record, state_of(record));
      json.end_array().key("refused").begin_array();
      for (const Error& refused : seen.refused) json.value(refused.what);
      json.end_array().end_object();
    }
    write_result_text(context, text.str() + "\n", "");
  }
  return interrupted() ? exit_code::interrupted : code;
}

}  // namespace tenter::cli
