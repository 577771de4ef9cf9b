// Values for the codec tests of control, with every optional part present.
#pragma once
#include <string>
#include <vector>

#include "core/control/gate_message.hpp"
#include "core/control/slr3.hpp"
#include "core/control/topology.hpp"
#include "tests/core/mailbox_codec/bytes.hpp"

namespace tenter::control::test {

using mailbox::test::bytes_of;
using mailbox::test::contains;
using mailbox::test::for_each_cut;
using mailbox::test::for_each_flip;
using mailbox::test::hex;
using mailbox::test::mutable_copy;
using mailbox::test::with;

inline constexpr FrameIdentity identity{0x1122'3344'5566'7788, 7, 0x0102'0304'0506'0708};

inline CallableDigest digest_of_sample() {
  CallableDigest digest;
  for (std::size_t i = 0; i < digest.size(); ++i) digest[i] = static_cast<std::byte>(i + 1);
  return digest;
}

// 2 x 3 float32 in the task's inline bytes, and 4 int64 in a window of worker 2.
inline TaskCall sample_task() {
  TaskCall call;
  call.callable = digest_of_sample();
  call.config = {4, {1, 0, 0, 0, 1}, "out/größe"};
  Tensor first;
  first.owner_nonce = 0xA1;
  first.buffer_id = 5;
  first.generation = 2;
  first.access = 1;
  first.bytes = 24;
  first.shape = {2, 3};
  first.stride = {3, 1};
  first.descriptor = BufferDescriptor{};
  first.descriptor->bytes = 24;
  first.descriptor->inline_bytes = 24;
  Tensor second = first;
  second.bytes = 32;
  second.shape = {4};
  second.stride = {1};
  second.dtype = 7;
  second.descriptor = BufferDescriptor{AddressSpace::remote_window, 2, 9, 64, 32, 0x7000, 0xBEEF, 3, 0, 0};
  Tensor bare = second;
  bare.descriptor.reset();
  call.tensors = {first, second, bare};
  call.scalars = {1, ~std::uint64_t{0}};
  call.inline_bytes = bytes_of("0123456789abcdefghijklmn and more");
  return call;
}

inline Topology two_hosts() {
  Topology topology;
  topology.controller_host = "node-a";
  topology.launcher_arguments = {"-verbose"};
  topology.executors.resize(2);
  topology.executors[0].host = "node-a";
  topology.executors[0].devices = {0, 1};
  topology.executors[0].global_ranks = {0, 1};
  topology.executors[1] = topology.executors[0];
  topology.executors[1].rank = 2;
  topology.executors[1].worker = 1;
  topology.executors[1].host = "node-b.example.";
  topology.executors[1].global_ranks = {2, 3};
  return topology;
}

}  // namespace tenter::control::test
