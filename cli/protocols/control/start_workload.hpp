// The user of a supervisor, as a script: starts one job, sometimes by a call that is wrong at first, waits for its end, and ends
// it at some moment when the run says so.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/protocols/control/starting_rank.hpp"
#include "core/control/supervisor_values.hpp"
#include "sim/workload.hpp"
#include "sim/world.hpp"

namespace tenter::protocols {

inline constexpr sim::ProcessIndex supervisor_process = 0;
inline constexpr Role user_pause_role{2};  // beside control::supervisor_role and control::gate_role
inline constexpr std::string_view launcher_program = "mpiexec";

struct StartShape {
  control::JobSpec job;
  std::vector<RankFate> fates;         // by rank
  std::vector<std::string> hosts;      // by rank
  bool has_impostor = false;           // a peer with the token that is no rank
  bool wrong_at_first = false;         // a start call that no job can be made of comes before the right one
  bool waits_early = false;            // a wait call before there is a job
  std::optional<Duration> ends_after;  // a stop call this long after the start call; a run of that no rank ends by itself has one
  std::uint32_t strangers_max = 0;     // of the gate
  Duration stranger_wait{};
  std::uint32_t world() const { return static_cast<std::uint32_t>(fates.size()); }
};

struct StartCall {
  Ticket ticket{};
  control::StartNote kind{};
  Time submitted{};
  bool wrong = false;  // refused for what it says
  bool ended = false, abandoned = false;
};

class StartWorkload : public sim::Workload {
 public:
  explicit StartWorkload(StartShape shape) : shape_(std::move(shape)) {}

  void start(sim::ClientPort& port) override;
  void completed(sim::ClientPort& port, Ticket ticket, const Note& outcome) override;
  void abandoned(sim::ClientPort& port, Ticket ticket) override;
  bool finished() const override;
  std::string waiting_for() const override;

  const StartShape& shape() const { return shape_; }
  const StartCall* find(Ticket ticket) const;
  // The call that started the job, or is about to.
  const StartCall* job_call() const;
  // Somebody asked for the end.
  bool stop_asked() const;

 private:
  void send(sim::ClientPort& port, control::StartNote kind, Note note, bool wrong = false);
  void start_job(sim::ClientPort& port);

  StartShape shape_;
  std::vector<StartCall> calls_;
};

inline const StartWorkload& start_workload_of(const sim::View& view) {
  return static_cast<const StartWorkload&>(*view.world().workload());
}

}  // namespace tenter::protocols
