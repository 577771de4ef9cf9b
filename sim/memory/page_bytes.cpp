// The plain side of PageMemory: bytes, with the control words among them taken out.
#include <algorithm>
#include <cstring>
#include <utility>

#include "core/wire.hpp"
#include "sim/memory/page_memory.hpp"

namespace tenter::sim {

// Slot of the first word that ends after `from` and begins before `end`; offsets_.size() if there is none.
std::uint64_t PageMemory::next_word(std::uint64_t from, std::uint64_t end) const {
  std::size_t best = offsets_.size();
  for (std::size_t slot = 0; slot < offsets_.size(); ++slot) {
    const std::uint64_t offset = offsets_[slot];
    if (offset + 4 > from && offset < end && (best == offsets_.size() || offset < offsets_[best])) best = slot;
  }
  return best;
}

// Calls plain(begin, end) for the stretches between words and on_word(slot, begin, end) for the part of each word that lies
// inside.
template <class Plain, class OnWord>
void PageMemory::for_each_part(std::uint64_t offset, std::uint64_t bytes, Plain plain, OnWord on_word) const {
  TENTER_CHECK(offset <= bytes_);
  TENTER_CHECK(bytes <= bytes_ - offset);
  const std::uint64_t end = offset + bytes;
  std::uint64_t at = offset;
  while (at < end) {
    const std::size_t slot = next_word(at, end);
    const std::uint64_t word_begin = slot == offsets_.size() ? end : std::max<std::uint64_t>(at, offsets_[slot]);
    if (word_begin > at) plain(at, word_begin);
    if (slot == offsets_.size()) return;
    const std::uint64_t word_end = std::min<std::uint64_t>(end, std::uint64_t{offsets_[slot]} + 4);
    on_word(slot, word_begin, word_end);
    at = word_end;
  }
}

void PageMemory::overwrite(std::uint32_t slot, std::uint32_t value) {
  Message message;
  message.value = value;
  if (mode_ != MemoryMode::ra) {
    words_[slot].newest = std::move(message);
    return;
  }
  message.stamp = words_[slot].newest.stamp + stamp_gap;
  message.known.view.raise(slot, message.stamp);
  place_after(slot, 0, std::move(message));
}

namespace {

// `value` with the bytes [begin, end) of the word at `offset` replaced.
std::uint32_t merged(std::uint32_t value, std::uint32_t offset, std::uint64_t begin, Bytes bytes) {
  std::byte word[4];
  wire::store(word, value);
  std::memcpy(word + (begin - offset), bytes.data(), bytes.size());
  return wire::load<std::uint32_t>(word);
}

void copy_word(MutableBytes to, std::uint32_t value, std::uint32_t offset, std::uint64_t begin) {
  std::byte word[4];
  wire::store(word, value);
  std::memcpy(to.data(), word + (begin - offset), to.size());
}

}  // namespace

void PageMemory::write_plain(Agent agent, std::uint64_t offset, const Blob& content) {
  AgentState& me = known(agent);
  for_each_part(
      offset, content.size(),
      [&](std::uint64_t begin, std::uint64_t end) {
        keep(plain_.write(agent, me.now.clock, begin, content, begin - offset, end - begin));
      },
      [&](std::size_t slot, std::uint64_t begin, std::uint64_t end) {
        const auto index = static_cast<std::uint32_t>(slot);
        overwrite(index,
                  merged(words_[slot].newest.value, offsets_[slot], begin, content.bytes().subspan(begin - offset, end - begin)));
        if (mode_ == MemoryMode::ra) me.now.view.raise(slot, words_[slot].newest.stamp);
      });
}

Blob PageMemory::read_plain(Agent agent, std::uint64_t offset, std::uint64_t bytes) {
  AgentState& me = known(agent);
  bool has_words = false;
  for_each_part(
      offset, bytes, [&](std::uint64_t begin, std::uint64_t end) { keep(plain_.read(agent, me.now.clock, begin, end - begin)); },
      [&](std::size_t, std::uint64_t, std::uint64_t) { has_words = true; });
  if (!has_words) return plain_.peek(offset, bytes);
  return Blob(bytes, [&](MutableBytes to) {
    for_each_part(
        offset, bytes,
        [&](std::uint64_t begin, std::uint64_t end) { plain_.peek(begin, to.subspan(begin - offset, end - begin)); },
        [&](std::size_t slot, std::uint64_t begin, std::uint64_t end) {
          copy_word(to.subspan(begin - offset, end - begin), newest_visible(me, static_cast<std::uint32_t>(slot)), offsets_[slot],
                    begin);
        });
  });
}

std::optional<Race> PageMemory::take_race() { return std::exchange(race_, std::nullopt); }

void PageMemory::scribble(std::uint64_t offset, const Blob& content) {
  for_each_part(
      offset, content.size(),
      [&](std::uint64_t begin, std::uint64_t end) { plain_.scribble(begin, content, begin - offset, end - begin); },
      [&](std::size_t slot, std::uint64_t begin, std::uint64_t end) {
        overwrite(static_cast<std::uint32_t>(slot),
                  merged(words_[slot].newest.value, offsets_[slot], begin, content.bytes().subspan(begin - offset, end - begin)));
      });
}

Blob PageMemory::peek(std::uint64_t offset, std::uint64_t bytes) const {
  return Blob(bytes, [&](MutableBytes to) {
    for_each_part(
        offset, bytes,
        [&](std::uint64_t begin, std::uint64_t end) { plain_.peek(begin, to.subspan(begin - offset, end - begin)); },
        [&](std::size_t slot, std::uint64_t begin, std::uint64_t end) {
          copy_word(to.subspan(begin - offset, end - begin), words_[slot].newest.value, offsets_[slot], begin);
        });
  });
}

std::uint32_t PageMemory::peek_word(Word word) const {
  for (std::size_t slot = 0; slot < offsets_.size(); ++slot)
    if (offsets_[slot] == number(word)) return words_[slot].newest.value;
  std::byte bytes[4];
  plain_.peek(number(word), MutableBytes(bytes));
  return wire::load<std::uint32_t>(bytes);
}

}  // namespace tenter::sim
