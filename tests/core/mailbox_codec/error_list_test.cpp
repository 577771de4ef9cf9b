#include "core/mailbox/error_list.hpp"

#include "core/utf8.hpp"
#include "tests/core/mailbox_codec/bytes.hpp"

namespace tenter::mailbox::test {
namespace {

std::vector<RankError> many(std::int32_t count, const std::string& message) {
  std::vector<RankError> errors;
  for (std::int32_t rank = 0; rank < count; ++rank) errors.push_back({rank, "ValueError", message, false});
  return errors;
}

TEST(ErrorList, has_sorted_keys_and_ascii_only) {
  const Blob blob = encode_error_list({{2, "ValueError", "no \"file\"\n\xC3\xA9 \xF0\x9F\x98\x80", false}});
  EXPECT_EQ(blob.text(),
            "[{\"error_type\": \"ValueError\", \"message\": \"no \\\"file\\\"\\n\\u00e9 \\ud83d\\ude00\", \"rank\": 2}]");
}

TEST(ErrorList, gives_back_what_was_put_in) {
  const std::vector<RankError> errors{
      {0, "A", "x\x01\x7F\\/", false}, {-1, "", "", false}, {2147483647, "\xE2\x82\xAC", "z", false}};
  EXPECT_EQ(decode_error_list(encode_error_list(errors).bytes()), errors);
  EXPECT_EQ(encode_error_list({}).text(), "[]");
  EXPECT_TRUE(decode_error_list(encode_error_list({}).bytes()).empty());
  EXPECT_TRUE(decode_error_list({}).empty());
}

TEST(ErrorList, a_long_message_is_cut_between_two_characters_and_marked) {
  std::string message(2'034, 'a');
  for (int i = 0; i < 10; ++i) message += "\xE2\x82\xAC";
  const std::string text = decode_error_list(encode_error_list({{0, "T", message, false}}).bytes())[0].message;
  EXPECT_EQ(text, std::string(2'034, 'a') + " [truncated]");  // 2,036 bytes are left beside the mark: no third of a euro
  const std::string exact(error_message_bytes_max, 'a');
  EXPECT_EQ(decode_error_list(encode_error_list({{0, "T", exact, false}}).bytes())[0].message, exact);
  EXPECT_EQ(decode_error_list(encode_error_list({{0, std::string(300, 't'), "", false}}).bytes())[0].type,
            std::string(244, 't') + " [truncated]");
}

TEST(ErrorList, is_the_same_when_it_is_encoded_once_more) {
  const Blob once = encode_error_list(many(64, std::string(5'000, 'x')));
  EXPECT_EQ(encode_error_list(decode_error_list(once.bytes())), once);
}

TEST(ErrorList, what_does_not_fit_is_dropped_from_the_end_and_counted) {
  const Blob blob = encode_error_list(many(64, std::string(5'000, 'x')));
  EXPECT_LE(blob.size(), error_list_bytes_max);
  const auto errors = decode_error_list(blob.bytes());
  ASSERT_GT(errors.size(), 2u);
  EXPECT_EQ(errors.front().rank, 0);
  EXPECT_TRUE(errors.front().message.ends_with(" [truncated]"));
  const std::size_t kept = errors.size() - 1;
  EXPECT_EQ(errors[kept - 1].rank, static_cast<std::int32_t>(kept - 1));
  EXPECT_EQ(errors.back(),
            (RankError{-1, "TruncatedErrorList", std::to_string(64 - kept) + " more rank errors were dropped", false}));
  EXPECT_GT(blob.size() + 2'200, error_list_bytes_max) << "one more would have fitted";
}

TEST(ErrorList, fits_and_parses_for_every_number_of_ranks_and_every_kind_of_text) {
  for (const char* unit : {"x", "\"", "\x01", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\xFF"}) {
    std::string message;
    while (message.size() < 2'100) message += unit;
    for (const std::int32_t count : {1, 4, 5, 6, 7, 10, 15, 16, 29, 30, 31, 32, 64, 1'000}) {
      const Blob blob = encode_error_list(many(count, message));
      ASSERT_LE(blob.size(), error_list_bytes_max) << unit << count;
      const auto errors = decode_error_list(blob.bytes());
      const bool dropped = errors.back().type == "TruncatedErrorList";
      const std::size_t kept = errors.size() - (dropped ? 1 : 0);
      ASSERT_EQ(errors[0].rank, 0) << unit << count;
      const std::string sentinel = std::to_string(static_cast<std::size_t>(count) - kept) + " more rank errors were dropped";
      if (dropped) {
        ASSERT_EQ(errors.back().message, sentinel);
      } else {
        ASSERT_EQ(kept, static_cast<std::size_t>(count));
      }
    }
  }
}

TEST(ErrorList, bytes_that_are_no_utf8_are_replaced_not_believed) {
  const auto errors = decode_error_list(encode_error_list({{1, "T",
                                                            "a\xED\xA0\x80"
                                                            "b\xC0\xAF",
                                                            false}})
                                            .bytes());
  EXPECT_EQ(errors[0].message,
            "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
            "b\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(ErrorList, plain_text_of_the_reference_becomes_one_entry_without_a_rank) {
  for (const std::string_view text : {"session timed out", "[not json", "{}", "[{\"rank\": 1}]", "[] x", "[1]", "null",
                                      "[{\"error_type\": \"T\", \"message\": \"m\", \"rank\": 1.5}]",
                                      "[{\"error_type\": \"T\", \"message\": \"m\", \"rank\": 4294967296}]",
                                      "[{\"error_type\": \"T\", \"message\": \"m\", \"rank\": 1, \"rank\": 2}]"}) {
    const auto errors = decode_error_list(bytes_of(text));
    ASSERT_EQ(errors.size(), 1u) << text;
    EXPECT_EQ(errors[0], (RankError{-1, "TerminalReason", std::string(text), false}));
  }
  EXPECT_EQ(decode_error_list(bytes_of("cut \xE2\x82"))[0].message, "cut \xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(ErrorList, other_writers_of_the_same_json_are_understood) {
  const auto errors = decode_error_list(
      bytes_of(" [ {\"rank\":-1,\"message\":\"\\u0041\\/\\ud83d\\ude00\\ud83dx\\b\\f\\n\\r\\t\",\"error_type\":\"\xC3\xA9\"} , "
               "{\"error_type\":\"\",\"message\":\"\",\"rank\":0} ]\n"));
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_EQ(errors[0], (RankError{-1, "\xC3\xA9", "A/\xF0\x9F\x98\x80\xEF\xBF\xBDx\b\f\n\r\t", false}));
}

TEST(ErrorList, every_cut_still_tells_something) {
  const Blob blob = encode_error_list({{0, "A", "first \xC3\xA9", false}, {1, "B", "second", false}});
  for_each_cut(blob, [](Bytes cut) {
    const auto errors = decode_error_list(cut);
    ASSERT_EQ(errors.size(), cut.empty() ? 0u : 1u);
    if (cut.empty()) return;
    EXPECT_EQ(errors[0].type, "TerminalReason");
    EXPECT_EQ(errors[0].message.size(), cut.size());
  });
}

TEST(ErrorList, reads_as_one_sentence_for_people) {
  EXPECT_EQ(text_of_errors({{2, "ValueError", "no such file", false}, {-1, "Late", "5 s", false}}),
            "rank 2: ValueError: no such file; Late: 5 s");
}

TEST(Utf8, well_formed_is_what_the_unicode_standard_says) {
  const auto length = [](std::string_view text) { return utf8_length(text, 0); };
  EXPECT_EQ(length("a"), 1u);
  EXPECT_EQ(length("\xC2\x80"), 2u);
  EXPECT_EQ(length("\xE0\xA0\x80"), 3u);
  EXPECT_EQ(length("\xED\x9F\xBF"), 3u);
  EXPECT_EQ(length("\xF0\x90\x80\x80"), 4u);
  EXPECT_EQ(length("\xF4\x8F\xBF\xBF"), 4u);
  for (const std::string_view broken :
       {"\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xC3",
        "\xE2\x82", "\xF0\x9F\x98", "\xE2\x28\xA1", "\xFF"})
    EXPECT_EQ(length(broken), 0u) << hex(bytes_of(broken));
}

TEST(Utf8, every_scalar_value_survives_the_way_out_and_back) {
  for (std::uint32_t point = 0; point <= 0x10FFFF; ++point) {
    if (point >= 0xD800 && point <= 0xDFFF) continue;
    std::string text;
    utf8_append(text, point);
    ASSERT_EQ(utf8_length(text, 0), text.size()) << point;
    ASSERT_EQ(utf8_code_point(text, 0, text.size()), point);
  }
}

}  // namespace
}  // namespace tenter::mailbox::test
