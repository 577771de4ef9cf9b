#include "core/utf8.hpp"
#include "tests/core/control_codec/samples.hpp"

namespace tenter::control::test {
namespace message_test {
namespace {

TEST(Slr3Message, hello_has_its_fields_where_the_specification_says) {
  const Blob hello = write_hello({0x1122'3344'5566'7788, 1, "sim", 0, ReadyState::ready});
  EXPECT_EQ(hex(hello.bytes()),
            "8877665544332211"
            "01000000"
            "03000000"
            "03000000"
            "73696d"
            "0000000000000000"
            "01000000");
  EXPECT_EQ(hello.size(), 32u + 3u);
  EXPECT_EQ(*read_hello(hello.bytes()), (Hello{0x1122'3344'5566'7788, 1, "sim", 0, ReadyState::ready}));
}

TEST(Slr3Message, hello_breaking_a_rule_is_refused_with_its_field) {
  const Blob hello = write_hello({5, 1, "sim", 0, ReadyState::ready});
  EXPECT_REFUSED(read_hello(with(hello, 0, std::uint64_t{0}).bytes()), "session at offset 0");
  EXPECT_REFUSED(read_hello(with(hello, 8, 0x8000'0000u).bytes()), "worker at offset 8 is -2147483648");
  EXPECT_REFUSED(read_hello(with(hello, 12, 2u).bytes()), "protocol version at offset 12 is 2", "expected 3");
  EXPECT_REFUSED(read_hello(with(hello, 31, 2u).bytes()), "ready state at offset 31 is 2");
  EXPECT_REFUSED(read_hello(with(hello, 20, std::uint8_t{0xff}).bytes()), "profile", "UTF-8");
  const Blob longest = write_hello({5, 1, std::string(string_bytes_max, 'p'), 0, ReadyState::ready});
  EXPECT_TRUE(read_hello(longest.bytes()).has_value());
  EXPECT_REFUSED(read_hello(write_hello({5, 1, std::string(string_bytes_max + 1, 'p'), 0, ReadyState::ready}).bytes()), "limit");
}

TEST(Slr3Message, control_has_its_bytes_and_refuses_names_outside_1_to_17) {
  const Blob control = write_control({ControlName::prepare_callable, 1, bytes_of("xy")});
  EXPECT_EQ(hex(control.bytes()),
            "05000000"
            "01000000"
            "02000000"
            "7879");
  const auto read = read_control(control.bytes());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->name, ControlName::prepare_callable);
  EXPECT_EQ(Blob(read->command), Blob(std::string_view("xy")));
  for (const std::uint32_t name : {0u, 18u, 0xffff'ffffu})
    EXPECT_REFUSED(read_control(with(control, 0, name).bytes()), "name at offset 0");
  EXPECT_REFUSED(read_control(with(control, 4, 0u).bytes()), "version at offset 4 is 0");
}

// B2.10: the reply to what cannot be read names what can be.
TEST(Slr3Message, the_name_of_a_broken_control_is_read_where_it_is_there) {
  const Blob control = write_control({ControlName::copy_to_remote, 1, bytes_of("xy")});
  EXPECT_EQ(control_name_of(control.bytes().first(4)), ControlName::copy_to_remote);
  EXPECT_EQ(control_name_of(control.bytes().first(3)), ControlName::prepare_callable);
  EXPECT_EQ(control_name_of(with(control, 0, 18u).bytes()), ControlName::prepare_callable);
}

TEST(Slr3Message, control_reply_and_completion_have_their_bytes) {
  const Blob reply = write_control_reply({7, ControlName::alloc_remote_buffer, 1, 0, "", bytes_of("r")});
  EXPECT_EQ(hex(reply.bytes()),
            "0700000000000000"
            "06000000"
            "01000000"
            "00000000"
            "00000000"
            "01000000"
            "72");
  const Blob completion = write_completion({7, 1, "no"});
  EXPECT_EQ(hex(completion.bytes()),
            "0700000000000000"
            "01000000"
            "02000000"
            "6e6f");
  EXPECT_EQ(*read_completion(completion.bytes()), (Completion{7, 1, "no"}));
  EXPECT_REFUSED(read_control_reply(with(reply, 8, 18u).bytes()), "name at offset 8 is 18");
  EXPECT_REFUSED(read_control_reply(with(reply, 12, 0u).bytes()), "version at offset 12 is 0");
}

TEST(Slr3Message, every_cut_and_every_byte_more_is_refused) {
  const auto refused_when_cut = [](const Blob& payload, auto read) {
    for_each_cut(payload, [&](Bytes cut) { EXPECT_FALSE(read(cut).has_value()) << cut.size(); });
    EXPECT_FALSE(read(Blob(std::string(payload.text()) + '\0').bytes()).has_value());
    EXPECT_TRUE(read(payload.bytes()).has_value());
  };
  refused_when_cut(write_hello({5, 1, "sim", 0, ReadyState::ready}), read_hello);
  refused_when_cut(write_control({ControlName::copy_to_remote, 1, bytes_of("xy")}), read_control);
  refused_when_cut(write_control_reply({7, ControlName::prepare_callable, 1, 3, "why", bytes_of("r")}), read_control_reply);
  refused_when_cut(write_completion({7, 1, "why"}), read_completion);
}

// P-X14: an error text of any length and script yields a valid reply. 4,096 characters of two bytes were the reference's end.
TEST(Slr3Message, an_error_text_of_any_length_and_script_yields_a_valid_reply) {
  std::string accents, broken(5'000, '\xff'), faces;
  for (int i = 0; i < 4'096; ++i) accents += "é", faces += "\xF0\x9F\x98\x80";
  for (const std::string& text : {accents, broken, faces, std::string(70'000, 'x'), std::string("\xC3"), std::string()}) {
    const auto completion = read_completion(write_completion({1, 1, text}).bytes());
    ASSERT_TRUE(completion.has_value());
    EXPECT_LE(completion->error.size(), error_text_bytes_max);
    EXPECT_EQ(utf8_repaired(completion->error), completion->error);
    EXPECT_EQ(completion->error.empty(), text.empty());
    EXPECT_TRUE(read_control_reply(write_control_reply({1, ControlName::alloc_domain, 1, 1, text, {}}).bytes()).has_value());
  }
  EXPECT_EQ(error_text(accents), accents.substr(0, 4'096));
  EXPECT_EQ(error_text(std::string(4'095, 'a') + "é"), std::string(4'095, 'a'));
}

TEST(Slr3Message, an_error_text_that_is_no_utf_8_loses_no_answer) {
  const Blob completion = with(write_completion({7, 1, "abc"}), 17, std::uint8_t{0xff});
  EXPECT_EQ(read_completion(completion.bytes())->error,
            "a\xEF\xBF\xBD"
            "c");
}

}  // namespace
}  // namespace message_test
}  // namespace tenter::control::test
