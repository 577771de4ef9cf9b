// A group that is driven by notes instead of calls: who has a script of its own submits every call, start and shutdown included,
// and gets the answers in the order in which they come. For one thread.
//
//   auto calls = hw::GroupCalls::open(spec);
//   calls->submit(mailbox::launch_role, mailbox::start_call(calls->start_spec()));
//   while (calls->open_calls() > 0) { auto answer = calls->next(deadline); … }
#pragma once
#include <memory>
#include <vector>

#include "core/event.hpp"
#include "core/mailbox/start_call.hpp"
#include "hw/group/group.hpp"

namespace tenter::hw {

class GroupCalls {
 public:
  // Only the surroundings: folder, guardian, the loop. The group begins with a start call.
  static Result<GroupCalls> open(const GroupSpec& spec);
  GroupCalls(GroupCalls&&) noexcept;
  GroupCalls& operator=(GroupCalls&&) = delete;
  ~GroupCalls();  // stops a group that is still there

  mailbox::StartSpec start_spec() const;
  Result<Ticket> submit(Role to, const Note& call);
  struct Answer {
    Ticket ticket{};
    Note outcome;
  };
  // timed_out: no call was answered by then.
  Result<Answer> next(Time deadline);
  std::size_t open_calls() const { return open_.size(); }
  Result<void> finish_recording();

 private:
  explicit GroupCalls(std::unique_ptr<Group::Inside> inside);
  std::unique_ptr<Group::Inside> inside_;
  std::vector<Ticket> open_;
  bool stopped_ = true;
};

}  // namespace tenter::hw
