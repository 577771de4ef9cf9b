// The second half of the collective part: what happens to a posted collective until its event.
#include "core/event.hpp"
#include "hw/mpi/collective_part.hpp"
#include "hw/mpi/operation.hpp"
#include "hw/resource.hpp"

namespace tenter::hw {
namespace {

// A blob of `length` bytes that starts with `riding`; `rest` is the room for the others. Nobody else sees the blob before
// MPI has filled it.
Blob blob_to_fill(std::uint64_t length, Bytes riding, MutableBytes& rest) {
  return Blob(static_cast<std::size_t>(length), [&](MutableBytes to) {
    if (!riding.empty()) std::memcpy(to.data(), riding.data(), riding.size());
    rest = to.subspan(riding.size());
  });
}

}  // namespace

// Heads go on in posted order, so that the second transfers of all ranks start in one order; events leave from the front.
bool CollectivePart::advance(Named& named, Time at) {
  bool moved = false;
  for (OperationPointer& operation : named.queue) {
    if (operation->phase == Operation::Phase::head) {
      if (!advance_head(named, *operation)) break;
      moved = true;
    }
    if (operation->phase == Operation::Phase::bulk) moved |= advance_bulk(named, *operation);
  }
  while (!named.queue.empty() && named.queue.front()->phase == Operation::Phase::done) {
    OperationPointer operation = std::move(named.queue.front());
    named.queue.pop_front();
    deliver(named, *operation, at);
    operation->reset();
    spare_.push_back(std::move(operation));
    moved = true;
  }
  return moved;
}

bool CollectivePart::advance_head(Named& named, Operation& operation) {
  int done = 0;
  if (!check(operation, MPI_Test(&operation.head, &done, MPI_STATUS_IGNORE), "MPI_Test")) return true;
  if (done == 0) return false;
  operation.phase = Operation::Phase::bulk;
  head_done(named, operation);
  // A gather's root helps nobody by having its parts; every other end of a head may have sent on to a rank that sleeps.
  const bool helps = operation.kind != CollectiveKind::gather || !at_root(operation);
  if (helps || !operation.bulk.empty()) doorbell_.ring_others(named.awaited(operation.number));
  return true;
}

bool CollectivePart::advance_bulk(Named& named, Operation& operation) {
  if (!operation.bulk.empty()) {
    int done = 0;
    const int count = static_cast<int>(operation.bulk.size());
    if (!check(operation, MPI_Testall(count, operation.bulk.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall")) return true;
    if (done == 0) return false;
    doorbell_.ring_others(named.awaited(operation.number));
  }
  operation.phase = Operation::Phase::done;
  bulk_done(named, operation);
  return true;
}

void CollectivePart::head_done(Named& named, Operation& operation) {
  switch (operation.kind) {
    case CollectiveKind::duplicate:
      operation.bulk.push_back(MPI_REQUEST_NULL);
      check(operation, MPI_Comm_idup(operation.new_heads, &operation.new_bulk, &operation.bulk.back()), "MPI_Comm_idup");
      break;
    case CollectiveKind::bcast:
      read_bcast(named, operation);
      break;
    case CollectiveKind::gather:
      if (at_root(operation)) read_parts(named, operation);
      break;
    case CollectiveKind::allgather:
      read_parts(named, operation);
      break;
    default:
      break;
  }
}

void CollectivePart::read_bcast(Named& named, Operation& operation) {
  const int root = static_cast<int>(number(operation.root));
  const auto head = HeadBlock::read(operation.own_block, CollectiveKind::bcast, operation.number, operation.history);
  const std::string sender = "rank " + std::to_string(root) + " ";
  if (!head.problem.empty()) return fail(operation, Status::mismatch, sender + head.problem);
  if (head.length > limits_.payload_bytes_max) {
    return fail(
        operation, Status::invalid,
        sender + "gives " + std::to_string(head.length) + " bytes, the limit is " + std::to_string(limits_.payload_bytes_max));
  }
  MutableBytes rest;
  if (at_root(operation)) {
    operation.received = operation.content;
    rest = MutableBytes(const_cast<std::byte*>(operation.content.bytes().data()), operation.content.size())
               .subspan(head.riding.size());
  } else {
    operation.received = blob_to_fill(head.length, head.riding, rest);
  }
  if (rest.empty()) return;
  operation.bulk_bytes += rest.size();
  operation.bulk.push_back(MPI_REQUEST_NULL);
  check(operation, MPI_Ibcast(rest.data(), static_cast<int>(rest.size()), MPI_BYTE, root, named.bulk, &operation.bulk.back()),
        "MPI_Ibcast");
}

void CollectivePart::read_parts(Named& named, Operation& operation) {
  operation.parts.assign(environment_.size(), Blob());
  for (std::uint32_t rank = 0; rank < environment_.size() && operation.phase != Operation::Phase::done; ++rank)
    receive_part(named, operation, rank);
}

void CollectivePart::receive_part(Named& named, Operation& operation, std::uint32_t rank) {
  const std::size_t block = limits_.gather_block_bytes;
  const auto head =
      HeadBlock::read(Bytes(operation.blocks).subspan(rank * block, block), operation.kind, operation.number, operation.history);
  const std::string sender = "rank " + std::to_string(rank) + " ";
  if (!head.problem.empty()) return fail(operation, Status::mismatch, sender + head.problem);
  if (head.length > limits_.payload_bytes_max) {
    // Its bytes do not follow. The others' do: a gather takes them in and reports at its end, an allgather likewise.
    if (operation.status == Status::ok) {
      operation.status = Status::invalid;
      operation.text = std::string(to_string(operation.kind)) + ": " + sender + "gives " + std::to_string(head.length) +
                       " bytes, the limit is " + std::to_string(limits_.payload_bytes_max);
    }
    return;
  }
  MutableBytes rest;
  const bool own = Rank{rank} == environment_.rank();
  if (own) {
    operation.parts[rank] = operation.content;
    rest = MutableBytes(const_cast<std::byte*>(operation.content.bytes().data()), operation.content.size())
               .subspan(head.riding.size());
  } else {
    operation.parts[rank] = blob_to_fill(head.length, head.riding, rest);
  }
  if (rest.empty() || (own && operation.kind == CollectiveKind::gather)) return;
  operation.bulk_bytes += rest.size();
  operation.bulk.push_back(MPI_REQUEST_NULL);
  const int from = static_cast<int>(rank);
  const int count = static_cast<int>(rest.size());
  if (operation.kind == CollectiveKind::gather) {
    check(operation, MPI_Irecv(rest.data(), count, MPI_BYTE, from, operation.tag(), named.bulk, &operation.bulk.back()),
          "MPI_Irecv");
  } else {
    check(operation, MPI_Ibcast(rest.data(), count, MPI_BYTE, from, named.bulk, &operation.bulk.back()), "MPI_Ibcast");
  }
}

void CollectivePart::bulk_done(Named& named, Operation& operation) {
  if (operation.kind == CollectiveKind::duplicate) add_named(operation.target, operation.new_heads, operation.new_bulk);
  if (operation.kind == CollectiveKind::free_communicator) release(named);
}

void CollectivePart::deliver(Named& named, Operation& operation, Time at) {
  --in_flight_;
  ++counters_.completed;
  Resources::release(Resource::request);
  // Nothing is left in MPI for a payload over the limit; after anything else the ranks' sequences may have parted.
  if (operation.status != Status::ok && operation.status != Status::invalid && named.broken.empty()) {
    named.broken = "an earlier collective failed: " + operation.text;
    MpiEnvironment::abandon();
  }
  event::CollectiveDone done{at, operation.op, operation.status, std::move(operation.received), {}};
  if (operation.status != Status::ok) {
    done.content = Blob(std::string_view(operation.text));
  } else if (!operation.parts.empty()) {
    done.parts = Parts(std::move(operation.parts));
  }
  if (operation.kind == CollectiveKind::duplicate && operation.status != Status::ok) named_.erase(operation.target);
  policy_.completed(operation.kind, at - operation.posted);
  context_.push(operation.owner, std::move(done));
}

std::string CollectivePart::in_flight_text() const {
  std::string text;
  for (const auto& [name, named] : named_)
    for (const OperationPointer& operation : named->queue)
      text += "communicator " + std::to_string(number(name)) + ": " + to_string(operation->kind) + " number " +
              std::to_string(operation->number) + (operation->phase == Operation::Phase::head ? " (head)" : " (bulk)") + " for " +
              std::to_string(number(now() - operation->posted) / 1'000'000) + " ms\n";
  return text;
}

}  // namespace tenter::hw
