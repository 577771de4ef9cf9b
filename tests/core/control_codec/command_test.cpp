#include "core/text.hpp"
#include "tests/core/control_codec/samples.hpp"

namespace tenter::control::test {
namespace command_test {
namespace {

const CallableName callable{TargetRegistry::inner_worker, CallableKind::chip, digest_of_sample()};
const BufferName buffer{3, 11, 2};

// The sizes of B2.7; what is written is read back, and neither a cut nor a byte more is.
template <class Read, class Value>
void expect_whole(const Blob& bytes, std::size_t size, Read read, const Value& value) {
  EXPECT_EQ(bytes.size(), size);
  const auto whole = read(bytes.bytes());
  ASSERT_TRUE(whole.has_value()) << whole.error().what;
  EXPECT_TRUE(*whole == value);
  for_each_cut(bytes, [&](Bytes cut) { EXPECT_FALSE(read(cut).has_value()) << cut.size(); });
  EXPECT_FALSE(read(Blob(std::string(bytes.text()) + '\0').bytes()).has_value());
}

TEST(Slr3Command, commands_have_the_sizes_of_the_specification_and_are_read_back_whole) {
  expect_whole(write_callable_name(callable), 40, read_callable_name, callable);
  const CallablePayload payload{callable, 1, bytes_of("module:name")};
  expect_whole(write_callable_payload(payload), 48 + 11, read_callable_payload, payload);
  expect_whole(write_buffer_name(buffer), 20, read_buffer_name, buffer);
  expect_whole(write_alloc(4'096), 8, read_alloc, std::uint64_t{4'096});
  const RemoteBuffer remote{buffer, AddressSpace::remote_window, 4'096, 0x7000, 0xBEEF, 1};
  expect_whole(write_remote_buffer(remote), 56, read_remote_buffer, remote);
  const CopyRange range{buffer, 8, 16};
  expect_whole(write_copy_from(range), 36, read_copy_from, range);
  const ExportCall call{range, access_read | access_write, "ib"};
  expect_whole(write_export(call), 48 + 2, read_export, call);
  const ReleaseImport release{1, buffer, 77};
  expect_whole(write_release_import(release), 36, read_release_import, release);
  expect_whole(write_release_domain({5, 6}), 20, read_release_domain, DomainName{5, 6});
}

TEST(Slr3Command, a_copy_carries_exactly_the_bytes_that_it_announces) {
  const Blob copy = write_copy_to(buffer, 8, bytes_of("data"));
  const auto read = read_copy_to(copy.bytes());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->range, (CopyRange{buffer, 8, 4}));
  EXPECT_EQ(Blob(read->data), Blob(std::string_view("data")));
  EXPECT_REFUSED(read_copy_to(with(copy, 28, std::uint64_t{5}).bytes()), "bytes at offset 28 is 5", "4 bytes of data follow");
  for_each_cut(copy, [](Bytes cut) { EXPECT_FALSE(read_copy_to(cut).has_value()); });
}

// B34
TEST(Slr3Command, ranges_that_wrap_are_refused_before_anything_else) {
  const Blob copy = write_copy_from({buffer, ~std::uint64_t{0} - 7, 8});
  EXPECT_REFUSED(read_copy_from(copy.bytes()), "offset at offset 20", "overflow");
  EXPECT_TRUE(read_copy_from(write_copy_from({buffer, ~std::uint64_t{0} - 8, 8}).bytes()).has_value());
}

// B2.4: what is accepted as a request and can only fail in the reply.
TEST(Slr3Command, a_copy_back_that_does_not_fit_its_reply_is_refused_as_a_request) {
  EXPECT_TRUE(read_copy_from(write_copy_from({buffer, 0, copy_from_bytes_max}).bytes()).has_value());
  const auto refused = read_copy_from(write_copy_from({buffer, 0, copy_from_bytes_max + 1}).bytes());
  EXPECT_REFUSED(refused, text_of(copy_from_bytes_max), "fit its reply");
  EXPECT_EQ(refused.error().status, Status::no_space);
  const Blob data(copy_from_bytes_max, [](MutableBytes) {});
  const Blob reply =
      write_control_reply({1, ControlName::copy_from_remote, 1, 1, std::string(error_text_bytes_max, 'e'), data.bytes()});
  EXPECT_EQ(reply.size(), payload_bytes_max);
  const Blob most(copy_to_bytes_max, [](MutableBytes) {});
  EXPECT_EQ(write_control({ControlName::copy_to_remote, 1, write_copy_to(buffer, 0, most.bytes()).bytes()}).size(),
            payload_bytes_max);
}

TEST(Slr3Command, wrong_values_are_refused_with_their_offset) {
  const Blob name = write_callable_name(callable);
  EXPECT_REFUSED(read_callable_name(with(name, 0, 3u).bytes()), "target registry at offset 0 is 3");
  EXPECT_REFUSED(read_callable_name(with(name, 4, 4u).bytes()), "callable kind at offset 4 is 4");
  EXPECT_REFUSED(read_callable_name(with(name, 0, 1u).bytes()), "a chip callable belongs to the inner worker");
  EXPECT_REFUSED(read_buffer_name(with(write_buffer_name(buffer), 0, 0xffff'ffffu).bytes()), "worker at offset 0 is -1");
  EXPECT_REFUSED(read_alloc(write_alloc(0).bytes()), "bytes at offset 0 is 0");
  const Blob remote = write_remote_buffer({buffer, AddressSpace::remote_window, 1, 0, 0, 0});
  EXPECT_REFUSED(read_remote_buffer(with(remote, 20, 0u).bytes()), "address space at offset 20 is 0");
  const Blob exported = write_export({{buffer, 0, 8}, 1, "p"});
  EXPECT_REFUSED(read_export(with(exported, 36, 0u).bytes()), "access at offset 36 is 0");
  EXPECT_REFUSED(read_export(with(exported, 36, 4u).bytes()), "access at offset 36 is 4");
  EXPECT_REFUSED(read_export(with(exported, 45, 1u).bytes()), "reserved");
  EXPECT_REFUSED(read_export(with(exported, 40, 129u).bytes()), "limit");
  EXPECT_REFUSED(read_release_import(write_release_import({1, {-1, 11, 2}, 7}).bytes()), "worker at offset 4", "never negative");
  EXPECT_REFUSED(read_release_import(with(write_release_import({1, buffer, 7}), 32, 1u).bytes()), "reserved at offset 32");
  EXPECT_REFUSED(read_release_domain(with(write_release_domain({5, 6}), 0, 1u).bytes()), "version at offset 0 is 1");
}

}  // namespace
}  // namespace command_test
}  // namespace tenter::control::test
