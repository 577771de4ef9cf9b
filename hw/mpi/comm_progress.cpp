// The second half of Comm on MPI: joining, and what happens to a message until its event.
#include <algorithm>
#include <utility>

#include "core/check.hpp"
#include "hw/mpi/comm_lane.hpp"
#include "hw/mpi/comm_part.hpp"
#include "hw/mpi/comm_status.hpp"
#include "hw/resource.hpp"

namespace tenter::hw {
namespace {

constexpr CollectiveKind learnt_as = CollectiveKind::barrier;  // the policy learns a kind at a time; messages are of one
constexpr std::uint64_t rung_from = 1'024;                     // a sender may wait for a message this long to be taken

}  // namespace

// ---------------------------------------------------------------- the world

// Told by its collective calls: not ok ends the join.
bool CommPart::joined(int code, const char* call) {
  if (code == MPI_SUCCESS) return true;
  const std::string text = std::string("join: ") + call + ": " + mpi_error_text(code);
  MpiEnvironment::abandon();  // the others may wait for this rank for ever
  phase_ = Phase::failed;
  context_.push(joiner_.role, event::WorldJoined{at(), joiner_.op, status_of_mpi(code), {}, 0, Blob(std::string_view(text))});
  return false;
}

bool CommPart::advance_world() {
  if (phase_ == Phase::leaving && request_ == MPI_REQUEST_NULL) {
    if (in_flight() != 0) return false;
    if (MPI_Ibarrier(world_, &request_) != MPI_SUCCESS) return false;  // whoever drives the loop has a deadline
    world_echoes_ = world_echoes_max;
    if (doorbell_ != nullptr) doorbell_->ring_others(Doorbell::Awaited::any());
  }
  if (request_ == MPI_REQUEST_NULL) return false;
  int done = 0;
  const int code = MPI_Test(&request_, &done, MPI_STATUS_IGNORE);
  if (phase_ == Phase::leaving) {
    if (code != MPI_SUCCESS || done == 0) return false;
    phase_ = Phase::left;
    if (doorbell_ != nullptr) doorbell_->ring_others(Doorbell::Awaited::any());  // the last step may be what they sleep for
    return true;
  }
  if (!joined(code, "MPI_Test")) return true;
  if (done == 0) return false;
  if (phase_ == Phase::duplicating) {
    Resources::acquire(Resource::communicator);
    MPI_Comm_set_errhandler(world_, MPI_ERRORS_RETURN);
    phase_ = Phase::gathering;  // a duplicate may be made before all have asked for it
    world_echoes_ = world_echoes_max;
    (void)joined(MPI_Ibarrier(world_, &request_), "MPI_Ibarrier");
  } else {
    phase_ = Phase::joined;
    context_.push(joiner_.role, event::WorldJoined{at(), joiner_.op, Status::ok, environment_.rank(), environment_.size(), {}});
  }
  if (doorbell_ != nullptr) doorbell_->ring_others(Doorbell::Awaited::any());
  return true;
}

// ---------------------------------------------------------------- sends

// True when MPI needs nothing of it any more.
bool CommPart::test(Send& send) {
  bool all = true;
  for (MPI_Request& request : send.requests) {
    if (request == MPI_REQUEST_NULL) continue;
    int done = 0;
    const int code = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS) {
      request = MPI_REQUEST_NULL;
      if (send.code == MPI_SUCCESS) send.code = code;
    }
    all = all && request == MPI_REQUEST_NULL;
  }
  return all;
}

bool CommPart::advance_sends() {
  bool moved = false;
  for (std::size_t i = 0; i < sends_.size();) {
    if (!test(*sends_[i])) {
      ++i;
      continue;
    }
    const std::unique_ptr<Send> send = std::move(sends_[i]);
    sends_.erase(sends_.begin() + static_cast<std::ptrdiff_t>(i));
    Resources::release(Resource::request);
    if (!send->abandoned) answer_send(send->owner, send->code);
    moved = true;
  }
  return moved;
}

// ---------------------------------------------------------------- receives

// True when the lane's message was begun, taken or lost.
bool CommPart::look_for(Lane& lane) {
  int found = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  const int code = MPI_Improbe(lane.source, MPI_ANY_TAG, lane.communicator, &found, &message, &status);
  if (code == MPI_SUCCESS && found == 0) return false;
  if (code == MPI_SUCCESS) {
    take(lane, message, status);
    return true;
  }
  const Owner owner = std::exchange(lane.posted, std::nullopt)->owner;
  std::erase(posted_, &lane);
  const Rank from{static_cast<std::uint32_t>(lane.source)};
  answer_arrival(owner, {{}, {}, status_of_mpi(code), from, {}, 0, Blob("receive: MPI_Improbe: " + mpi_error_text(code))});
  return true;
}

void CommPart::take(Lane& lane, MPI_Message message, const MPI_Status& status) {
  int count = 0;
  MPI_Get_count(&status, MPI_BYTE, &count);
  std::erase(posted_, &lane);
  taking_.push_back(&lane);
  Resources::acquire(Resource::request);
  lane.began = at();
  lane.is_announcement = status.MPI_TAG == comm_tag::announcement;
  void* to = lane.tag_bytes.data();
  if (lane.is_announcement) {
    count = std::min(count, static_cast<int>(comm_tag::announcement_bytes));
  } else {
    const Lane::Receive receive = *std::exchange(lane.posted, std::nullopt);
    lane.taker = receive.owner;
    lane.tag =
        lane.announced ? *std::exchange(lane.announced, std::nullopt) : MessageTag{static_cast<std::uint32_t>(status.MPI_TAG)};
    lane.length = static_cast<std::uint64_t>(count);
    lane.too_long = lane.length > receive.limit;
    if (lane.too_long) count = 0;  // MPI drops what is over the count, and says so
    lane.content = Blob(static_cast<std::size_t>(count), [&](MutableBytes bytes) { to = bytes.data(); });
  }
  lane.code = MPI_Imrecv(to, count, MPI_BYTE, &message, &lane.request);
  // Its sender may have to help, or sleep until it is taken.
  if (!test(lane)) {
    ring(lane.source);
    under_way(lane.length);
  }
}

// True when it is taken.
bool CommPart::test(Lane& lane) {
  int done = 1;
  if (lane.code == MPI_SUCCESS) lane.code = MPI_Test(&lane.request, &done, MPI_STATUS_IGNORE);
  if (lane.code == MPI_SUCCESS && done == 0) return false;
  if (lane.too_long && mpi_error_class(lane.code) == MPI_ERR_TRUNCATE) lane.code = MPI_SUCCESS;
  taken(lane);
  return true;
}

void CommPart::taken(Lane& lane) {
  std::erase(taking_, &lane);
  Resources::release(Resource::request);
  lane.request = MPI_REQUEST_NULL;
  const int code = std::exchange(lane.code, MPI_SUCCESS);
  if (lane.is_announcement) {
    lane.announced = MessageTag{wire::load<std::uint32_t>(lane.tag_bytes.data())};
    lane.is_announcement = false;
  } else {
    if (lane.length >= rung_from) ring(lane.source);
    event::MessageArrived arrived;
    arrived.from = Rank{static_cast<std::uint32_t>(lane.source)};
    arrived.tag = lane.tag;
    arrived.length = lane.length;
    arrived.content = std::exchange(lane.content, Blob());
    if (std::exchange(lane.too_long, false)) arrived.status = Status::no_space;
    if (code != MPI_SUCCESS) {
      arrived.status = status_of_mpi(code);
      arrived.content = Blob("receive: MPI_Imrecv: " + mpi_error_text(code));
    }
    const std::optional<Owner> taker = std::exchange(lane.taker, std::nullopt);
    ++(!taker ? counters_.dropped : arrived.status == Status::no_space ? counters_.too_long : counters_.arrived);
    if (taker) answer_arrival(*taker, std::move(arrived));
  }
  if (lane.posted) posted_.push_back(&lane);
}

bool CommPart::advance_taking() {
  bool moved = false;
  for (std::size_t i = 0; i < taking_.size();) {
    if (test(*taking_[i]))
      moved = true;  // the next one has its place
    else
      ++i;
  }
  return moved;
}

// Whether any sender is worth a probe of its own: one call instead of one a lane.
bool CommPart::anything_here() {
  for (const Lane* lane : posted_)
    if (lane->communicator != world_) return true;
  int found = 0;
  const int code = MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world_, &found, MPI_STATUS_IGNORE);
  return code != MPI_SUCCESS || found != 0;
}

// One lane in turn is looked at in any case, so that no message depends on that one call.
bool CommPart::probe() {
  if (posted_.empty()) return false;
  constexpr std::size_t few = 2;
  if (posted_.size() > few && !anything_here()) return look_for(*posted_[next_lane_++ % posted_.size()]);
  bool moved = false;
  for (std::size_t i = 0; i < posted_.size();) {
    Lane* const lane = posted_[i];
    moved |= look_for(*lane);
    if (i < posted_.size() && posted_[i] == lane) ++i;  // else the next one has its place
  }
  return moved;
}

// A long message moves only while both sides test: who takes one keeps its sender awake, and a sender that is rung rings back,
// for it may have sent a piece on, or a step of a collective. Not for ever: two that do not take each other's message come to
// rest.
void CommPart::keep_others_awake(bool rung) {
  if (rung) {
    if (request_ != MPI_REQUEST_NULL && world_echoes_ > 0) {
      --world_echoes_;
      doorbell_->ring_others(Doorbell::Awaited::any());
    }
    for (auto& send : sends_) {
      if (send->echoes == 0) continue;
      --send->echoes;
      ring(send->to);
    }
  }
  if (taking_.empty() || number(at()) < number(next_ring_)) return;
  next_ring_ = at() + limits_.wait.yield_most;
  for (const Lane* lane : taking_) ring(lane->source);
}

// ---------------------------------------------------------------- for the loop

bool CommPart::advance() {
  bool moved = request_ != MPI_REQUEST_NULL || phase_ == Phase::leaving ? advance_world() : false;
  if (!sends_.empty()) moved |= advance_sends();
  if (!taking_.empty()) moved |= advance_taking();
  return probe() || moved;
}

void CommPart::poll() {
  if (phase_ == Phase::apart || phase_ == Phase::failed || phase_ == Phase::left) return;
  bool rung = false;
  if (doorbell_ != nullptr) {
    doorbell_->awake();
    const std::uint32_t before = std::exchange(seen_, doorbell_->word().load(std::memory_order_acquire));
    rung = before != seen_;
  }
  const bool net_caught = std::exchange(slept_, false) && !rung && number(at()) >= number(net_ends_);
  if (rung) policy_.rung(at());
  bool moved = advance();
  while (!moved && policy_.owes_test()) moved = advance();
  if (moved) {
    policy_.completed(learnt_as, at() - policy_.waiting_since());
    policy_.moved(at());
  } else if (rung && posted_.empty() && in_flight() == 0 && phase_ == Phase::joined) {
    int found = 0;  // a peer waits: something that we sent may still lie in MPI's own queues
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world_, &found, MPI_STATUS_IGNORE);
  }
  keep_others_awake(rung);
  if (!net_caught) return;
  ++counters_.safety_net_wakes;
  if (moved) ++counters_.safety_net_rescues;
  if (!moved) (void)policy_.net_caught(at(), 0);
}

// Something is under way, and not for long.
bool CommPart::young() {
  const auto is_young = [&](Time began) { return number(at() - began) < number(limits_.young); };
  if (request_ != MPI_REQUEST_NULL && is_young(waits_since_)) return true;
  return std::any_of(sends_.begin(), sends_.end(), [&](const auto& send) { return is_young(send->began); }) ||
         std::any_of(taking_.begin(), taking_.end(), [&](const Lane* lane) { return is_young(lane->began); });
}

void CommPart::add_waits(WaitSet& waits) {
  if (phase_ == Phase::apart || phase_ == Phase::failed || phase_ == Phase::left) return;
  const Time when = now();
  const bool in_window = in_flight() != 0 && number(when) < number(window_ends_);
  if (in_window || policy_.yields(when, learnt_as, 0)) return waits.again_in(Duration{0});
  Duration net = policy_.net();
  if (young()) net = std::min(net, limits_.wait.net_first);
  // Not every step of a collective that joins or leaves is rung for.
  const bool collects = request_ != MPI_REQUEST_NULL && number(when - waits_since_) < number(limits_.young);
  if (doorbell_ == nullptr || collects) net = std::min(net, limits_.net_without_doorbell);
  net_ends_ = when + net;
  waits.again_in(net);
  ++counters_.sleeps;
  slept_ = true;
  if (doorbell_ == nullptr) return;
  doorbell_->about_to_sleep(Doorbell::Awaited::any());
  waits.futexes.push_back({&doorbell_->word(), seen_, true});
}

}  // namespace tenter::hw
