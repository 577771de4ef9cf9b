// One simulated shared page under a memory model: control words, plain bytes with race detection, and futexes. A regular value
// without randomness: every choice is asked of a Chooser, and 0 is the boring answer.
//
//   sc   one value a word.
//   tso  a store goes into its agent's buffer (first in, first out) and reaches memory when drained; an agent reads its own
//   newest
//        buffered store first; compare-exchange, a sequential fence and every futex call drain the own buffer (x86).
//   ra   a store is a message with a stamp and, if it releases, what its agent knows; a load takes any message not older than
//        the agent's view and, if it acquires, learns what the message knows. A store may be placed before newer messages that
//        its agent has not seen (so 2+2W is weak, as in C++), and a compare-exchange is placed directly after the message it
//        read. No promises: load buffering cannot happen.
//
// Source: design sections 4 and 5; Kang et al., "A Promising Semantics for Relaxed-Memory Concurrency" (POPL 2017), without
// promises; Sewell et al., "x86-TSO" (CACM 2010).
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/blob.hpp"
#include "core/check.hpp"
#include "core/digest.hpp"
#include "core/names.hpp"
#include "core/page/memory.hpp"
#include "sim/memory/chooser.hpp"
#include "sim/memory/counters.hpp"
#include "sim/memory/futex_table.hpp"
#include "sim/memory/plain_regions.hpp"

namespace tenter::sim {

enum class MemoryMode : std::uint8_t { sc, tso, ra };
enum class BufferFate : std::uint8_t { drained, lost };

constexpr const char* to_string(MemoryMode mode) {
  return mode == MemoryMode::sc ? "sc" : mode == MemoryMode::tso ? "tso" : "ra";
}

class PageMemory {
 public:
  using Order = page::Order;
  static constexpr std::size_t history_depth = 8;  // messages kept a word in ra; views older than the oldest are forced forward

  PageMemory() = default;
  PageMemory(std::uint64_t bytes, MemoryMode mode) : bytes_(bytes), mode_(mode) {}

  std::uint64_t bytes() const { return bytes_; }
  MemoryMode mode() const { return mode_; }

  // Agents come and go. A new one reads no value older than its own beginning, but nothing orders it after the plain accesses of
  // the others until it acquires something or order() says so. A number may be used again after remove_agent.
  void add_agent(Agent agent);
  bool has_agent(Agent agent) const { return agent < agents_.size() && agents_[agent].present; }
  // Death: what it had buffered is lost or reaches memory; it sleeps no more.
  void remove_agent(Agent agent, BufferFate fate = BufferFate::drained);
  // An edge from outside the page: whatever `before` did is known to `after` (a file published and read, a process spawned or
  // reaped, a message). `before` may be gone already.
  void order(Agent before, Agent after);

  // Control words: any offset that is a multiple of 4 inside the page.
  std::uint32_t load(Agent agent, Word word, Order order, Chooser choose = {});
  void store(Agent agent, Word word, std::uint32_t value, Order order, Chooser choose = {});
  // Answers the value seen; stored if and only if that equals `expected`.
  std::uint32_t compare_exchange(Agent agent, Word word, std::uint32_t expected, std::uint32_t desired, Order stored,
                                 Order failed, Chooser choose = {});
  void fence(Agent agent, Order order);

  // tso: the store buffers.
  std::size_t buffered(Agent agent) const { return mode_ == MemoryMode::tso ? known(agent).buffer.size() : 0; }
  std::size_t buffered() const;  // of all agents
  void drain_one(Agent agent);   // its oldest store reaches memory; it has one
  void drain_all(Agent agent);
  bool drain_any(Chooser choose);  // one store of one of the agents that have any; false: none has

  // Plain bytes. A read answers zeros where nobody wrote. Words among the bytes are read as the newest value visible to the
  // agent, and written as a relaxed store straight to memory; neither can race.
  void write_plain(Agent agent, std::uint64_t offset, const Blob& content);
  Blob read_plain(Agent agent, std::uint64_t offset, std::uint64_t bytes);
  // The first race since the last take; accesses go on after it.
  const std::optional<Race>& race() const { return race_; }
  std::optional<Race> take_race();
  // Bytes by somebody who is no agent and keeps no rule: words change at once, nothing races.
  void scribble(std::uint64_t offset, const Blob& content);
  // The bytes in memory, words at their newest value, buffers not counted; leaves no trace. For oracles.
  Blob peek(std::uint64_t offset, std::uint64_t bytes) const;
  std::uint32_t peek_word(Word word) const;

  // Futexes. The comparison is with the newest value in memory, atomic with falling asleep; both calls drain the own buffer.
  page::Parked futex_wait(Agent agent, Waiter waiter, Word word, std::uint32_t expected, FutexScope scope = FutexScope::shared);
  std::vector<Waiter> futex_wake(Agent agent, Word word, FutexScope scope = FutexScope::shared,
                                 std::uint32_t count = FutexTable::all);
  bool cancel_wait(Waiter waiter) { return futexes_.cancel(waiter); }
  const std::vector<Sleeper>& sleepers() const { return futexes_.sleepers(); }

  std::uint64_t digest() const;
  friend bool operator==(const PageMemory&, const PageMemory&) = default;

 private:
  // What an agent, or the release store that it made, knows.
  struct Knowledge {
    Counters clock;  // by agent: how far its plain accesses are ordered before
    Counters view;   // by word (ra): stamp of the oldest message that may still be read
    void join(const Knowledge& other) {
      clock.join(other.clock);
      view.join(other.view);
    }
    friend bool operator==(const Knowledge&, const Knowledge&) = default;
  };
  struct Message {
    std::uint64_t stamp = 0;
    std::uint32_t value = 0;
    bool adjacent = false;  // written by a compare-exchange: nothing may come between it and the message before
    Knowledge known;
    friend bool operator==(const Message&, const Message&) = default;
  };
  struct WordState {
    Message newest;
    std::vector<Message> older;  // ra only; oldest first
    std::size_t size() const { return 1 + older.size(); }
    Message& from_newest(std::size_t i) { return i == 0 ? newest : older[older.size() - i]; }
    const Message& from_newest(std::size_t i) const { return i == 0 ? newest : older[older.size() - i]; }
    friend bool operator==(const WordState&, const WordState&) = default;
  };
  struct BufferedStore {
    std::uint32_t slot = 0;
    std::uint32_t value = 0;
    Counters clock;
    friend bool operator==(const BufferedStore&, const BufferedStore&) = default;
  };
  struct AgentState {
    bool present = false;
    Knowledge now;
    Knowledge acquirable;  // met by relaxed loads; an acquire fence makes it known
    Knowledge released;    // known at the last release fence; every later store carries it
    std::vector<BufferedStore> buffer;
    friend bool operator==(const AgentState&, const AgentState&) = default;
  };
  static constexpr std::uint64_t stamp_gap = std::uint64_t{1} << 20;

  AgentState& known(Agent agent) {
    TENTER_CHECK(has_agent(agent));
    return agents_[agent];
  }
  const AgentState& known(Agent agent) const {
    TENTER_CHECK(has_agent(agent));
    return agents_[agent];
  }
  std::uint32_t slot_of(Word word);
  std::uint32_t newest_visible(const AgentState& me, std::uint32_t slot) const;
  std::size_t readable(const WordState& word, std::uint64_t view) const;
  static bool room_after(const WordState& word, std::size_t from_newest);
  void observe(AgentState& me, std::uint32_t slot, const Message& message, Order order);
  // What a store of this order carries; ticks the agent's clock if it releases.
  Knowledge carried(Agent agent, AgentState& me, Order order);
  void place_after(std::uint32_t slot, std::size_t from_newest, Message message);
  void overwrite(std::uint32_t slot, std::uint32_t value);
  std::uint64_t next_word(std::uint64_t from, std::uint64_t end) const;
  template <class Plain, class OnWord>
  void for_each_part(std::uint64_t offset, std::uint64_t bytes, Plain plain, OnWord on_word) const;
  void keep(const std::optional<Race>& race) {
    if (race && !race_) race_ = race;
  }

  std::uint64_t bytes_ = 0;
  MemoryMode mode_ = MemoryMode::sc;
  std::vector<std::uint32_t> offsets_;  // of the words, by slot: in the order of first use
  std::vector<WordState> words_;        // by slot
  std::vector<AgentState> agents_;      // by agent
  Counters fenced_;                     // ra: view that sequential fences hand on
  PlainRegions plain_;
  FutexTable futexes_;
  std::optional<Race> race_;
};

}  // namespace tenter::sim
