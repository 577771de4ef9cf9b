// One posted collective and one named communicator of the collective part.
#pragma once
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "hw/mpi/collective_part.hpp"

namespace tenter::hw {

struct CollectivePart::Operation {
  enum class Phase : std::uint8_t { head, bulk, done };

  CollectiveKind kind{};
  Phase phase = Phase::head;
  Op op{};
  Role owner{};
  std::uint64_t number = 0;
  std::uint64_t history = 0;  // of the collectives before this one
  Rank root{};
  Time posted{};
  Blob content;           // what this rank gives
  Communicator target{};  // duplicate only
  MPI_Comm new_heads = MPI_COMM_NULL, new_bulk = MPI_COMM_NULL;
  std::vector<std::byte> own_block;  // MPI reads or (bcast) writes it until the head is done
  std::vector<std::byte> blocks;     // one a rank, where this rank receives
  MPI_Request head = MPI_REQUEST_NULL;
  std::vector<MPI_Request> bulk;  // what did not fit
  std::uint64_t bulk_bytes = 0;   // of all those requests
  Blob received;                  // bcast
  std::vector<Blob> parts;        // gather at the root, allgather
  Status status = Status::ok;
  std::string text;

  // Of its messages from rank to rank. MPI_TAG_UB is at least 32767.
  int tag() const { return static_cast<int>(number % 32768); }

  // Forgets everything but the buffers.
  void reset() {
    auto own = std::move(own_block);
    auto others = std::move(blocks);
    auto requests = std::move(bulk);
    requests.clear();
    *this = Operation{};
    own_block = std::move(own);
    blocks = std::move(others);
    bulk = std::move(requests);
  }
};

struct CollectivePart::Named {
  Communicator name{};
  MPI_Comm heads = MPI_COMM_NULL;
  MPI_Comm bulk = MPI_COMM_NULL;
  std::uint64_t next_number = 0;
  std::uint64_t history = 0;           // HeadBlock::next_history of all posted ones
  bool freeing = false;                // a free was posted: nothing may follow
  std::string broken;                  // why no collective is possible any more
  std::deque<OperationPointer> queue;  // in posted order

  Doorbell::Awaited awaited(std::uint64_t operation_number) const {
    return Doorbell::Awaited::of(number(name), operation_number);
  }
};

}  // namespace tenter::hw
