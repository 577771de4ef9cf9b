#include "hw/group/callables.hpp"

#include <algorithm>
#include <exception>

#include "core/wire.hpp"

namespace tenter::hw {

Result<TaskArgument> read_argument(const Blob& argument) {
  wire::Reader reader(argument.bytes());
  TaskArgument read;
  const std::uint32_t scalars = reader.u32();
  if (!reader.ok() || scalars > reader.left() / 8)
    return error(Status::invalid,
                 "task argument: " + std::to_string(argument.size()) + " bytes do not hold the scalars they announce");
  read.scalars.reserve(scalars);
  for (std::uint32_t i = 0; i < scalars; ++i) read.scalars.push_back(reader.u64());
  read.data = reader.bytes(reader.left());
  return read;
}

Blob callable_key(std::string_view name) {
  if (name.starts_with("control/")) return Blob(name);
  auto digest = sha256_of(std::as_bytes(std::span(name.data(), name.size())));
  return digest ? Blob(Bytes(*digest)) : Blob();  // no key finds nothing
}

Callables& Callables::add(std::string_view name, Callable callable, RunsOn runs_on) {
  by_key_.insert_or_assign(std::string(callable_key(name).text()), Entry{std::string(name), std::move(callable), runs_on});
  return *this;
}

bool Callables::runs_on_loop(const Blob& callable) const {
  const auto found = by_key_.find(callable.text());
  return found != by_key_.end() && found->second.runs_on == RunsOn::loop;
}

std::vector<std::string> Callables::names() const {
  std::vector<std::string> all;
  for (const auto& [key, entry] : by_key_) all.push_back(entry.name);
  std::sort(all.begin(), all.end());
  return all;
}

Result<Blob> Callables::run(const Blob& callable, const Blob& argument) const {
  const auto found = by_key_.find(callable.text());
  if (found == by_key_.end()) {
    std::string what = callable.text().starts_with("control/") ? std::string(callable.text()) : "a callable by this digest";
    std::string known;
    for (const std::string& name : names()) known += (known.empty() ? "" : ", ") + name;
    return error(Status::not_found, "execute: this rank does not know " + what + "; it knows " + known);
  }
  try {
    auto result = found->second.callable(argument);
    if (!result) result.error().what = found->second.name + ": " + result.error().what;
    return result;
  } catch (const std::exception& failure) {
    return error(Status::failed, found->second.name + ": an exception: " + failure.what());
  } catch (...) {
    return error(Status::failed, found->second.name + ": an exception that is no std::exception");
  }
}

}  // namespace tenter::hw
