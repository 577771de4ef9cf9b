// Errors as values. An Error names the culprit, the cause and the phase; a caller branches on `status` only.
#pragma once
#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "core/names.hpp"

namespace tenter {

struct Error {
  Status status = Status::failed;
  std::string what;  // for people: who (rank, file, field, offset), what, in which phase, what to do if known
  int native = 0;    // errno, fi_errno or MPI class where there is one
  friend bool operator==(const Error&, const Error&) = default;
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> error(Status status, std::string what, int native = 0) {
  return tl::unexpected<Error>(Error{status, std::move(what), native});
}

}  // namespace tenter
