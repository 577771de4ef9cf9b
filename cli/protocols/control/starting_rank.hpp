// A rank's own program, as far as a start knows it: it prepares, checks in, enters MPI when it is told to, runs and ends. What it
// is fated to do is the run's choice. No part of control; its GateClient is the shipped one.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "core/control/hidden.hpp"
#include "core/control/slr3.hpp"
#include "core/control/start_notes.hpp"
#include "core/machine.hpp"
#include "core/port.hpp"

namespace tenter::protocols {

inline constexpr Role program_role{0}, gate_client_role{1}, impostor_role{2};  // of a rank's process

enum class RankFate : std::uint8_t {
  works,
  cannot_start,     // and says so
  leaves_unheard,   // before it has said anything
  never_speaks,     // it is there, and that is all
  leaves_at_go,     // instead of entering MPI
  fails_at_work,    // its code is not 0
  ends_by_request,  // works until somebody ends it
  deaf_to_sigterm,  // the same, and asking is not enough
};
inline constexpr std::uint32_t rank_fates = 8;

struct StartingRankConfig {
  std::uint32_t rank = 0;
  RankFate fate = RankFate::works;
  Duration prepares{};  // from its birth to its check-in
  Duration works{};     // from its joining to its end
  Duration patience = seconds(60);
  std::string gate = {};
  control::Hidden token = {};
  bool has_impostor = false;  // a machine of the process that is told what the rank says
  friend bool operator==(const StartingRankConfig&, const StartingRankConfig&) = default;
  TENTER_DESCRIBE(starting_rank_config, rank, fate, prepares, works, patience, gate, token, has_impostor)
};

// Why a rank that is fated to says that it cannot start.
inline std::string reason_of(std::uint32_t rank) { return "rank " + std::to_string(rank) + " has no device"; }

class StartingRank {
 public:
  StartingRank() = default;
  explicit StartingRank(StartingRankConfig config) : config_(std::move(config)) {}

  template <class O>
  void on(const event::Started&, O& out) {
    out.describe_host(describe);
  }
  template <class O>
  void on(const event::HostDescribed& e, O& out) {
    report_ = {Blob(std::string_view(config_.token.bytes)),
               config_.rank,
               control::GateState::ready,
               {},
               e.self,
               std::string(e.host.text())};
    report_.version = control::frame_version;
    if (config_.has_impostor) out.tell(impostor_role, check_in());
    report_.token = {};
    step_ = Step::preparing;
    if (config_.fate != RankFate::never_speaks) out.arm(prepared, e.now + config_.prepares);
  }
  template <class O>
  void on(const event::TimerFired& e, O& out) {
    if (e.op == worked && step_ == Step::working) {
      if (config_.fate == RankFate::fails_at_work) return out.exit_process(7, false);
      return out.barrier(leave, world_communicator);  // the end of MPI is everybody's
    }
    if (e.op != prepared || step_ != Step::preparing) return;
    if (config_.fate == RankFate::leaves_unheard) return out.exit_process(3, false);
    if (config_.fate == RankFate::cannot_start) {
      report_.state = control::GateState::failed;
      report_.error = reason_of(config_.rank);
    }
    step_ = Step::checking_in;
    report_.token = Blob(std::string_view(config_.token.bytes));
    out.tell(gate_client_role, check_in());
    report_.token = {};
  }
  template <class O>
  void on(const event::Told& e, O& out) {
    if (e.from != gate_client_role) return;
    if (control::is(e.note, control::StartNote::go)) {
      if (config_.fate == RankFate::leaves_at_go) return out.exit_process(4, false);
      step_ = Step::entering;
      return out.join_world(join);
    }
    if (!control::is(e.note, control::StartNote::checked_out)) return;
    if (step_ == Step::checking_in) return out.exit_process(1, false);
    // Whether the gate has heard that this rank has joined is the supervisor's affair: it ends a job that has not started.
    if (config_.fate < RankFate::ends_by_request) out.arm(worked, e.now + config_.works);
  }
  template <class O>
  void on(const event::WorldJoined& e, O& out) {
    if (e.status != Status::ok) return out.exit_process(5, false);
    step_ = Step::working;
    out.tell(gate_client_role, control::start_note(control::StartNote::joined));
  }
  template <class O>
  void on(const event::CollectiveDone& e, O& out) {
    if (e.op == leave) out.exit_process(0, true);
  }
  template <class O>
  void on(const event::ParentExited&, O& out) {
    out.exit_process(6, false);
  }
  // Not asked for.
  template <class O>
  void on(const event::ProcessesInspected&, O&) {}

  std::string_view state_name() const {
    constexpr std::string_view names[] = {"born", "preparing", "checking_in", "entering", "working"};
    return names[static_cast<std::size_t>(step_)];
  }
  const StartingRankConfig& config() const { return config_; }
  bool has_joined() const { return step_ == Step::working; }

 private:
  static constexpr Op describe{1}, prepared{2}, join{3}, worked{4}, leave{5};
  enum class Step : std::uint8_t { born, preparing, checking_in, entering, working };
  Note check_in() const { return control::check_in_note({config_.gate, config_.patience, report_}); }

  StartingRankConfig config_;
  Step step_ = Step::born;
  control::GateReport report_;  // without its token

 public:
  friend bool operator==(const StartingRank&, const StartingRank&) = default;
  TENTER_DESCRIBE(starting_rank, config_, step_, report_)
};

}  // namespace tenter::protocols
