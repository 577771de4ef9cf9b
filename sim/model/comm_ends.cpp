// A message's way into its receiver, and what the end of either side leaves of it.
#include <algorithm>

#include "core/text.hpp"
#include "sim/model/comm.hpp"
#include "sim/model/comm_steps.hpp"
#include "sim/world.hpp"

namespace tenter::sim {

void CommModel::step(std::uint64_t number_of_lane, std::uint64_t what) {
  const auto lane = static_cast<std::size_t>(number_of_lane);
  Lane& l = lanes_[lane];
  if (what == comm::arrival) {
    const auto next = std::find_if(l.messages.begin(), l.messages.end(), [](const Message& m) { return !m.here; });
    if (next != l.messages.end() && next->arrives <= world_.now()) next->here = true;
    match(lane);
  } else if (what == comm::tell_sender) {
    l.at_sender = News::told;
    for (const auto& [role, op] : l.unsent) answer_send(l, role, op, Status::peer_lost);
    l.unsent.clear();
  } else if (what == comm::tell_receiver) {
    l.at_receiver = News::told;
    answer_lost(lane);
  } else if (what == l.transfer && l.taking) {
    finish(lane);
  }
}

// ---------------------------------------------------------------- taking a message

void CommModel::match(std::size_t lane) {
  Lane& l = lanes_[lane];
  if (!l.receive || l.taking) return;
  if (l.messages.empty() || !l.messages.front().here) return answer_lost(lane);
  const Receive receive = *std::exchange(l.receive, std::nullopt);
  if (l.messages.front().eager) {
    const Message message = std::move(l.messages.front());
    l.messages.pop_front();
    hand_over(l, receive, message);
    return;
  }
  l.taking = receive;
  l.transfer = comm::first_transfer + transfers_++;
  const auto bytes = static_cast<std::int64_t>(l.messages.front().content.size());
  schedule(lane, l.transfer, comm::hop * 2 + nanoseconds(bytes / 4) + world_.chosen_delay(Tag::message_delay, l.from));
}

// A long message moves only while both sides run.
void CommModel::finish(std::size_t lane) {
  Lane& l = lanes_[lane];
  l.stalled = world_.process(l.from).life == Life::stopped || world_.process(l.to).life == Life::stopped;
  if (l.stalled) return;
  const Receive receive = *std::exchange(l.taking, std::nullopt);
  const Message message = std::move(l.messages.front());
  l.messages.pop_front();
  answer_send(l, message.role, message.op, Status::ok);
  if (receive.wanted)
    hand_over(l, receive, message);
  else
    ++counts_.dropped;
  match(lane);
}

void CommModel::hand_over(Lane& lane, const Receive& receive, const Message& message) {
  Use& use = uses_[{lane.to, receive.role, receive.op}];
  use.stage = Stage::answering;
  use.carries = true;
  const std::uint64_t length = message.content.size();
  event::MessageArrived arrived{Time{}, receive.op, Status::ok, lane.sender, message.tag, length, message.content};
  if (length > receive.limit) {
    arrived.status = Status::no_space;
    arrived.content = {};
  }
  world_.post(lane.to, receive.role, std::move(arrived), comm::hop, 1);
}

// The sender is gone, that is known, and nothing of it is left.
void CommModel::answer_lost(std::size_t lane) {
  Lane& l = lanes_[lane];
  if (l.at_receiver != News::told || !l.messages.empty() || !l.receive) return;
  const Receive receive = *std::exchange(l.receive, std::nullopt);
  uses_[{l.to, receive.role, receive.op}].stage = Stage::answering;
  world_.post(l.to, receive.role, event::MessageArrived{Time{}, receive.op, Status::peer_lost, l.sender, {}, 0, {}}, comm::hop,
              1);
}

void CommModel::resumed(ProcessIndex process) {
  if (process >= lanes_of_.size()) return;
  for (const std::size_t lane : lanes_of_[process])
    if (std::exchange(lanes_[lane].stalled, false)) schedule(lane, lanes_[lane].transfer, comm::hop);
}

// ---------------------------------------------------------------- a process's end

// MPI 4.0, 11.2.2: before MPI_Finalize everything is received, and what was sent has ended.
void CommModel::leaves(const Process& p) {
  if (p.index >= lanes_of_.size()) return;
  for (const std::size_t lane : lanes_of_[p.index]) {
    const Lane& l = lanes_[lane];
    const Process& sender = world_.process(l.from);
    const bool crashed = sender.life == Life::gone && !sender.orderly;
    for (const Message& message : l.messages) {
      if (message.abandoned || crashed) continue;
      if (l.to == p.index)
        return misuse(p,
                      "leaves in order and has not received a message of tag " + text_of(message.tag) + " from " + sender.name);
      if (!message.eager)
        return misuse(
            p, "leaves in order while its message of tag " + text_of(message.tag) + " waits for " + world_.process(l.to).name);
    }
  }
}

void CommModel::process_ended(const Process& p) {
  const OpKey first{p.index, Role{0}, Op{0}};
  for (auto use = uses_.lower_bound(first); use != uses_.end() && std::get<0>(use->first) == p.index; use = uses_.erase(use))
    if (use->second.stage == Stage::answering && use->second.carries) ++counts_.dropped;
  if (p.index >= lanes_of_.size()) return;
  for (const std::size_t lane : lanes_of_[p.index]) {
    if (lanes_[lane].from == p.index) sender_ended(lane, p.orderly && p.exit_signal == 0);
    if (lanes_[lane].to == p.index) receiver_ended(lane);
  }
}

void CommModel::drop_from(Lane& lane, std::size_t first) {
  counts_.dropped += lane.messages.size() - first;
  lane.messages.erase(lane.messages.begin() + static_cast<std::ptrdiff_t>(first), lane.messages.end());
}

// What it sent and was not taken: a long message is lost with it, and with a message all those behind it. Of the short ones
// before that, who leaves in order leaves all, and who crashes some of the first.
void CommModel::sender_ended(std::size_t lane, bool orderly) {
  Lane& l = lanes_[lane];
  if (l.taking && l.taking->wanted) l.receive = *l.taking;
  l.taking.reset();
  l.stalled = false;
  const auto long_one = std::find_if(l.messages.begin(), l.messages.end(), [](const Message& m) { return !m.eager; });
  drop_from(l, static_cast<std::size_t>(long_one - l.messages.begin()));
  const auto count = static_cast<std::uint32_t>(l.messages.size());
  if (!orderly) drop_from(l, count - world_.choices().choose(Tag::message_loss, l.from, count + 1));
  l.unsent.clear();
  l.at_receiver = news_for(lane, l.to, comm::tell_receiver);
}

void CommModel::receiver_ended(std::size_t lane) {
  Lane& l = lanes_[lane];
  for (const Message& message : l.messages)
    if (!message.eager && !message.abandoned) l.unsent.emplace_back(message.role, message.op);
  drop_from(l, 0);
  l.receive.reset();
  l.taking.reset();
  l.stalled = false;
  l.at_sender = news_for(lane, l.from, comm::tell_sender);
}

// On MPI silence is as likely as to be told.
CommModel::News CommModel::news_for(std::size_t lane, ProcessIndex observer, std::uint64_t what) {
  if (world_.process(observer).life == Life::gone) return News::untold;
  if (world_.choices().choose(Tag::death_notice, observer, 2) == 0)
    schedule(lane, what, comm::hop + world_.chosen_delay(Tag::message_delay, observer));
  return News::untold;
}

}  // namespace tenter::sim
