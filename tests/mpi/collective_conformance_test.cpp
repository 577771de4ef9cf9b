#include "tests/conformance/collective.hpp"

#include "tests/mpi/mpi_world.hpp"

namespace tenter::conformance {
INSTANTIATE_TYPED_TEST_SUITE_P(Mpi, CollectiveConformance, hw::MpiWorld);
}
