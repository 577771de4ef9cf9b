#include <algorithm>
#include <charconv>

#include "core/mailbox/launch_values.hpp"
#include "core/mailbox/layout.hpp"
#include "core/mailbox/manifest.hpp"
#include "core/text.hpp"
#include "core/wire.hpp"

namespace tenter::mailbox {

namespace {

constexpr std::size_t names_max = 16;  // in one message

std::string text(std::uint64_t value) { return text_of(value); }

std::string name_of(const GroupProcesses& group, std::int32_t who) {
  if (who == the_launcher) return "the launcher (pid " + text(group.launcher.process.pid) + ")";
  const RankProcess& rank = group.ranks[static_cast<std::size_t>(who)];
  return "rank " + text_of(who) + (rank.reported ? " (pid " + text(rank.process.pid) + ")" : "");
}

void add_unreported(std::string_view phase, const GroupProcesses& group, std::vector<RankError>& errors) {
  std::vector<std::int32_t> unreported;
  for (std::size_t rank = 0; rank < group.ranks.size(); ++rank)
    if (!group.ranks[rank].reported) unreported.push_back(static_cast<std::int32_t>(rank));
  if (unreported.empty()) return;
  errors.push_back({unreported.size() == 1 ? unreported[0] : no_culprit, "RankMissing",
                    std::string(phase) + ": never reported: " + names_of(group, unreported)});
}

}  // namespace

bool GroupProcesses::all_gone() const {
  if (launcher.spawned && !launcher.gone) return false;
  return std::all_of(ranks.begin(), ranks.end(), [](const RankProcess& r) { return !r.reading && (!r.reported || r.gone); });
}

bool GroupProcesses::all_reported() const {
  return std::all_of(ranks.begin(), ranks.end(), [](const RankProcess& r) { return r.reported; });
}

std::vector<std::int32_t> GroupProcesses::alive() const {
  std::vector<std::int32_t> who;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    if (ranks[rank].reported && !ranks[rank].gone) who.push_back(static_cast<std::int32_t>(rank));
  if (launcher.spawned && !launcher.gone) who.push_back(the_launcher);
  return who;
}

std::vector<ProcessId> GroupProcesses::ids(const std::vector<std::int32_t>& who) const {
  std::vector<ProcessId> list;
  list.reserve(who.size());
  for (std::int32_t one : who)
    list.push_back(one == the_launcher ? launcher.process : ranks[static_cast<std::size_t>(one)].process);
  return list;
}

std::string names_of(const GroupProcesses& group, const std::vector<std::int32_t>& who) {
  std::string list;
  for (std::size_t i = 0; i < who.size() && i < names_max; ++i) list += (i == 0 ? "" : ", ") + name_of(group, who[i]);
  if (who.size() > names_max) list += " and " + text(who.size() - names_max) + " more";
  return list;
}

std::string exit_of(const LauncherProcess& launcher) {
  const std::string who = "the launcher (pid " + text(launcher.process.pid) + ") ";
  if (launcher.signal > 0) return who + "was ended by signal " + text_of(launcher.signal);
  return who + "exited with code " + text_of(launcher.code) +
         (launcher.code == 0 ? "" : " (under Hydra the bitwise OR of the codes of all ranks, so no single rank's)");
}

std::vector<RankError> blame_exits(std::string_view phase, const GroupProcesses& group) {
  std::vector<RankError> errors;
  const std::string where(phase);
  const bool killed = group.launcher.gone && group.launcher.signal > 0;
  const RankError launcher{no_culprit, "LauncherExited", where + ": " + exit_of(group.launcher)};
  if (killed) errors.push_back(launcher);
  if (group.first_gone != nobody) {
    const bool orphaned = group.ranks[static_cast<std::size_t>(group.first_gone)].orphaned && !killed;
    const std::string first = name_of(group, group.first_gone) + " is gone, the first of the ranks that was seen to be";
    if (orphaned)
      errors.push_back({no_culprit, "ProxyLost",
                        where + ": a proxy of the launcher (pid " + text(group.launcher.process.pid) +
                            ") is gone, its ranks went with it: " + first});
    else
      errors.push_back({group.first_gone, "RankLost", where + ": " + first});
  }
  if (group.launcher.gone && !killed) errors.push_back(launcher);
  add_unreported(phase, group, errors);
  return errors;
}

std::vector<RankError> blame_inspected(std::string_view phase, const GroupProcesses& group, const Inspection& look,
                                       std::string_view letters) {
  std::vector<RankError> errors;
  const std::string where(phase);
  for (std::size_t i = 0; i < look.who.size() && i < letters.size(); ++i) {
    const std::int32_t rank = look.who[i] == the_launcher ? no_culprit : look.who[i];
    if (letters[i] == 'T') errors.push_back({rank, "ProcessStopped", where + ": " + name_of(group, look.who[i]) + " is stopped"});
    if (letters[i] == 'H')
      errors.push_back({rank, "ProcessStopped", where + ": a proxy of " + name_of(group, look.who[i]) + " is stopped"});
    if (letters[i] == 'X' || letters[i] == 'Z')
      errors.push_back({rank, "RankLost", where + ": " + name_of(group, look.who[i]) + " is gone"});
  }
  add_unreported(phase, group, errors);
  return errors;
}

std::vector<RankError> nobody_to_blame(std::string_view phase) {
  return {{no_culprit, "NoCulprit", std::string(phase) + ": every process runs, none is stopped or gone"}};
}

std::optional<std::uint32_t> rank_of_report(std::string_view name, std::uint32_t world) {
  const std::size_t dash = name.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  std::uint32_t rank = 0;
  const auto parsed = std::from_chars(name.data() + dash + 1, name.data() + name.size(), rank);
  if (parsed.ec != std::errc{} || rank >= world || report_name(rank) != name) return std::nullopt;
  return rank;
}

std::vector<RankError> survivors(const GroupProcesses& group, const Inspection& look, std::string_view letters) {
  std::vector<RankError> errors;
  for (std::size_t i = 0; i < look.who.size(); ++i) {
    const char letter = i < letters.size() ? letters[i] : '?';
    if (letter == 'X' || letter == 'Z') continue;
    errors.push_back({look.who[i] == the_launcher ? no_culprit : look.who[i], "ProcessSurvived",
                      "kill: " + name_of(group, look.who[i]) +
                          (letter == '?' ? " may have survived SIGKILL, it could not be inspected" : " survived SIGKILL")});
  }
  return errors;
}

std::string hex_of(Bytes bytes) {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string hex;
  for (std::byte byte : bytes) {
    hex += digits[std::to_integer<unsigned>(byte) >> 4];
    hex += digits[std::to_integer<unsigned>(byte) & 15u];
  }
  return hex;
}

Blob header_of_page(std::uint32_t world) {
  wire::Writer writer(layout::group_state.offset);
  writer.bytes(std::as_bytes(std::span(layout::magic_bytes.data(), layout::magic_bytes.size())));
  writer.u32(layout::protocol_version).u32(layout::header_bytes).u64(layout::page_bytes).u32(world);
  return writer.blob();
}

const char* to_string(LaunchState state) {
  switch (state) {
    case LaunchState::idle:
      return "idle";
    case LaunchState::drawing:
      return "drawing";
    case LaunchState::describing:
      return "describing";
    case LaunchState::making_directory:
      return "making_directory";
    case LaunchState::creating_page:
      return "creating_page";
    case LaunchState::publishing_manifest:
      return "publishing_manifest";
    case LaunchState::spawning:
      return "spawning";
    case LaunchState::awaiting_ready:
      return "awaiting_ready";
    case LaunchState::explaining:
      return "explaining";
    case LaunchState::suspecting:
      return "suspecting";
    case LaunchState::inspecting:
      return "inspecting";
    case LaunchState::running:
      return "running";
    case LaunchState::condemning:
      return "condemning";
    case LaunchState::closing:
      return "closing";
    case LaunchState::leaving:
      return "leaving";
    case LaunchState::terminating:
      return "terminating";
    case LaunchState::killing:
      return "killing";
    case LaunchState::surveying:
      return "surveying";
    case LaunchState::cleaning:
      return "cleaning";
    case LaunchState::ended:
      return "ended";
  }
  return "?";
}

}  // namespace tenter::mailbox
