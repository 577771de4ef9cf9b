#include "cli/protocols/store/store_truth.hpp"

#include "core/digest.hpp"

namespace tenter::protocols {

const char* property_of(Wrong wrong) {
  switch (wrong) {
    case Wrong::nothing:
      return "";
    case Wrong::bytes:
      return "S1 a get gives the bytes of its own rows";
    case Wrong::generation:
      return "S5 no bytes of another run of the job";
    case Wrong::torn:
      return "S2 a torn row is never believed";
    case Wrong::stale:
      return "a get is not older than an acknowledged update";
  }
  return "?";
}

Blob StoreTruth::row(std::uint32_t run, std::size_t variable, std::uint64_t row, std::uint32_t version) const {
  const std::uint64_t bytes = variables_[variable].format().row_bytes;
  return Blob(static_cast<std::size_t>(bytes), [&](MutableBytes to) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      Digest digest;
      digest.add((std::uint64_t{run} << 32) | version);
      digest.add((std::uint64_t{variable} << 48) | (row << 16) | (i / 8));
      to[i] = static_cast<std::byte>(digest.value() >> (8 * (i % 8)));
    }
  });
}

Blob StoreTruth::rows(std::uint32_t run, std::size_t variable, std::uint64_t first, std::uint64_t count,
                      std::uint32_t version) const {
  wire::Writer writer;
  for (std::uint64_t i = 0; i < count; ++i) writer.bytes(row(run, variable, first + i, version).bytes());
  return writer.blob();
}

void StoreTruth::begin_run() {
  auto& of_run = histories_.emplace_back();
  for (const StoreVariable& variable : variables_) of_run.emplace_back(variable.map().rows());
}

void StoreTruth::added(std::size_t variable) {
  for (RowHistory& row : histories_.back()[variable]) row = {1, 1};
}

std::uint32_t StoreTruth::stored(std::size_t variable, std::uint64_t row) { return ++histories_.back()[variable][row].stored; }

void StoreTruth::acknowledged(std::size_t variable, std::uint64_t row, std::uint32_t version) {
  RowHistory& history = histories_.back()[variable][row];
  history.acknowledged = std::max(history.acknowledged, version);
}

std::vector<std::uint32_t> StoreTruth::acknowledged_now(std::uint32_t run, std::size_t variable) const {
  std::vector<std::uint32_t> versions;
  for (const RowHistory& row : histories_[run][variable]) versions.push_back(row.acknowledged);
  return versions;
}

// whole: all bytes are of one of the versions; else each byte is of some.
bool StoreTruth::is_of(std::uint32_t run, std::size_t variable, std::uint64_t which, Bytes bytes, std::uint32_t from,
                       std::uint32_t to, bool whole) const {
  std::vector<bool> known(bytes.size(), false);
  for (std::uint32_t version = from; version <= to; ++version) {
    const Blob wanted = row(run, variable, which, version);
    if (wanted == Blob(bytes)) return true;
    for (std::size_t i = 0; i < bytes.size(); ++i) known[i] = known[i] || wanted.bytes()[i] == bytes[i];
  }
  return !whole && std::all_of(known.begin(), known.end(), [](bool one) { return one; });
}

Wrong StoreTruth::judge_row(std::uint32_t run, std::size_t variable, std::uint64_t row, Bytes bytes, std::uint32_t oldest) const {
  const bool whole = variables_[variable].versioned;
  const std::uint32_t newest = histories_[run][variable][row].stored;
  if (is_of(run, variable, row, bytes, std::max(oldest, 1u), newest, whole)) return Wrong::nothing;
  for (std::uint32_t other = 0; other < runs(); ++other)
    if (other != run && is_of(other, variable, row, bytes, 1, histories_[other][variable][row].stored, true))
      return Wrong::generation;
  if (is_of(run, variable, row, bytes, 1, newest, true)) return Wrong::stale;
  return whole && is_of(run, variable, row, bytes, 1, newest, false) ? Wrong::torn : Wrong::bytes;
}

Wrong StoreTruth::judge(std::uint32_t run, std::size_t variable, const std::vector<store::RowRange>& ranges, Bytes bytes,
                        const std::vector<std::uint32_t>& oldest, std::string& where) const {
  const auto size = static_cast<std::size_t>(variables_[variable].format().row_bytes);
  std::size_t at = 0;
  for (const store::RowRange& range : ranges)
    for (std::uint64_t row = range.first; row < range.first + range.rows; ++row, at += size) {
      const std::uint32_t from = row < oldest.size() ? oldest[row] : 0;
      const Wrong wrong = at + size > bytes.size() ? Wrong::bytes : judge_row(run, variable, row, bytes.subspan(at, size), from);
      if (wrong == Wrong::nothing) continue;
      where = "row " + std::to_string(row) + " of \"" + variables_[variable].name + "\", at byte " + std::to_string(at) +
              " of the buffer (versions " + std::to_string(from) + " to " +
              std::to_string(histories_[run][variable][row].stored) + " were possible)";
      return wrong;
    }
  return Wrong::nothing;
}

}  // namespace tenter::protocols
