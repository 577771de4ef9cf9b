#include "tests/core/control_codec/samples.hpp"

namespace tenter::control::test {
namespace task_test {
namespace {

Blob written(const TaskCall& call) {
  const auto blob = write_task(call);
  EXPECT_TRUE(blob.has_value()) << blob.error().what;
  return blob.value_or(Blob());
}

TEST(Slr3Task, the_smallest_one_has_its_bytes) {
  TaskCall call;
  call.callable = digest_of_sample();
  call.scalars = {2};
  call.inline_bytes = bytes_of("hi");
  EXPECT_EQ(hex(written(call).bytes()), hex(call.callable) +
                                            "00000000"
                                            "00000000"
                                            "00000000"
                                            "00000000"
                                            "00000000"
                                            "00000000"
                                            "00000000"
                                            "00000000"
                                            "01000000"
                                            "0200000000000000"
                                            "02000000"
                                            "6869");
}

// B2.6: 55 + 8 * dimensions bytes a tensor, 80 a descriptor and one that says whether it is there.
TEST(Slr3Task, tensors_and_descriptors_have_the_sizes_of_the_specification) {
  TaskCall call;
  const std::size_t empty = written(call).size();
  EXPECT_EQ(empty, 32u + 28u + 8u + 4u);
  Tensor tensor;
  for (std::uint32_t dimensions = 1; dimensions <= dimensions_max; ++dimensions) {
    tensor.shape.assign(dimensions, 1);
    tensor.stride.assign(dimensions, 1);
    tensor.bytes = 4;
    call.tensors = {tensor};
    EXPECT_EQ(written(call).size(), empty + 55 + 8 * dimensions + 1);
    call.tensors[0].descriptor = BufferDescriptor{AddressSpace::remote_device, 0, 1, 0, 4, 0, 0, 1, 0, 0};
    EXPECT_EQ(written(call).size(), empty + 55 + 8 * dimensions + 81);
  }
}

TEST(Slr3Task, what_is_written_is_read_back) {
  const TaskCall call = sample_task();
  const Blob payload = written(call);
  const auto read = read_task(payload.bytes());
  ASSERT_TRUE(read.has_value()) << read.error().what;
  EXPECT_EQ(read->callable, call.callable);
  EXPECT_EQ(read->config, call.config);
  EXPECT_EQ(read->tensors, call.tensors);
  EXPECT_EQ(read->scalars, call.scalars);
  EXPECT_EQ(Blob(read->inline_bytes), Blob(call.inline_bytes));
}

TEST(Slr3Task, every_cut_and_every_byte_more_is_refused) {
  const Blob payload = written(sample_task());
  for_each_cut(payload, [](Bytes cut) { EXPECT_FALSE(read_task(cut).has_value()) << cut.size(); });
  EXPECT_FALSE(read_task(Blob(std::string(payload.text()) + '\0').bytes()).has_value());
}

TEST(Slr3Task, every_flipped_bit_is_refused_or_is_another_task) {
  const Blob payload = written(sample_task());
  std::size_t refused = 0;
  for_each_flip(payload, [&](Bytes flipped, std::size_t at) {
    const auto read = read_task(flipped);
    if (!read) return void(++refused);
    EXPECT_EQ(written(*read), Blob(flipped)) << at;
  });
  EXPECT_GT(refused, 1'000u);
}

// One change to the sample, and parts of the text that refuses it, when it is written.
struct Broken {
  const char* what;
  void (*change)(TaskCall&);
  std::string says;
};
void PrintTo(const Broken& broken, std::ostream* out) { *out << broken.what; }

class BrokenTask : public testing::TestWithParam<Broken> {};

TEST_P(BrokenTask, is_refused_when_it_is_written_and_names_its_field) {
  TaskCall call = sample_task();
  GetParam().change(call);
  EXPECT_REFUSED(write_task(call), GetParam().says);
}

const Broken broken_tasks[] = {
    {"generation", [](TaskCall& c) { c.tensors[1].generation = 0; }, "tensor 1: generation is 0"},
    {"access", [](TaskCall& c) { c.tensors[1].access = 3; }, "tensor 1: access is 3"},
    {"dtype", [](TaskCall& c) { c.tensors[0].dtype = 15; }, "tensor 0: element type is 15"},
    {"no_dimension", [](TaskCall& c) { c.tensors[0].shape = {}, c.tensors[0].stride = {}; }, "dimensions is 0"},
    {"six_dimensions", [](TaskCall& c) { c.tensors[0].shape.assign(6, 1), c.tensors[0].stride.assign(6, 1); }, "dimensions is 6"},
    {"strides", [](TaskCall& c) { c.tensors[0].stride.pop_back(); }, "strides is 1"},
    {"shape_0", [](TaskCall& c) { c.tensors[0].shape[1] = 0; }, "shape is 0"},
    {"stride_0", [](TaskCall& c) { c.tensors[0].stride[1] = 0; }, "stride is 0"},
    {"view", [](TaskCall& c) { c.tensors[0].bytes = 23; }, "bytes is 23, fewer than the view's 24"},
    {"view_overflow",
     [](TaskCall& c) {
       c.tensors[0].shape = {~0u, ~0u}, c.tensors[0].stride = {~0u, ~0u};
     },
     "fewer than"},
    {"descriptor_space", [](TaskCall& c) { c.tensors[0].descriptor->space = AddressSpace{5}; }, "address space is 5"},
    {"descriptor_space_0", [](TaskCall& c) { c.tensors[0].descriptor->space = AddressSpace{0}; }, "address space is 0"},
    {"inline_owner", [](TaskCall& c) { c.tensors[0].descriptor->owner = 1; }, "names a handle"},
    {"inline_key", [](TaskCall& c) { c.tensors[0].descriptor->key = 1; }, "names a handle"},
    {"inline_length", [](TaskCall& c) { c.tensors[0].descriptor->inline_bytes = 23; }, "inline bytes is 23"},
    {"inline_range", [](TaskCall& c) { c.tensors[0].descriptor->inline_offset = 10; }, "outside the task's 33 inline bytes"},
    {"inline_wraps", [](TaskCall& c) { c.tensors[0].descriptor->inline_offset = ~std::uint64_t{0} - 7; }, "outside"},
    {"remote_inline", [](TaskCall& c) { c.tensors[1].descriptor->inline_bytes = 1; }, "0 outside HOST_INLINE"},
    {"remote_owner", [](TaskCall& c) { c.tensors[1].descriptor->owner = -1; }, "owner is -1"},
    {"remote_buffer", [](TaskCall& c) { c.tensors[1].descriptor->buffer_id = 0; }, "buffer is 0"},
    {"remote_generation", [](TaskCall& c) { c.tensors[1].descriptor->generation = 0; }, "generation is 0"},
    {"remote_wraps", [](TaskCall& c) { c.tensors[1].descriptor->offset = ~std::uint64_t{0} - 7; }, "overflow"},
    {"prefix_missing", [](TaskCall& c) { c.config.output_prefix.clear(); }, "no output prefix"},
    {"prefix_long", [](TaskCall& c) { c.config.output_prefix.assign(1'024, 'p'); }, "the limit is 1023"},
    {"prefix_utf8", [](TaskCall& c) { c.config.output_prefix = "\xff"; }, "no UTF-8"},
    {"tensors", [](TaskCall& c) { c.tensors.resize(4'097, c.tensors[2]); }, "4097 tensors, the limit is 4096"},
    {"scalars", [](TaskCall& c) { c.scalars.resize(4'097); }, "4097 scalars, the limit is 4096"},
};
INSTANTIATE_TEST_SUITE_P(Slr3, BrokenTask, testing::ValuesIn(broken_tasks),
                         [](const auto& broken) { return std::string(broken.param.what); });

TEST(Slr3Task, inline_bytes_up_to_the_limit_are_carried_and_one_more_is_refused) {
  const Blob most(inline_bytes_max + 1, [](MutableBytes to) { std::fill(to.begin(), to.end(), std::byte{1}); });
  TaskCall call;
  call.inline_bytes = most.bytes().first(inline_bytes_max);
  EXPECT_TRUE(read_task(written(call).bytes()).has_value());
  call.inline_bytes = most.bytes();
  EXPECT_REFUSED(write_task(call), "1048577 inline bytes");
}

TEST(Slr3Task, the_largest_one_fits_a_frame) {
  TaskCall call = sample_task();
  const Tensor largest = [&] {
    Tensor tensor = call.tensors[1];
    tensor.shape.assign(dimensions_max, 1);
    tensor.stride.assign(dimensions_max, 1);
    return tensor;
  }();
  const Blob most(inline_bytes_max, [](MutableBytes to) { std::fill(to.begin(), to.end(), std::byte{1}); });
  call.tensors.assign(tensors_max, largest);
  call.scalars.assign(scalars_max, 1);
  call.config.output_prefix.assign(prefix_bytes_max, 'p');
  call.inline_bytes = most.bytes();
  EXPECT_TRUE(write_frame(FrameType::task, identity, written(call).bytes()).has_value());
}

// Fields of the wire that a Tensor does not have.
TEST(Slr3Task, backends_bodies_and_flags_that_are_not_known_are_refused_with_their_offset) {
  const Blob payload = written(sample_task());
  const std::size_t tensor = 32 + 28 + sample_task().config.output_prefix.size() + 8;
  EXPECT_REFUSED(read_task(with(payload, tensor + 22, std::uint8_t{1}).bytes()), "backend kind", "is 1");
  EXPECT_REFUSED(read_task(with(payload, tensor + 35, 1u).bytes()), "body bytes");
  EXPECT_REFUSED(read_task(with(payload, tensor + 39, std::uint64_t{8}).bytes()), "byte offset");
  EXPECT_REFUSED(read_task(with(payload, tensor + 47, 6u).bytes()), "dimensions", "is 6");
  const std::size_t descriptors = tensor + 2 * (55 + 8) + 55 + 16;
  EXPECT_REFUSED(read_task(with(payload, descriptors, std::uint8_t{2}).bytes()), "presence", "is 2");
  EXPECT_REFUSED(read_task(with(payload, descriptors + 73, std::uint64_t{1}).bytes()), "flags");
}

TEST(Slr3Task, counts_beyond_what_is_there_are_refused) {
  const Blob payload = written(TaskCall{});
  EXPECT_FALSE(read_task(with(payload, 60, 4'096u).bytes()).has_value());
  EXPECT_FALSE(read_task(with(payload, 64, 4'096u).bytes()).has_value());
  EXPECT_REFUSED(read_task(with(payload, 60, 0xffff'ffffu).bytes()), "4294967295 tensors");
  EXPECT_REFUSED(read_task(with(payload, 64, 0xffff'ffffu).bytes()), "4294967295 scalars");
}

}  // namespace
}  // namespace task_test
}  // namespace tenter::control::test
