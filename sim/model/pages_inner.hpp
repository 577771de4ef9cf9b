// What the pages model keeps: the pages, who is attached to which, and the watches, with the steps that several actions share.
#pragma once
#include <string>
#include <variant>
#include <vector>

#include "core/page/kernel.hpp"
#include "sim/memory/policy.hpp"
#include "sim/model/pages.hpp"
#include "sim/world.hpp"

namespace tenter::sim {

struct PagesModel::Inner {
  static constexpr Duration wake_takes = microseconds(5);
  static constexpr Duration bounded_park = seconds(1);

  struct Page {
    std::string name;
    PageMemory memory;
    ProcessIndex creator = no_process;
    bool linked = true;
    std::uint32_t mapped = 0;
    std::vector<ProcessIndex> mapped_by;  // ever
  };
  struct Watching {
    std::uint64_t id = 0;
    Role role{};
    Op op{};
    page::Watch automaton;
    bool asleep = false, fired = false;
  };
  struct Attached {
    std::uint32_t page = 0xFFFFFFFFu;
    bool parks_bounded = false;
    std::uint32_t drains_scheduled = 0;
    std::variant<std::monostate, page::Publish, page::PublishIf> running;
    std::vector<Watching> watches;
  };

  explicit Inner(World& w) : world(w) {}

  Attached& of(ProcessIndex process) {
    if (process >= attached.size()) attached.resize(process + 1);
    return attached[process];
  }
  const Attached* find(ProcessIndex process) const { return process < attached.size() ? &attached[process] : nullptr; }

  Page* page_of(Process& p, std::string_view doing) {
    Attached& a = of(p.index);
    if (a.page < pages.size()) return &pages[a.page];
    world.fail(FindingKind::safety, "page.not_mapped", p.name + ": " + std::string(doing) + " without a page");
    return nullptr;
  }
  page::Orders orders() const {
    const Mutation& mutation = world.options().mutation;
    if (mutation.kind != MutationKind::relax_order) return {};
    return page::weakened_orders[(mutation.index + 1) % page::weakened_orders.size()].orders;
  }
  auto stale(ProcessIndex process) {
    return [this, process](std::uint32_t n) { return world.choices().choose(Tag::stale_load, process, n); };
  }

  void attach(Process& p, std::uint32_t page) {
    Attached& a = of(p.index);
    a.page = page;
    a.parks_bounded = world.choices().choose(Tag::park, p.index, 2) != 0;
    PageMemory& memory = pages[page].memory;
    memory.add_agent(p.index);
    ++pages[page].mapped;
    pages[page].mapped_by.push_back(p.index);
    const ProcessIndex creator = pages[page].creator;
    if (creator == p.index) return;
    // The name was handed on through the kernel (a file, a spawn), which no store is still waiting behind.
    if (memory.has_agent(creator)) memory.drain_all(creator);
    memory.order(creator, p.index);
  }
  void detach(Process& p) {
    Attached& a = of(p.index);
    if (a.page >= pages.size()) return;
    Page& page = pages[a.page];
    const bool lost = page.memory.buffered(p.index) > 0 && p.life == Life::gone && p.exit_signal != 0 &&
                      world.allowed(Tag::lost_stores) && world.choices().choose(Tag::lost_stores, p.index, 2) != 0;
    page.memory.remove_agent(p.index, lost ? BufferFate::lost : BufferFate::drained);
    --page.mapped;
    a = Attached{};
  }

  void after_store(Process& p, Page& page) {
    Attached& a = of(p.index);
    while (page.memory.buffered(p.index) > a.drains_scheduled) {
      const Duration wait = world.chosen_delay(Tag::drain, p.index);
      if (number(wait) == 0 && a.drains_scheduled == 0) {
        page.memory.drain_one(p.index);
        continue;
      }
      ++a.drains_scheduled;
      Item item;
      item.kind = Item::Kind::drain;
      item.process = p.index;
      item.a = a.page;
      item.b = p.index;
      world.schedule(wait, std::move(item));
    }
  }

  void wake_all(const std::vector<Waiter>& woken) {
    for (const Waiter waiter : woken)
      schedule_step(static_cast<ProcessIndex>(waiter >> 40), waiter & 0xFFFFFFFFFFull, wake_takes);
  }
  void schedule_step(ProcessIndex process, std::uint64_t id, Duration base) {
    Item item;
    item.kind = Item::Kind::watch;
    item.process = process;
    item.a = id;
    world.schedule(base + world.chosen_delay(Tag::delay, process), std::move(item));
  }
  void report(const Page& page, const std::optional<Race>& race) {
    if (!race) return;
    world.fail(FindingKind::safety, "page.data_race",
               std::string(to_string(race->kind)) + ": " + world.process(race->second).name + " touches bytes " +
                   std::to_string(race->offset) + ".." + std::to_string(race->offset + race->bytes) + " of " + page.name +
                   ", not ordered after " + world.process(race->first).name);
  }

  // Runs the watch until it has its answer or sleeps.
  void run_watch(Process& p, Watching& watching) {
    Attached& a = of(p.index);
    Page& page = pages[a.page];
    auto choose_stale = stale(p.index);
    AgentMemory memory(page.memory, p.index, (static_cast<Waiter>(p.index) << 40) | watching.id, choose_stale);
    for (;;) {
      const page::Progress progress = watching.automaton.step(memory, orders());
      if (progress == page::Progress::more) continue;
      if (progress == page::Progress::asleep) {
        watching.asleep = true;
        const Duration spurious = world.chosen_delay(Tag::spurious_wake, p.index);
        if (number(spurious) > 0) schedule_step(p.index, watching.id, spurious);
        if (a.parks_bounded) schedule_step(p.index, watching.id, bounded_park);
        return;
      }
      watching.fired = true;
      p.inbox.push({watching.role, watching.id,
                    event::WordChanged{Time{}, watching.op, watching.automaton.word(), watching.automaton.value()}});
      world.wake(p.index);
      return;
    }
  }

  World& world;
  std::vector<Page> pages;
  std::vector<Attached> attached;  // by process
  std::uint64_t next_watch = std::uint64_t{1} << 32;
};

}  // namespace tenter::sim
