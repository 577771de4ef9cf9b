#include "hw/mpi/collective_part.hpp"

#include "core/check.hpp"
#include "core/event.hpp"
#include "hw/mpi/operation.hpp"
#include "hw/os/yield.hpp"
#include "hw/resource.hpp"

namespace tenter::hw {
namespace {

int bytes_of(std::size_t size) { return static_cast<int>(size); }
// MPI-3 takes const buffers for what it only reads, except where one buffer is read at the root and written elsewhere.
void* read_only(const std::byte* bytes) { return const_cast<std::byte*>(bytes); }

}  // namespace

CollectivePart::CollectivePart(Context& context, const MpiEnvironment& environment, Doorbell& doorbell, CollectiveLimits limits)
    : context_(context),
      environment_(environment),
      doorbell_(doorbell),
      limits_(limits),
      policy_(context.crowded && !yield_makes_way() ? crowded(limits.wait) : limits.wait) {
  MPI_Comm heads = MPI_COMM_NULL;
  MPI_Comm bulk = MPI_COMM_NULL;
  int code = MPI_SUCCESS;
  for (MPI_Comm* to : {&heads, &bulk}) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (code == MPI_SUCCESS) code = MPI_Comm_idup(MPI_COMM_WORLD, to, &request);
    if (code == MPI_SUCCESS) code = mpi_wait_yielding(request);
  }
  add_named(world_communicator, heads, bulk);
  if (code != MPI_SUCCESS) named_[world_communicator]->broken = "duplicating the world: " + mpi_error_text(code);
}

CollectivePart::~CollectivePart() {
  for (auto& [name, named] : named_) {
    if (!named->queue.empty() || !named->broken.empty()) MpiEnvironment::abandon();
    for (OperationPointer& operation : named->queue) {
      Resources::release(Resource::request);
      operation.release();  // MPI may still read and write its buffers: they stay until the process leaves
    }
    release(*named);
  }
}

void CollectivePart::add_named(Communicator name, MPI_Comm heads, MPI_Comm bulk) {
  auto named = std::make_unique<Named>();
  named->name = name;
  named->heads = heads;
  named->bulk = bulk;
  for (MPI_Comm communicator : {heads, bulk}) {
    if (communicator == MPI_COMM_NULL) continue;
    Resources::acquire(Resource::communicator);
    MPI_Comm_set_errhandler(communicator, MPI_ERRORS_RETURN);
  }
  named_[name] = std::move(named);
}

void CollectivePart::release(Named& named) {
  for (MPI_Comm* communicator : {&named.bulk, &named.heads}) {
    if (*communicator == MPI_COMM_NULL) continue;
    Resources::release(Resource::communicator);
    if (!MpiEnvironment::abandoned()) MPI_Comm_free(communicator);
    *communicator = MPI_COMM_NULL;
  }
}

MPI_Comm CollectivePart::messages_on(Communicator communicator) const {
  const auto found = named_.find(communicator);
  const bool usable = found != named_.end() && !found->second->freeing && found->second->broken.empty();
  return usable ? found->second->heads : MPI_COMM_NULL;
}

CollectivePart::OperationPointer CollectivePart::fresh() {
  if (spare_.empty()) return std::make_unique<Operation>();
  OperationPointer operation = std::move(spare_.back());
  spare_.pop_back();
  return operation;
}

bool CollectivePart::at_root(const Operation& operation) const { return operation.root == environment_.rank(); }

void CollectivePart::refuse(Op op, Status status, std::string text) {
  context_.push(context_.current, event::CollectiveDone{now(), op, status, Blob(std::string_view(text)), {}});
}

CollectivePart::Operation* CollectivePart::begin(CollectiveKind kind, Op op, Communicator communicator, Rank root) {
  const auto found = named_.find(communicator);
  const std::string what = std::string(to_string(kind)) + " on communicator " + std::to_string(number(communicator)) + ", rank " +
                           std::to_string(number(environment_.rank())) + ": ";
  if (found == named_.end() || found->second->freeing) {
    refuse(op, Status::unavailable, what + "no communicator of this name");
    return nullptr;
  }
  Named& named = *found->second;
  if (!named.broken.empty()) {
    refuse(op, Status::unavailable, what + named.broken);
    return nullptr;
  }
  TENTER_CHECK(named.queue.size() < limits_.outstanding_max);
  OperationPointer operation = fresh();
  operation->kind = kind;
  operation->op = op;
  operation->owner = context_.current;
  operation->number = named.next_number++;
  operation->root = root;
  operation->history = std::exchange(named.history, HeadBlock::next_history(named.history, kind, number(root)));
  operation->posted = now();
  Resources::acquire(Resource::request);
  ++in_flight_;
  named.queue.push_back(std::move(operation));
  return named.queue.back().get();
}

void CollectivePart::posted(Named& named, Operation& operation, bool ring) {
  policy_.moved(operation.posted);
  if (ring) doorbell_.ring_others(named.awaited(operation.number));
}

bool CollectivePart::check(Operation& operation, int code, const char* call) {
  if (code == MPI_SUCCESS) return true;
  fail(operation, Status::failed, std::string(call) + ": " + mpi_error_text(code));
  return false;
}

// The operation is over; MPI's state on this communicator is not to be trusted any more.
void CollectivePart::fail(Operation& operation, Status status, std::string text) {
  operation.phase = Operation::Phase::done;
  if (operation.status != Status::ok) return;
  operation.status = status;
  operation.text = std::string(to_string(operation.kind)) + " number " + std::to_string(operation.number) + ", rank " +
                   std::to_string(number(environment_.rank())) + ": " + text;
}

void CollectivePart::perform(const action::Duplicate& a) {
  if (named_.contains(a.to))
    return refuse(a.op, Status::exists, "duplicate: the name " + std::to_string(number(a.to)) + " is taken");
  Operation* operation = begin(CollectiveKind::duplicate, a.op, a.from);
  if (operation == nullptr) return;
  Named& from = *named_[a.from];
  operation->target = a.to;
  add_named(a.to, MPI_COMM_NULL, MPI_COMM_NULL);  // taken, but of no use before the duplicate is complete
  named_[a.to]->broken = "its duplicate is not complete";
  check(*operation, MPI_Comm_idup(from.heads, &operation->new_heads, &operation->head), "MPI_Comm_idup");
  posted(from, *operation, true);
}

void CollectivePart::perform(const action::FreeCommunicator& a) {
  if (a.communicator == world_communicator) return refuse(a.op, Status::unavailable, "free_communicator: the world stays");
  Operation* operation = begin(CollectiveKind::free_communicator, a.op, a.communicator);
  if (operation == nullptr) return;
  Named& named = *named_[a.communicator];
  named.freeing = true;
  check(*operation, MPI_Ibarrier(named.heads, &operation->head), "MPI_Ibarrier");
  posted(named, *operation, true);
}

void CollectivePart::perform(const action::Barrier& a) {
  Operation* operation = begin(CollectiveKind::barrier, a.op, a.communicator);
  if (operation == nullptr) return;
  Named& named = *named_[a.communicator];
  check(*operation, MPI_Ibarrier(named.heads, &operation->head), "MPI_Ibarrier");
  posted(named, *operation, true);
}

void CollectivePart::perform(const action::Bcast& a) {
  if (number(a.root) >= environment_.size())
    return refuse(a.op, Status::invalid, "bcast: no rank " + std::to_string(number(a.root)));
  Operation* operation = begin(CollectiveKind::bcast, a.op, a.communicator, a.root);
  if (operation == nullptr) return;
  Named& named = *named_[a.communicator];
  operation->own_block.resize(limits_.bcast_block_bytes);
  if (at_root(*operation)) {
    doorbell_.ring_others(named.awaited(operation->number));  // who sleeps wakes while this rank sends; posted() rings again
    operation->content = a.content;
    const bool fits = a.content.size() <= limits_.payload_bytes_max;
    HeadBlock{CollectiveKind::bcast, operation->number, a.content.size(), operation->history}.write(
        operation->own_block, fits ? a.content.bytes() : Bytes());
  }
  check(*operation,
        MPI_Ibcast(operation->own_block.data(), bytes_of(operation->own_block.size()), MPI_BYTE, static_cast<int>(number(a.root)),
                   named.heads, &operation->head),
        "MPI_Ibcast");
  posted(named, *operation, at_root(*operation));
}

void CollectivePart::perform(const action::Gather& a) {
  if (number(a.root) >= environment_.size())
    return refuse(a.op, Status::invalid, "gather: no rank " + std::to_string(number(a.root)));
  Operation* operation = begin(CollectiveKind::gather, a.op, a.communicator, a.root);
  if (operation == nullptr) return;
  Named& named = *named_[a.communicator];
  operation->content = a.content;
  const std::size_t block = limits_.gather_block_bytes;
  operation->own_block.resize(block);
  const bool fits = a.content.size() <= limits_.payload_bytes_max;
  HeadBlock{CollectiveKind::gather, operation->number, a.content.size(), operation->history}.write(
      operation->own_block, fits ? a.content.bytes() : Bytes());
  if (at_root(*operation)) operation->blocks.resize(block * environment_.size());
  check(*operation,
        MPI_Igather(operation->own_block.data(), bytes_of(block), MPI_BYTE, operation->blocks.data(), bytes_of(block), MPI_BYTE,
                    static_cast<int>(number(a.root)), named.heads, &operation->head),
        "MPI_Igather");
  if (!fits && !at_root(*operation)) {
    operation->status = Status::invalid;
    operation->text =
        "gather: " + std::to_string(a.content.size()) + " bytes, the limit is " + std::to_string(limits_.payload_bytes_max);
  }
  // The rest goes its own way at once: the root asks for it as soon as it knows the length.
  const std::size_t riding = HeadBlock::inline_bytes(block, a.content.size());
  if (!at_root(*operation) && fits && riding < a.content.size()) {
    operation->bulk_bytes = a.content.size() - riding;
    operation->bulk.push_back(MPI_REQUEST_NULL);
    check(*operation,
          MPI_Isend(read_only(a.content.bytes().data() + riding), bytes_of(a.content.size() - riding), MPI_BYTE,
                    static_cast<int>(number(a.root)), operation->tag(), named.bulk, &operation->bulk.back()),
          "MPI_Isend");
  }
  posted(named, *operation, !at_root(*operation));
}

void CollectivePart::perform(const action::Allgather& a) {
  Operation* operation = begin(CollectiveKind::allgather, a.op, a.communicator);
  if (operation == nullptr) return;
  Named& named = *named_[a.communicator];
  operation->content = a.content;
  const std::size_t block = limits_.gather_block_bytes;
  operation->own_block.resize(block);
  operation->blocks.resize(block * environment_.size());
  const bool fits = a.content.size() <= limits_.payload_bytes_max;
  HeadBlock{CollectiveKind::allgather, operation->number, a.content.size(), operation->history}.write(
      operation->own_block, fits ? a.content.bytes() : Bytes());
  check(*operation,
        MPI_Iallgather(operation->own_block.data(), bytes_of(block), MPI_BYTE, operation->blocks.data(), bytes_of(block),
                       MPI_BYTE, named.heads, &operation->head),
        "MPI_Iallgather");
  posted(named, *operation, true);
}

bool CollectivePart::advance_all(Time at) {
  bool moved = false;
  for (auto named = named_.begin(); named != named_.end();) {
    Named& one = *named->second;
    if (!one.queue.empty()) moved |= advance(one, at);
    if (one.freeing && one.queue.empty()) {
      release(one);  // a free that failed has not
      named = named_.erase(named);
    } else {
      ++named;
    }
  }
  return moved;
}

void CollectivePart::poll() {
  const Time at = now();
  doorbell_.awake();
  const std::uint32_t before = std::exchange(seen_, doorbell_.word().load(std::memory_order_acquire));
  const bool rung = before != seen_;
  const bool net_caught = std::exchange(slept_, false) && !rung && number(at) >= number(net_ends_);
  if (in_flight_ == 0) {
    int flag = 0;  // a peer waits: something that we sent may still lie in MPI's own queues
    if (rung) MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    return;
  }
  if (rung) policy_.rung(at);
  bool moved = advance_all(at);
  while (!moved && policy_.owes_test()) moved = advance_all(at);
  if (moved) policy_.moved(at);
  if (!net_caught) return;
  ++counters_.safety_net_wakes;
  if (moved) ++counters_.safety_net_rescues;
  std::uint64_t bulk_bytes = 0;
  for (const auto& [name, named] : named_)
    if (!named->queue.empty()) bulk_bytes += named->queue.front()->bulk_bytes;
  if (!moved && policy_.net_caught(at, bulk_bytes)) doorbell_.ring_others(Doorbell::Awaited::any());
}

void CollectivePart::add_waits(WaitSet& waits) {
  const Named* waiting = nullptr;
  bool several = false;
  for (const auto& [name, named] : named_) {
    if (named->queue.empty()) continue;
    several = waiting != nullptr;
    waiting = named.get();
    if (several) break;
  }
  if (waiting != nullptr) {
    const Operation& front = *waiting->queue.front();
    const Time at = now();
    if (policy_.yields(at, front.kind, front.bulk_bytes)) return waits.again_in(Duration{0});
    doorbell_.about_to_sleep(several ? Doorbell::Awaited::any() : waiting->awaited(front.number));
    net_ends_ = at + policy_.net();
    waits.again_in(policy_.net());
  } else {
    doorbell_.about_to_sleep(Doorbell::Awaited::nothing());
    net_ends_ = end_of_time;
  }
  ++counters_.sleeps;
  slept_ = true;
  waits.futexes.push_back({&doorbell_.word(), seen_, true});
}

}  // namespace tenter::hw
