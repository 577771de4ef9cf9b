#include "hw/group/group_calls.hpp"

#include <algorithm>

#include "hw/group/group_inside.hpp"

namespace tenter::hw {

GroupCalls::GroupCalls(std::unique_ptr<Group::Inside> inside) : inside_(std::move(inside)) {}
GroupCalls::GroupCalls(GroupCalls&&) noexcept = default;

Result<GroupCalls> GroupCalls::open(const GroupSpec& spec) {
  auto inside = Group::Inside::make(spec);
  if (!inside) return tl::unexpected(inside.error());
  return GroupCalls(std::move(*inside));
}

GroupCalls::~GroupCalls() {
  if (!inside_ || stopped_) return;
  (void)inside_->call(mailbox::launch_role, mailbox::stop_call(inside_->spec.stop_patience), inside_->spec.stop_patience);
}

mailbox::StartSpec GroupCalls::start_spec() const { return inside_->start_spec(); }

Result<Ticket> GroupCalls::submit(Role to, const Note& call) {
  ClientPart& client = inside_->running->port;
  auto ticket = client.submit(to, call);
  if (!ticket) return ticket;
  open_.push_back(*ticket);
  if (to == mailbox::launch_role) stopped_ = !mailbox::read_start(call);  // the last one was a stop
  return ticket;
}

Result<GroupCalls::Answer> GroupCalls::next(Time deadline) {
  ClientPart& client = inside_->running->port;
  const auto answered = [&] {
    return std::find_if(open_.begin(), open_.end(), [&](Ticket ticket) { return client.done(ticket); });
  };
  const auto somebody = [&] { return answered() != open_.end(); };
  inside_->running->driver.drive([](bool) { return true; }, somebody, [] {}, deadline);
  const auto found = answered();
  if (found == open_.end())
    return error(Status::timed_out, std::to_string(open_.size()) + " calls are open, none was answered in time");
  Answer answer{*found, *client.take(*found)};
  open_.erase(found);
  return answer;
}

Result<void> GroupCalls::finish_recording() { return inside_->finish_recording(); }

}  // namespace tenter::hw
