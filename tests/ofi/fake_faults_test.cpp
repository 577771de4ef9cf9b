// What a real provider does to an endpoint, its memory and its reads when something fails: the error names the culprit, nothing
// is left, and the next good read works.
#include "tests/ofi/fabric_calls.hpp"
#include "tests/ofi/fake_fabric.hpp"

namespace tenter::hw {
namespace {

using fake_provider::Step;
using fake_provider::Traits;

struct Fault {
  Step step;
  int error;
  Status status;
  const char* named;
};

TEST(FabricFaults, an_opening_that_fails_at_any_call_names_it_and_leaves_nothing_and_the_next_one_works) {
  const FakeProvider provider;
  FabricCalls calls(fake_provider::provider_name);
  std::uint32_t next = 1;
  for (const Fault& fault : {Fault{Step::getinfo, FI_ENODATA, Status::not_found, "fi_getinfo"},
                             Fault{Step::fabric, FI_ENODEV, Status::not_found, "fi_fabric"},
                             Fault{Step::domain, FI_ENOSYS, Status::failed, "fi_domain"},
                             Fault{Step::address_table, FI_ENOMEM, Status::no_space, "fi_av_open"},
                             Fault{Step::queue, FI_EMFILE, Status::no_space, "fi_cq_open"},
                             Fault{Step::endpoint, FI_EINVAL, Status::failed, "fi_endpoint"},
                             Fault{Step::bind_addresses, FI_EINVAL, Status::failed, "fi_ep_bind"},
                             Fault{Step::bind_queue, FI_EINVAL, Status::failed, "fi_ep_bind"},
                             Fault{Step::enable, FI_EACCES, Status::denied, "fi_enable"},
                             Fault{Step::name, FI_EADDRNOTAVAIL, Status::failed, "fi_getname"}}) {
    SCOPED_TRACE(to_string(fault.step));
    // A queue with a wait object is tried first, one without it then: both fail.
    provider->fail(fault.step, fault.error, 0, fault.step == Step::queue ? 2 : 1);
    const auto refused = calls.open(FabricCalls::owner, Endpoint{next++});
    EXPECT_EQ(refused.status, fault.status) << to_string(refused.status);
    EXPECT_TRUE(says(refused.text, std::string("fake: ") + fault.named)) << refused.text.text();
    EXPECT_TRUE(says(refused.text, "(" + std::to_string(fault.error) + ")")) << refused.text.text();
    EXPECT_EQ(Resources::held_text(), "");
    EXPECT_EQ(provider->open_objects(), 0);
    const auto opened = calls.open(FabricCalls::owner, Endpoint{next});
    EXPECT_EQ(opened.status, Status::ok) << opened.text.text();
    calls.close(FabricCalls::owner, Endpoint{next++});
  }
}

TEST(FabricFaults, a_provider_without_a_wait_object_is_looked_at_instead) {
  const FakeProvider provider;
  FabricCalls calls(fake_provider::provider_name);
  provider->fail(Step::wait_object, FI_ENOSYS, 0, 2);
  calls.meet();
  const Blob content = bytes_from(100, 1);
  EXPECT_TRUE(calls.read(calls.serve(Region{1}, content), 0, 100).content == content);
}

TEST(FabricFaults, a_refused_registration_names_the_call_and_the_next_one_works) {
  Traits traits;
  traits.mr_mode = FI_MR_ENDPOINT | FI_MR_RAW;
  const FakeProvider provider(traits);
  FabricCalls calls(fake_provider::provider_name);
  calls.meet();
  std::uint32_t next = 1;
  for (const Fault& fault : {Fault{Step::register_memory, FI_ENOSPC, Status::no_space, "fi_mr_reg"},
                             Fault{Step::register_memory, FI_ENOMEM, Status::no_space, "fi_mr_reg"},
                             Fault{Step::register_memory, FI_EPERM, Status::denied, "fi_mr_reg"},
                             Fault{Step::bind_memory, FI_EINVAL, Status::failed, "fi_mr_bind"},
                             Fault{Step::enable_memory, FI_EIO, Status::failed, "fi_mr_enable"},
                             Fault{Step::raw_key, FI_ETOOSMALL, Status::failed, "fi_mr_raw_attr"}}) {
    SCOPED_TRACE(to_string(fault.step));
    const auto objects = provider->open_objects();  // with the keys that the reader has mapped by now
    const auto mappings = Resources::held(Resource::mapping);
    provider->fail(fault.step, fault.error);
    const auto refused = calls.region(Region{next++}, 4'096);
    EXPECT_EQ(refused.status, fault.status) << to_string(refused.status);
    EXPECT_TRUE(says(refused.text, std::string("fake: ") + fault.named)) << refused.text.text();
    EXPECT_EQ(provider->open_objects(), objects);
    EXPECT_EQ(Resources::held(Resource::mapping), mappings);
    const Region good{next++};
    const Blob content = bytes_from(64, next);
    EXPECT_TRUE(calls.read(calls.serve(good, content), 0, 64).content == content);
    calls.unregister(good);
    provider->reset();
    provider->set(traits);
  }
}

TEST(FabricFaults, a_refused_address_is_an_error_and_the_next_one_is_taken) {
  const FakeProvider provider;
  FabricCalls calls(fake_provider::provider_name);
  calls.meet();
  const auto of = calls.serve(Region{1}, bytes_from(64, 5));
  for (const int error : {FI_ENOMEM, FI_EINVAL}) {
    provider->fail(Step::insert, error);
    const auto refused = calls.insert(calls.owners_address, Peer{7});
    EXPECT_NE(refused.status, Status::ok);
    EXPECT_TRUE(says(refused.text, "fake: fi_av_insert")) << refused.text.text();
    const auto read = calls.read(of, 0, 8, Endpoint{1}, Peer{7});
    EXPECT_EQ(read.status, Status::failed);
    EXPECT_TRUE(says(read.text, "a peer that was not inserted")) << read.text.text();
  }
  EXPECT_EQ(calls.insert(calls.owners_address, Peer{8}).status, Status::ok);
  EXPECT_TRUE(calls.read(of, 0, 64, Endpoint{1}, Peer{8}).content == bytes_from(64, 5));
}

TEST(FabricFaults, addresses_that_are_garbage_or_of_another_length_are_refused) {
  const FakeProvider provider;
  FabricCalls calls(fake_provider::provider_name);
  calls.meet();
  for (const std::size_t bytes : {0u, 1u, 15u, 16u, 17u, 256u, 65'536u}) {
    const auto refused = calls.insert(bytes_from(bytes, 200), Peer{9});
    EXPECT_EQ(refused.status, Status::invalid) << bytes;
    EXPECT_TRUE(says(refused.text, "fake: ")) << refused.text.text();
  }
  const auto of = calls.serve(Region{1}, bytes_from(64, 5));
  EXPECT_TRUE(calls.read(of, 0, 64).content == bytes_from(64, 5));
}

}  // namespace
}  // namespace tenter::hw
