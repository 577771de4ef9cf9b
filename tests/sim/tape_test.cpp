#include "sim/tape.hpp"

#include <gtest/gtest.h>

namespace tenter::sim {
namespace {

Tape example() {
  Tape tape;
  tape.protocol = "mailbox";
  tape.scenario = "default";
  tape.planted = "a_bug";
  tape.mutant = "drop_action channel.idle.submitted publish#2";
  tape.property = "every call ends";
  tape.seed = 0x51f0;
  tape.step = 77;
  tape.digest = 0xFEDCBA9876543210ull;
  tape.entries = {{Tag::crash, 2, 0, 256, 14}, {Tag::delay, 0, 3, 19, 18}};
  return tape;
}

TEST(Tape, what_is_written_reads_back) {
  const Tape tape = example();
  const auto back = decode_tape(encode_tape(tape));
  ASSERT_TRUE(back) << back.error().what;
  EXPECT_EQ(back->protocol, tape.protocol);
  EXPECT_EQ(back->scenario, tape.scenario);
  EXPECT_EQ(back->planted, tape.planted);
  EXPECT_EQ(back->mutant, tape.mutant);
  EXPECT_EQ(back->property, tape.property);
  EXPECT_EQ(back->seed, tape.seed);
  EXPECT_EQ(back->step, tape.step);
  EXPECT_EQ(back->digest, tape.digest);
  EXPECT_EQ(back->entries, tape.entries);
}

TEST(Tape, an_error_names_line_and_field) {
  std::string text = encode_tape(example());
  text += "choice crash 2 1 256 256\n";  // an answer is below n
  const auto refused = decode_tape(text);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("line 12"), std::string::npos) << refused.error().what;
  EXPECT_NE(refused.error().what.find("choice"), std::string::npos);
}

TEST(Tape, every_cut_is_read_or_refused_but_never_believed_wrongly) {
  const Tape tape = example();
  const std::string text = encode_tape(tape);
  for (std::size_t k = 0; k < text.size(); ++k) {
    const auto cut = decode_tape(std::string_view(text).substr(0, k));
    if (!cut) continue;
    ASSERT_LE(cut->entries.size(), tape.entries.size());
    for (std::size_t i = 0; i + 1 < cut->entries.size(); ++i) EXPECT_EQ(cut->entries[i], tape.entries[i]);
  }
  EXPECT_FALSE(decode_tape(""));
  EXPECT_FALSE(decode_tape("tenter.tape/2\n"));
}

}  // namespace
}  // namespace tenter::sim
