// What the window part holds: one MPI window a region, and the reads in flight. Private to it.
#pragma once
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw/mpi/window_part.hpp"

namespace tenter::hw {

struct WindowPart::Window {
  MPI_Win handle = MPI_WIN_NULL;
  std::vector<std::byte> memory;     // of this rank
  std::vector<std::uint64_t> bytes;  // by rank
  std::uint64_t key = 0;
  Endpoint endpoint{};
};

struct WindowPart::Read {
  Role owner{};
  action::ReadRemote asked;
  const Window* window = nullptr;
  Rank target{};
  std::vector<std::byte> landing;  // at least as many bytes as were asked for
  bool given_up = false;           // answered already
};

}  // namespace tenter::hw
