#include "sim/shrink.hpp"

#include <algorithm>
#include <compare>

#include "sim/fault.hpp"

namespace tenter::sim {
namespace {

class Shrinker {
 public:
  Shrinker(const Subject& subject, const std::string& property, const std::function<bool(const ShrinkProgress&)>& keep_going)
      : subject_(subject), property_(property), keep_going_(keep_going) {}

  ShrinkResult run(const TapeEntries& failing) {
    attempt(failing);
    if (!best_.outcome.finding) {  // does not fail on replay: nothing to shrink, the caller sees it
      best_.outcome = run_tape(subject_, failing);
      best_.tape = failing;
      best_.replays = replays_;
      return best_;
    }
    descend();
    ShrinkResult smallest = best_;
    for (std::uint64_t start = 1; start < starts && !stopped_; ++start) {
      best_ = {};
      if (!attempt(failing)) break;
      drop_at_random(start);
      descend();
      if (weight(best_.tape, best_.outcome) < weight(smallest.tape, smallest.outcome)) smallest = best_;
    }
    smallest.replays = replays_;
    return smallest;
  }

 private:
  // Where a descent ends depends on what it drops first: so many are made from the whole tape, the first in the tape's order.
  static constexpr std::uint64_t starts = 8;

  void descend() {
    for (bool better = true; better && !stopped_;) {
      better = drop_kinds();
      better = drop_chunks() || better;
      better = lower_answers() || better;
      better = close_gaps() || better;
    }
  }

  // Drops entries, half of those that are left at a time and fewer when that fails, each start by draws of its own.
  void drop_at_random(std::uint64_t start) {
    Choices draws = Choices::seeded(start);
    for (std::uint32_t one_in = 2; one_in <= 16 && !stopped_; one_in *= 2) {
      for (std::uint32_t turn = 0; turn < one_in && !stopped_; ++turn) {
        TapeEntries without = best_.tape;
        std::erase_if(without, [&](const TapeEntry&) { return draws.choose(Tag::workload, 0, one_in) == 0; });
        if (without.size() != best_.tape.size()) attempt(without);
      }
    }
  }

  // Smaller: fewer faults; then what a person has to read, the events and the odd choices; then lower answers, asked for earlier.
  struct Weight {
    std::uint64_t faults = 0, to_read = 0, answers = 0;
    friend auto operator<=>(const Weight&, const Weight&) = default;
  };
  static Weight weight(const TapeEntries& tape, const Outcome& outcome) {
    Weight sum{0, outcome.steps + tape.size(), 0};
    for (const TapeEntry& e : tape) {
      if (const FaultKind* kind = fault_kind(e.tag)) sum.faults += kind->cost;
      sum.answers += e.answer + e.index;
    }
    return sum;
  }

  bool attempt(const TapeEntries& candidate) {
    if (stopped_ || !keep_going_({best_.tape.size(), replays_})) {
      stopped_ = true;
      return false;
    }
    ++replays_;
    Outcome outcome = run_tape(subject_, candidate);
    if (!outcome.finding || outcome.finding->property != property_) return false;
    TapeEntries used = outcome.tape;  // what the run really asked for: everything behind the failure falls away
    std::sort(used.begin(), used.end());
    if (best_.outcome.finding && weight(used, outcome) >= weight(best_.tape, best_.outcome)) return false;
    best_.tape = std::move(used);
    best_.outcome = std::move(outcome);
    return true;
  }

  bool drop_kinds() {
    bool better = false;
    for (std::size_t i = 0; i < tag_count && !stopped_; ++i) {
      TapeEntries without = best_.tape;
      std::erase_if(without, [&](const TapeEntry& e) { return e.tag == static_cast<Tag>(i); });
      if (without.size() != best_.tape.size()) better = attempt(without) || better;
    }
    return better;
  }

  bool drop_chunks() {  // delta debugging by complements, halving the chunk (Zeller and Hildebrandt 2002)
    bool better = false;
    for (std::size_t chunk = std::max<std::size_t>(1, best_.tape.size() / 2); chunk >= 1 && !stopped_; chunk /= 2) {
      for (std::size_t at = 0; at < best_.tape.size() && !stopped_;) {
        TapeEntries without = best_.tape;
        const auto first = without.begin() + static_cast<std::ptrdiff_t>(at);
        without.erase(first, first + static_cast<std::ptrdiff_t>(std::min(chunk, without.size() - at)));
        if (attempt(without))
          better = true;
        else
          at += chunk;
      }
    }
    return better;
  }

  bool lower_answers() {
    bool better = false;
    for (std::size_t i = 0; i < best_.tape.size() && !stopped_; ++i) {
      const TapeEntry entry = best_.tape[i];
      std::uint32_t low = 0;
      while (low + 1 < entry.answer && !stopped_) {  // the smallest answer that still fails, if it is monotonous
        const std::uint32_t middle = low + (entry.answer - low) / 2;
        if (i >= best_.tape.size() || best_.tape[i].tag != entry.tag || best_.tape[i].index != entry.index) break;
        if (middle >= best_.tape[i].answer) break;
        TapeEntries lowered = best_.tape;
        lowered[i].answer = middle;
        if (attempt(lowered))
          better = true;
        else
          low = middle;
        if (i >= best_.tape.size() || low + 1 >= best_.tape[i].answer) break;
      }
    }
    return better;
  }

  // The boring answers before an odd one are forgotten, and it and all behind it in its stream are asked for earlier: what a
  // workload does seventh may be its first.
  bool close_gaps() {
    bool better = false;
    for (std::size_t i = 0; i < best_.tape.size() && !stopped_; ++i) {
      for (std::uint32_t amount = gap_before(i); amount > 0 && !stopped_;) {
        TapeEntries closer = best_.tape;
        for (std::size_t k = i; k < closer.size() && same_stream(closer[k], closer[i]); ++k) closer[k].index -= amount;
        if (attempt(closer)) {
          better = true;
          if (i >= best_.tape.size()) break;
          amount = std::min(amount, gap_before(i));
        } else {
          amount = amount > 8 ? amount / 2 : amount - 1;
        }
      }
    }
    return better;
  }
  static bool same_stream(const TapeEntry& a, const TapeEntry& b) { return a.tag == b.tag && a.entity == b.entity; }
  std::uint32_t gap_before(std::size_t i) const {
    const TapeEntry& entry = best_.tape[i];
    const bool first = i == 0 || !same_stream(best_.tape[i - 1], entry);
    return first ? entry.index : entry.index - best_.tape[i - 1].index - 1;
  }

  const Subject& subject_;
  const std::string& property_;
  const std::function<bool(const ShrinkProgress&)>& keep_going_;
  ShrinkResult best_;
  std::size_t replays_ = 0;
  bool stopped_ = false;
};

}  // namespace

ShrinkResult shrink(const Subject& subject, const TapeEntries& failing, const std::string& property,
                    const std::function<bool(const ShrinkProgress&)>& keep_going) {
  return Shrinker(subject, property, keep_going).run(failing);
}

}  // namespace tenter::sim
