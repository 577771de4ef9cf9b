#include "sim/memory/page_memory.hpp"

#include <algorithm>
#include <utility>

namespace tenter::sim {

// --- words ----------------------------------------------------------------------------------------------------------------

std::uint32_t PageMemory::slot_of(Word word) {
  const std::uint32_t offset = number(word);
  for (std::size_t slot = 0; slot < offsets_.size(); ++slot)
    if (offsets_[slot] == offset) return static_cast<std::uint32_t>(slot);
  TENTER_CHECK(offset % 4 == 0);
  TENTER_CHECK(std::uint64_t{offset} + 4 <= bytes_);
  WordState state;
  state.newest.value = peek_word(word);
  offsets_.push_back(offset);
  words_.push_back(std::move(state));
  return static_cast<std::uint32_t>(words_.size() - 1);
}

std::uint32_t PageMemory::newest_visible(const AgentState& me, std::uint32_t slot) const {
  for (std::size_t i = me.buffer.size(); i > 0; --i)
    if (me.buffer[i - 1].slot == slot) return me.buffer[i - 1].value;
  return words_[slot].newest.value;
}

// How many messages, counted from the newest, are not older than the view; at least one.
std::size_t PageMemory::readable(const WordState& word, std::uint64_t view) const {
  std::size_t count = 1;
  while (count < word.size() && word.from_newest(count).stamp >= view) ++count;
  return count;
}

bool PageMemory::room_after(const WordState& word, std::size_t from_newest) {
  if (from_newest == 0) return true;
  const Message& successor = word.from_newest(from_newest - 1);
  return !successor.adjacent && successor.stamp - word.from_newest(from_newest).stamp >= 2;
}

void PageMemory::observe(AgentState& me, std::uint32_t slot, const Message& message, Order order) {
  if (mode_ != MemoryMode::ra) {
    (page::acquires(order) ? me.now : me.acquirable).clock.join(message.known.clock);
    return;
  }
  (page::acquires(order) ? me.now : me.acquirable).join(message.known);
  me.now.view.raise(slot, message.stamp);
}

PageMemory::Knowledge PageMemory::carried(Agent agent, AgentState& me, Order order) {
  if (!page::releases(order)) return me.released;
  Knowledge known = me.now;
  me.now.clock.set(agent, me.now.clock[agent] + 1);
  return known;
}

void PageMemory::place_after(std::uint32_t slot, std::size_t from_newest, Message message) {
  WordState& word = words_[slot];
  if (from_newest == 0) {
    word.older.push_back(std::move(word.newest));
    word.newest = std::move(message);
  } else {
    word.older.insert(word.older.end() - static_cast<std::ptrdiff_t>(from_newest - 1), std::move(message));
  }
  if (word.older.size() >= history_depth) word.older.erase(word.older.begin());
}

std::uint32_t PageMemory::load(Agent agent, Word word, Order order, Chooser choose) {
  TENTER_CHECK(order == Order::relaxed || order == Order::acquire);
  const std::uint32_t slot = slot_of(word);
  AgentState& me = known(agent);
  if (mode_ == MemoryMode::tso) {
    for (std::size_t i = me.buffer.size(); i > 0; --i)
      if (me.buffer[i - 1].slot == slot) return me.buffer[i - 1].value;
  }
  const WordState& state = words_[slot];
  const std::size_t at = mode_ == MemoryMode::ra ? choose(static_cast<std::uint32_t>(readable(state, me.now.view[slot]))) : 0;
  const Message& message = state.from_newest(at);
  observe(me, slot, message, order);
  return message.value;
}

void PageMemory::store(Agent agent, Word word, std::uint32_t value, Order order, Chooser choose) {
  TENTER_CHECK(order == Order::relaxed || order == Order::release);
  const std::uint32_t slot = slot_of(word);
  AgentState& me = known(agent);
  if (mode_ == MemoryMode::sc) {
    Message& message = words_[slot].newest;
    message.value = value;
    message.known = carried(agent, me, order);
    return;
  }
  if (mode_ == MemoryMode::tso) {
    me.buffer.push_back({slot, value, carried(agent, me, order).clock});
    return;
  }
  WordState& state = words_[slot];
  const std::size_t candidates = readable(state, me.now.view[slot]);
  std::uint32_t places = 0;
  for (std::size_t i = 0; i < candidates; ++i) places += room_after(state, i);
  std::uint32_t skip = choose(places);
  std::size_t after = 0;
  while (!room_after(state, after) || skip-- > 0) ++after;
  const std::uint64_t before_stamp = state.from_newest(after).stamp;
  Message message;
  message.value = value;
  message.stamp = after == 0 ? before_stamp + stamp_gap : before_stamp + (state.from_newest(after - 1).stamp - before_stamp) / 2;
  me.now.view.raise(slot, message.stamp);
  message.known = carried(agent, me, order);
  message.known.view.raise(slot, message.stamp);
  place_after(slot, after, std::move(message));
}

std::uint32_t PageMemory::compare_exchange(Agent agent, Word word, std::uint32_t expected, std::uint32_t desired, Order stored,
                                           Order failed, Chooser choose) {
  TENTER_CHECK(stored != Order::sequential);
  TENTER_CHECK(failed == Order::relaxed || failed == Order::acquire);
  const std::uint32_t slot = slot_of(word);
  AgentState& me = known(agent);
  if (mode_ == MemoryMode::tso) drain_all(agent);
  WordState& state = words_[slot];
  std::size_t at = 0;
  if (mode_ == MemoryMode::ra) {
    const auto usable = [&](std::size_t i) { return state.from_newest(i).value != expected || room_after(state, i); };
    const std::size_t candidates = readable(state, me.now.view[slot]);
    std::uint32_t places = 0;
    for (std::size_t i = 0; i < candidates; ++i) places += usable(i);
    std::uint32_t skip = choose(places);
    while (!usable(at) || skip-- > 0) ++at;
  }
  const Message& seen = state.from_newest(at);
  const std::uint32_t value = seen.value;
  if (value != expected) {
    observe(me, slot, seen, failed);
    return value;
  }
  observe(me, slot, seen, stored);
  Message message;
  message.value = desired;
  message.adjacent = true;
  const Knowledge inherited = seen.known;  // a compare-exchange continues the release sequence of what it read
  if (mode_ == MemoryMode::ra) {
    message.stamp = at == 0 ? seen.stamp + stamp_gap : seen.stamp + (state.from_newest(at - 1).stamp - seen.stamp) / 2;
    me.now.view.raise(slot, message.stamp);
  }
  message.known = carried(agent, me, stored);
  message.known.join(inherited);
  if (mode_ == MemoryMode::ra) {
    message.known.view.raise(slot, message.stamp);
    place_after(slot, at, std::move(message));
  } else {
    state.newest = std::move(message);
  }
  return value;
}

void PageMemory::fence(Agent agent, Order order) {
  AgentState& me = known(agent);
  if (page::acquires(order)) me.now.join(me.acquirable);
  if (order == Order::sequential) {
    drain_all(agent);
    me.now.view.join(fenced_);
    fenced_ = me.now.view;
  }
  if (page::releases(order)) {
    me.released = me.now;
    me.now.clock.set(agent, me.now.clock[agent] + 1);
  }
}

// --- store buffers --------------------------------------------------------------------------------------------------------

std::size_t PageMemory::buffered() const {
  std::size_t count = 0;
  for (const AgentState& agent : agents_) count += agent.buffer.size();
  return count;
}

void PageMemory::drain_one(Agent agent) {
  AgentState& me = known(agent);
  TENTER_CHECK(!me.buffer.empty());
  BufferedStore& oldest = me.buffer.front();
  Message& message = words_[oldest.slot].newest;
  message.value = oldest.value;
  message.adjacent = false;
  message.known.clock = std::move(oldest.clock);
  me.buffer.erase(me.buffer.begin());
}

void PageMemory::drain_all(Agent agent) {
  while (!known(agent).buffer.empty()) drain_one(agent);
}

bool PageMemory::drain_any(Chooser choose) {
  std::uint32_t candidates = 0;
  for (const AgentState& agent : agents_) candidates += !agent.buffer.empty();
  if (candidates == 0) return false;
  std::uint32_t skip = choose(candidates);
  Agent agent = 0;
  while (agents_[agent].buffer.empty() || skip-- > 0) ++agent;
  drain_one(agent);
  return true;
}

// --- agents ---------------------------------------------------------------------------------------------------------------

void PageMemory::add_agent(Agent agent) {
  if (agents_.size() <= agent) agents_.resize(agent + 1);
  AgentState& me = agents_[agent];
  TENTER_CHECK(!me.present);
  const std::uint64_t own_clock = me.now.clock[agent] + 1;
  me = {};
  me.present = true;
  me.now.clock.set(agent, own_clock);
  if (mode_ == MemoryMode::ra)
    for (std::size_t slot = 0; slot < words_.size(); ++slot) me.now.view.set(slot, words_[slot].newest.stamp);
}

void PageMemory::remove_agent(Agent agent, BufferFate fate) {
  AgentState& me = known(agent);
  if (fate == BufferFate::drained) drain_all(agent);
  me.buffer.clear();
  me.present = false;
  futexes_.remove(agent);
}

void PageMemory::order(Agent before, Agent after) {
  TENTER_CHECK(before < agents_.size());
  if (before == after) return;
  AgentState& from = agents_[before];
  known(after).now.join(from.now);
  from.now.clock.set(before, from.now.clock[before] + 1);
}

// --- futexes --------------------------------------------------------------------------------------------------------------

page::Parked PageMemory::futex_wait(Agent agent, Waiter waiter, Word word, std::uint32_t expected, FutexScope scope) {
  const std::uint32_t slot = slot_of(word);
  drain_all(agent);
  // The kernel reads the word for its caller: no load of this agent may return anything older afterwards.
  const Message& newest = words_[slot].newest;
  observe(known(agent), slot, newest, Order::relaxed);
  if (newest.value != expected) return page::Parked::returned;
  futexes_.sleep({agent, waiter, word, scope});
  return page::Parked::asleep;
}

std::vector<Waiter> PageMemory::futex_wake(Agent agent, Word word, FutexScope scope, std::uint32_t count) {
  drain_all(agent);
  return futexes_.wake(agent, word, scope, count);
}

// --- digest ---------------------------------------------------------------------------------------------------------------

std::uint64_t PageMemory::digest() const {
  Digest digest;
  digest.add(bytes_);
  digest.add(static_cast<std::uint64_t>(mode_));
  const auto add_clock = [&](const Counters& clock) {
    for (std::size_t i = 0; i < agents_.size(); ++i) digest.add(clock[i]);
  };
  // A view is added as how many messages it can still read, so that two histories that differ in stamps only are the same state.
  const auto add_knowledge = [&](const Knowledge& known) {
    add_clock(known.clock);
    if (mode_ != MemoryMode::ra) return;
    for (std::size_t slot = 0; slot < words_.size(); ++slot) digest.add(readable(words_[slot], known.view[slot]));
  };
  for (std::size_t slot = 0; slot < words_.size(); ++slot) {
    digest.add(offsets_[slot]);
    for (std::size_t i = 0; i < words_[slot].size(); ++i) {
      const Message& message = words_[slot].from_newest(i);
      digest.add(message.value);
      digest.add(static_cast<std::uint64_t>(message.adjacent));
      add_knowledge(message.known);
    }
  }
  for (const AgentState& agent : agents_) {
    digest.add(static_cast<std::uint64_t>(agent.present));
    add_knowledge(agent.now);
    add_knowledge(agent.acquirable);
    add_knowledge(agent.released);
    for (const BufferedStore& store : agent.buffer) {
      digest.add(store.slot);
      digest.add(store.value);
      add_clock(store.clock);
    }
  }
  add_knowledge({{}, fenced_});
  plain_.add_to(digest);
  digest_add(digest, futexes_);
  digest_add(digest, race_);
  return digest.value();
}

}  // namespace tenter::sim
