// Two sides on the fake provider. Ends with every object of it closed and no rule of the manual pages broken.
#pragma once
#include <rdma/fi_domain.h>

#include <cstdlib>
#include <string>

#include "tests/ofi/fake_provider/control.hpp"
#include "tests/ofi/two_sides.hpp"

namespace tenter::hw {

// Before main: libfabric looks for providers once, at its first call.
inline const bool fake_provider_is_named = setenv("FI_PROVIDER_PATH", FAKE_PROVIDER_FOLDER, 1) == 0;

class FakeProvider {
 public:
  explicit FakeProvider(const fake_provider::Traits& traits = {}) {
    EXPECT_TRUE(fake_provider_is_named);
    fake_provider::control().reset();
    fake_provider::control().set(traits);
  }
  ~FakeProvider() {
    EXPECT_EQ(fake_provider::control().open_objects(), open_before_);
    for (const std::string& breach : fake_provider::control().breaches()) ADD_FAILURE() << breach;
    fake_provider::control().reset();
  }
  FakeProvider(const FakeProvider&) = delete;
  FakeProvider& operator=(const FakeProvider&) = delete;
  fake_provider::Control* operator->() const { return &fake_provider::control(); }

 private:
  const std::int64_t open_before_ = fake_provider::control().open_objects();
};

// "VIRT_ADDR PROV_KEY", or "0".
inline std::string mode_text(int mr_mode) {
  static constexpr std::pair<int, const char*> bits[] = {{FI_MR_LOCAL, "LOCAL"},         {FI_MR_RAW, "RAW"},
                                                         {FI_MR_VIRT_ADDR, "VIRT_ADDR"}, {FI_MR_ALLOCATED, "ALLOCATED"},
                                                         {FI_MR_PROV_KEY, "PROV_KEY"},   {FI_MR_ENDPOINT, "ENDPOINT"}};
  std::string text;
  for (const auto& [bit, name] : bits)
    if ((mr_mode & bit) != 0) text += (text.empty() ? "" : " ") + std::string(name);
  return text.empty() ? "0" : text;
}

}  // namespace tenter::hw
