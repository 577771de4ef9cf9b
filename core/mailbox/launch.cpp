#include "core/mailbox/launch.hpp"

namespace tenter::mailbox {

void Launch::fail_later(Status status, std::vector<RankError> errors) {
  if (errors.empty()) return;
  if (failure_.empty()) status_ = status;
  failure_.insert(failure_.end(), std::make_move_iterator(errors.begin()), std::make_move_iterator(errors.end()));
}

void Launch::fail_later(Status status, std::string_view type, std::string message) {
  if (failure_.empty()) status_ = status;
  failure_.push_back({no_culprit, std::string(type), std::move(message)});
}

Blob Launch::failures(bool with_cause) const {
  std::vector<RankError> errors;
  if (with_cause) errors = failure_;
  errors.insert(errors.end(), leftovers_.begin(), leftovers_.end());
  return encode_error_list(errors);
}

}  // namespace tenter::mailbox
