// Names of variables as names of files, and the files of a store's directory. A variable's name is any UTF-8 text; distinct names
// have distinct files, and none leaves the directory (spec A2, B3.7; D20).
#pragma once
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "core/store/generation.hpp"

namespace tenter::store {

inline constexpr std::size_t name_bytes_max = 256;

// What a file of the directory is called, at most. File systems allow 255; the rest is for the temporary's own name.
inline constexpr std::size_t file_name_bytes_max = 200;

inline constexpr std::string_view record_suffix = ".record";
inline constexpr std::string_view heartbeat_suffix = ".heartbeat";
inline constexpr std::string_view readers_suffix = ".readers";
inline constexpr std::string_view lease_suffix = ".lease";

// Letters, digits, '-' and '_' stay; every other byte becomes %XX, also '.', so that what follows the first '.' is ours.
// invalid: an empty name, bytes that are no UTF-8, a zero byte, or longer than the limits above; the text names which.
Result<std::string> record_file_name(std::string_view variable);

// The variable of a record's file name. invalid: not a name that record_file_name() makes.
Result<std::string> variable_of_file_name(std::string_view file_name);

inline std::string heartbeat_file_name(Generation core) { return to_string(core) + std::string(heartbeat_suffix); }
inline std::string readers_directory(Generation core) { return to_string(core) + std::string(readers_suffix); }
inline std::string lease_path(Generation core, Generation reader) {
  return readers_directory(core) + "/" + to_string(reader) + std::string(lease_suffix);
}

}  // namespace tenter::store
