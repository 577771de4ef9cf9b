#include "sim/shrink.hpp"

#include <algorithm>

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
    for (bool better = true; better && !stopped_;) {
      better = drop_kinds();
      better = drop_chunks() || better;
      better = lower_answers() || better;
    }
    best_.replays = replays_;
    return best_;
  }

 private:
  // Smaller: fewer fault choices, then fewer events, then fewer choices, then lower answers.
  static std::tuple<std::size_t, std::size_t, std::uint64_t, std::uint64_t> weight(const TapeEntries& tape,
                                                                                   const Outcome& outcome) {
    std::size_t faults = 0;
    std::uint64_t answers = 0;
    for (const TapeEntry& e : tape) {
      if (const FaultKind* kind = fault_kind(e.tag)) faults += kind->cost;
      answers += e.answer;
    }
    return {faults, tape.size(), outcome.steps, answers};
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
