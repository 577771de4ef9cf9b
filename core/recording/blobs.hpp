// The side file of a recording: the bytes of the longer blobs, once a digest.
//
//   file = "tenter.blobs/1\n" (u64 digest, u64 length, bytes)*
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "core/blob.hpp"
#include "core/recording/buffer.hpp"

namespace tenter::recording {

inline constexpr std::string_view blobs_magic = "tenter.blobs/1\n";
inline constexpr std::size_t blob_head_bytes = 16;
inline constexpr std::size_t copied_blob_bytes_max = 16 * 1024;  // a copy is cheaper than a system call of its own
inline constexpr std::size_t inline_blob_bytes_max = 16;

// A blob's entry: 16 bytes before its own, then those.
void add_blob_head(Buffer& side, const Blob& blob);
inline void add_blob(Buffer& side, const Blob& blob) {
  add_blob_head(side, blob);
  side.add(blob.bytes());
}

class BlobStore {
 public:
  BlobStore() = default;
  // Reads up to the first entry that is cut or does not match its digest; what is behind it is not believed.
  explicit BlobStore(Bytes side_file);
  std::optional<Blob> find(std::uint64_t digest, std::uint64_t length) const;
  std::size_t size() const { return blobs_.size(); }
  std::size_t offset() const { return at_; }  // where reading ended

 private:
  std::map<std::pair<std::uint64_t, std::uint64_t>, Blob> blobs_;
  std::size_t at_ = 0;
};

}  // namespace tenter::recording
