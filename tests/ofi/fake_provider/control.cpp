#include "tests/ofi/fake_provider/control.hpp"

#include <utility>

#include "tests/ofi/fake_provider/objects.hpp"

namespace tenter::fake_provider {

Control& control() {
  static Control only;
  return only;
}

const char* to_string(Step step) {
  static constexpr std::array<const char*, steps> names{
      "fi_getinfo",     "fi_fabric",     "fi_domain",    "fi_av_open", "fi_cq_open", "wait_object", "fi_endpoint",
      "fi_ep_bind_av",  "fi_ep_bind_cq", "fi_enable",    "fi_getname", "fi_mr_reg",  "fi_mr_bind",  "fi_mr_enable",
      "fi_mr_raw_attr", "fi_mr_map_raw", "fi_av_insert", "fi_read",    "fi_cq_read", "fi_trywait"};
  return names.at(static_cast<std::size_t>(step));
}

void Control::reset() {
  {
    const std::lock_guard lock(mutex_);
    traits_ = {};
    plans_ = {};
    calls_ = {};
    endings_.clear();
    breaches_.clear();
  }
  hold_reads(false);
}

void Control::set(const Traits& traits) {
  const std::lock_guard lock(mutex_);
  traits_ = traits;
}
Traits Control::traits() const {
  const std::lock_guard lock(mutex_);
  return traits_;
}

void Control::fail(Step step, int error, std::uint64_t after, std::uint64_t times) {
  const std::lock_guard lock(mutex_);
  plans_.at(static_cast<std::size_t>(step)) = {error, after, times};
}

int Control::failure(Step step) {
  const std::lock_guard lock(mutex_);
  const auto at = static_cast<std::size_t>(step);
  ++calls_.at(at);
  Plan& plan = plans_.at(at);
  if (plan.times == 0) return 0;
  if (plan.after > 0) {
    --plan.after;
    return 0;
  }
  --plan.times;
  return -plan.error;
}

void Control::end_next_read(Ending ending) {
  const std::lock_guard lock(mutex_);
  endings_.push_back(std::move(ending));
}
bool Control::next_ending(Ending& ending) {
  const std::lock_guard lock(mutex_);
  if (endings_.empty()) return false;
  ending = std::move(endings_.front());
  endings_.pop_front();
  return true;
}

void Control::hold_reads(bool held) {
  {
    const std::lock_guard lock(mutex_);
    held_ = held;
  }
  if (!held) wake_everybody();
}
bool Control::held() const {
  const std::lock_guard lock(mutex_);
  return held_;
}

std::uint64_t Control::calls(Step step) const {
  const std::lock_guard lock(mutex_);
  return calls_.at(static_cast<std::size_t>(step));
}
std::int64_t Control::open_objects() const {
  const std::lock_guard lock(mutex_);
  return open_;
}
void Control::opened(std::int64_t more) {
  const std::lock_guard lock(mutex_);
  open_ += more;
}
void Control::breach(std::string_view what) {
  const std::lock_guard lock(mutex_);
  breaches_.emplace_back(what);
}
std::vector<std::string> Control::breaches() const {
  const std::lock_guard lock(mutex_);
  return breaches_;
}

}  // namespace tenter::fake_provider
