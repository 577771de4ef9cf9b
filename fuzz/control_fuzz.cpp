// The libFuzzer entry of one target; which one is chosen by the build.
#include "fuzz/control_targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  tenter::fuzz::TENTER_FUZZ_TARGET(tenter::Bytes(reinterpret_cast<const std::byte*>(data), size));
  return 0;
}
