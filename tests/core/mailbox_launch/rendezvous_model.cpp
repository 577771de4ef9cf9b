// Rendezvous against a reference model: random arrivals, passing time, replies, failing replies and reused slots. After every
// command the model and the machine agree on who was answered and how; in the end everybody was, exactly once.
// A failure prints RC_PARAMS="reproduce=..." to run it again.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>

#include "core/mailbox/error_list.hpp"
#include "rendezvous_kit.hpp"

namespace tenter::mailbox {
namespace rendezvous_model {
namespace {

using namespace tenter::mailbox::kit;

constexpr std::uint32_t world = 3;

struct Command {
  enum Kind : std::uint8_t { arrive, pass, reply, fail, lose, subset, kinds } kind = arrive;
  std::uint64_t slot = 0, generation = 0;
  std::uint32_t rank = 0;
  std::int64_t milliseconds = 0;
};

void showValue(const Command& c, std::ostream& out) {
  static constexpr const char* names[] = {"arrive", "pass", "reply", "fail", "lose", "subset"};
  out << names[c.kind] << "(slot " << c.slot << "/" << c.generation << ", rank " << c.rank << ", " << c.milliseconds << " ms)";
}

// The same rules, said as plainly as possible: maps of who waits, and what each ticket must end with.
class Model {
 public:
  void arrive(std::uint64_t ticket, BatchId id, std::uint32_t rank, Time due) {
    const auto key = std::pair(id.slot, id.generation);
    if (std::find(dispatched_.begin(), dispatched_.end(), key) != dispatched_.end()) return finish(ticket, Status::unavailable);
    auto& batch = gathering_[key];
    if (batch.contains(rank)) return finish(ticket, Status::exists);
    batch[rank] = {ticket, due};
    if (batch.size() < world) return;
    std::vector<std::uint64_t> tickets;
    for (const auto& [r, member] : batch) tickets.push_back(member.first);
    exchanges_.push_back({requests++, tickets});
    dispatched_.push_back(key);
    if (dispatched_.size() > finished_max) dispatched_.pop_front();
    gathering_.erase(key);
  }
  void subset(std::uint64_t ticket) { exchanges_.push_back({requests++, {ticket}}); }
  void pass(Time now) {
    for (auto batch = gathering_.begin(); batch != gathering_.end();) {
      std::erase_if(batch->second, [&](const auto& member) {
        if (member.second.second > now) return false;
        finish(member.second.first, Status::timed_out);
        return true;
      });
      batch = batch->second.empty() ? gathering_.erase(batch) : std::next(batch);
    }
  }
  // Takes the exchange at `index`; statuses by member.
  std::pair<std::size_t, std::vector<std::uint64_t>> take(std::size_t index) {
    auto found = exchanges_[index];
    exchanges_.erase(exchanges_.begin() + static_cast<std::ptrdiff_t>(index));
    return found;
  }
  void finish(std::uint64_t ticket, Status status) { RC_ASSERT(expected.emplace(ticket, status).second); }

  std::size_t exchanging() const { return exchanges_.size(); }
  std::size_t waiting() const {
    std::size_t count = 0;
    for (const auto& [key, batch] : gathering_) count += batch.size();
    for (const auto& exchange : exchanges_) count += exchange.second.size();
    return count;
  }
  std::map<std::uint64_t, Status> expected;
  std::size_t requests = 0;

 private:
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::map<std::uint32_t, std::pair<std::uint64_t, Time>>> gathering_;
  std::vector<std::pair<std::size_t, std::vector<std::uint64_t>>> exchanges_;
  std::deque<std::pair<std::uint64_t, std::uint64_t>> dispatched_;
};

struct Run {
  Meeting meeting{world};
  Model model;
  std::uint64_t tickets = 0;

  void apply(const Command& c) {
    switch (c.kind) {
      case Command::arrive: {
        const std::uint64_t ticket = ++tickets;
        model.arrive(ticket, {c.slot, c.generation}, c.rank, meeting.now + milliseconds(c.milliseconds));
        meeting.arrive(ticket, {c.slot, c.generation}, c.rank, std::to_string(ticket), milliseconds(c.milliseconds));
        break;
      }
      case Command::subset: {
        const std::uint64_t ticket = ++tickets;
        model.subset(ticket);
        meeting.submit(
            ticket, {{c.slot, c.generation}, c.rank, world - 1, 1, milliseconds(c.milliseconds), blob(std::to_string(ticket))});
        break;
      }
      case Command::pass:
        meeting.pass(milliseconds(c.milliseconds));
        model.pass(meeting.now);
        break;
      default:
        answer(c);
    }
    check();
  }

  void answer(const Command& c) {
    if (model.exchanging() == 0) return;
    const auto [request, members] = model.take(c.slot % model.exchanging());
    // The request carries each member's ticket as its payload, in rank order: nobody else's, nothing older.
    const RequestCall call = meeting.request(request);
    RC_ASSERT(call.payloads.size() == members.size());
    for (std::size_t i = 0; i < members.size(); ++i) RC_ASSERT(call.payloads[i] == blob(std::to_string(members[i])));
    const bool directed = members.size() == 1;
    const std::uint32_t culprit = directed ? static_cast<std::uint32_t>(call.rank) : c.rank;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const bool own = directed || i == culprit;
      model.finish(members[i], c.kind == Command::reply  ? Status::ok
                               : c.kind == Command::lose ? Status::peer_lost
                               : own                     ? Status::failed
                                                         : Status::cancelled);
    }
    if (c.kind == Command::reply) return meeting.answer(request, answer_note(Status::ok, call.payloads));
    meeting.answer(request, answer_note(c.kind == Command::lose ? Status::peer_lost : Status::failed, {},
                                        encode_error(static_cast<std::int32_t>(culprit), "Error", "no")));
  }

  void check() {
    RC_ASSERT(meeting.requests().size() == model.requests);
    RC_ASSERT(meeting.completions() == model.expected.size());
    for (const auto& [ticket, status] : model.expected) {
      RC_ASSERT(meeting.is_complete(ticket));
      const Note outcome = meeting.outcome(ticket);
      RC_ASSERT(outcome.status == status);
      if (status == Status::ok) RC_ASSERT(outcome.parts == Parts{blob(std::to_string(ticket))});  // echoed: its own, no other's
    }
    RC_ASSERT(meeting.machine.waiting_members() == model.waiting());
  }

  void drain() {
    while (model.exchanging() > 0) apply({Command::reply, 0, 0, 0, 0});
    apply({Command::pass, 0, 0, 0, 1000});
    RC_ASSERT(meeting.completions() == tickets);
    RC_ASSERT(meeting.machine.state_name() == "empty");
    RC_ASSERT(meeting.machine.waiting_members() == 0u);
    RC_ASSERT(meeting.armed().empty());
  }
};

rc::Gen<Command> commands() {
  return rc::gen::map(
      rc::gen::tuple(rc::gen::weightedElement<int>({{8, Command::arrive},
                                                    {3, Command::pass},
                                                    {2, Command::reply},
                                                    {1, Command::fail},
                                                    {1, Command::lose},
                                                    {1, Command::subset}}),
                     rc::gen::inRange(0, 3), rc::gen::inRange(0, 2), rc::gen::inRange(0, int{world}), rc::gen::inRange(1, 60)),
      [](const std::tuple<int, int, int, int, int>& t) {
        return Command{static_cast<Command::Kind>(std::get<0>(t)), static_cast<std::uint64_t>(std::get<1>(t)),
                       static_cast<std::uint64_t>(std::get<2>(t)), static_cast<std::uint32_t>(std::get<3>(t)), std::get<4>(t)};
      });
}

RC_GTEST_PROP(RendezvousModel, every_member_is_answered_exactly_once_and_only_with_its_own, ()) {
  Run run;
  const auto script = *rc::gen::scale(3.0, rc::gen::container<std::vector<Command>>(commands()));
  for (const Command& command : script) run.apply(command);
  run.drain();
  // Usable again at once, whatever happened before.
  for (std::uint32_t rank = 0; rank < world; ++rank) run.apply({Command::arrive, 99, 0, rank, 10});
  RC_ASSERT(run.model.exchanging() == 1u);
  run.drain();
}

}  // namespace
}  // namespace rendezvous_model
}  // namespace tenter::mailbox
