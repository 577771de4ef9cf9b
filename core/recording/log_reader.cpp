#include <array>

#include "core/recording/fields.hpp"
#include "core/recording/log_format.hpp"
#include "core/recording/value.hpp"

namespace tenter::recording {
namespace {

// Reads what EventSink (log_writer.cpp) wrote.
class EventSource {
 public:
  EventSource(wire::Reader& reader, const BlobStore& blobs) : reader_(reader), blobs_(blobs) {}

  void begin(History& history, History::Last& last) {
    history_ = &history;
    last_ = &last;
  }
  std::uint64_t number() {
    const bool before = ok_;
    const std::uint64_t value = get_varint(reader_, ok_);
    if (before && !reader_.ok()) ran_out_ = true;
    return value;
  }
  void own(Time& time) {
    const std::uint64_t now = static_cast<std::uint64_t>(history_->time) + static_cast<std::uint64_t>(unzigzag(number()));
    history_->time = static_cast<std::int64_t>(now);
    time = Time{history_->time};
  }
  void own(Op& op) {
    const std::uint32_t low = half(static_cast<std::uint32_t>(last_->op));
    const std::uint32_t high = half(static_cast<std::uint32_t>(last_->op >> 32));
    last_->op = (std::uint64_t{high} << 32) | low;
    op = Op{last_->op};
  }
  void own(Word& word) { word = Word{last_->word = half(last_->word)}; }
  void own(std::uint32_t& value) { value = last_->number = half(last_->number); }
  Blob blob() {
    const std::uint64_t length = number();
    if (!ok()) return {};
    if (length <= inline_blob_bytes_max) return Blob(reader_.bytes(length));
    const std::uint64_t digest = reader_.u64();
    if (!ok()) return {};
    const auto found = blobs_.find(digest, length);
    if (!found) missing_blob_ = true;
    return found.value_or(Blob{});
  }
  std::string text() { return std::string(blob().text()); }
  bool ok() const { return ok_ && reader_.ok(); }
  void fail() { ok_ = false; }
  bool holds(std::uint64_t bytes) {
    if (bytes > reader_.left()) ran_out_ = true;
    return ok_ = ok_ && bytes <= reader_.left();
  }
  bool ran_out() const { return ran_out_ || (ok_ && !reader_.ok()); }
  bool missing_blob() const { return missing_blob_; }

 private:
  std::uint32_t half(std::uint32_t before) {
    const std::int64_t by = unzigzag(number());
    if (by < std::numeric_limits<std::int32_t>::min() || by > std::numeric_limits<std::int32_t>::max()) fail();
    return before + static_cast<std::uint32_t>(by);
  }
  wire::Reader& reader_;
  const BlobStore& blobs_;
  History* history_ = nullptr;
  History::Last* last_ = nullptr;
  bool ok_ = true, ran_out_ = false, missing_blob_ = false;
};

template <std::size_t Kind>
Event read_event(EventSource& source) {
  std::variant_alternative_t<Kind, Event::Variant> event;
  get(source, event);
  return event;
}
template <std::size_t... Kind>
constexpr auto event_readers(std::index_sequence<Kind...>) {
  return std::array<Event (*)(EventSource&), sizeof...(Kind)>{&read_event<Kind>...};
}
constexpr auto readers = event_readers(std::make_index_sequence<std::variant_size_v<Event::Variant>>{});

// The check behind `covered` bytes at the front of `rest`; moves the chain on when it fits.
bool check_fits(Bytes rest, std::size_t covered, std::uint64_t& chain) {
  if (rest.size() - covered < check_bytes) return false;
  const std::uint64_t after = next_chain(chain, rest.first(covered));
  for (std::size_t i = 0; i < check_bytes; ++i)
    if (rest[covered + i] != static_cast<std::byte>(after >> (8 * i))) return false;
  chain = after;
  return true;
}

}  // namespace

Result<LogReader> LogReader::open(Bytes log, BlobStore blobs) {
  wire::Reader reader(log);
  if (Blob(reader.bytes(log_magic.size())).text() != log_magic)
    return error(Status::mismatch, "offset 0: not a recording of version 1 (it would begin with tenter.recording/1)");
  bool ok = true;
  const std::uint64_t length = get_varint(reader, ok);
  const Bytes encoded = reader.bytes(ok ? length : 0);
  const std::size_t covered = reader.offset();
  const std::uint64_t check = reader.u64();
  if (!ok || !reader.ok() || next_chain(0, log.first(covered)) != check)
    return error(Status::invalid, "the header is damaged or cut before offset " + std::to_string(reader.offset()));
  auto header = decode_value<LogHeader>(encoded);
  if (!header) return tl::unexpected(header.error());
  LogReader opened(log, std::move(blobs));
  opened.header_ = std::move(*header);
  opened.history_.chain = check;
  opened.at_ = reader.offset();
  return opened;
}

tl::unexpected<Error> LogReader::damaged(const std::string& what) {
  failed_ = true;
  return error(Status::invalid, "record " + std::to_string(history_.records) + " at offset " + std::to_string(at_) + ": " + what);
}

// The log ends inside a record. With an end of the log behind it, or with more bytes than a record takes, something else is
// wrong: a damaged length asks for bytes that never were.
tl::unexpected<Error> LogReader::ran_out() {
  const std::size_t left = log_.size() - at_;
  if (end_is_behind() || left > cut_record_bytes_max) return damaged("damaged (it would go beyond the end of the log)");
  cut_ = true;
  return damaged("the log is cut inside it, " + std::to_string(left) + " bytes are left");
}

// Ends the log with an end that counts no more records than could stand between here and there?
bool LogReader::end_is_behind() const {
  const std::uint64_t most = history_.records + (log_.size() - at_) / least_record_bytes;
  for (std::size_t digits = 1; digits <= 10; ++digits) {
    const std::size_t bytes = 1 + digits + check_bytes;
    if (log_.size() - at_ < bytes) return false;
    wire::Reader reader(log_.last(bytes));
    bool ok = reader.u8() == end_tag;
    const std::uint64_t records = get_varint(reader, ok);
    if (ok && reader.left() == check_bytes && records > history_.records && records <= most) return true;
  }
  return false;
}

Result<std::optional<Record>> LogReader::next() {
  if (failed_ || at_ == log_.size()) return std::nullopt;
  if (complete_) return damaged("bytes behind the end");
  const Bytes rest = log_.subspan(at_);
  wire::Reader reader(rest);
  const std::uint8_t tag = reader.u8();
  if (tag == end_tag) return read_end();
  EventSource source(reader, blobs_);
  const std::size_t kind = tag & kind_mask;
  if (kind >= readers.size()) return damaged("damaged (no such kind of event)");
  std::uint64_t role = tag >> kind_bits;
  if (role == far_role) role = source.number();
  if (source.ran_out()) return ran_out();
  if (role > tenter::number(no_role)) return damaged("damaged (no such role)");
  Record record;
  record.role = Role{static_cast<std::uint16_t>(role)};
  History::Last& last = history_.last(history_key(record.role, kind));
  source.begin(history_, last);
  record.event = readers[kind](source);
  record.actions = reader.u32();
  if (source.ran_out() || (source.ok() && reader.left() < check_bytes)) return ran_out();
  if (!source.ok() || !check_fits(rest, reader.offset(), history_.chain)) return damaged("damaged");
  if (source.missing_blob())
    return damaged("intact, but bytes that it refers to are not in the side file, which is whole up to offset " +
                   std::to_string(blobs_.offset()));
  at_ += reader.offset() + check_bytes;
  ++history_.records;
  return record;
}

Result<std::optional<Record>> LogReader::read_end() {
  const Bytes rest = log_.subspan(at_);
  wire::Reader reader(rest.subspan(1));
  bool ok = true;
  const std::uint64_t records = get_varint(reader, ok);
  const std::size_t covered = 1 + reader.offset();
  if (!reader.ok() || rest.size() < covered + check_bytes) return ran_out();
  if (!ok || records != history_.records || !check_fits(rest, covered, history_.chain)) return damaged("the end is damaged");
  at_ += covered + check_bytes;
  complete_ = true;
  if (at_ != log_.size()) return damaged("bytes behind the end");
  return std::nullopt;
}

}  // namespace tenter::recording
