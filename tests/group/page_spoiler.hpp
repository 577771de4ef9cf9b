// A step hook that writes bytes of its own into the group's page at a named step, as a stranger or a broken peer would: in the
// parent by GroupSpec::step_hook, in rank 0 by the environment.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/mailbox/layout.hpp"
#include "hw/loop/step_hook.hpp"

namespace tenter {

struct Spoil {
  std::string machine, state, event;          // state empty: any
  std::optional<mailbox::RequestState> lane;  // only when the request word holds this
  std::uint64_t offset = 0;
  std::string bytes;
};

inline constexpr const char* spoil_variable = "TENTER_TEST_SPOIL";
std::string text_of(const Spoil& spoil);  // for spoil_variable

class PageSpoiler final : public hw::StepHook {
 public:
  PageSpoiler(Spoil spoil, std::string base) : spoil_(std::move(spoil)), base_(std::move(base)) {}
  // Nothing when the variable is not set, or this is another rank.
  static std::unique_ptr<PageSpoiler> from_environment();
  void at(std::string_view machine, std::string_view state, std::string_view event) override;
  bool done() const { return done_; }

 private:
  std::string page() const;

  Spoil spoil_;
  std::string base_;  // the parent: where its private folder is; a rank: empty, it has the directory in its environment
  bool done_ = false;
};

}  // namespace tenter
