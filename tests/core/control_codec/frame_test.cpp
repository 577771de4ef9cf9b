// SLR3 frames. Spec B2.1.
#include "core/control/slr3.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tenter::control {
namespace frame_test {
namespace {

std::vector<std::byte> from_hex(std::string_view hex) {
  std::vector<std::byte> bytes;
  std::string digits;
  for (const char c : hex)
    if (c != ' ') digits += c;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoul(digits.substr(i, 2), nullptr, 16)));
  return bytes;
}

Blob blob_of(const std::vector<std::byte>& bytes) { return Blob(Bytes(bytes)); }

Blob sample() {
  const auto payload = from_hex("aa bb cc");
  return write_frame(FrameType::task, {0x1122334455667788, 7, 0x0102030405060708}, payload).value();
}

// Every cut and every byte more is refused by `read`.
template <class Read>
void only_the_whole_is_read(const Blob& whole, Read&& read) {
  ASSERT_TRUE(read(whole.bytes()).has_value());
  for (std::size_t cut = 0; cut < whole.size(); ++cut) EXPECT_FALSE(read(whole.bytes().first(cut)).has_value()) << cut;
  std::vector<std::byte> longer(whole.bytes().begin(), whole.bytes().end());
  longer.push_back(std::byte{0});
  EXPECT_FALSE(read(Bytes(longer)).has_value());
}

TEST(ControlFrame, the_header_is_the_check_vector_of_the_specification) {
  EXPECT_EQ(sample(),
            blob_of(from_hex("534c5233 03000000 02000000 8877665544332211 07000000 0807060504030201 03000000 00000000 aabbcc")));
}

TEST(ControlFrame, what_was_written_is_read_and_nothing_shorter_or_longer) {
  const Blob whole = sample();
  const auto frame = read_frame(whole.bytes());
  ASSERT_TRUE(frame.has_value());
  EXPECT_EQ(frame->type, FrameType::task);
  EXPECT_EQ(frame->identity, (FrameIdentity{0x1122334455667788, 7, 0x0102030405060708}));
  EXPECT_EQ(Blob(frame->payload), blob_of(from_hex("aabbcc")));
  only_the_whole_is_read(whole, [](Bytes bytes) { return read_frame(bytes); });
}

TEST(ControlFrame, a_flip_of_any_bit_of_the_header_is_refused_or_read_as_another_frame) {
  const Blob whole = sample();
  const auto right = read_frame(whole.bytes());
  for (std::size_t bit = 0; bit < 40 * 8; ++bit) {
    std::vector<std::byte> flipped(whole.bytes().begin(), whole.bytes().end());
    flipped[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
    const auto frame = read_frame(Bytes(flipped));
    if (!frame) continue;
    EXPECT_FALSE(frame->type == right->type && frame->identity == right->identity && frame->flags == right->flags) << bit;
  }
}

TEST(ControlFrame, the_first_thing_that_is_wrong_is_named) {
  const auto text = [](std::size_t offset, std::uint8_t value) {
    const Blob whole = sample();
    std::vector<std::byte> bytes(whole.bytes().begin(), whole.bytes().end());
    bytes[offset] = static_cast<std::byte>(value);
    const auto frame = read_frame(Bytes(bytes));
    EXPECT_FALSE(frame.has_value()) << offset;
    return frame ? std::string() : frame.error().what;
  };
  EXPECT_NE(text(0, 0).find("magic"), std::string::npos);
  EXPECT_NE(text(4, 2).find("version"), std::string::npos);
  EXPECT_NE(text(8, 8).find("type"), std::string::npos);
  EXPECT_NE(text(32, 4).find("payload"), std::string::npos);
  EXPECT_NE(text(36, 0x80).find("flags"), std::string::npos);
}

TEST(ControlFrame, a_payload_above_its_limit_is_not_written) {
  EXPECT_FALSE(write_frame(FrameType::task, {1, 0, 1}, Bytes(std::vector<std::byte>(payload_bytes_max + 1))).has_value());
  EXPECT_FALSE(write_frame(FrameType::task, {1, 0, 1}, {}, 0x80000000u).has_value());
}

}  // namespace
}  // namespace frame_test
}  // namespace tenter::control
