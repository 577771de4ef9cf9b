#include "sim/model/file_views.hpp"

#include <algorithm>

#include "sim/world.hpp"

namespace tenter::sim {
namespace {

// `whole` bytes of the newer file, and behind them what the kind of lateness leaves there.
Blob torn(const Blob& newer, const Blob& older, std::size_t whole, bool with_zeroes, bool with_older) {
  const std::size_t size = with_older ? std::max(newer.size(), older.size()) : with_zeroes ? newer.size() : whole;
  return Blob(size, [&](MutableBytes to) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (i < whole)
        to[i] = newer.bytes()[i];
      else
        to[i] = with_older && i < older.size() ? older.bytes()[i] : std::byte{0};
    }
  });
}

}  // namespace

FileEntry FileViews::look(const Process& p, const std::string& path, const FileEntry& truth) {
  if (p.host.empty()) return truth;
  const FileEntry fresh = late_view(p, path, truth).value_or(truth);
  const auto [known, first] = cached_.try_emplace({p.host, path}, Sighting{fresh, world_.now()});
  if (first) return fresh;
  Sighting& sighting = known->second;
  const bool missing = sighting.entry.kind == FileEntry::Kind::absent;
  const bool valid = number(world_.now() - sighting.when) < number(missing ? missing_cached_for : file_cached_for);
  if (valid && sighting.entry != fresh && !sighting.kept && world_.allowed(Tag::file_stale) &&
      world_.choices().choose(Tag::file_stale, p.index, 2) != 0) {
    world_.spend(Tag::file_stale);
    sighting.kept = true;
  }
  if (valid && sighting.kept) return sighting.entry;
  sighting = {fresh, world_.now()};
  return fresh;
}

std::optional<FileEntry> FileViews::late_view(const Process& p, const std::string& path, const FileEntry& truth) {
  const auto found = late_.find(path);
  if (found == late_.end()) return std::nullopt;
  const Late& late = found->second;
  if (number(world_.now()) >= number(late.visible)) {
    late_.erase(found);
    return std::nullopt;
  }
  if (late.writer == p.host) return std::nullopt;
  if (late.shown == Shown::older || truth.kind != FileEntry::Kind::file) return late.older;
  const bool mixed = late.shown == Shown::mixed && late.older.kind == FileEntry::Kind::file;
  FileEntry view = truth;
  view.content = torn(truth.content, late.older.content, late.whole, late.shown == Shown::zeroes, mixed);
  return view;
}

bool FileViews::is_listed(const Process& p, const std::string& path, bool in_truth) {
  const auto found = late_.find(path);
  if (found == late_.end() || p.host.empty() || found->second.writer == p.host) return in_truth;
  if (number(world_.now()) >= number(found->second.visible) || found->second.shown != Shown::older) return in_truth;
  return found->second.older.kind != FileEntry::Kind::absent;
}

void FileViews::listed(const Process& p, const std::string& prefix) {
  if (p.host.empty()) return;
  for (auto at = cached_.lower_bound({p.host, prefix});
       at != cached_.end() && at->first.first == p.host && at->first.second.starts_with(prefix);)
    at = at->second.entry.kind == FileEntry::Kind::absent ? cached_.erase(at) : std::next(at);
}

void FileViews::changed(const Process& p, const std::string& path, const FileEntry& older, const FileEntry& newer) {
  if (p.host.empty()) return;
  cached_[{p.host, path}] = {newer, world_.now()};
  const auto pending = late_.find(path);
  const bool still_late = pending != late_.end() && number(world_.now()) < number(pending->second.visible);
  const FileEntry seen_by_others = still_late && pending->second.writer == p.host ? pending->second.older : older;
  late_.erase(path);
  if (!world_.allowed(Tag::file_late)) return;
  const std::uint32_t how = world_.choices().choose(Tag::file_late, p.index, 4 * 12 + 1);
  if (how == 0) return;
  world_.spend(Tag::file_late);
  Late late;
  late.writer = p.host;
  late.older = seen_by_others;
  late.visible = world_.now() + std::min(milliseconds(std::int64_t{1} << ((how - 1) / 4)), file_late_for);
  late.shown = static_cast<Shown>((how - 1) % 4);
  const auto blocks = static_cast<std::uint32_t>((newer.content.size() + file_block_bytes - 1) / file_block_bytes);
  late.whole = file_block_bytes * world_.choices().choose(Tag::file_late, p.index, blocks);
  late_[path] = std::move(late);
}

void FileViews::host_crashed(const std::string& host) {
  std::erase_if(cached_, [&](const auto& entry) { return entry.first.first == host; });
}

}  // namespace tenter::sim
