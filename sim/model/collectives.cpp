#include "sim/model/collectives.hpp"

#include <algorithm>

#include "sim/world.hpp"

namespace tenter::sim {
namespace {
constexpr Duration hop = microseconds(2);
}

const char* CollectivesModel::name_of_kind(Kind kind) {
  switch (kind) {
    case Kind::duplicate:
      return "duplicate";
    case Kind::free:
      return "free";
    case Kind::bcast:
      return "bcast";
    case Kind::gather:
      return "gather";
    case Kind::allgather:
      return "allgather";
    case Kind::barrier:
      return "barrier";
  }
  return "?";
}

std::uint32_t CollectivesModel::add_job(std::vector<ProcessIndex> ranks) {
  const auto job = static_cast<std::uint32_t>(jobs_.size());
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
    if (ranks[rank] >= members_.size()) members_.resize(ranks[rank] + 1);
    members_[ranks[rank]] = {job, rank, {}};
  }
  jobs_.push_back(std::move(ranks));
  return job;
}

CollectivesModel::Channel& CollectivesModel::channel(std::uint32_t job, Communicator name) {
  for (Channel& c : channels_)
    if (c.job == job && c.name == name) return c;
  Channel& c = channels_.emplace_back();
  c.job = job;
  c.name = name;
  c.next.resize(jobs_[job].size());
  return c;
}

void CollectivesModel::perform(Process& p, Role role, const action::Duplicate& a) {
  enter(p, role, a.op, Kind::duplicate, a.from, Rank{0}, {}, a.to);
}
void CollectivesModel::perform(Process& p, Role role, const action::FreeCommunicator& a) {
  enter(p, role, a.op, Kind::free, a.communicator, Rank{0}, {}, {});
}
void CollectivesModel::perform(Process& p, Role role, const action::Bcast& a) {
  enter(p, role, a.op, Kind::bcast, a.communicator, a.root, a.content, {});
}
void CollectivesModel::perform(Process& p, Role role, const action::Gather& a) {
  enter(p, role, a.op, Kind::gather, a.communicator, a.root, a.content, {});
}
void CollectivesModel::perform(Process& p, Role role, const action::Allgather& a) {
  enter(p, role, a.op, Kind::allgather, a.communicator, Rank{0}, a.content, {});
}
void CollectivesModel::perform(Process& p, Role role, const action::Barrier& a) {
  enter(p, role, a.op, Kind::barrier, a.communicator, Rank{0}, {}, {});
}

void CollectivesModel::enter(Process& p, Role role, Op op, Kind kind, Communicator communicator, Rank root, Blob content,
                             Communicator target) {
  if (p.index >= members_.size() || members_[p.index].job == 0xFFFFFFFFu) {
    world_.fail(FindingKind::safety, "collective.outside_a_job", p.name + " is in no job and calls " + name_of_kind(kind));
    return;
  }
  const Membership& member = members_[p.index];
  Status status = Status::ok;
  const std::string why = refusal(member, kind, communicator, root, target, status);
  if (status != Status::ok) {
    world_.post(p.index, role,
                event::CollectiveDone{Time{}, op, status, Blob(p.name + ": " + name_of_kind(kind) + ": " + why), {}}, hop);
    return;
  }
  Channel& c = channel(member.job, communicator);
  const std::uint64_t number_of_round = c.next[member.rank]++;
  const std::size_t at = static_cast<std::size_t>(number_of_round - c.first);
  if (at == c.rounds.size()) {
    Round round;
    round.kind = kind;
    round.root = root;
    round.target = target;
    round.ranks.resize(jobs_[member.job].size());
    c.rounds.push_back(std::move(round));
  }
  Round& round = c.rounds[at];
  if (round.kind != kind || round.root != root || round.target != target) {
    std::string first;
    for (std::size_t i = 0; i < round.ranks.size() && first.empty(); ++i)
      if (round.ranks[i].here) first = world_.process(jobs_[member.job][i]).name;
    world_.fail(FindingKind::safety, "collective.mismatch",
                "round " + std::to_string(number_of_round) + " of communicator " + std::to_string(number(communicator)) + ": " +
                    first + " is in " + name_of_kind(round.kind) + " with root " + std::to_string(number(round.root)) + ", " +
                    p.name + " enters " + name_of_kind(kind) + " with root " + std::to_string(number(root)));
    return;
  }
  round.ranks[member.rank] = {true, false, role, op, std::move(content)};
  ++round.arrived;
  advance(c, round);
  while (!c.rounds.empty() && c.rounds.front().finished == jobs_[c.job].size()) {
    c.rounds.erase(c.rounds.begin());
    ++c.first;
  }
}

std::string CollectivesModel::refusal(const Membership& member, Kind kind, Communicator communicator, Rank root,
                                      Communicator target, Status& found) const {
  const ProcessIndex process = jobs_[member.job][member.rank];
  if (!has(process, communicator)) {
    found = Status::unavailable;
    return "there is no communicator " + std::to_string(number(communicator));
  }
  if (kind == Kind::free && communicator == world_communicator) {
    found = Status::unavailable;
    return "the world cannot be freed";
  }
  if (kind == Kind::duplicate && has(process, target)) {
    found = Status::exists;
    return "communicator " + std::to_string(number(target)) + " exists";
  }
  if (number(root) >= jobs_[member.job].size()) {
    found = Status::invalid;
    return "root " + std::to_string(number(root)) + " of " + std::to_string(jobs_[member.job].size()) + " ranks";
  }
  return {};
}

void CollectivesModel::finish(Channel& c, Round& round, std::uint32_t rank, Blob content, Parts parts, Status status) {
  Arrival& arrival = round.ranks[rank];
  arrival.done = true;
  ++round.finished;
  const ProcessIndex process = jobs_[c.job][rank];
  if (round.kind == Kind::duplicate) members_[process].held.push_back(round.target);
  if (round.kind == Kind::free) std::erase(members_[process].held, c.name);
  world_.post(process, arrival.role, event::CollectiveDone{Time{}, arrival.op, status, std::move(content), std::move(parts)},
              hop);
}

// A payload over the limit fails its round: everywhere, or (gather) at the root and at whoever brought it.
bool CollectivesModel::over_limit(Channel& c, Round& round) {
  const bool of_root = round.kind == Kind::bcast;
  for (std::uint32_t rank = 0; rank < round.ranks.size(); ++rank) {
    const std::uint64_t bytes = round.ranks[rank].content.size();
    if (bytes <= payload_bytes_max || (of_root && rank != number(round.root))) continue;
    const Blob why("a payload of " + std::to_string(bytes) + " B from " + world_.process(jobs_[c.job][rank]).name +
                   " is over the limit");
    for (std::uint32_t other = 0; other < round.ranks.size(); ++other) {
      if (!round.ranks[other].here || round.ranks[other].done) continue;
      const bool fails = round.kind != Kind::gather || other == rank || other == number(round.root);
      finish(c, round, other, fails ? why : Blob(), {}, fails ? Status::invalid : Status::ok);
    }
    return true;
  }
  return false;
}

void CollectivesModel::advance(Channel& c, Round& round) {
  const auto size = static_cast<std::uint32_t>(round.ranks.size());
  const std::uint32_t root = number(round.root);
  const bool all = round.arrived == size;
  const bool eager = world_.choices().choose(Tag::eager, c.job, 2) == 0;
  if (round.kind == Kind::bcast) {
    if (!round.ranks[root].here || over_limit(c, round)) return;
    const Blob content = round.ranks[root].content;
    for (std::uint32_t rank = 0; rank < size; ++rank) {
      Arrival& arrival = round.ranks[rank];
      if (!arrival.here || arrival.done) continue;
      if (rank == root && !eager && !all) continue;
      finish(c, round, rank, content, {});
    }
  } else if (round.kind == Kind::gather) {
    for (std::uint32_t rank = 0; rank < size; ++rank) {
      Arrival& arrival = round.ranks[rank];
      if (!arrival.here || arrival.done || rank == root || arrival.content.size() > payload_bytes_max) continue;
      if (!eager && !round.ranks[root].here) continue;
      finish(c, round, rank, {}, {});
    }
    if (!all || round.ranks[root].done || over_limit(c, round)) return;
    std::vector<Blob> contents;
    contents.reserve(size);
    for (Arrival& arrival : round.ranks) contents.push_back(arrival.content);
    finish(c, round, root, {}, Parts(std::move(contents)));
  } else if (all) {
    if (over_limit(c, round)) return;
    Parts parts;
    if (round.kind == Kind::allgather) {
      std::vector<Blob> contents;
      for (Arrival& arrival : round.ranks) contents.push_back(arrival.content);
      parts = Parts(std::move(contents));
    }
    for (std::uint32_t rank = 0; rank < size; ++rank) finish(c, round, rank, {}, parts);
  }
}

std::string CollectivesModel::waits() const {
  std::string text;
  for (const Channel& c : channels_) {
    for (std::size_t i = 0; i < c.rounds.size(); ++i) {
      const Round& round = c.rounds[i];
      if (round.finished == round.ranks.size()) continue;
      std::string here, absent;
      for (std::size_t rank = 0; rank < round.ranks.size(); ++rank) {
        std::string& list = round.ranks[rank].here ? here : absent;
        list += (list.empty() ? "" : ", ") + world_.process(jobs_[c.job][rank]).name;
      }
      text += std::string(name_of_kind(round.kind)) + " " + std::to_string(c.first + i) + " on communicator " +
              std::to_string(number(c.name)) + ": entered by " + here + "; absent: " + (absent.empty() ? "nobody" : absent) +
              "\n";
    }
  }
  return text;
}

std::optional<CollectivesModel::Place> CollectivesModel::place(ProcessIndex process) const {
  if (process >= members_.size() || members_[process].job >= jobs_.size()) return std::nullopt;
  const Membership& member = members_[process];
  return Place{member.job, member.rank, static_cast<std::uint32_t>(jobs_[member.job].size())};
}

bool CollectivesModel::has(ProcessIndex process, Communicator communicator) const {
  const std::vector<Communicator>& held = members_[process].held;
  return communicator == world_communicator || std::find(held.begin(), held.end(), communicator) != held.end();
}

std::uint32_t CollectivesModel::held(ProcessIndex process) const {
  return process < members_.size() ? static_cast<std::uint32_t>(members_[process].held.size()) : 0;
}

}  // namespace tenter::sim
