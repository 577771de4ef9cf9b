// SHA-256 by OpenSSL's libcrypto, fed piece by piece.
#pragma once
#include <array>
#include <cstddef>
#include <memory>

#include "core/blob.hpp"
#include "core/error.hpp"

namespace tenter::hw {

using Sha256Digest = std::array<std::byte, 32>;

class Sha256 {
 public:
  Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  ~Sha256();

  // failed: libcrypto refused (no memory, or the algorithm is disabled on this system); after that finish() fails too.
  Result<void> update(Bytes bytes);
  Result<Sha256Digest> finish();  // once

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

Result<Sha256Digest> sha256_of(Bytes bytes);

}  // namespace tenter::hw
