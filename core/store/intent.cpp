#include "core/store/intent.hpp"

#include "core/text.hpp"

namespace tenter::store {

Result<std::vector<Intent>> agree(const Parts& parts) {
  std::vector<Intent> intents;
  for (std::uint64_t rank = 0; rank < parts.size(); ++rank) {
    auto intent = decode_intent(parts[rank]);
    if (!intent) return error(Status::invalid, "rank " + text_of(rank) + " says what cannot be read");
    intents.push_back(std::move(*intent));
  }
  for (std::uint64_t rank = 0; rank < intents.size(); ++rank)
    if (intents[rank].what != intents[0].what)
      return error(Status::mismatch,
                   "ranks differ: rank 0 calls " + intents[0].what + ", rank " + text_of(rank) + " calls " + intents[rank].what);
  for (std::uint64_t rank = 0; rank < intents.size(); ++rank)
    if (intents[rank].status != Status::ok)
      return error(intents[rank].status, "rank " + text_of(rank) + ": " + intents[rank].text);
  return intents;
}

}  // namespace tenter::store
