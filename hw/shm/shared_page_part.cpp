#include "hw/shm/shared_page_part.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/check.hpp"

namespace tenter::hw {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
static_assert(alignof(std::atomic<std::uint32_t>) == alignof(std::uint32_t));

SharedPagePart::~SharedPagePart() {
  for (const CreatedName& created : created_)
    if (created.creator == getpid()) (void)unlink_page(created.name);
}

ParkedByLoop SharedPagePart::memory(Word word) const {
  TENTER_CHECK(number(word) % 4 == 0);
  return memory(number(word), 4);
}

ParkedByLoop SharedPagePart::memory(std::uint64_t offset, std::uint64_t bytes) const {
  TENTER_CHECK(page_.has_value());
  TENTER_CHECK(offset <= page_->bytes());
  TENTER_CHECK(bytes <= page_->bytes() - offset);
  return ParkedByLoop(page_->data());
}

// --- the page -------------------------------------------------------------------------------------------------------------

std::string SharedPagePart::full_name(std::string_view name) const {
  if (!name_prefix_.empty() && name.starts_with('/')) name.remove_prefix(1);
  return name_prefix_ + std::string(name);
}

void SharedPagePart::opened(Op op, Result<MappedPage> page) {
  if (!page) {
    context_->push(context_->current, event::PageOpened{now(), op, page.error().status, 0, Blob(page.error().what)});
    return;
  }
  page_ = std::move(*page);
  context_->push(context_->current, event::PageOpened{now(), op, Status::ok, page_->bytes(), {}});
}

void SharedPagePart::perform(const action::CreatePage& create) {
  TENTER_CHECK(!page_.has_value());
  Result<MappedPage> page = MappedPage::create(full_name(create.page_name.text()), create.bytes);
  if (page) created_.push_back({page->name(), getpid()});
  opened(create.op, std::move(page));
}

void SharedPagePart::perform(const action::OpenPage& open) {
  TENTER_CHECK(!page_.has_value());
  opened(open.op, MappedPage::open(full_name(open.page_name.text())));
}

void SharedPagePart::perform(const action::ClosePage&) {
  watches_.clear();
  context_->inbox.erase_if([](const Delivery& delivery) { return std::holds_alternative<event::WordChanged>(delivery.event); });
  page_.reset();
}

void SharedPagePart::perform(const action::UnlinkPage& unlink) {
  const Result<std::string> name = checked_page_name(full_name(unlink.page_name.text()));
  if (!name) return;
  std::erase_if(created_, [&](const CreatedName& created) {
    return created.name == *name && created.creator == getpid() && unlink_page(*name).has_value();
  });
}

// --- bytes and words ------------------------------------------------------------------------------------------------------

void SharedPagePart::perform(const action::WriteRegion& write) {
  memory(write.offset, write.content.size()).copy_out(write.offset, write.content.bytes());
}

void SharedPagePart::perform(const action::CopyIn& copy) {
  const ParkedByLoop from = memory(copy.offset, copy.bytes);
  Blob content(copy.bytes, [&](MutableBytes to) { from.copy_in(copy.offset, to); });
  context_->push(context_->current, event::Copied{context_->round(), copy.op, std::move(content)});
}

void SharedPagePart::perform(const action::Publish& publish) {
  ParkedByLoop on = memory(publish.word);
  page::run(page::Publish(publish.word, publish.value), on);
}

void SharedPagePart::perform(const action::PublishQuiet& publish) {
  ParkedByLoop on = memory(publish.word);
  page::run(page::PublishQuiet(publish.word, publish.value), on);
}

void SharedPagePart::perform(const action::PublishIf& publish) {
  ParkedByLoop on = memory(publish.word);
  const page::PublishIf swap = page::run(page::PublishIf(publish.word, publish.expected, publish.value, publish.wake), on);
  context_->push(context_->current, event::Swapped{context_->round(), publish.op, swap.seen()});
}

// --- watches --------------------------------------------------------------------------------------------------------------

bool SharedPagePart::fired(Watching& watching) {
  ParkedByLoop on(page_->data());
  page::Progress progress = page::Progress::more;
  while (progress == page::Progress::more) progress = watching.kernel.step(on);
  if (progress == page::Progress::asleep) return false;
  context_->push(watching.role,
                 event::WordChanged{context_->round(), watching.op, watching.kernel.word(), watching.kernel.value()});
  return true;
}

void SharedPagePart::perform(const action::Watch& watch) {
  (void)memory(watch.word);
  perform(action::Unwatch{watch.op});
  Watching watching{context_->current, watch.op, page::Watch(watch.word, watch.seen)};
  if (!fired(watching)) watches_.push_back(watching);
}

void SharedPagePart::perform(const action::Unwatch& unwatch) {
  const Role role = context_->current;
  std::erase_if(watches_, [&](const Watching& watching) { return watching.op == unwatch.op && watching.role == role; });
  context_->inbox.erase_if([&](const Delivery& delivery) {
    const auto* changed = std::get_if<event::WordChanged>(&delivery.event);
    return changed != nullptr && changed->op == unwatch.op && delivery.to == role;
  });
}

void SharedPagePart::poll() {
  std::erase_if(watches_, [&](Watching& watching) { return fired(watching); });
}

void SharedPagePart::add_waits(WaitSet& waits) {
  for (const Watching& watching : watches_) {
    auto* address = reinterpret_cast<std::atomic<std::uint32_t>*>(page_->data() + number(watching.kernel.word()));
    waits.futexes.push_back({address, watching.kernel.seen(), true});
  }
}

}  // namespace tenter::hw
