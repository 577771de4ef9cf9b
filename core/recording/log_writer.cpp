#include "core/recording/fields.hpp"
#include "core/recording/log_format.hpp"
#include "core/recording/value.hpp"
#include "core/wire.hpp"

namespace tenter::recording {
namespace {

// Writes the fields of one event relative to the history.
class EventSink {
 public:
  EventSink(LogBatch& to, History& history, History::Last& last, KnownBlobs& known)
      : to_(to), history_(history), last_(last), known_(known) {}

  void number(std::uint64_t value) { to_.log.add_varint(value); }
  void own(Time time) {
    difference(static_cast<std::uint64_t>(tenter::number(time)), static_cast<std::uint64_t>(history_.time));
    history_.time = tenter::number(time);
  }
  void own(Op op) {
    halves(static_cast<std::uint32_t>(tenter::number(op)), static_cast<std::uint32_t>(last_.op));
    halves(static_cast<std::uint32_t>(tenter::number(op) >> 32), static_cast<std::uint32_t>(last_.op >> 32));
    last_.op = tenter::number(op);
  }
  void own(Word word) {
    halves(tenter::number(word), last_.word);
    last_.word = tenter::number(word);
  }
  template <std::same_as<std::uint32_t> T>
  void own(T value) {
    halves(value, last_.number);
    last_.number = value;
  }
  void blob(const Blob& blob) {
    number(blob.size());
    if (blob.size() <= inline_blob_bytes_max) {
      to_.log.add(blob.bytes());
      return;
    }
    to_.log.add_fixed<std::uint64_t>(blob.digest());
    if (known_.add(blob.digest())) store(blob);
  }

 private:
  void difference(std::uint64_t now, std::uint64_t before) { number(zigzag(static_cast<std::int64_t>(now - before))); }
  void halves(std::uint32_t now, std::uint32_t before) { number(zigzag(static_cast<std::int32_t>(now - before))); }
  void store(const Blob& blob) {
    if (blob.size() <= copied_blob_bytes_max) return add_blob(to_.side, blob);
    to_.large.push_back(blob);
    to_.large_bytes += blob.size();
  }

  LogBatch& to_;
  History& history_;
  History::Last& last_;
  KnownBlobs& known_;
};

}  // namespace

LogWriter::LogWriter(const LogHeader& header) {
  const Blob encoded = encode_value(header);
  batch_.log.add(std::as_bytes(std::span(log_magic.data(), log_magic.size())));
  batch_.log.add_varint(encoded.size());
  batch_.log.add(encoded.bytes());
  history_.chain = next_chain(0, batch_.log.bytes());
  batch_.log.add_fixed<std::uint64_t>(history_.chain);
}

void LogWriter::append(Role role, const Event& event, std::uint32_t actions) {
  const std::size_t start = batch_.log.size();
  const std::size_t kind = event.index();
  const std::uint16_t near = number(role) < far_role ? number(role) : far_role;
  batch_.log.add(static_cast<std::byte>((std::size_t{near} << kind_bits) | kind));
  if (near == far_role) batch_.log.add_varint(number(role));
  EventSink sink(batch_, history_, history_.last(history_key(role, kind)), known_blobs_);
  std::visit([&](const auto& e) { put(sink, e); }, event);
  batch_.log.add_fixed<std::uint32_t>(actions);
  check(start);
  ++history_.records;
}

void LogWriter::end() {
  const std::size_t start = batch_.log.size();
  batch_.log.add(std::byte{end_tag});
  batch_.log.add_varint(history_.records);
  check(start);
}

void LogWriter::check(std::size_t start) {
  history_.chain = next_chain(history_.chain, batch_.log.bytes().subspan(start));
  for (std::size_t i = 0; i < check_bytes; ++i) batch_.log.add(static_cast<std::byte>(history_.chain >> (8 * i)));
}

}  // namespace tenter::recording
