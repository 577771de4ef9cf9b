#include "cli/report/result_json.hpp"

#include <algorithm>
#include <sstream>

#include "cli/report/json_writer.hpp"

namespace tenter::report {

namespace {

std::uint64_t count_survivors(const std::vector<MutantsResult::Survivor>& survivors, bool explained) {
  return static_cast<std::uint64_t>(std::count_if(survivors.begin(), survivors.end(),
                                                  [&](const auto& survivor) { return survivor.reason.empty() != explained; }));
}

void write_counts(JsonWriter& json, std::string_view name, const std::map<std::string, std::uint64_t>& counts) {
  json.key(name).begin_object();
  for (const auto& [label, count] : counts) json.member(label, count);
  json.end_object();
}

void write_failure(JsonWriter& json, const Failure& failure) {
  json.begin_object();
  json.member("property", failure.property);
  json.key("seed").hex(failure.seed);
  json.member("step", failure.step);
  json.member("node", failure.node);
  json.member("tape", failure.tape);
  json.member("again", failure.again);
  json.end_object();
}

}  // namespace

std::uint64_t MutantsResult::survivors_explained() const { return count_survivors(survivors, true); }
std::uint64_t MutantsResult::survivors_unexplained() const { return count_survivors(survivors, false); }

std::string json_of(const RunResult& result) {
  std::ostringstream text;
  JsonWriter json(text);
  json.begin_object();
  json.member("schema", RunResult::schema);
  json.member("command", result.command);
  json.member("protocol", result.protocol);
  json.member("verdict", to_string(result.verdict));
  json.member("seeds", result.seeds);
  json.member("failed", result.failed);
  json.member("unknown", result.unknown);
  json.member("events", result.events);
  json.member("wall_s", result.wall_s);
  json.member("seeds_per_s", result.seeds_per_s());
  json.member("events_per_s", result.events_per_s());
  json.key("digest").hex(result.digest);
  json.key("determinism").begin_object();
  json.member("checked", result.determinism.checked);
  json.member("mismatches", result.determinism.mismatches);
  json.end_object();
  if (result.file_operations != 0) {
    json.key("file_operations").begin_object();
    json.member("total", result.file_operations);
    json.member("most_of_a_run", result.file_operations_most);
    json.end_object();
  }
  write_counts(json, "sometimes", result.sometimes);
  json.key("failures").begin_array();
  for (const Failure& failure : result.failures) write_failure(json, failure);
  json.end_array();
  json.end_object();
  return text.str();
}

std::string json_of(const MutantsResult& result) {
  std::ostringstream text;
  JsonWriter json(text);
  json.begin_object();
  json.member("schema", RunResult::schema);
  json.member("command", "sim mutants");
  json.member("protocol", result.protocol);
  json.member("verdict", to_string(result.verdict()));
  json.member("tried", result.tried);
  json.member("found", result.found);
  json.member("survivors_explained", result.survivors_explained());
  json.member("survivors_unexplained", result.survivors_unexplained());
  write_counts(json, "by_property", result.by_property);
  write_counts(json, "by_reason", result.by_reason);
  json.key("not_reached").begin_array();
  for (const std::string& mutant : result.not_reached) json.value(mutant);
  json.end_array();
  json.key("survivors").begin_array();
  for (const auto& survivor : result.survivors) {
    json.begin_object().member("mutant", survivor.mutant).member("reason", survivor.reason).end_object();
  }
  json.end_array();
  json.end_object();
  return text.str();
}

}  // namespace tenter::report
