// MPI collectives: matched in order per communicator; a root of an eager bcast may leave first, a gather root leaves last; ranks
// enter at their own pace. A rank that enters another collective than the others is reported with both by name.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/action.hpp"
#include "sim/process.hpp"

namespace tenter::sim {

class World;

class CollectivesModel {
 public:
  explicit CollectivesModel(World& world) : world_(world) {}
  static constexpr std::uint64_t payload_bytes_max = 16u << 20;

  // A job: the ranks of one launcher, in order. Returns the job's number.
  std::uint32_t add_job(std::vector<ProcessIndex> ranks);

  void perform(Process& p, Role role, const action::Duplicate& a);
  void perform(Process& p, Role role, const action::FreeCommunicator& a);
  void perform(Process& p, Role role, const action::Bcast& a);
  void perform(Process& p, Role role, const action::Gather& a);
  void perform(Process& p, Role role, const action::Allgather& a);
  void perform(Process& p, Role role, const action::Barrier& a);

  // Where a process stands in its job; none: it is in no job.
  struct Place {
    std::uint32_t job = 0, rank = 0, ranks = 0;
  };
  std::optional<Place> place(ProcessIndex process) const;
  ProcessIndex process_of(std::uint32_t job, Rank rank) const { return jobs_[job][number(rank)]; }
  bool has(ProcessIndex process, Communicator communicator) const;

  // Who waits for whom, one line a started and not finished collective.
  std::string waits() const;
  // Communicators (beyond the world) that an orderly process still holds.
  std::uint32_t held(ProcessIndex process) const;

 private:
  enum class Kind : std::uint8_t { duplicate, free, bcast, gather, allgather, barrier };
  struct Arrival {
    bool here = false;
    bool done = false;
    Role role{};
    Op op{};
    Blob content;
  };
  struct Round {
    Kind kind{};
    Rank root{};
    Communicator target{};  // duplicate: the new name
    std::uint32_t arrived = 0, finished = 0;
    std::vector<Arrival> ranks;
  };
  struct Channel {  // one communicator of one job
    std::uint32_t job = 0;
    Communicator name{};
    std::uint64_t first = 0;  // number of rounds[0]
    std::vector<Round> rounds;
    std::vector<std::uint64_t> next;  // a rank's next round
  };
  struct Membership {
    std::uint32_t job = 0xFFFFFFFFu;
    std::uint32_t rank = 0;
    std::vector<Communicator> held;  // beyond the world
  };

  void enter(Process& p, Role role, Op op, Kind kind, Communicator communicator, Rank root, Blob content, Communicator target);
  // Why this rank may not issue it; nothing is matched then. `found`: the status of the refusal.
  std::string refusal(const Membership& member, Kind kind, Communicator communicator, Rank root, Communicator target,
                      Status& found) const;
  void advance(Channel& channel, Round& round);
  bool over_limit(Channel& channel, Round& round);
  void finish(Channel& channel, Round& round, std::uint32_t rank, Blob content, Parts parts, Status status = Status::ok);
  Channel& channel(std::uint32_t job, Communicator name);
  static const char* name_of_kind(Kind kind);

  World& world_;
  std::vector<std::vector<ProcessIndex>> jobs_;
  std::vector<Channel> channels_;
  std::vector<Membership> members_;  // by process
};

}  // namespace tenter::sim
