// Comm of a control world on MPI (control_rank.hpp): owns MPI and the doorbell of one rank.
#pragma once
#include <memory>
#include <optional>

#include "core/error.hpp"
#include "hw/mpi/comm_part.hpp"
#include "hw/mpi/doorbell.hpp"
#include "hw/mpi/environment.hpp"

namespace tenter::hw {

class MpiCarrier {
 public:
  struct Part : CommPart {
    Part(Context& context, MpiCarrier& carrier)
        : CommPart(context, carrier.environment_, carrier.doorbell_ ? &*carrier.doorbell_ : nullptr) {}
  };

  // Initialises MPI. one_host: all ranks are on one, so they can ring each other. Collective. Errors: of MpiEnvironment::open and
  // Doorbell::open.
  static Result<std::unique_ptr<MpiCarrier>> open(std::uint32_t world, bool one_host = true);

  Rank rank() const { return environment_.rank(); }
  std::uint32_t size() const { return environment_.size(); }

  bool crowded() const;
  void leave(Part& part) { part.leave(); }
  bool left(const Part& part) const { return part.left(); }
  void abandon() { MpiEnvironment::abandon(); }

 private:
  explicit MpiCarrier(MpiEnvironment environment) : environment_(std::move(environment)) {}
  MpiEnvironment environment_;
  std::optional<Doorbell> doorbell_;
};

}  // namespace tenter::hw
