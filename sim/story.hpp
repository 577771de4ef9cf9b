// A failure as a person reads it: the property in words, the faults in sentences, the last events, and what everybody waits for.
#pragma once
#include <string>
#include <vector>

#include "sim/run.hpp"

namespace tenter::sim {

struct Story {
  std::string headline;             // property, step, node
  std::string contradiction;        // the values
  std::vector<std::string> faults;  // one sentence each
  std::size_t other_choices = 0;    // odd orders and delays that are needed too
  std::vector<std::string> events;  // the last ones, oldest first
  std::uint64_t event_count = 0;    // delivered after the quiet boot
  std::uint64_t boot_events = 0;
};

Story tell_story(const Subject& subject, const TapeEntries& tape, std::size_t last_events = 10);

}  // namespace tenter::sim
