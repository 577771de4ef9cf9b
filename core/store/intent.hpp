// What core ranks tell each other in a collective call, so that all fail together and with the same words (D17, D18): an intent
// before anything is done, an outcome after it. Both come from this job's own ranks, and are read with every length checked.
#pragma once
#include <optional>
#include <string>

#include "core/error.hpp"
#include "core/store/calls.hpp"
#include "core/wire.hpp"

namespace tenter::store {

struct Intent {
  Status status = Status::ok;  // the rank's own verdict
  std::string text;            // of a verdict that is not ok
  std::string what;            // the call, for people; equal on all ranks or refused
  Blob more;                   // what the others need of this rank
  friend bool operator==(const Intent&, const Intent&) = default;
};

inline Blob encode_intent(const Intent& intent) {
  wire::Writer writer;
  writer.u8(static_cast<std::uint8_t>(intent.status)).counted(intent.text).counted(intent.what).counted(intent.more.bytes());
  return writer.blob();
}

inline std::optional<Intent> decode_intent(const Blob& blob) {
  constexpr std::size_t limit = 1u << 20;
  wire::Reader reader(blob.bytes());
  const auto text_of_bytes = [](Bytes bytes) { return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()); };
  Intent intent;
  const std::uint8_t status = reader.u8();
  intent.text = text_of_bytes(reader.counted(limit));
  intent.what = text_of_bytes(reader.counted(limit));
  intent.more = Blob(reader.counted(limit));
  if (!reader.at_end() || status > static_cast<std::uint8_t>(Status::unavailable)) return std::nullopt;
  intent.status = Status{status};
  return intent;
}

// All intents, by rank. The first rank that refuses, or that differs from rank 0, is named, with both.
Result<std::vector<Intent>> agree(const Parts& intents);

}  // namespace tenter::store
