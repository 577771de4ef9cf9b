#include "core/control/registry.hpp"

#include <algorithm>
#include <string>

#include "core/check.hpp"
#include "core/text.hpp"
#include "core/utf8.hpp"

namespace tenter::control {
namespace {

// Python callables by import run in the task dispatcher; the rest takes what is not here.
Result<void> check_kind(const CallableName& name) {
  if (name.registry != TargetRegistry::task_dispatcher)
    return error(Status::unavailable, "unsupported: the inner worker needs a device");
  if (name.kind != CallableKind::python_import)
    return error(Status::unavailable, "unsupported: a serialized callable was not negotiated");
  return {};
}

}  // namespace

std::string digest_text(const CallableDigest& digest) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : digest) {
    text += digits[static_cast<std::size_t>(byte >> 4)];
    text += digits[static_cast<std::size_t>(byte & std::byte{15})];
  }
  return text;
}

CallableRegistry::CallableRegistry(std::vector<Callable> callables) : callables_(std::move(callables)) {
  TENTER_CHECK(callables_.size() <= callables_max);
  for (Callable& callable : callables_) callable.committed = true;
}

std::size_t CallableRegistry::index_of(const CallableDigest& digest) const {
  return static_cast<std::size_t>(
      std::find_if(callables_.begin(), callables_.end(), [&](const Callable& c) { return c.digest == digest; }) -
      callables_.begin());
}

const Callable* CallableRegistry::committed(const CallableDigest& digest) const {
  const std::size_t at = index_of(digest);
  return at < callables_.size() && callables_[at].committed ? &callables_[at] : nullptr;
}

Result<void> CallableRegistry::prepare(const CallablePayload& payload) {
  if (const auto kind = check_kind(payload.name); !kind) return kind;
  const Blob callable(payload.payload);
  const std::size_t colon = callable.text().find(':');
  if (payload.version != 1)
    return error(Status::invalid, "payload version " + text_of(payload.version) + " of a callable, expected 1");
  if (callable.size() > callable_name_bytes_max || colon == std::string_view::npos || colon == 0 ||
      colon + 1 == callable.size() || utf8_run(callable.text(), 0) != callable.size())
    return error(Status::invalid, "a callable is named \"module:qualname\", in at most 1024 bytes of UTF-8");
  if (const std::size_t at = index_of(payload.name.digest); at < callables_.size()) {
    if (callables_[at].callable == callable) return {};
    return error(Status::exists, "callable " + digest_text(payload.name.digest) + " is registered as '" +
                                     std::string(callables_[at].callable.text()) + "'");
  }
  if (callables_.size() >= callables_max) return error(Status::no_space, "4096 callables are registered already");
  callables_.push_back({payload.name.digest, callable, false});
  return {};
}

Result<void> CallableRegistry::commit(const CallableName& which) {
  if (const auto kind = check_kind(which); !kind) return kind;
  const std::size_t at = index_of(which.digest);
  if (at == callables_.size()) return error(Status::not_found, "callable " + digest_text(which.digest) + " was not prepared");
  callables_[at].committed = true;
  return {};
}

Result<void> CallableRegistry::abort(const CallableName& which) {
  if (const auto kind = check_kind(which); !kind) return kind;
  const std::size_t at = index_of(which.digest);
  if (at == callables_.size()) return {};
  if (callables_[at].committed)
    return error(Status::exists, "callable " + digest_text(which.digest) + " is committed: it is unregistered, not aborted");
  callables_.erase(callables_.begin() + static_cast<std::ptrdiff_t>(at));
  return {};
}

Result<void> CallableRegistry::unregister(const CallableName& which) {
  if (const auto kind = check_kind(which); !kind) return kind;
  const std::size_t at = index_of(which.digest);
  if (at == callables_.size()) return error(Status::not_found, "callable " + digest_text(which.digest) + " is not registered");
  callables_.erase(callables_.begin() + static_cast<std::ptrdiff_t>(at));
  return {};
}

Result<void> CallableRegistry::is_ready(const CallableName& which) const {
  if (const auto kind = check_kind(which); !kind) return kind;
  if (committed(which.digest)) return {};
  return error(Status::not_found, "callable " + digest_text(which.digest) + " is not committed");
}

}  // namespace tenter::control
