#include "core/store/leases.hpp"

#include <iterator>

#include "core/text.hpp"

namespace tenter::store {
namespace {

constexpr std::size_t hex_digits = 2 * generation_bytes;

// -1: no lower-case hexadecimal digit, which is what to_string(Generation) writes.
int value_of(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

}  // namespace

Generation reader_of_file_name(std::string_view file) {
  if (file.size() != hex_digits + lease_suffix.size() || !file.ends_with(lease_suffix)) return {};
  std::byte bytes[generation_bytes];
  for (std::size_t i = 0; i < generation_bytes; ++i) {
    const int high = value_of(file[2 * i]), low = value_of(file[2 * i + 1]);
    if (high < 0 || low < 0) return {};
    bytes[i] = static_cast<std::byte>(high * 16 + low);
  }
  return generation_of(bytes);
}

std::string readers_text(const std::vector<ReaderSeen>& readers, std::uint64_t others, std::string_view directory, Time now) {
  constexpr std::size_t named = 3;
  const std::uint64_t count = readers.size() + others;
  if (count == 0) return "close: the leases in " + std::string(directory) + " were not all looked at in time";
  std::string text =
      "close: " + text_of(count) + (count == 1 ? " reader" : " readers") + " may still read, by " + std::string(directory);
  for (std::size_t i = 0; i < std::min(named, readers.size()); ++i) {
    text += i == 0 ? ": " : ", ";
    text += std::string(readers[i].file.text()) +
            (readers[i].count == 0 ? " (never read whole" : " (count " + text_of(readers[i].count)) + ", unchanged for " +
            text_of(number(now - readers[i].moved) / 1'000'000) + " ms)";
  }
  return text + (count > named ? ", …" : "");
}

// Both lists are by name, so one pass: who is no longer listed is gone, who is new is seen now.
void Leases::keep_listed(const Parts& names, Time now) {
  std::vector<ReaderSeen> kept;
  others_ = 0;
  auto known = readers_.begin();
  for (const Blob& file : names) {
    if (is_nobodys(reader_of_file_name(file.text()))) continue;  // no lease
    if (kept.size() == config_.readers_max) {
      ++others_;
      continue;
    }
    while (known != readers_.end() && known->file.text() < file.text()) ++known;
    const bool seen = known != readers_.end() && known->file == file;
    kept.push_back(seen ? *known : ReaderSeen{file, 0, config_.unread_period_ms, now});
  }
  readers_ = std::move(kept);
}

std::vector<ReaderSeen> Leases::living(Time now) const {
  std::vector<ReaderSeen> alive;
  std::copy_if(readers_.begin(), readers_.end(), std::back_inserter(alive), [&](const ReaderSeen& r) { return r.lives(now); });
  return alive;
}

// False: the reader said that it has ended.
bool Leases::judge(ReaderSeen& reader, const event::FileDone& e) const {
  if (e.status == Status::not_found) return false;
  if (e.status != Status::ok) return true;
  const auto beat = decode_beat_of(e.content.bytes(), drain_.generation, reader_of_file_name(reader.file.text()));
  if (!beat || beat->count == reader.count) return true;
  if (beat->state == BeatState::closed) return false;
  reader.count = beat->count;
  reader.period_ms = std::min(beat->period_ms, config_.period_ms_max);
  reader.moved = e.now;
  return true;
}

}  // namespace tenter::store
