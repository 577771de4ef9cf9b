#include "sim/fault.hpp"

#include <array>

namespace tenter::sim {
namespace {

constexpr std::array kinds = {
    FaultKind{Tag::crash, "crash", "Processes", 8, "{0} is killed before its action number {1}"},
    FaultKind{Tag::stop, "stop", "Processes", 6, "{0} is stopped before its action number {1}"},
    FaultKind{Tag::launcher_crash, "launcher_crash", "Processes", 8, "the launcher is killed {1} steps of time after its start"},
    FaultKind{Tag::proxy_crash, "proxy_crash", "Processes", 8,
              "the launcher's daemon is killed {1} steps of time after its start"},
    FaultKind{Tag::work_failure, "work_failure", "Work", 2, "a callable of {0} fails"},
    FaultKind{Tag::work_hang, "work_hang", "Work", 4, "a callable of {0} hangs"},
    FaultKind{Tag::no_space, "no_space", "SharedPage, Files", 4, "{0} finds no space left"},
    FaultKind{Tag::scribble, "scribble", "SharedPage", 8, "somebody else writes into the page (choice {1})"},
    FaultKind{Tag::lost_stores, "lost_stores", "SharedPage", 2, "the buffered stores of {0} die with it"},
    FaultKind{Tag::fabric_failure, "fabric_failure", "Fabric", 2, "{0} is refused by its fabric library (step {1})"},
    FaultKind{Tag::read_failure, "read_failure", "Fabric", 2, "a read of {0} fails (choice {1})"},
    FaultKind{Tag::read_stall, "read_stall", "Fabric", 2, "a read of {0} is answered late (choice {1})"},
    FaultKind{Tag::address_reuse, "address_reuse", "Fabric", 4, "{0} is given the address of an endpoint that is gone"},
    FaultKind{Tag::file_stale, "file_stale", "Files", 2, "{0} is shown an older state of a file by its host's cache"},
    FaultKind{Tag::file_late, "file_late", "Files", 2, "what {0} writes is seen late by other hosts (choice {1})"},
    FaultKind{Tag::host_crash, "host_crash", "Processes, Files", 8,
              "the host of {0} crashes, and may lose what was not synced (choice {1})"},
    FaultKind{Tag::starvation, "starvation", "Comm", 2, "messages of {0} to one rank are held back (choice {1})"},
    FaultKind{Tag::join_failure, "join_failure", "Comm", 4, "{0} is refused by its message library"},
    FaultKind{Tag::connect_failure, "connect_failure", "Stream", 2,
              "a connect of {0} is refused, given up or unheard (choice {1})"},
    FaultKind{Tag::stream_reset, "stream_reset", "Stream", 2, "a stream of {0} is reset in the middle of its bytes (choice {1})"},
    FaultKind{Tag::network_cut, "network_cut", "Stream", 4, "the network of a stream of {0} is cut (choice {1})"},
    FaultKind{Tag::user_fault, "user_fault", "scenario", 4, "the scenario's own fault at {0} (choice {1})"},
};

}  // namespace

std::span<const FaultKind> fault_kinds() { return kinds; }

const FaultKind* fault_kind(Tag tag) {
  for (const FaultKind& kind : kinds)
    if (kind.tag == tag) return &kind;
  return nullptr;
}

const FaultKind* fault_kind(std::string_view name) {
  for (const FaultKind& kind : kinds)
    if (kind.name == name) return &kind;
  return nullptr;
}

std::uint64_t place_of(std::uint32_t answer) {
  if (answer == 0) return 0;
  const std::uint32_t octave = (answer - 1) / 12, part = (answer - 1) % 12;
  const std::uint64_t base = std::uint64_t{1} << octave;
  return base + base * part / 12;
}

std::string sentence_of(const FaultKind& kind) {
  std::string text(kind.sentence);
  const auto replace = [&text](std::string_view from, std::string_view to) {
    if (const std::size_t at = text.find(from); at != std::string::npos) text.replace(at, from.size(), to);
  };
  replace("{0}", "a process");
  replace(" (choice {1})", "");
  replace(" (step {1})", "");
  replace("{1}", "N");
  return text;
}

std::string describe_fault(const FaultKind& kind, std::string_view entity, const TapeEntry& entry) {
  std::string text;
  for (std::size_t i = 0; i < kind.sentence.size(); ++i) {
    const std::string_view rest = kind.sentence.substr(i);
    if (rest.starts_with("{0}")) {
      text += entity;
    } else if (rest.starts_with("{1}")) {
      const bool place = kind.tag == Tag::crash || kind.tag == Tag::stop;
      text += std::to_string(place ? place_of(entry.answer) : entry.answer);
    } else {
      text += kind.sentence[i];
      continue;
    }
    i += 2;
  }
  return text;
}

}  // namespace tenter::sim
