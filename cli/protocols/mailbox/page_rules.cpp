#include "cli/protocols/mailbox/page_rules.hpp"

#include <algorithm>

#include "core/mailbox/layout.hpp"
#include "core/text.hpp"

namespace tenter::protocols {

using namespace mailbox;

namespace {

std::string name_of_word(Word word) {
  return word == group_word ? "the group word" : word == request_word ? "the request word" : "the error length";
}

bool is_ready(std::uint32_t request) {
  return request == number(RequestState::request_ready) || request == number(RequestState::shutdown_ready);
}
bool is_outcome(std::uint32_t request) {
  return request == number(RequestState::task_done) || request == number(RequestState::task_failed) ||
         request == number(RequestState::shutdown_done);
}

}  // namespace

std::optional<std::uint32_t>& PageRules::Side::of(Word word) {
  return known[word == group_word ? 0 : word == request_word ? 1 : 2];
}

// ---------------------------------------------------------------- what a side learns

void PageRules::came(const Judged& judged, const event::WordChanged& e) {
  Side& me = side(judged);
  std::optional<std::uint32_t>& known = me.of(e.word);
  if (e.word == request_word && known && *known != e.value) me.copied.clear();  // the next answer or request: other bytes
  known = e.value;
}

void PageRules::came(const Judged& judged, const event::Swapped& e) {
  Side& me = side(judged);
  const auto swap = std::find_if(me.swaps.begin(), me.swaps.end(), [&](const Swap& s) { return s.op == e.op; });
  if (swap == me.swaps.end()) return;
  me.of(swap->word) = e.seen == swap->expected ? swap->value : e.seen;
  me.swaps.erase(swap);
}

// ---------------------------------------------------------------- stores

void PageRules::made(const Judged& judged, const action::Publish& a) { stores(judged, a.word, a.value, true); }
void PageRules::made(const Judged& judged, const action::PublishQuiet& a) { stores(judged, a.word, a.value, false); }

void PageRules::stores(const Judged& judged, Word word, std::uint32_t value, bool wakes) {
  Side& me = side(judged);
  Side::Stored& last = me.stored[word == group_word ? 0 : word == request_word ? 1 : 2];
  if (last.step == judged.step.number && last.value == value)
    judged.fail(store_property, "stores " + text_of(value) + " into " + name_of_word(word) +
                                    " twice: the second store may undo what the other side did after the first");
  last = {judged.step.number, value};
  if (word == error_length_word)
    announces(judged, value);
  else if (judged.process() != 0 || !parent_may_store(judged, me, word, value, wakes))
    judged.fail(store_property, "stores " + text_of(value) + " into " + name_of_word(word) + ", where it saw " +
                                    (me.of(word) ? text_of(*me.of(word)) : "nothing yet"));
  me.of(word) = value;
}

// Plain stores are the parent's alone; where rank 0 could store too, they follow a compare-exchange that was lost or won.
bool PageRules::parent_may_store(const Judged& judged, Side& parent, Word word, std::uint32_t value, bool wakes) {
  if (judged.is(MachineKind::launch))  // creates the page
    return !wakes && value == 0 && judged.was<LaunchState>() == LaunchState::creating_page;
  if (word == group_word) return wakes && value == number(GroupState::terminal) && parent.of(word).has_value();
  if (is_ready(value)) return wakes && parent.sees(RequestState::idle) && parent.sees(GroupState::ready);
  if (value == number(RequestState::task_failed)) return wakes && parent.sees(GroupState::terminal);
  if (value != number(RequestState::idle) || wakes || !parent.of(word) || !is_outcome(*parent.of(word))) return false;
  if (const auto length = parent.of(error_length_word); length && *length != 0) {
    judged.fail(length_property, "lets the lane go idle with an error length of " + text_of(*length));
    return true;
  }
  return true;
}

void PageRules::announces(const Judged& judged, std::uint32_t bytes) {
  Side& me = side(judged);
  if (bytes == 0 ? judged.was<ChannelState>() != ChannelState::failing || judged.process() != 0 : bytes != me.list_bytes)
    judged.fail(length_property, "stores the error length " + text_of(bytes) + " after a list of " + text_of(me.list_bytes) +
                                     " bytes was written");
  me.list_bytes = 0;
}

void PageRules::made(const Judged& judged, const action::PublishIf& a) {
  Side& me = side(judged);
  const bool may = judged.process() == 0 ? parent_may_swap(judged, me, a) : rank_0_may_swap(me, a);
  if (!may)
    judged.fail(store_property, "wants to swap " + text_of(a.expected) + " for " + text_of(a.value) + " in " +
                                    name_of_word(a.word) + ", where it saw " +
                                    (me.of(a.word) ? text_of(*me.of(a.word)) : "nothing yet"));
  const bool asked = std::any_of(me.swaps.begin(), me.swaps.end(), [&](const Swap& s) { return s.op == a.op; });
  if (asked) judged.fail(store_property, "asks twice for the same swap of " + name_of_word(a.word));
  me.swaps.push_back({a.op, a.word, a.expected, a.value});
}

bool PageRules::parent_may_swap(const Judged& judged, Side& parent, const action::PublishIf& a) {
  if (!a.wake) return false;
  if (a.word == request_word)
    return a.expected == number(RequestState::task_accepted) && a.value == number(RequestState::task_failed) &&
           parent.sees(GroupState::terminal);
  if (a.word != group_word || a.value != number(GroupState::terminal)) return false;
  if (judged.is(MachineKind::launch)) return a.expected == number(GroupState::initializing);
  return a.expected == number(GroupState::ready) || a.expected == parent.of(a.word);
}

bool PageRules::rank_0_may_swap(Side& rank_0, const action::PublishIf& a) {
  const auto seen = rank_0.of(a.word);
  if (a.word == group_word) {
    if (a.value == number(GroupState::terminal))
      return a.expected == number(GroupState::initializing) || a.expected == number(GroupState::ready) || a.expected == seen;
    if (a.value == number(GroupState::ready)) return a.expected == number(GroupState::initializing);
    return a.value == number(GroupState::closed) && a.expected == number(GroupState::ready);
  }
  if (a.word != request_word || !seen) return false;
  if (a.value == number(RequestState::task_accepted)) return is_ready(a.expected) && a.expected == *seen && !a.wake;
  if (!a.wake) return false;
  const bool completes = is_outcome(a.value) && a.expected == number(RequestState::task_accepted) && a.expected == *seen;
  const bool releases = a.value == number(RequestState::task_failed) && rank_0.sees(GroupState::terminal) &&
                        owed(a.expected);  // what the parent waits for, also when rank 0 has not seen it yet
  return completes || releases;
}

// ---------------------------------------------------------------- watches

// A load is a watch for the impossible value. Who takes an answer loads the words: nobody else would change them for it.
void PageRules::made(const Judged& judged, const action::Watch& a) {
  Side& me = side(judged);
  const bool load = a.seen == impossible_value;
  bool taking = false;
  if (judged.is(MachineKind::channel))
    taking = judged.is_now<ChannelState>() == ChannelState::taking || judged.is_now<ChannelState>() == ChannelState::failing;
  if (load ? false : taking || (a.word == error_length_word ? a.seen != 0 : a.seen != me.of(a.word)))
    judged.fail(watch_property, "watches " + name_of_word(a.word) + " against " + text_of(a.seen) + ", where it saw " +
                                    (me.of(a.word) ? text_of(*me.of(a.word)) : "nothing yet"));
}

// ---------------------------------------------------------------- bytes

namespace {

bool touches_a_word(std::uint64_t from, std::uint64_t to) {
  for (const Field& field : {layout::group_state, layout::request_state, layout::error_length})
    if (from < field.end() && field.offset < to) return true;
  return false;
}

}  // namespace

void PageRules::made(const Judged& judged, const action::WriteRegion& a) {
  const std::uint64_t to = a.offset + a.content.size();
  if (touches_a_word(a.offset, to)) judged.fail(copy_property, "writes over a word of the header: " + text_of(a.offset));
  if (a.offset == layout::error_area) side(judged).list_bytes = a.content.size();
}

void PageRules::made(const Judged& judged, const action::CopyIn& a) {
  const std::uint64_t to = a.offset + a.bytes;
  if (touches_a_word(a.offset, to)) judged.fail(copy_property, "copies over a word of the header: " + text_of(a.offset));
  Side& me = side(judged);
  for (const Range& range : me.copied)
    if (range.overlaps(a.offset, to))
      judged.fail(copy_property, "copies bytes " + text_of(a.offset) + ".." + text_of(to) + " of the page again");
  me.copied.push_back({a.offset, to});
}

// What the parent leaves in the request word: IDLE when the lane is free, TASK_FAILED when it took a request back.
void PageRules::lane_left(const Judged& judged) {
  const auto before = judged.was<ChannelState>(), now = judged.is_now<ChannelState>();
  if (now == before) return;
  const bool taken = now == ChannelState::idle || (now == ChannelState::closed && before == ChannelState::taking);
  if (taken && !side(judged).sees(RequestState::idle)) judged.fail(store_property, "leaves the answered request in the lane");
  if (before == ChannelState::withdrawing && !side(judged).sees(RequestState::task_failed))
    judged.fail(store_property, "leaves a request that it gave up in the lane");
}

// Before rank 0 says READY, and before the parent believes it, each has looked at every byte that the creator fixed: spec B2,
// reserved bytes at both attaches.
void PageRules::after(const Judged& judged) {
  if (judged.is(MachineKind::channel)) return lane_left(judged);
  const bool rank_0_attaches = judged.is(MachineKind::dispatcher) &&
                               judged.was<DispatcherState>() == DispatcherState::attaching &&
                               judged.is_now<DispatcherState>() == DispatcherState::announcing;
  const bool parent_attaches = judged.is(MachineKind::launch) && judged.was<LaunchState>() == LaunchState::awaiting_ready &&
                               judged.is_now<LaunchState>() == LaunchState::running;
  if (!rank_0_attaches && !parent_attaches) return;
  Side& me = side(judged);
  std::uint64_t seen = 0;
  for (const Range& range : me.copied) seen += std::min<std::uint64_t>(range.to, layout::header_bytes) - range.from;
  if (seen + 3 * 4 != layout::header_bytes)
    judged.fail(copy_property, "attaches after looking at " + text_of(seen) + " bytes of the header");
  me.copied.clear();
}

}  // namespace tenter::protocols
