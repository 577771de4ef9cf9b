// What the part of Comm holds: a message that MPI still needs, and one direction in which messages come. Private to it.
//
// A tag of ours has 32 bits, one of MPI's at least 15 (MPI 4.0, 9.1.2). Tags below `tags_direct` are MPI's own. Any other is
// announced: a message of 4 bytes (the tag, little-endian) with MPI's tag `announcement`, then the message itself with the tag
// `announced`. Between two ranks on one communicator messages overtake neither (MPI 4.0, 3.5), so the two stay together.
#pragma once
#include <array>
#include <cstddef>
#include <memory>
#include <optional>

#include "core/wire.hpp"
#include "hw/mpi/comm_part.hpp"

namespace tenter::hw {

namespace comm_tag {
inline constexpr std::uint32_t tags_direct = 32'766;
inline constexpr int announced = 32'766, announcement = 32'767;
inline constexpr std::size_t announcement_bytes = 4;
}  // namespace comm_tag

struct CommPart::Send {
  Owner owner;
  int to = 0;
  Blob content;
  std::array<std::byte, comm_tag::announcement_bytes> tag{};
  std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};  // of the announcement, of the content
  int code = MPI_SUCCESS;                                                   // of the first of them that failed
  bool abandoned = false;
  std::size_t echoes = 0;  // times that a ring is still answered by one
  Time began{};
};

struct CommPart::Lane {
  struct Receive {
    Owner owner;
    std::uint64_t limit = 0;
  };
  MPI_Comm communicator = MPI_COMM_NULL;
  int source = 0;
  std::optional<Receive> posted;
  std::optional<MessageTag> announced;  // of the next message

  // The message that is being taken; none while `request` is null.
  MPI_Request request = MPI_REQUEST_NULL;
  bool is_announcement = false;
  std::array<std::byte, comm_tag::announcement_bytes> tag_bytes{};
  std::optional<Owner> taker;  // none: the receive was withdrawn
  MessageTag tag{};
  std::uint64_t length = 0;
  bool too_long = false;
  Blob content;
  int code = MPI_SUCCESS;
  Time began{};
};

}  // namespace tenter::hw
