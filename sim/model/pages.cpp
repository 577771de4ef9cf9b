#include "sim/model/pages.hpp"

#include <algorithm>
#include <array>

#include "sim/model/pages_inner.hpp"

namespace tenter::sim {

PagesModel::PagesModel(World& world) : inner_(std::make_unique<Inner>(world)) {}
PagesModel::~PagesModel() = default;

// ---------------------------------------------------------------- names

bool PagesModel::perform(Process& p, Role role, const action::CreatePage& a) {
  World& world = inner_->world;
  const std::string name(a.page_name.text());
  Status status = Status::ok;
  std::string text;
  for (const auto& page : inner_->pages)
    if (page.linked && page.name == name) status = Status::exists;
  if (status == Status::exists) text = name + ": exists";
  if (status == Status::ok && world.allowed(Tag::no_space) && world.choices().choose(Tag::no_space, p.index, 2) != 0) {
    world.spend(Tag::no_space);
    status = Status::no_space;
    text = name + ": no space left for " + std::to_string(a.bytes) + " bytes of shared memory";
  }
  if (status == Status::ok) {
    const auto mode = static_cast<MemoryMode>(world.choices().choose(Tag::memory_mode, 0, 3));
    inner_->pages.push_back({name, PageMemory(a.bytes, mode), p.index, true, 0, {}});
    inner_->attach(p, static_cast<std::uint32_t>(inner_->pages.size() - 1));
    const std::uint32_t when = world.allowed(Tag::scribble) ? world.choices().choose(Tag::scribble, 0, 64) : 0;
    if (when != 0) {
      Item item;
      item.kind = Item::Kind::scribble;
      world.schedule(microseconds(100) * (when * when), std::move(item));
    }
  }
  world.post(p.index, role, event::PageOpened{Time{}, a.op, status, a.bytes, Blob(text)}, microseconds(50));
  return true;
}

bool PagesModel::perform(Process& p, Role role, const action::OpenPage& a) {
  const std::string_view name = a.page_name.text();
  for (std::uint32_t i = 0; i < inner_->pages.size(); ++i) {
    if (!inner_->pages[i].linked || inner_->pages[i].name != name) continue;
    inner_->attach(p, i);
    inner_->world.post(p.index, role, event::PageOpened{Time{}, a.op, Status::ok, inner_->pages[i].memory.bytes(), {}},
                       microseconds(20));
    return true;
  }
  inner_->world.post(p.index, role,
                     event::PageOpened{Time{}, a.op, Status::not_found, 0, Blob(std::string(name) + ": no such page")},
                     microseconds(20));
  return true;
}

bool PagesModel::perform(Process& p, Role, const action::ClosePage&) {
  inner_->detach(p);
  return true;
}

bool PagesModel::perform(Process& p, Role, const action::UnlinkPage& a) {
  for (auto& page : inner_->pages) {
    if (!page.linked || page.name != a.page_name.text()) continue;
    if (page.creator != p.index)
      inner_->world.fail(FindingKind::safety, "only the creator unlinks",
                         p.name + " unlinks " + page.name + " of " + inner_->world.process(page.creator).name);
    page.linked = false;
  }
  return true;
}

// ---------------------------------------------------------------- bytes and words

bool PagesModel::perform(Process& p, Role, const action::WriteRegion& a) {
  auto* page = inner_->page_of(p, "write_region");
  if (!page) return true;
  if (a.offset > page->memory.bytes() || a.content.size() > page->memory.bytes() - a.offset) {
    inner_->world.fail(FindingKind::safety, "page.out_of_bounds",
                       p.name + " writes " + std::to_string(a.content.size()) + " B at " + std::to_string(a.offset));
    return true;
  }
  page->memory.write_plain(p.index, a.offset, a.content);
  inner_->report(*page, page->memory.take_race());
  return true;
}

bool PagesModel::perform(Process& p, Role role, const action::CopyIn& a) {
  auto* page = inner_->page_of(p, "copy_in");
  if (!page) return true;
  if (a.offset > page->memory.bytes() || a.bytes > page->memory.bytes() - a.offset) {
    inner_->world.fail(FindingKind::safety, "page.out_of_bounds",
                       p.name + " reads " + std::to_string(a.bytes) + " B at " + std::to_string(a.offset));
    return true;
  }
  Blob content = page->memory.read_plain(p.index, a.offset, a.bytes);
  inner_->report(*page, page->memory.take_race());
  inner_->world.post(p.index, role, event::Copied{Time{}, a.op, std::move(content)}, Duration{0});
  return true;
}

bool PagesModel::perform(Process& p, Role, const action::Publish& a) {
  auto* page = inner_->page_of(p, "publish");
  if (!page) return true;
  auto& running = inner_->of(p.index).running;
  if (p.substep == 0) running = page::Publish(a.word, a.value);
  auto choose_stale = inner_->stale(p.index);
  AgentMemory memory(page->memory, p.index, 0, choose_stale);
  const bool done = std::get<page::Publish>(running).step(memory, inner_->orders()) == page::Progress::done;
  inner_->wake_all(memory.woken());
  inner_->after_store(p, *page);
  p.substep = done ? 0 : 1;
  return done;
}

bool PagesModel::perform(Process& p, Role, const action::PublishQuiet& a) {
  auto* page = inner_->page_of(p, "publish_quiet");
  if (!page) return true;
  auto choose_stale = inner_->stale(p.index);
  AgentMemory memory(page->memory, p.index, 0, choose_stale);
  page::PublishQuiet(a.word, a.value).step(memory, inner_->orders());
  inner_->after_store(p, *page);
  return true;
}

bool PagesModel::perform(Process& p, Role role, const action::PublishIf& a) {
  auto* page = inner_->page_of(p, "publish_if");
  if (!page) return true;
  auto& running = inner_->of(p.index).running;
  if (p.substep == 0) running = page::PublishIf(a.word, a.expected, a.value, a.wake);
  auto choose_stale = inner_->stale(p.index);
  AgentMemory memory(page->memory, p.index, 0, choose_stale);
  auto& automaton = std::get<page::PublishIf>(running);
  const bool done = automaton.step(memory, inner_->orders()) == page::Progress::done;
  const std::uint32_t seen = automaton.seen();
  inner_->wake_all(memory.woken());
  p.substep = done ? 0 : 1;
  if (done) inner_->world.post(p.index, role, event::Swapped{Time{}, a.op, seen}, Duration{0});
  return done;
}

// ---------------------------------------------------------------- watches

bool PagesModel::perform(Process& p, Role role, const action::Watch& a) {
  if (!inner_->page_of(p, "watch")) return true;
  perform(p, role, action::Unwatch{a.op});
  auto& watches = inner_->of(p.index).watches;
  watches.push_back({inner_->next_watch++, role, a.op, page::Watch(a.word, a.seen), false, false});
  inner_->run_watch(p, watches.back());
  return true;
}

bool PagesModel::perform(Process& p, Role role, const action::Unwatch& a) {
  auto& attached = inner_->of(p.index);
  for (std::size_t i = 0; i < attached.watches.size(); ++i) {
    if (attached.watches[i].op != a.op || attached.watches[i].role != role) continue;
    if (attached.page < inner_->pages.size())
      inner_->pages[attached.page].memory.cancel_wait((static_cast<Waiter>(p.index) << 40) | attached.watches[i].id);
    attached.watches.erase(attached.watches.begin() + static_cast<std::ptrdiff_t>(i));
    break;
  }
  return true;
}

void PagesModel::step_watch(Process& p, std::uint64_t id) {
  if (p.life == Life::gone) return;
  auto& attached = inner_->of(p.index);
  for (auto& watching : attached.watches) {
    if (watching.id != id || watching.fired) continue;
    if (p.life == Life::stopped) return inner_->schedule_step(p.index, id, milliseconds(1));
    if (watching.asleep) inner_->pages[attached.page].memory.cancel_wait((static_cast<Waiter>(p.index) << 40) | id);
    watching.asleep = false;
    return inner_->run_watch(p, watching);
  }
}

bool PagesModel::take(Process& p, std::uint64_t ticket) {
  auto& watches = inner_->of(p.index).watches;
  for (std::size_t i = 0; i < watches.size(); ++i) {
    if (watches[i].id != ticket) continue;
    watches.erase(watches.begin() + static_cast<std::ptrdiff_t>(i));
    return true;
  }
  return false;
}

// ---------------------------------------------------------------- the rest

void PagesModel::drain(std::uint64_t page, std::uint32_t agent) {
  auto& attached = inner_->of(agent);
  if (attached.page != page) return;
  if (attached.drains_scheduled > 0) --attached.drains_scheduled;
  PageMemory& memory = inner_->pages[page].memory;
  if (memory.buffered(agent) > 0) memory.drain_one(agent);
}

void PagesModel::scribble() {
  constexpr std::array<std::uint32_t, 12> values = {0, 1, 2, 3, 4, 5, 6, 7, 0xFFFFFFFFu, 0x7FFFFFFFu, 0x40000000u, 0x01000001u};
  World& world = inner_->world;
  if (inner_->pages.empty() || !world.allowed(Tag::scribble)) return;
  world.spend(Tag::scribble);
  const std::uint64_t offset = 4 * world.choices().choose(Tag::scribble, 0, 68);
  const std::uint32_t value = values[world.choices().choose(Tag::scribble, 0, values.size())];
  Blob content(4, [&](MutableBytes to) {
    for (std::size_t i = 0; i < 4; ++i) to[i] = static_cast<std::byte>(value >> (8 * i));
  });
  inner_->pages.back().memory.scribble(offset, content);
}

void PagesModel::process_ended(Process& p) { inner_->detach(p); }

void PagesModel::ordered_after_death(ProcessIndex dead, ProcessIndex survivor) {
  const auto* attached = inner_->find(survivor);
  if (!attached || attached->page >= inner_->pages.size()) return;
  auto& page = inner_->pages[attached->page];
  if (std::find(page.mapped_by.begin(), page.mapped_by.end(), dead) != page.mapped_by.end()) page.memory.order(dead, survivor);
}

void PagesModel::remove_made_by(ProcessIndex process) {
  for (auto& page : inner_->pages)
    if (page.creator == process) page.linked = false;
}

std::optional<std::uint32_t> PagesModel::newest(Word word, std::string_view page_name) const {
  for (const auto& page : inner_->pages)
    if (page_name.empty() || page.name == page_name) return page.memory.peek_word(word);
  return std::nullopt;
}

bool PagesModel::watching(ProcessIndex process, Role role, Op op) const {
  const auto* attached = inner_->find(process);
  return attached && std::any_of(attached->watches.begin(), attached->watches.end(),
                                 [&](const auto& watching) { return watching.role == role && watching.op == op; });
}

bool PagesModel::mapped(ProcessIndex process) const {
  const auto* attached = inner_->find(process);
  return attached && attached->page < inner_->pages.size();
}

bool PagesModel::linked(std::string_view page_name) const {
  return std::any_of(inner_->pages.begin(), inner_->pages.end(),
                     [&](const auto& page) { return page.linked && page.name == page_name; });
}

std::optional<std::uint32_t> PagesModel::private_word(ProcessIndex process, Word word) const {
  if (!mapped(process)) return std::nullopt;
  const auto& page = inner_->pages[inner_->find(process)->page];
  return page.mapped == 1 ? std::optional(page.memory.peek_word(word)) : std::nullopt;
}

std::string PagesModel::first_left() const {
  for (const auto& page : inner_->pages)
    if (page.linked) return "page " + page.name;
  return {};
}

std::string PagesModel::waits(const Process& p) const {
  std::string text;
  const auto* attached = inner_->find(p.index);
  if (!attached) return text;
  for (const auto& watching : attached->watches)
    text += (text.empty() ? "" : ", ") + std::to_string(number(watching.automaton.word())) +
            "!=" + std::to_string(watching.automaton.seen());
  return text;
}

}  // namespace tenter::sim
