#include "sim/memory/plain_regions.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tenter::sim {

namespace {

void keep_first(std::optional<Race>& found, const Race& race) {
  if (!found) found = race;
}

}  // namespace

std::size_t PlainRegions::first_ending_after(std::uint64_t at) const {
  const auto it = std::partition_point(extents_.begin(), extents_.end(), [at](const Extent& extent) { return extent.end <= at; });
  return static_cast<std::size_t>(it - extents_.begin());
}

void PlainRegions::split(std::uint64_t at) {
  const std::size_t index = first_ending_after(at);
  if (index == extents_.size() || extents_[index].begin >= at) return;
  Extent right = extents_[index];
  extents_[index].end = at;
  if (!right.content.empty()) right.content_at += at - right.begin;
  right.begin = at;
  extents_.insert(extents_.begin() + static_cast<std::ptrdiff_t>(index) + 1, std::move(right));
}

std::pair<std::size_t, std::size_t> PlainRegions::isolate(std::uint64_t begin, std::uint64_t end, bool fill_gaps) {
  split(begin);
  split(end);
  const std::size_t first = first_ending_after(begin);
  std::size_t last = first;
  std::uint64_t at = begin;
  while (at < end) {
    const bool covered = last < extents_.size() && extents_[last].begin <= at;
    if (!covered && fill_gaps) {
      Extent zeros;
      zeros.begin = at;
      zeros.end = last < extents_.size() ? std::min(end, extents_[last].begin) : end;
      extents_.insert(extents_.begin() + static_cast<std::ptrdiff_t>(last), std::move(zeros));
    } else if (!covered) {
      at = last < extents_.size() ? extents_[last].begin : end;
      continue;
    }
    at = extents_[last].end;
    ++last;
  }
  return {first, last};
}

std::optional<Race> PlainRegions::write(Agent agent, const Counters& clock, std::uint64_t offset, const Blob& content,
                                        std::uint64_t from, std::uint64_t bytes) {
  std::optional<Race> found;
  if (bytes == 0) return found;
  const auto [first, last] = isolate(offset, offset + bytes, false);
  for (std::size_t i = first; i < last; ++i) {
    const Extent& old = extents_[i];
    const std::uint64_t length = old.end - old.begin;
    if (old.written > clock[old.writer]) keep_first(found, {RaceKind::write_after_write, old.writer, agent, old.begin, length});
    for (std::size_t reader = 0; reader < old.reads.size(); ++reader)
      if (old.reads[reader] > clock[reader])
        keep_first(found, {RaceKind::write_after_read, static_cast<Agent>(reader), agent, old.begin, length});
  }
  const auto at = extents_.begin() + static_cast<std::ptrdiff_t>(first);
  if (first == last) {
    extents_.insert(at, Extent{});
  } else {
    extents_.erase(at + 1, extents_.begin() + static_cast<std::ptrdiff_t>(last));
  }
  Extent& now = extents_[first];
  now.begin = offset;
  now.end = offset + bytes;
  now.content = content;
  now.content_at = from;
  now.writer = agent;
  now.written = clock[agent];
  now.reads.clear();
  return found;
}

std::optional<Race> PlainRegions::read(Agent agent, const Counters& clock, std::uint64_t offset, std::uint64_t bytes) {
  std::optional<Race> found;
  if (bytes == 0) return found;
  const auto [first, last] = isolate(offset, offset + bytes, true);
  for (std::size_t i = first; i < last; ++i) {
    Extent& extent = extents_[i];
    if (extent.written > clock[extent.writer])
      keep_first(found, {RaceKind::read_after_write, extent.writer, agent, extent.begin, extent.end - extent.begin});
    extent.reads.raise(agent, clock[agent]);
  }
  return found;
}

Blob PlainRegions::peek(std::uint64_t offset, std::uint64_t bytes) const {
  const std::size_t index = first_ending_after(offset);
  if (index < extents_.size()) {
    const Extent& extent = extents_[index];
    const bool whole = extent.begin == offset && extent.end == offset + bytes;
    if (whole && extent.content_at == 0 && extent.content.size() == bytes) return extent.content;
  }
  return Blob(bytes, [&](MutableBytes to) { peek(offset, to); });
}

void PlainRegions::peek(std::uint64_t offset, MutableBytes to) const {
  const std::uint64_t end = offset + to.size();
  std::uint64_t at = offset;
  for (std::size_t i = first_ending_after(offset); at < end; ++i) {
    const std::uint64_t begin = i < extents_.size() ? std::min(end, extents_[i].begin) : end;
    if (begin > at) {
      std::memset(to.data() + (at - offset), 0, begin - at);
      at = begin;
      if (at == end) break;
    }
    const Extent& extent = extents_[i];
    const std::uint64_t length = std::min(end, extent.end) - at;
    if (extent.content.empty()) {
      std::memset(to.data() + (at - offset), 0, length);
    } else {
      std::memcpy(to.data() + (at - offset), extent.content.bytes().data() + extent.content_at + (at - extent.begin), length);
    }
    at += length;
  }
}

void PlainRegions::scribble(std::uint64_t offset, const Blob& content, std::uint64_t from, std::uint64_t bytes) {
  if (bytes == 0) return;
  const auto [first, last] = isolate(offset, offset + bytes, true);
  for (std::size_t i = first; i < last; ++i) {
    extents_[i].content = content;
    extents_[i].content_at = from + (extents_[i].begin - offset);
  }
}

void PlainRegions::add_to(Digest& digest) const {
  digest.add(static_cast<std::uint64_t>(extents_.size()));
  for (const Extent& extent : extents_) {
    digest.add(extent.begin);
    digest.add(extent.end);
    digest.add(extent.content.digest());
    digest.add(extent.content_at);
    digest.add(extent.writer);
    digest.add(extent.written);
    for (std::size_t reader = 0; reader < extent.reads.size(); ++reader)
      if (extent.reads[reader] != 0) {
        digest.add(static_cast<std::uint64_t>(reader));
        digest.add(extent.reads[reader]);
      }
  }
}

}  // namespace tenter::sim
