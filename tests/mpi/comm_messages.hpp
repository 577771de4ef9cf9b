// The conformance World of one rank for Comm: its own Comm part, a collective part for further communicators, one doorbell.
#pragma once
#include <deque>
#include <optional>
#include <utility>
#include <variant>

#include "hw/mpi/comm_part.hpp"
#include "tests/mpi/mpi_world.hpp"

namespace tenter::hw {

// Doorbell: whether there is one, or only the safety net.
template <bool Rings>
class MpiMessages {
 public:
  explicit MpiMessages(CommLimits limits = {})
      : doorbell_(MpiWorld::require(Doorbell::open(*MpiWorld::environment))),
        collectives_(context_, *MpiWorld::environment, doorbell_),
        at_start_(held()),
        comm_(std::in_place, context_, *MpiWorld::environment, Rings ? &doorbell_ : nullptr, &collectives_, limits) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm_idup(MPI_COMM_WORLD, &ours_, &request);
    mpi_wait_yielding(request);
  }
  // Nothing may be under way on any rank when one takes its part away.
  ~MpiMessages() {
    if (joined_) {
      comm_->leave();
      const bool left = drive([this] { return comm_->left(); }, seconds(30));
      EXPECT_TRUE(left) << "still under way:\n" << comm_->in_flight_text();
    }
    EXPECT_EQ(comm_->in_flight(), 0u) << comm_->in_flight_text();
    comm_.reset();
    EXPECT_EQ(held(), at_start_) << Resources::held_text();
    if (!MpiEnvironment::abandoned()) MPI_Comm_free(&ours_);
  }
  MpiMessages(const MpiMessages&) = delete;
  MpiMessages& operator=(const MpiMessages&) = delete;

  std::uint32_t size() const { return MpiWorld::environment->size(); }
  Rank self() const { return MpiWorld::environment->rank(); }
  bool drives(Rank rank) const { return rank == self(); }
  CommPart& part() { return *comm_; }

  void perform(Rank, Action action) {
    context_.look_again();
    std::visit(
        [this](const auto& a) {
          if constexpr (requires { comm_->perform(a); })
            comm_->perform(a);
          else if constexpr (requires { collectives_.perform(a); })
            collectives_.perform(a);
        },
        action);
  }
  std::optional<Event> next(Rank) { return within(seconds(30)); }
  std::optional<Event> soon(Rank) { return within(milliseconds(3)); }
  void settle() {
    (void)drive([] { return false; }, milliseconds(8));
  }
  // On a communicator of the test's own; the parts go on meanwhile.
  void hold() {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(ours_, &request);
    int done = 0;
    const auto all_here = [&] {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      return done != 0;
    };
    EXPECT_TRUE(drive(all_here, seconds(60), true));
  }

  // Turns of a loop; what comes is kept. awake: never sleeps, for what no doorbell tells of.
  template <class Predicate>
  bool drive(Predicate&& until, Duration patience, bool awake = false) {
    const Time deadline = now() + patience;
    while (true) {
      const bool came = look();
      if (until()) return true;
      if (number(now()) >= number(deadline)) return false;
      if (!came) rest(deadline, awake);
    }
  }

 private:
  static std::int64_t held() { return Resources::held(Resource::communicator) + Resources::held(Resource::request); }
  std::optional<Event> within(Duration patience) {
    if (!drive([this] { return !context_.inbox.empty(); }, patience)) return std::nullopt;
    Event event = context_.inbox.take_front().event;
    if (std::holds_alternative<event::WorldJoined>(event)) joined_ = true;
    return event;
  }
  // True when something came.
  bool look() {
    context_.look_again();
    const std::size_t before = context_.inbox.size();
    comm_->poll();
    collectives_.poll();
    return context_.inbox.size() != before;
  }
  void rest(Time deadline, bool awake) {
    waits_.clear();
    comm_->add_waits(waits_);
    collectives_.add_waits(waits_);
    if (awake || number(waits_.poll_again) == 0) return void(sched_yield());
    MpiWorld::rest(waits_, deadline);
  }

  Context context_{nullptr, MpiWorld::environment->size() > usable_cpus()};
  Doorbell doorbell_;
  CollectivePart collectives_;
  std::int64_t at_start_ = 0;
  std::optional<CommPart> comm_;
  MPI_Comm ours_ = MPI_COMM_NULL;
  WaitSet waits_;
  bool joined_ = false;
};

}  // namespace tenter::hw
