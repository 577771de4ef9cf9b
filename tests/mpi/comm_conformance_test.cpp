#include "tests/conformance/comm.hpp"

#include "tests/mpi/comm_messages.hpp"

namespace tenter::conformance {
namespace comm_conformance {
namespace {

const bool registered[] = {
    register_cases<CommContract<hw::MpiMessages<true>>>("Mpi/CommContract"),
    register_cases<CommContract<hw::MpiMessages<false>>>("MpiWithoutDoorbell/CommContract"),
};

}  // namespace
}  // namespace comm_conformance
}  // namespace tenter::conformance
