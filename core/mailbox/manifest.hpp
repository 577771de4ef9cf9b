// The files of a group's private directory, beside the page: the manifest (parent -> rank 0 -> all), a report a rank (rank ->
// parent), and why a start failed (rank 0 -> parent). Lines of `key value`, UTF-8. Spec B6.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "core/blob.hpp"
#include "core/error.hpp"
#include "core/names.hpp"

namespace tenter::mailbox {

inline constexpr std::string_view manifest_schema = "tenter.manifest/1";
inline constexpr std::string_view report_schema = "tenter.rank/1";
inline constexpr std::uint64_t manifest_bytes_max = 4'096;

inline Blob manifest_path() { return Blob(std::string_view("manifest")); }
inline Blob start_failure_path() { return Blob(std::string_view("start-failure")); }  // an error list
std::string report_name(std::uint32_t rank);                                          // rank-K
inline Blob report_path(std::uint32_t rank) { return Blob(std::string_view(report_name(rank))); }

struct Manifest {
  std::string page;                // name of the page
  std::uint32_t page_version = 1;  // equals layout::protocol_version
  std::uint64_t page_bytes = 0;    // equals layout::page_bytes
  std::uint32_t world = 0;         // ranks; a worker's id is its rank, so there is no list of ids
  ProcessId owner{};               // the parent; a page whose owner is gone is orphaned. pid 0: unknown
  std::string host = {};           // that the owner runs on, where its pid means something; empty: unknown
  Duration start_patience{};       // what the parent waits for at most; for whoever inspects the group
  Duration stop_patience{};
  friend bool operator==(const Manifest&, const Manifest&) = default;
};

Blob write_manifest(const Manifest& manifest);
// invalid: a line, key or number breaks the format, a key is missing, twice or unknown; mismatch: another schema.
Result<Manifest> read_manifest(std::string_view text);

struct RankReport {
  std::uint32_t rank = 0;
  ProcessId process;
  friend bool operator==(const RankReport&, const RankReport&) = default;
};

Blob write_report(const RankReport& report);
Result<RankReport> read_report(std::string_view text);

}  // namespace tenter::mailbox
