// A rank before its world: it checks in at the supervisor's gate, and says when it has joined. Spec control.md B4.5.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "hw/control/rank_place.hpp"

namespace tenter::hw {

class RankCheckIn {
 public:
  // failed: the loop cannot be made.
  static Result<RankCheckIn> open(const RankPlace& place);
  RankCheckIn(RankCheckIn&&) noexcept;
  RankCheckIn& operator=(RankCheckIn&&) = delete;
  ~RankCheckIn();

  // Waits for go, at most the topology's startup_timeout. `address`: where rank 0 is found, if it is this one and its carrier
  // needs that; the answer is what rank 0 said. The texts name gate and attempts.
  Result<std::string> check_in(std::string_view address = {});
  // Instead of check_in(): why this rank cannot start. The gate then ends the start with it.
  Result<void> failed(std::string_view why);
  // After go, when the world is joined.
  Result<void> joined();

 private:
  struct Inside;
  explicit RankCheckIn(std::unique_ptr<Inside> inside);
  std::unique_ptr<Inside> inside_;
};

}  // namespace tenter::hw
