#include "tests/conformance/comm.hpp"

#include "tests/mpi/comm_messages.hpp"

namespace tenter::conformance {
namespace comm_conformance {
namespace {

const bool registered[] = {
    register_cases<CommContract<AnyComm>>("Mpi/CommContract", AnyComm::of<hw::MpiMessages<true>>),
    register_cases<CommContract<AnyComm>>("MpiWithoutDoorbell/CommContract", AnyComm::of<hw::MpiMessages<false>>),
};

}  // namespace
}  // namespace comm_conformance
}  // namespace tenter::conformance
