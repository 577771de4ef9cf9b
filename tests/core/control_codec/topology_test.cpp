#include "tests/core/control_codec/samples.hpp"

namespace tenter::control::test {
namespace topology_test {
namespace {

// A good topology of two executors with one text replaced.
std::string changed(std::string_view from, std::string_view to) {
  std::string text = print_topology(two_hosts());
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Topology, printed_is_read_back_with_its_host_file) {
  const auto read = parse_topology(print_topology(two_hosts()));
  ASSERT_TRUE(read.has_value()) << read.error().what;
  EXPECT_EQ(*read, two_hosts());
  EXPECT_EQ(print_host_file(host_slots(*read)), "node-a:2\nnode-b.example.:1\n");
}

TEST(Topology, has_the_defaults_of_the_specification) {
  const auto read = parse_topology(R"({"executors": [{"rank": 1, "worker_id": 0, "host": "localhost", "platform": "cpu"}]})");
  ASSERT_TRUE(read.has_value()) << read.error().what;
  EXPECT_EQ(read->controller_host, "localhost");
  EXPECT_EQ(read->startup_timeout, seconds(60));
  EXPECT_EQ(read->session_timeout, seconds(30));
  EXPECT_EQ(read->heartbeat_interval, seconds(1));
  EXPECT_EQ(read->pending_bytes_max, 64u << 20);
  EXPECT_EQ(read->executors[0].profile, "sim");
}

TEST(Topology, device_ranks_that_are_absent_are_assigned_densely_around_those_that_are_given) {
  const auto read = parse_topology(R"({"executors": [
    {"rank": 1, "worker_id": 0, "host": "localhost", "platform": "cpu", "device_ids": [4, 5]},
    {"rank": 2, "worker_id": 1, "host": "localhost", "platform": "cpu", "device_ids": [0], "global_device_ranks": [1]}]})");
  ASSERT_TRUE(read.has_value()) << read.error().what;
  EXPECT_EQ(read->executors[0].global_ranks, (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(read->executors[1].global_ranks, (std::vector<std::uint32_t>{1}));
}

// X13, B36: each refusal names line and field.
TEST(Topology, hostile_values_are_refused_with_line_and_field) {
  const std::string rank_1 = R"("rank": 1, "worker_id": 0, "host": "node-a")", rank_2 = R"("rank": 2, "worker_id": 1)";
  struct Case {
    std::string from, to, says;
  };
  std::vector<Case> cases = {
      {rank_2, R"("rank": 3, "worker_id": 1)", "line 10: executors[1].rank: 3, expected 2"},
      {rank_1, R"("rank": 0, "worker_id": 0, "host": "node-a")", "line 9: executors[0].rank: 0, expected 1"},
      {rank_2, R"("rank": 2, "worker_id": 0)", "line 10: executors[1].worker_id: 0, expected 1"},
      {rank_2, R"("rank": 2.0, "worker_id": 1)", "line 10: executors[1].rank: is a fraction"},
      {rank_2, R"("rank": true, "worker_id": 1)", "line 10: executors[1].rank: is true or false"},
      {rank_2, R"("rank": -2, "worker_id": 1)", "line 10: executors[1].rank: -2 is out of range"},
      {rank_2, R"("worker_id": 1)", "line 10: executors[1].rank: is missing"},
      {R"("controller_host": "node-a")", R"("controller_host": "node-b.example.")", "line 10: executors[1].host"},
      {R"("controller_host": "node-a")", R"("controller_host": "localhost")", "line 2: controller_host: localhost is this"},
      {R"("controller_host": "node-a")", R"("controller_host": "127.0.0.1")", "line 2: controller_host: 127.0.0.1 is this"},
      {R"("controller_host": "node-a")", R"("controller_host": "LocalHost.")", "line 2: controller_host: LocalHost. is this"},
      {R"("controller_host": "node-a")", R"("controller_host": "0.0.0.0")", "line 2: controller_host: host '0.0.0.0' is every"},
      {R"("controller_host": "node-a")", R"("controller_host": "0")", "line 2: controller_host: host '0' is every"},
      {R"("controller_host": "node-a")", R"("controller_host": 5)", "line 2: controller_host: is an integer"},
      {R"("controller_host")", R"("controler_host")", "line 2: controler_host: is no member"},
      {R"("controller_host": "node-a")", R"("controller_host": "node-a", "controller_rank": 1)", "line 2: controller_rank: 1"},
      {"[0, 1]", "[0, 0]", "line 9: executors[0].device_ids: 0 is there twice"},
      {"[2, 3]", "[2, 1]", "line 10: executors[1].global_device_ranks: 1 is there twice"},
      {"[2, 3]", "[2]", "line 10: executors[1].global_device_ranks: 1 for 2 devices"},
      {"[2, 3]", "[2, -1]", "line 10: executors[1].global_device_ranks[1]: -1 is out of range"},
      {"67108864", "16777255", "line 6: max_pending_frame_bytes: 16777255"},
      {"67108864", "1e9", "line 6: max_pending_frame_bytes: is a fraction"},
      {R"("platform": "cpu")", R"("platform": "")", "line 9: executors[0].platform: is empty"},
  };
  for (const std::string_view time : {"0", "-1", "0.0", "1e-320", "1e308", "0.0009"})
    cases.push_back({"60.000000000", std::string(time), "line 3: startup_timeout_s: is out of range"});
  for (const std::string_view time : {"NaN", "Infinity", "1e400", "-NaN", "1.", ".5", "01"})
    cases.push_back({"60.000000000", std::string(time), "line 3: "});
  cases.push_back({"60.000000000", "\"3\"", "line 3: startup_timeout_s: is a string"});
  cases.push_back({"60.000000000", "null", "line 3: startup_timeout_s: is null"});
  for (const std::string_view host : {"", " ", "a b", "a:2", "a,b", "-x", "a\\nb", "user@h", "$(id)", "::1", "[::1]", ".a",
                                      "-oProxyCommand=x", "#", "a\\u0000b"})
    cases.push_back({R"("host": "node-b.example.")", "\"host\": \"" + std::string(host) + "\"", "line 10: executors[1].host: "});
  cases.push_back({R"("host": "node-b.example.")", "\"host\": \"" + std::string(256, 'h') + "\"", "longer than 255"});
  for (const Case& c : cases) {
    const auto read = parse_topology(changed(c.from, c.to));
    ASSERT_FALSE(read.has_value()) << c.to;
    EXPECT_TRUE(contains(read.error().what, c.says)) << c.to << ": " << read.error().what;
  }
}

TEST(Topology, roots_that_are_none_are_refused) {
  EXPECT_REFUSED(parse_topology("[]"), "line 1: the root", "not an object");
  EXPECT_REFUSED(parse_topology(""), "line 1");
  EXPECT_REFUSED(parse_topology("{}"), "line 1: executors: is missing");
  EXPECT_REFUSED(parse_topology("{\n\"executors\": []}"), "line 2: executors: there is none");
  EXPECT_REFUSED(parse_topology("{\n\n\"executors\": [5]}"), "line 3: executors[0]", "not an object");
}

TEST(Topology, hosts_of_1_and_255_characters_are_taken) {
  for (const std::size_t size : {1u, 255u}) EXPECT_TRUE(check_host_name(std::string(size, 'H')).has_value());
  EXPECT_TRUE(check_host_name("Node-3.rack_1.example.").has_value());
}

// X14, M10
TEST(HostFile, what_hydra_would_misread_is_refused_with_its_line) {
  const std::pair<std::string, std::string> cases[] = {
      {"localhost:0\n", "line 1: slots of host localhost are 0"},
      {"localhost:x\n", "line 1: slots of host localhost are not a number"},
      {"localhost:-1\n", "line 1: slots of host localhost are not a number"},
      {"localhost:2:3\n", "line 1: slots of host localhost are not a number"},
      {"localhost:99999999999\n", "line 1: slots of host localhost are 99999999999"},
      {"", "line 1: the file is empty"},
      {"\n", "line 1: it is empty"},
      {"# only\n", "line 1: a comment"},
      {"localhost:3", "line 1: it has no end of line"},
      {"localhost:3\r\n", "line 1: it ends with a carriage return"},
      {"a:1\nb\n", "line 2: no ':'"},
      {" a:1\n", "line 1: host"},
      {"a:1\nb:2\na:1\n", "line 3: host a is there twice"},
      {"::1:2\n", "line 1: host '' is empty"}};
  for (const auto& [text, says] : cases) EXPECT_REFUSED(parse_host_file(text), says);
  EXPECT_EQ(*parse_host_file("a:1\nb:65536\n"), (std::vector<HostSlots>{{"a", 1}, {"b", 65'536}}));
}

}  // namespace
}  // namespace topology_test
}  // namespace tenter::control::test
