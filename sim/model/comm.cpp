#include "sim/model/comm.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "sim/model/comm_steps.hpp"
#include "sim/world.hpp"

namespace tenter::sim {
namespace {

// Answer 0 is what MPICH does for two processes of a host.
constexpr std::uint64_t borders[] = {8'192, CommModel::all_eager, 0, 64, 1'024, 65'536};

}  // namespace

void CommModel::misuse(const Process& p, const std::string& text) {
  world_.fail(FindingKind::safety, "a machine keeps the Comm's contract", p.name + ": " + text);
}

// ---------------------------------------------------------------- the world

CommModel::Join& CommModel::join(ProcessIndex process) {
  if (process >= joins_.size()) joins_.resize(process + 1);
  return joins_[process];
}

void CommModel::perform(Process& p, Role role, const action::JoinWorld& a) {
  Join& mine = join(p.index);
  if (mine.asked) return misuse(p, "joins the world a second time");
  if (p.job.empty() && !world_.collectives().place(p.index)) return misuse(p, "joins the world and is in no job");
  mine.asked = true;
  mine.role = role;
  mine.op = a.op;
  if (world_.allowed(Tag::join_failure) && world_.choices().choose(Tag::join_failure, p.index, 2) != 0) {
    world_.spend(Tag::join_failure);
    mine.failed = true;
    world_.post(p.index, role,
                event::WorldJoined{Time{}, a.op, Status::failed, {}, 0, Blob("simulated library: the start failed on purpose")},
                comm::hop);
    return;
  }
  complete_join(p.index);
}

void CommModel::formed(ProcessIndex member) {
  if (member < joins_.size()) complete_join(member);
}

// Told when all are there. One that died before the others came is waited for, as by MPI_Init.
void CommModel::complete_join(ProcessIndex member) {
  const auto place = world_.collectives().place(member);
  if (!place) return;
  for (std::uint32_t rank = 0; rank < place->ranks; ++rank) {
    const ProcessIndex process = world_.collectives().process_of(place->job, Rank{rank});
    const Join& other = join(process);
    if (!other.asked || other.failed || other.told || world_.process(process).life == Life::gone) return;
  }
  for (std::uint32_t rank = 0; rank < place->ranks; ++rank) {
    const ProcessIndex process = world_.collectives().process_of(place->job, Rank{rank});
    Join& other = join(process);
    other.told = true;
    world_.post(process, other.role, event::WorldJoined{Time{}, other.op, Status::ok, Rank{rank}, place->ranks, {}},
                comm::hop + world_.chosen_delay(Tag::message_delay, process), 1);
  }
}

bool CommModel::take_join(ProcessIndex process) {
  join(process).joined = true;
  return true;
}

// ---------------------------------------------------------------- names

// What a machine must not do; the run has failed then.
bool CommModel::refuses(const Process& p, Role role, Op op, Communicator communicator, Rank other) {
  const auto place = world_.collectives().place(p.index);
  std::string why;
  if (!place || !join(p.index).joined)
    why = "has not joined the world";
  else if (!world_.collectives().has(p.index, communicator))
    why = "has no communicator " + text_of(communicator);
  else if (number(other) >= place->ranks)
    why = "names rank " + text_of(other) + " of " + text_of(place->ranks);
  else if (!uses_.try_emplace({p.index, role, op}).second)
    why = "uses op " + text_of(op) + " a second time";
  if (why.empty()) return false;
  misuse(p, why);
  return true;
}

std::size_t CommModel::lane_of(ProcessIndex from, ProcessIndex to, Rank sender, Communicator communicator) {
  const auto [found, made] = lane_by_key_.try_emplace({from, to, communicator}, lanes_.size());
  if (!made) return found->second;
  const std::size_t lane = lanes_.size();
  lanes_.emplace_back();
  lanes_[lane].from = from;
  lanes_[lane].to = to;
  lanes_[lane].sender = sender;
  lanes_[lane].communicator = communicator;
  for (const ProcessIndex end : {from, to}) {
    if (end >= lanes_of_.size()) lanes_of_.resize(end + 1);
    if (lanes_of_[end].empty() || lanes_of_[end].back() != lane) lanes_of_[end].push_back(lane);
  }
  if (world_.process(from).life == Life::gone) sender_ended(lane, false);
  if (world_.process(to).life == Life::gone) receiver_ended(lane);
  return lane;
}

bool CommModel::eager(const Blob& content) {
  if (!eager_below_) eager_below_ = borders[world_.choices().choose(Tag::eager_limit, 0, std::size(borders))];
  return content.size() < *eager_below_;
}

void CommModel::schedule(std::size_t lane, std::uint64_t what, Duration after) {
  Item item;
  item.kind = Item::Kind::message;
  item.process = lanes_[lane].to;
  item.a = lane;
  item.b = what;
  world_.schedule(after, std::move(item));
}

// ---------------------------------------------------------------- sends

// In order, whatever the delays: a late message holds back those behind it, and nobody else's.
Time CommModel::arrival(Lane& lane) {
  Duration wait = comm::hop + world_.chosen_delay(Tag::message_delay, lane.from);
  if (world_.allowed(Tag::starvation)) {
    const std::uint32_t much = world_.choices().choose(Tag::starvation, lane.from, 18);
    if (much != 0) world_.spend(Tag::starvation);
    if (much == 17)
      wait = wait + (std::max(world_.heals_at(), world_.now()) - world_.now());
    else if (much != 0)
      wait = wait + milliseconds(std::int64_t{1} << (much - 1));
  }
  lane.last = std::max(lane.last, world_.now() + wait);
  return lane.last;
}

void CommModel::perform(Process& p, Role role, const action::SendMessage& a) {
  if (refuses(p, role, a.op, a.communicator, a.to)) return;
  const auto place = world_.collectives().place(p.index);
  const std::size_t lane = lane_of(p.index, world_.collectives().process_of(place->job, a.to), Rank{place->rank}, a.communicator);
  uses_[{p.index, role, a.op}] = {Stage::open, lane, true, false};
  ++counts_.sent;
  Lane& to = lanes_[lane];
  if (to.at_sender != News::none) return send_to_nobody(lane, role, a);
  Message message{role, a.op, a.tag, a.content, arrival(to), false, eager(a.content), false};
  const Duration travels = message.arrives - world_.now();
  if (message.eager) answer_send(to, role, a.op, Status::ok);
  to.messages.push_back(std::move(message));
  schedule(lane, comm::arrival, travels);
}

// Its receiver has ended: told, the port refuses; untold, a short one is done and gone, a long one waits for what it is told.
void CommModel::send_to_nobody(std::size_t lane, Role role, const action::SendMessage& a) {
  Lane& to = lanes_[lane];
  ++counts_.dropped;
  if (to.at_sender == News::told)
    answer_send(to, role, a.op, Status::peer_lost);
  else if (eager(a.content))
    answer_send(to, role, a.op, Status::ok);
  else
    to.unsent.emplace_back(role, a.op);
}

void CommModel::answer_send(const Lane& lane, Role role, Op op, Status status) {
  Use& use = uses_[{lane.from, role, op}];
  if (use.stage != Stage::open) return;
  use.stage = Stage::answering;
  Blob text;
  if (status != Status::ok) text = Blob("simulated messages: " + world_.process(lane.to).name + " is gone");
  world_.post(lane.from, role, event::MessageSent{Time{}, op, status, std::move(text)}, comm::hop, 1);
}

// It may still arrive, whole, or never: a long one that nobody has begun to take can be called back.
void CommModel::perform(Process& p, Role role, const action::AbandonSend& a) {
  const auto use = uses_.find({p.index, role, a.op});
  if (use == uses_.end() || !use->second.sends || use->second.stage == Stage::over) return;
  use->second.stage = Stage::over;
  Lane& lane = lanes_[use->second.lane];
  std::erase(lane.unsent, std::pair{role, a.op});
  for (std::size_t i = 0; i < lane.messages.size(); ++i) {
    Message& message = lane.messages[i];
    if (message.role != role || message.op != a.op) continue;
    message.abandoned = true;
    const bool moves = i == 0 && lane.taking.has_value();
    if (message.eager || moves || world_.choices().choose(Tag::message_loss, p.index, 2) == 0) return;
    lane.messages.erase(lane.messages.begin() + static_cast<std::ptrdiff_t>(i));
    ++counts_.dropped;
    return match(use->second.lane);
  }
}

// ---------------------------------------------------------------- receives

void CommModel::perform(Process& p, Role role, const action::ReceiveMessage& a) {
  if (refuses(p, role, a.op, a.communicator, a.from)) return;
  const auto place = world_.collectives().place(p.index);
  const std::size_t lane = lane_of(world_.collectives().process_of(place->job, a.from), p.index, a.from, a.communicator);
  uses_[{p.index, role, a.op}] = {Stage::open, lane, false, false};
  Lane& from = lanes_[lane];
  if (from.receive || (from.taking && from.taking->wanted))
    return misuse(p, "posts a second receive from rank " + text_of(a.from) + " on communicator " + text_of(a.communicator));
  from.receive = Receive{role, a.op, a.limit};
  match(lane);
}

void CommModel::perform(Process& p, Role role, const action::WithdrawReceive& a) {
  const auto use = uses_.find({p.index, role, a.op});
  if (use == uses_.end() || use->second.sends || use->second.stage == Stage::over) return;
  if (use->second.stage == Stage::answering && use->second.carries) ++counts_.dropped;
  Lane& lane = lanes_[use->second.lane];
  if (use->second.stage == Stage::open && lane.taking && lane.taking->wanted)
    lane.taking->wanted = false;
  else if (use->second.stage == Stage::open)
    lane.receive.reset();
  use->second.stage = Stage::over;
}

bool CommModel::take(ProcessIndex process, Role role, Op op) {
  const auto use = uses_.find({process, role, op});
  if (use == uses_.end() || use->second.stage != Stage::answering) return false;
  use->second.stage = Stage::over;
  if (use->second.carries) ++counts_.arrived;
  return true;
}

// ---------------------------------------------------------------- for properties, mutants and people

bool CommModel::outstanding(ProcessIndex process, Role role, Op op) const {
  const auto use = uses_.find({process, role, op});
  return use != uses_.end() && use->second.stage != Stage::over;
}

CommModel::Counts CommModel::counts() const {
  Counts all = counts_;
  for (const Lane& lane : lanes_) all.under_way += lane.messages.size();
  for (const auto& [key, use] : uses_) all.under_way += use.stage == Stage::answering && use.carries ? 1 : 0;
  return all;
}

std::string CommModel::text_of_lane(const Lane& lane) const {
  return world_.process(lane.from).name + " to " + world_.process(lane.to).name + " on communicator " +
         text_of(lane.communicator);
}

std::string CommModel::waits() const {
  std::string text;
  for (ProcessIndex process = 0; process < joins_.size(); ++process) {
    const Join& one = joins_[process];
    if (one.asked && !one.failed && !one.told && world_.process(process).life != Life::gone)
      text += world_.process(process).name + " has joined the world and waits for the others\n";
  }
  for (const Lane& lane : lanes_) {
    const bool receives = (lane.receive || lane.taking) && world_.process(lane.to).life != Life::gone;
    if (!receives && lane.messages.empty() && lane.unsent.empty()) continue;
    text += text_of_lane(lane) + ": " + text_of(lane.messages.size()) + " messages" +
            (lane.unsent.empty() ? "" : ", " + text_of(lane.unsent.size()) + " that nobody takes") +
            (receives ? ", a receive" : "") + (lane.stalled ? ", one of them half-way" : "") + "\n";
  }
  return text;
}

}  // namespace tenter::sim
