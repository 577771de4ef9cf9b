// The world's side of each action: which model performs it.
#include <algorithm>

#include "sim/world.hpp"

namespace tenter::sim {

bool World::perform(Process& p, Role role, const Action& action) {
  return std::visit(
      [&](const auto& a) -> bool {
        using A = std::remove_cvref_t<decltype(a)>;
        if constexpr (requires { pages_.perform(p, role, a); }) {
          return pages_.perform(p, role, a);
        } else if constexpr (requires { timers_.perform(p, role, a); }) {
          timers_.perform(p, role, a);
        } else if constexpr (requires { collectives_.perform(p, role, a); }) {
          collectives_.perform(p, role, a);
        } else if constexpr (requires { files_.perform(p, role, a); }) {
          files_.perform(p, role, a);
        } else if constexpr (requires { launchers_.perform(p, role, a); }) {
          launchers_.perform(p, role, a);
        } else if constexpr (requires { fabric_.perform(p, role, a); }) {
          fabric_.perform(p, role, a);
        } else if constexpr (requires { comm_.perform(p, role, a); }) {
          comm_.perform(p, role, a);
        } else if constexpr (requires { streams_.perform(p, role, a); }) {
          streams_.perform(p, role, a);
        } else if constexpr (std::is_same_v<A, action::Tell>) {
          p.inbox.push({a.to, 0, event::Told{Time{}, role, a.note}});
        } else if constexpr (std::is_same_v<A, action::Complete>) {
          perform_complete(p, a);
        } else if constexpr (std::is_same_v<A, action::Execute>) {
          perform_work(p, role, a);
        } else if constexpr (std::is_same_v<A, action::ExitProcess>) {
          if (a.orderly) comm_.leaves(p);
          p.orderly = a.orderly;
          end_process(p.index, a.code, 0);
        } else if constexpr (std::is_same_v<A, action::DrawRandom>) {
          const std::uint64_t draw = (static_cast<std::uint64_t>(p.index) << 32) + ++random_drawn_;
          Blob content(a.bytes, [&](MutableBytes to) {
            for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<std::byte>(digest_value(draw + i * 977) >> 24);
          });
          post(p.index, role, event::RandomBytes{Time{}, a.op, std::move(content)}, Duration{0});
        } else if constexpr (std::is_same_v<A, action::DescribeHost>) {
          post(p.index, role,
               event::HostDescribed{Time{}, a.op, p.id, 1000, Blob(std::string_view(p.host.empty() ? "host0" : p.host))},
               Duration{0});
        } else {  // a port that the simulator has no model of: an action without an effect would look like a success
          fail(FindingKind::safety, "every action has a model", p.name + " performs " + std::string(A::name));
        }
        return true;
      },
      action);
}

void World::perform_complete(Process& p, const action::Complete& a) {
  const auto open =
      std::find_if(open_tickets_.begin(), open_tickets_.end(), [&](const OpenTicket& t) { return t.ticket == a.ticket; });
  if (open == open_tickets_.end()) {
    fail(FindingKind::safety, "a call is answered once",
         p.name + " completes ticket " + std::to_string(number(a.ticket)) + ", which is not open");
    return;
  }
  open_tickets_.erase(open);
  const View view(*this);
  for (std::size_t i = 0; i < properties_.size() && !finding_; ++i)
    if (monitors_[i]) monitors_[i]->on_complete(view, a.ticket, a.outcome, *this);
  if (workload_ && !finding_) workload_->completed(client_, a.ticket, a.outcome);
}

void World::perform_work(Process& p, Role role, const action::Execute& a) {
  WorkResult result;
  if (scenario_.work_) result = scenario_.work_(p.index, a.callable, a.argument);
  if (allowed(Tag::work_failure) && choices_.choose(Tag::work_failure, p.index, 2) != 0) {
    spend(Tag::work_failure);
    result.status = Status::failed;
    result.reply = Blob("the callable failed on purpose");
  }
  if (allowed(Tag::work_hang) && choices_.choose(Tag::work_hang, p.index, 2) != 0) {
    spend(Tag::work_hang);
    result.hangs = true;
  }
  if (result.hangs) return;
  const Duration longer = chosen_delay(Tag::work_time, p.index);
  post(p.index, role, event::Executed{Time{}, a.op, result.status, std::move(result.reply)}, result.takes + longer);
}

// ---------------------------------------------------------------- the client's side

Ticket World::submit(ProcessIndex process, Role role, Note call) {
  const Ticket ticket{next_ticket_++};
  open_tickets_.push_back({ticket, process});
  post(process, role, event::Submitted{Time{}, ticket, std::move(call)}, Duration{0});
  return ticket;
}

Ticket WorldClient::submit(ProcessIndex process, Role role, Note call) { return world_.submit(process, role, std::move(call)); }
std::uint32_t WorldClient::choose(std::uint32_t n) { return world_.choices().choose(Tag::workload, 1, n); }
ProcessIndex WorldClient::process(std::string_view name) const { return world_.find(name); }
Time WorldClient::now() const { return world_.now(); }
Buffer WorldClient::lend(ProcessIndex process, std::uint64_t bytes) { return world_.fabric().lend(process, bytes); }
void WorldClient::fill(ProcessIndex process, Buffer buffer, const Blob& content) {
  world_.fabric().fill(process, buffer, content);
}
Blob WorldClient::look(ProcessIndex process, Buffer buffer) const { return world_.fabric().look(process, buffer); }
void WorldClient::take_back(ProcessIndex process, Buffer buffer) { world_.fabric().take_back(process, buffer); }

}  // namespace tenter::sim
