// The callables of one executor, by the digest that tasks name them with. Registered in two steps, so that a set of executors
// gets one all together or not at all. Spec B2.7, A1; P-C12.
#pragma once
#include <cstdint>
#include <vector>

#include "core/blob.hpp"
#include "core/control/slr3.hpp"
#include "core/describe.hpp"
#include "core/error.hpp"

namespace tenter::control {

struct Callable {
  CallableDigest digest{};
  Blob callable;  // as the Work port knows it: "module:qualname"
  bool committed = false;
  friend bool operator==(const Callable&, const Callable&) = default;
  TENTER_DESCRIBE(callable, digest, callable, committed)
};

class CallableRegistry {
 public:
  CallableRegistry() = default;
  // What is there from the start, committed.
  explicit CallableRegistry(std::vector<Callable> callables);

  // What a task may run; nothing when it is unknown or only prepared.
  const Callable* committed(const CallableDigest& digest) const;

  // Each by its control. unavailable: it takes a device or an interpreter that this executor has not; not_found, exists, no_space
  // (more than callables_max). Prepared again with the same bytes, or committed again: ok, nothing changes.
  Result<void> prepare(const CallablePayload& payload);
  Result<void> commit(const CallableName& which);
  Result<void> abort(const CallableName& which);       // of an unknown digest: ok; of a committed one: exists
  Result<void> unregister(const CallableName& which);  // prepared or committed
  Result<void> is_ready(const CallableName& which) const;

  std::size_t size() const { return callables_.size(); }

 private:
  std::size_t index_of(const CallableDigest& digest) const;
  std::vector<Callable> callables_;  // at most callables_max

 public:
  friend bool operator==(const CallableRegistry&, const CallableRegistry&) = default;
  TENTER_DESCRIBE(callable_registry, callables_)
};

inline constexpr std::uint32_t callables_max = 4'096;
inline constexpr std::uint32_t callable_name_bytes_max = 1'024;  // "module:qualname"

// "01ab…", 64 hexadecimal digits.
std::string digest_text(const CallableDigest& digest);

}  // namespace tenter::control
