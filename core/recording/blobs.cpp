#include "core/recording/blobs.hpp"

#include "core/wire.hpp"

namespace tenter::recording {

void add_blob_head(Buffer& side, const Blob& blob) {
  side.add_fixed<std::uint64_t>(blob.digest());
  side.add_fixed<std::uint64_t>(blob.size());
}

BlobStore::BlobStore(Bytes side_file) {
  wire::Reader reader(side_file);
  const Bytes magic = reader.bytes(blobs_magic.size());
  if (Blob(magic).text() != blobs_magic) return;
  while (reader.left() > 0) {
    at_ = reader.offset();
    const std::uint64_t digest = reader.u64();
    const std::uint64_t length = reader.u64();
    const Bytes content = reader.bytes(length);
    if (!reader.ok() || digest_of(content) != digest) return;
    blobs_.emplace(std::pair(digest, length), Blob(content));
  }
  at_ = reader.offset();
}

std::optional<Blob> BlobStore::find(std::uint64_t digest, std::uint64_t length) const {
  const auto found = blobs_.find({digest, length});
  return found == blobs_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace tenter::recording
