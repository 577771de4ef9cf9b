#include "sim/choice.hpp"

#include <algorithm>

#include "core/check.hpp"

namespace tenter::sim {
namespace {

constexpr std::uint64_t mix(std::uint64_t value) {  // the finalizer of splitmix64 (Steele, Lea, Flood 2014)
  value += 0x9E3779B97F4A7C15ull;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ull;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBull;
  return value ^ (value >> 31);
}

constexpr std::array<const char*, tag_count> tag_names = {"workload",
                                                          "memory_mode",
                                                          "eager",
                                                          "park",
                                                          "tie",
                                                          "delay",
                                                          "preempt",
                                                          "drain",
                                                          "stale_load",
                                                          "spurious_wake",
                                                          "drift",
                                                          "skew",
                                                          "work_time",
                                                          "file_delay",
                                                          "exit_delay",
                                                          "start_delay",
                                                          "crash",
                                                          "stop",
                                                          "work_failure",
                                                          "work_hang",
                                                          "no_space",
                                                          "scribble",
                                                          "launcher_crash",
                                                          "proxy_crash",
                                                          "lost_stores",
                                                          "user_fault",
                                                          "nic",
                                                          "nic_chunks",
                                                          "nic_time",
                                                          "fabric_failure",
                                                          "read_failure",
                                                          "read_stall",
                                                          "address_reuse",
                                                          "file_stale",
                                                          "file_late",
                                                          "host_crash",
                                                          "eager_limit",
                                                          "message_delay",
                                                          "message_loss",
                                                          "death_notice",
                                                          "starvation",
                                                          "join_failure",
                                                          "stream_window",
                                                          "stream_cut",
                                                          "stream_delay",
                                                          "stream_loss",
                                                          "stream_death",
                                                          "connect_failure",
                                                          "stream_reset",
                                                          "network_cut"};

// How often the liveliest seed answers something that is not 0: once in 2^this.
constexpr std::uint32_t fewest_halvings(Tag tag) {
  switch (tag) {
    case Tag::tie:
    case Tag::stale_load:
    case Tag::drift:
    case Tag::crash:  // asked once a process, where other faults are asked once a possible place
    case Tag::stop:
    case Tag::message_loss:  // asked once a death
    case Tag::death_notice:
    case Tag::stream_loss:  // asked once a reset
    case Tag::stream_death:
    case Tag::join_failure:  // asked once a process
      return 1;
    case Tag::address_reuse:  // asked once an endpoint
    case Tag::host_crash:     // asked once a crash
      return 0;
    default:
      return 2;
  }
}

}  // namespace

const char* to_string(Tag tag) { return tag < Tag::count_ ? tag_names[static_cast<std::size_t>(tag)] : "?"; }

bool tag_from(std::string_view name, Tag& tag) {
  for (std::size_t i = 0; i < tag_count; ++i) {
    if (name != tag_names[i]) continue;
    tag = static_cast<Tag>(i);
    return true;
  }
  return false;
}

Choices Choices::seeded(std::uint64_t seed) {
  Choices choices;
  choices.seed_ = mix(seed);
  for (std::size_t i = 0; i < tag_count; ++i) {
    const Tag tag = static_cast<Tag>(i);
    const std::uint64_t draw = mix(choices.seed_ ^ (0xA5A5ull << 32) ^ i);
    const bool on = (draw & 1) != 0;
    const std::uint32_t intensity = static_cast<std::uint32_t>((draw >> 1) % 8);
    choices.halvings_[i] = fewest_halvings(tag) + intensity;
    choices.masked_[i] = !on && !shapes_run(tag);
  }
  return choices;
}

Choices Choices::replayed(const TapeEntries& entries) {
  Choices choices;
  choices.replaying_ = true;
  TapeEntries sorted = entries;
  std::sort(sorted.begin(), sorted.end());
  for (const TapeEntry& entry : sorted) choices.stream(entry.tag, entry.entity).recorded.push_back(entry);
  choices.given_ = sorted.size();
  return choices;
}

Choices::Stream& Choices::stream(Tag tag, std::uint32_t entity) {
  auto& of_tag = streams_[static_cast<std::size_t>(tag)];
  if (entity >= of_tag.size()) of_tag.resize(entity + 1);
  return of_tag[entity];
}

std::uint32_t Choices::ask(Tag tag, std::uint32_t entity, std::uint32_t n) {
  Stream& s = stream(tag, entity);
  const std::uint32_t index = s.next++;
  const std::uint32_t answer = replaying_ ? from_tape(s, index, n) : from_seed(s, tag, entity, index, n);
  if (answer != 0) tape_.push_back({tag, entity, index, n, answer});
  return answer;
}

std::uint32_t Choices::from_seed(Stream& s, Tag tag, std::uint32_t entity, std::uint32_t index, std::uint32_t n) const {
  const std::uint64_t place = (static_cast<std::uint64_t>(tag) << 56) ^ (static_cast<std::uint64_t>(entity) << 32) ^ index;
  if (shapes_run(tag)) return static_cast<std::uint32_t>((mix(seed_ ^ mix(place)) >> 16) % n);
  if (index % 64 == 0) {  // whether the next 64 answers are 0 is drawn at once: most are, and cost no more than a bit test
    s.lively = ~std::uint64_t{0};
    for (std::uint32_t i = 0; i < halvings_[static_cast<std::size_t>(tag)] && s.lively != 0; ++i)
      s.lively &= mix(seed_ ^ mix(~place ^ (std::uint64_t{i} << 24)));
  }
  if (((s.lively >> (index % 64)) & 1) == 0) return 0;
  return 1 + static_cast<std::uint32_t>((mix(seed_ ^ mix(place)) >> 16) % (n - 1));
}

std::uint32_t Choices::from_tape(Stream& s, std::uint32_t index, std::uint32_t n) {
  while (s.cursor < s.recorded.size() && s.recorded[s.cursor].index < index) ++s.cursor;
  if (s.cursor == s.recorded.size() || s.recorded[s.cursor].index != index) return 0;
  const std::uint32_t answer = s.recorded[s.cursor++].answer;
  if (answer >= n) return 0;
  ++matched_;
  return answer;
}

std::size_t Choices::drift() const { return given_ - matched_; }

}  // namespace tenter::sim
