#include "hw/mpi/comm_part.hpp"

#include <algorithm>
#include <climits>
#include <variant>

#include "core/check.hpp"
#include "hw/mpi/comm_lane.hpp"
#include "hw/mpi/comm_status.hpp"
#include "hw/os/yield.hpp"
#include "hw/resource.hpp"

namespace tenter::hw {

CommPart::CommPart(Context& context, const MpiEnvironment& environment, Doorbell* doorbell, const CollectivePart* communicators,
                   CommLimits limits)
    : context_(context),
      environment_(environment),
      doorbell_(doorbell),
      communicators_(communicators),
      limits_(limits),
      policy_(context.crowded && !yield_makes_way() ? crowded(limits.wait) : limits.wait) {}

CommPart::~CommPart() {
  const bool half_way = phase_ == Phase::duplicating || phase_ == Phase::gathering || phase_ == Phase::leaving;
  if (half_way || in_flight() != 0) MpiEnvironment::abandon();
  // MPI may still read and write their bytes: they stay until the process leaves.
  for (auto& send : sends_) {
    Resources::release(Resource::request);
    send.release();
  }
  for (auto& [name, lane] : lanes_) {
    if (lane->request == MPI_REQUEST_NULL) continue;
    Resources::release(Resource::request);
    lane.release();
  }
  if (world_ == MPI_COMM_NULL || phase_ == Phase::duplicating) return;
  Resources::release(Resource::communicator);
  if (!MpiEnvironment::abandoned()) MPI_Comm_free(&world_);
}

// ---------------------------------------------------------------- the world

void CommPart::perform(const action::JoinWorld& a) {
  TENTER_CHECK(phase_ == Phase::apart);
  joiner_ = {context_.current, a.op};
  if (environment_.thread_level() < MPI_THREAD_SERIALIZED) {
    phase_ = Phase::failed;
    const Blob text("join: MPI was started with a thread level below MPI_THREAD_SERIALIZED");
    return context_.push(joiner_.role, event::WorldJoined{at(), a.op, Status::failed, {}, 0, text});
  }
  phase_ = Phase::duplicating;
  waits_since_ = at();
  policy_.moved(at());
  const int code = MPI_Comm_idup(MPI_COMM_WORLD, &world_, &request_);
  if (!joined(code, "MPI_Comm_idup")) return;
  if (doorbell_ != nullptr) doorbell_->ring_others(Doorbell::Awaited::any());
}

void CommPart::leave() {
  TENTER_CHECK(phase_ == Phase::joined);
  phase_ = Phase::leaving;
  waits_since_ = now();
  policy_.moved(waits_since_);
}

// MPI_COMM_NULL: none of that name.
MPI_Comm CommPart::communicator_of(Communicator communicator) const {
  if (communicator == world_communicator) return world_;
  return communicators_ == nullptr ? MPI_COMM_NULL : communicators_->messages_on(communicator);
}

std::string CommPart::refusal(MPI_Comm found, Communicator communicator, Rank other) const {
  TENTER_CHECK(phase_ == Phase::joined);
  if (found == MPI_COMM_NULL) return "no communicator " + std::to_string(number(communicator));
  if (number(other) >= environment_.size())
    return "no rank " + std::to_string(number(other)) + " in a world of " + std::to_string(environment_.size());
  return {};
}

// Whatever moves here may be what the other side sleeps for.
void CommPart::ring(int rank) {
  const Rank other{static_cast<std::uint32_t>(rank)};
  if (doorbell_ != nullptr && other != environment_.rank()) doorbell_->ring(other, Doorbell::Awaited::any());
}

void CommPart::under_way(std::size_t bytes) {
  const Duration worth = limits_.wait.yield_bulk + Duration{limits_.wait.yield_bulk_ns_a_byte * static_cast<std::int64_t>(bytes)};
  window_ends_ = std::max(window_ends_, at() + worth);
}

// ---------------------------------------------------------------- sends

void CommPart::answer_send(Owner owner, int code) {
  const Status status = code == MPI_SUCCESS ? Status::ok : status_of_mpi(code);
  context_.push(owner.role, event::MessageSent{at(), owner.op, status,
                                               status == Status::ok ? Blob() : Blob("send: " + mpi_error_text(code))});
}

void CommPart::perform(const action::SendMessage& a) {
  const Owner owner{context_.current, a.op};
  const MPI_Comm communicator = communicator_of(a.communicator);
  std::string why = refusal(communicator, a.communicator, a.to);
  if (a.content.size() > INT_MAX) why = std::to_string(a.content.size()) + " bytes, MPI counts to " + std::to_string(INT_MAX);
  if (!why.empty()) return context_.push(owner.role, event::MessageSent{at(), a.op, Status::invalid, Blob("send: " + why)});
  const int to = static_cast<int>(number(a.to));
  const int bytes = static_cast<int>(a.content.size());
  policy_.moved(at());
  ++counters_.sent;
  if (number(a.tag) >= comm_tag::tags_direct) return send_announced(owner, communicator, a);
  MPI_Request request = MPI_REQUEST_NULL;
  int done = 0;
  int code = MPI_Isend(a.content.bytes().data(), bytes, MPI_BYTE, to, static_cast<int>(number(a.tag)), communicator, &request);
  if (code == MPI_SUCCESS) {
    ring(to);
    code = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
  if (code != MPI_SUCCESS || done != 0) return answer_send(owner, code);
  auto send = std::make_unique<Send>();
  send->requests[1] = request;
  keep(std::move(send), owner, a);
}

void CommPart::send_announced(Owner owner, MPI_Comm communicator, const action::SendMessage& a) {
  const int to = static_cast<int>(number(a.to));
  const int bytes = static_cast<int>(a.content.size());
  auto send = std::make_unique<Send>();
  wire::store(send->tag.data(), number(a.tag));
  send->code = MPI_Isend(send->tag.data(), comm_tag::announcement_bytes, MPI_BYTE, to, comm_tag::announcement, communicator,
                         &send->requests[0]);
  if (send->code == MPI_SUCCESS)
    send->code = MPI_Isend(a.content.bytes().data(), bytes, MPI_BYTE, to, comm_tag::announced, communicator, &send->requests[1]);
  ring(to);
  keep(std::move(send), owner, a);
}

// Until MPI needs it no more.
void CommPart::keep(std::unique_ptr<Send> send, Owner owner, const action::SendMessage& a) {
  send->owner = owner;
  send->to = static_cast<int>(number(a.to));
  send->content = a.content;
  send->began = at();
  send->echoes = 64 + a.content.size() / 4'096;
  Resources::acquire(Resource::request);
  sends_.push_back(std::move(send));
  under_way(0);
}

void CommPart::perform(const action::AbandonSend& a) {
  const Role role = context_.current;
  for (auto& send : sends_)
    if (send->owner.role == role && send->owner.op == a.op) send->abandoned = true;
  context_.inbox.erase_if([&](const Delivery& delivery) {
    const auto* sent = std::get_if<event::MessageSent>(&delivery.event);
    return sent != nullptr && delivery.to == role && sent->op == a.op;
  });
}

// ---------------------------------------------------------------- receives

void CommPart::answer_arrival(Owner owner, event::MessageArrived&& arrived) {
  arrived.now = at();
  arrived.op = owner.op;
  context_.push(owner.role, std::move(arrived));
}

void CommPart::perform(const action::ReceiveMessage& a) {
  const Owner owner{context_.current, a.op};
  const MPI_Comm communicator = communicator_of(a.communicator);
  if (const std::string why = refusal(communicator, a.communicator, a.from); !why.empty())
    return answer_arrival(owner, {{}, {}, Status::invalid, a.from, {}, 0, Blob("receive: " + why)});
  std::unique_ptr<Lane>& lane = lanes_[{a.communicator, a.from}];
  if (!lane) lane = std::make_unique<Lane>();
  TENTER_CHECK(!lane->posted && !lane->taker);
  lane->communicator = communicator;
  lane->source = static_cast<int>(number(a.from));
  lane->posted = Lane::Receive{owner, a.limit};
  if (lane->request == MPI_REQUEST_NULL) posted_.push_back(lane.get());
}

void CommPart::perform(const action::WithdrawReceive& a) {
  const Role role = context_.current;
  const auto is_it = [&](const Owner& owner) { return owner.role == role && owner.op == a.op; };
  for (auto& [name, lane] : lanes_) {
    if (lane->taker && is_it(*lane->taker)) lane->taker.reset();
    if (!lane->posted || !is_it(lane->posted->owner)) continue;
    lane->posted.reset();
    std::erase(posted_, lane.get());
  }
  context_.inbox.erase_if([&](const Delivery& delivery) {
    const auto* arrived = std::get_if<event::MessageArrived>(&delivery.event);
    return arrived != nullptr && delivery.to == role && arrived->op == a.op;
  });
}

std::string CommPart::in_flight_text() const {
  std::string text;
  const auto line = [&](const char* which, int rank, std::uint64_t bytes, Time began) {
    text += std::string(which) + std::to_string(rank) + ": " + std::to_string(bytes) + " bytes for " +
            std::to_string(number(now() - began) / 1'000'000) + " ms\n";
  };
  for (const auto& send : sends_) line("to rank ", send->to, send->content.size(), send->began);
  for (const Lane* lane : taking_) line("from rank ", lane->source, lane->length, lane->began);
  return text;
}

}  // namespace tenter::hw
