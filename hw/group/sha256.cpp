#include "hw/group/sha256.hpp"

#include <openssl/evp.h>

namespace tenter::hw {
namespace {

tl::unexpected<Error> refused(const char* step) {
  return error(Status::failed, std::string("SHA-256: libcrypto refused to ") + step);
}

}  // namespace

struct Sha256::Context {
  EVP_MD_CTX* handle = EVP_MD_CTX_new();
  bool good = handle != nullptr && EVP_DigestInit_ex(handle, EVP_sha256(), nullptr) == 1;
  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { EVP_MD_CTX_free(handle); }
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {}
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;
Sha256::~Sha256() = default;

Result<void> Sha256::update(Bytes bytes) {
  if (!context_->good) return refused("begin");
  context_->good = EVP_DigestUpdate(context_->handle, bytes.data(), bytes.size()) == 1;
  if (!context_->good) return refused("go on");
  return {};
}

Result<Sha256Digest> Sha256::finish() {
  Sha256Digest digest{};
  unsigned length = 0;
  if (!context_->good) return refused("begin or go on");
  context_->good = false;
  if (EVP_DigestFinal_ex(context_->handle, reinterpret_cast<unsigned char*>(digest.data()), &length) != 1 ||
      length != digest.size())
    return refused("finish");
  return digest;
}

Result<Sha256Digest> sha256_of(Bytes bytes) {
  Sha256 hash;
  if (auto fed = hash.update(bytes); !fed) return tl::unexpected(fed.error());
  return hash.finish();
}

}  // namespace tenter::hw
