// PageMemory as seen by one agent: the Memory that the page kernel runs on in the simulator. It lives for one step; the waiters
// that the step woke are left in `woken` for the scheduler.
#pragma once
#include <cstring>
#include <vector>

#include "core/page/memory.hpp"
#include "sim/memory/page_memory.hpp"

namespace tenter::sim {

class AgentMemory {
 public:
  // waiter: the name of the wait, should this step fall asleep. stale: which older store a load returns (ra).
  AgentMemory(PageMemory& page, Agent agent, Waiter waiter, Chooser stale = {})
      : page_(&page), agent_(agent), waiter_(waiter), stale_(stale) {}

  std::uint32_t load(Word word, page::Order order) { return page_->load(agent_, word, order, stale_); }
  void store(Word word, std::uint32_t value, page::Order order) { page_->store(agent_, word, value, order, stale_); }
  std::uint32_t compare_exchange(Word word, std::uint32_t expected, std::uint32_t desired, page::Order stored,
                                 page::Order failed) {
    return page_->compare_exchange(agent_, word, expected, desired, stored, failed, stale_);
  }
  void fence(page::Order order) { page_->fence(agent_, order); }
  void copy_in(std::uint64_t offset, MutableBytes to) {
    const Blob content = page_->read_plain(agent_, offset, to.size());
    if (!content.empty()) std::memcpy(to.data(), content.bytes().data(), to.size());
  }
  void copy_out(std::uint64_t offset, Bytes from) { page_->write_plain(agent_, offset, Blob(from)); }
  page::Parked futex_wait(Word word, std::uint32_t expected) { return page_->futex_wait(agent_, waiter_, word, expected); }
  void futex_wake(Word word) { wake_some(word, FutexTable::all); }
  void wake_some(Word word, std::uint32_t count) {
    for (const Waiter waiter : page_->futex_wake(agent_, word, FutexScope::shared, count)) woken_.push_back(waiter);
  }
  void pause() {}

  PageMemory& page() { return *page_; }
  Agent agent() const { return agent_; }
  Waiter waiter() const { return waiter_; }
  const std::vector<Waiter>& woken() const { return woken_; }

 private:
  PageMemory* page_;
  Agent agent_;
  Waiter waiter_;
  Chooser stale_;
  std::vector<Waiter> woken_;
};
static_assert(page::Memory<AgentMemory>);

}  // namespace tenter::sim
