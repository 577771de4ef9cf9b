#include <numeric>

#include "core/control/gate_values.hpp"
#include "core/text.hpp"
#include "core/utf8.hpp"

namespace tenter::control {

std::uint64_t GateTally::total() const { return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}); }

std::string text_of_tally(const GateTally& tally) {
  constexpr std::string_view names[turned_away_kinds] = {"late",           "to make room",  "left before a message",
                                                         "malformed",      "wrong token",   "not a rank of ours",
                                                         "duplicate rank", "too many bytes"};
  std::string accepts;
  if (tally.failed_accepts > 0)
    accepts = "accepts that failed here: " + text_of(tally.failed_accepts) + ", the last: " + tally.failed_accept;
  if (tally.total() == 0) return accepts;
  std::string text = text_of(tally.total()) + " connections were turned away:";
  bool first = true;
  for (std::size_t kind = 0; kind < turned_away_kinds; ++kind) {
    if (tally.counts[kind] == 0) continue;
    text += (first ? " " : ", ") + text_of(tally.counts[kind]) + " " + std::string(names[kind]);
    first = false;
  }
  return text + "; the last: " + tally.last + (accepts.empty() ? "" : "; " + accepts);
}

std::string text_of_seat(const std::vector<GateSeat>& seats, std::uint32_t rank) {
  return "rank " + text_of(rank) + " on " + seats[rank].host;
}

GateCulprits culprits_of(const std::vector<GateSeat>& seats, bool released) {
  GateCulprits culprits;
  for (std::uint32_t rank = 0; rank < seats.size(); ++rank) {
    const SeatState state = seats[rank].state;
    if (state == SeatState::failed) culprits.failed.push_back(rank);
    if (state == SeatState::absent || (released && (state == SeatState::ready || state == SeatState::released)))
      culprits.missing.push_back(rank);
  }
  return culprits;
}

std::string text_of_culprit(const std::vector<GateSeat>& seats, std::uint32_t rank) {
  const GateSeat& seat = seats[rank];
  const std::string who = text_of_seat(seats, rank);
  if (seat.state == SeatState::failed) return who + " failed: " + seat.reason;
  if (!seat.reason.empty()) return who + ": " + seat.reason;
  return who + (seat.state == SeatState::absent ? " never reported" : " was told to start MPI and never said that it had joined");
}

std::string text_of_failure(std::string_view why, const std::vector<GateSeat>& seats, bool released) {
  const GateCulprits culprits = culprits_of(seats, released);
  std::string text = "start: " + std::string(why);
  std::size_t named = 0;
  for (const auto* group : {&culprits.failed, &culprits.missing})
    for (const std::uint32_t rank : *group)
      if (named++ < gate_names_max) text += "; " + text_of_culprit(seats, rank);
  if (named > gate_names_max) text += "; and " + text_of(std::uint64_t{named - gate_names_max}) + " ranks more";
  return text;
}

std::string text_of_mismatch(const std::string& who, const GateReport& report, const GateConfig& config) {
  return who + " speaks SLR3 version " + text_of(report.version.value_or(0)) + " with features " + text_of_hex(report.features) +
         ", this supervisor version " + text_of(config.version) + " with features " + text_of_hex(config.features);
}

std::string cut_reason(std::string_view text) {
  const std::string repaired = utf8_repaired(text.substr(0, gate_reason_bytes_max + 4));
  std::string cut(utf8_cut(repaired, gate_reason_bytes_max));
  for (char& c : cut)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return cut.size() < text.size() ? cut + " (cut)" : cut;
}

}  // namespace tenter::control
