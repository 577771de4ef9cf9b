// Claims about the JSON writer, checked by a parser that is not ours.
#include "cli/report/json_writer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/report/utf8.hpp"

namespace tenter::report {
namespace {

std::string text_written(std::string_view text) {
  std::ostringstream out;
  JsonWriter(out).value(text);
  return out.str();
}

TEST(JsonWriter, keys_keep_the_order_in_which_they_were_written) {
  std::ostringstream out;
  JsonWriter json(out, JsonStyle::compact);
  json.begin_object()
      .member("zebra", 1)
      .member("ant", true)
      .key("list")
      .begin_array()
      .value(1.5)
      .value("x")
      .end_array()
      .end_object();
  EXPECT_EQ(out.str(), "{\"zebra\":1,\"ant\":true,\"list\":[1.5,\"x\"]}\n");
  EXPECT_TRUE(json.at_end());
}

TEST(JsonWriter, every_byte_value_makes_a_text_that_parses) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text = std::string("a") + static_cast<char>(byte) + "b";
    const std::string parsed = nlohmann::json::parse(text_written(text)).get<std::string>();
    EXPECT_EQ(parsed, byte < 0x80 ? text
                                  : "a\xEF\xBF\xBD"
                                    "b")
        << "byte " << byte;
  }
}

TEST(JsonWriter, well_formed_utf8_passes_and_surrogates_overlong_forms_and_cut_sequences_do_not) {
  const std::string well_formed = "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80 \xF4\x8F\xBF\xBF";
  EXPECT_EQ(nlohmann::json::parse(text_written(well_formed)).get<std::string>(), well_formed);
  for (const std::string bad :
       {"\xED\xA0\x80", "\xC0\xAF", "\xE0\x80\x80", "\xF0\x80\x80\x80", "\xF4\x90\x80\x80", "\xE2\x82", "\xF5\x80\x80\x80"}) {
    const std::string repaired = nlohmann::json::parse(text_written(bad)).get<std::string>();
    EXPECT_EQ(columns_of(repaired), bad.size()) << "one replacement a byte";
    EXPECT_EQ(repaired.substr(0, 3), "\xEF\xBF\xBD");
  }
}

TEST(JsonWriter, integers_at_both_ends_of_their_range_read_back_exactly) {
  std::ostringstream out;
  JsonWriter json(out);
  json.begin_array()
      .value(std::numeric_limits<std::uint64_t>::max())
      .value(std::numeric_limits<std::int64_t>::min())
      .value(std::uint8_t{255})
      .end_array();
  const auto parsed = nlohmann::json::parse(out.str());
  EXPECT_EQ(parsed[0].get<std::uint64_t>(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(parsed[1].get<std::int64_t>(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(parsed[2].get<int>(), 255);
}

TEST(JsonWriter, doubles_read_back_bit_for_bit_and_what_is_no_number_is_null) {
  for (const double number : {0.0, 0.1, 1e300, 5e-324, 123456789.125, -1.0 / 3.0}) {
    std::ostringstream out;
    JsonWriter(out).value(number);
    EXPECT_EQ(nlohmann::json::parse(out.str()).get<double>(), number);
  }
  for (const double number : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    std::ostringstream out;
    JsonWriter(out).value(number);
    EXPECT_EQ(out.str(), "null");
  }
}

TEST(JsonWriter, a_document_left_half_written_is_closed_and_parses) {
  std::ostringstream out;
  {
    JsonWriter json(out);
    json.begin_object().member("verdict", "fail").key("failures").begin_array().begin_object().key("property");
  }
  const auto parsed = nlohmann::json::parse(out.str());
  EXPECT_EQ(parsed["verdict"], "fail");
  EXPECT_TRUE(parsed["failures"][0]["property"].is_null());
}

TEST(JsonWriter, an_identity_of_64_bits_is_text_of_sixteen_digits) {
  std::ostringstream out;
  JsonWriter(out).hex(0x51F0);
  EXPECT_EQ(out.str(), "\"0x00000000000051f0\"");
}

TEST(JsonWriterDeathTest, a_value_without_its_key_and_a_second_document_are_programmer_errors) {
  std::ostringstream out;
  EXPECT_DEATH(JsonWriter(out).begin_object().value(1), "key_pending_");
  EXPECT_DEATH(JsonWriter(out).value(1).value(2), "written_");
}

}  // namespace
}  // namespace tenter::report
