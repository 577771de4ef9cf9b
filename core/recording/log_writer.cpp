#include "core/recording/fields.hpp"
#include "core/recording/log_format.hpp"
#include "core/recording/value.hpp"
#include "core/wire.hpp"

namespace tenter::recording {
namespace {

// Writes the fields of one event relative to the history.
class EventSink {
 public:
  EventSink(std::vector<std::byte>& to, History& history, History::Last& last, std::vector<Blob>& blobs, KnownBlobs& known)
      : to_(to), history_(history), last_(last), blobs_(blobs), known_(known) {}

  void number(std::uint64_t value) { put_varint(to_, value); }
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
      to_.insert(to_.end(), blob.bytes().begin(), blob.bytes().end());
      return;
    }
    const std::size_t at = to_.size();
    to_.resize(at + 8);
    wire::store<std::uint64_t>(to_.data() + at, blob.digest());
    if (known_.add(blob.digest())) blobs_.push_back(blob);
  }

 private:
  void difference(std::uint64_t now, std::uint64_t before) { number(zigzag(static_cast<std::int64_t>(now - before))); }
  void halves(std::uint32_t now, std::uint32_t before) { number(zigzag(static_cast<std::int32_t>(now - before))); }

  std::vector<std::byte>& to_;
  History& history_;
  History::Last& last_;
  std::vector<Blob>& blobs_;
  KnownBlobs& known_;
};

}  // namespace

LogWriter::LogWriter(const LogHeader& header) {
  const Blob encoded = encode_value(header);
  const Bytes magic = std::as_bytes(std::span(log_magic.data(), log_magic.size()));
  log_.insert(log_.end(), magic.begin(), magic.end());
  put_varint(log_, encoded.size());
  log_.insert(log_.end(), encoded.bytes().begin(), encoded.bytes().end());
  history_.chain = next_chain(0, log_);
  const std::size_t at = log_.size();
  log_.resize(at + 8);
  wire::store<std::uint64_t>(log_.data() + at, history_.chain);
}

void LogWriter::append(Role role, const Event& event, std::uint64_t action_digest) {
  const std::size_t start = log_.size();
  const std::size_t kind = event.index();
  const std::uint16_t near = number(role) < far_role ? number(role) : far_role;
  log_.push_back(static_cast<std::byte>((std::size_t{near} << kind_bits) | kind));
  if (near == far_role) put_varint(log_, number(role));
  EventSink sink(log_, history_, history_.last(history_key(role, kind)), blobs_, known_blobs_);
  std::visit([&](const auto& e) { put(sink, e); }, event);
  const std::size_t at = log_.size();
  log_.resize(at + 4);
  wire::store<std::uint32_t>(log_.data() + at, short_digest(action_digest));
  check(start);
  ++history_.records;
}

void LogWriter::end() {
  const std::size_t start = log_.size();
  log_.push_back(std::byte{end_tag});
  put_varint(log_, history_.records);
  check(start);
}

void LogWriter::check(std::size_t start) {
  history_.chain = next_chain(history_.chain, Bytes(log_).subspan(start));
  for (std::size_t i = 0; i < check_bytes; ++i) log_.push_back(static_cast<std::byte>(history_.chain >> (8 * i)));
}

}  // namespace tenter::recording
