#include "tests/core/control_codec/samples.hpp"

namespace tenter::control::test {
namespace gate_message_test {
namespace {

const GateReport ready_report{Blob(std::string_view("token-0123")), 2, GateState::ready, "", {77, 88}, "node-b"};

Bytes body_of(const Blob& message) { return message.bytes().subspan(gate_prefix_bytes); }

TEST(GateMessage, has_a_big_endian_length_and_a_json_object) {
  const Blob message = write_gate_report(ready_report);
  EXPECT_EQ(
      message.text().substr(gate_prefix_bytes),
      R"({"token": "token-0123", "rank": 2, "state": "ready", "error": "", "pid": 77, "start_time": 88, "host": "node-b"})");
  EXPECT_EQ(hex(message.bytes().first(4)), "00000070");
  EXPECT_EQ(*gate_body_bytes(message.bytes().first(4)), message.size() - 4);
  EXPECT_EQ(*read_gate_report(body_of(message)), ready_report);
  const Blob go = write_gate_go("token-0123");
  EXPECT_EQ(go.text().substr(gate_prefix_bytes), R"({"token": "token-0123", "state": "go_mpi"})");
  EXPECT_EQ(read_gate_go(body_of(go))->token.text(), "token-0123");
}

TEST(GateMessage, carries_the_address_of_rank_0_in_its_report_and_in_go) {
  GateReport report = ready_report;
  report.address = "10.0.0.1:4712";
  EXPECT_EQ(*read_gate_report(body_of(write_gate_report(report))), report);
  EXPECT_EQ(read_gate_go(body_of(write_gate_go("token-0123", report.address)))->address, report.address);
  EXPECT_EQ(read_gate_go(body_of(write_gate_go("token-0123")))->address, "");
  const std::string long_one(gate_address_bytes_max + 1, 'a');
  EXPECT_REFUSED(read_gate_go(body_of(write_gate_go("t", long_one))), "'address' is longer than 512");
}

TEST(GateMessage, tells_version_and_features_or_neither_as_the_reference) {  // B6
  GateReport report = ready_report;
  report.version = 3;
  report.features = 0x7FFF'FFFF'FFFF'FFFF;
  const Blob message = write_gate_report(report);
  EXPECT_TRUE(contains(message.text(), R"("version": 3, "features": 9223372036854775807})"));
  EXPECT_EQ(*read_gate_report(body_of(message)), report);
  EXPECT_EQ(read_gate_report(body_of(write_gate_report(ready_report)))->version, std::nullopt);
  EXPECT_REFUSED(read_gate_report(bytes_of(R"({"token": "t", "rank": 1, "state": "ready", "version": "3"})")),
                 "'version' is a string");
  EXPECT_REFUSED(read_gate_report(bytes_of(R"({"token": "t", "rank": 1, "state": "ready", "features": -1})")),
                 "'features' is out of");
}

TEST(GateMessage, of_the_reference_is_understood) {
  const auto report = read_gate_report(bytes_of(R"({"token":"t","rank":1,"state":"failed","error":"no device"})"));
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->state, GateState::failed);
  EXPECT_EQ(report->error, "no device");
}

// X10
TEST(GateMessage, lengths_outside_1_to_65536_are_refused) {
  const auto judged = [](std::initializer_list<int> prefix) {
    std::vector<std::byte> bytes;
    for (const int value : prefix) bytes.push_back(static_cast<std::byte>(value));
    return gate_body_bytes(bytes);
  };
  EXPECT_EQ(*judged({0, 0, 0, 1}), 1u);
  EXPECT_EQ(*judged({0, 1, 0, 0}), 65'536u);
  EXPECT_REFUSED(judged({0, 0, 0, 0}), "length 0");
  EXPECT_REFUSED(judged({0, 1, 0, 1}), "length 65537");
  EXPECT_REFUSED(judged({0x7f, 0xff, 0xff, 0xff}), "length");
  EXPECT_REFUSED(judged({0xff, 0xff, 0xff, 0xff}), "length 4294967295");
  EXPECT_REFUSED(judged({0x40, 0, 0, 0}), "length");
  EXPECT_REFUSED(judged({'G', 'E', 'T', ' '}), "length");
  EXPECT_REFUSED(judged({0x16, 3, 1, 2}), "length");
}

// X11
TEST(GateMessage, json_that_is_no_report_is_refused_and_names_its_member) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"[]", "no JSON object"},
      {"\"x\"", "no JSON object"},
      {"null", "no JSON object"},
      {"{}", "'token' is missing"},
      {R"({"token": null})", "'token' is null"},
      {R"({"token": 1})", "'token' is an integer"},
      {R"({"token": []})", "'token' is an array"},
      {R"({"token": "t"})", "'rank' is missing"},
      {R"({"token": "t", "rank": -1, "state": "ready"})", "'rank' is out of range"},
      {R"({"token": "t", "rank": 1.0, "state": "ready"})", "'rank' is a fraction"},
      {R"({"token": "t", "rank": 1.9, "state": "ready"})", "'rank' is a fraction"},
      {R"({"token": "t", "rank": 1e0, "state": "ready"})", "'rank' is a fraction"},
      {R"({"token": "t", "rank": "1", "state": "ready"})", "'rank' is a string"},
      {R"({"token": "t", "rank": true, "state": "ready"})", "'rank' is true or false"},
      {R"({"token": "t", "rank": 1e400, "state": "ready"})", "no JSON object"},
      {R"({"token": "t", "rank": NaN, "state": "ready"})", "no JSON object"},
      {R"({"token": "t", "rank": 12345678901234567890, "state": "ready"})", "no JSON object"},
      {R"({"token": "t", "rank": 4294967295, "state": "ready"})", "'rank' is out of range"},
      {R"({"token": "t", "rank": 1, "state": "READY"})", "'state' is not ready"},
      {R"({"token": "t", "rank": 1})", "'state' is missing"},
      {R"({"token": "t", "rank": 1, "state": ["ready"]})", "'state' is an array"},
      {R"({"token": "t", "rank": 1, "state": "go_mpi"})", "'state' is not ready"},
      {R"({"token": "t", "rank": 1, "state": "ready"} x)", "no JSON object"},
      {R"({"token": "t", "token": "u", "rank": 1, "state": "ready"})", "no JSON object"}};
  for (const auto& [text, says] : cases) {
    const auto report = read_gate_report(bytes_of(text));
    ASSERT_FALSE(report.has_value()) << text;
    EXPECT_TRUE(contains(report.error().what, says)) << text << ": " << report.error().what;
  }
}

TEST(GateMessage, a_refusal_never_repeats_a_value) {
  for (const std::string_view text : {R"({"token": "s3cret", "rank": "s3cret"})", R"({"s3cret": 1, "s3cret": 2})",
                                      R"({"token": "s3cret", "rank": 1, "state": "s3cret"})", "s3cret"})
    EXPECT_FALSE(contains(read_gate_report(bytes_of(text)).error().what, "s3cret"));
  EXPECT_FALSE(contains(read_gate_go(bytes_of(R"({"token": "s3cret", "state": "s3cret"})")).error().what, "s3cret"));
}

TEST(GateMessage, sixty_thousand_brackets_are_refused_without_a_deep_stack) {
  EXPECT_REFUSED(read_gate_report(bytes_of(std::string(60'000, '['))), "no JSON object");
}

// B4.5: a rank that fails with 70 KB of text is heard, with the text's beginning.
TEST(GateMessage, an_error_of_any_length_and_script_fits_the_message) {
  std::string faces;
  for (int i = 0; i < 20'000; ++i) faces += "\xF0\x9F\x98\x80";
  for (const std::string& text : {std::string(70'000, 'x'), std::string(70'000, '\1'), std::string(70'000, '\xff'), faces}) {
    GateReport report = ready_report;
    report.state = GateState::failed;
    report.error = text;
    const Blob message = write_gate_report(report);
    ASSERT_TRUE(gate_body_bytes(message.bytes().first(4)).has_value());
    const auto read = read_gate_report(body_of(message));
    ASSERT_TRUE(read.has_value()) << read.error().what;
    EXPECT_GE(read->error.size(), 1'000u);
  }
}

TEST(GateMessage, every_cut_of_the_body_is_refused) {
  const Blob message = write_gate_report(ready_report);
  for_each_cut(Blob(body_of(message)), [](Bytes cut) { EXPECT_FALSE(read_gate_report(cut).has_value()); });
}

TEST(GateToken, only_the_same_bytes_are_the_same_token) {
  EXPECT_TRUE(same_token(bytes_of("abc"), bytes_of("abc")));
  for (const std::string_view other : {"", "ab", "abd", "bbc", "abc ", "ABC"})
    EXPECT_FALSE(same_token(bytes_of("abc"), bytes_of(other))) << other;
}

}  // namespace
}  // namespace gate_message_test
}  // namespace tenter::control::test
