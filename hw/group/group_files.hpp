// What a group leaves where others find it: names, and its manifest.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/mailbox/manifest.hpp"

namespace tenter::hw {

// Environment of a rank, set by Launch: the group's private directory, <private folder>/<group_prefix><number>.
inline constexpr const char* directory_variable = "TENTER_MAILBOX_DIRECTORY";
inline constexpr std::string_view group_prefix = "group-";
inline constexpr std::string_view page_prefix = "tenter-mailbox-";  // the page's name: this and the same number

// A manifest or a rank's report has a few hundred bytes; more is not read.
inline constexpr std::uint64_t group_file_bytes_max = 64 * 1024;

// Of the group whose directory this is; nothing when it has none that can be read.
std::optional<mailbox::Manifest> manifest_in(const std::string& directory);

// The name of the page of the group whose directory is called so (its last component).
std::string page_by_directory(std::string_view name);

}  // namespace tenter::hw
