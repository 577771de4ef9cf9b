// Topologies and host files: judged whole before anything is started. Spec B1.4, B4.7; X13, X14.
#include <gtest/gtest.h>

#include <string>

#include "core/control/topology.hpp"

namespace tenter::control {
namespace {

TEST(ControlHostFile, every_line_of_case_X14_is_refused_with_its_line) {
  for (const char* text : {"localhost:0\n", "localhost:x\n", "localhost:-1\n", "localhost:2:3\n", "localhost:99999999999\n", "\n",
                           "# only\n", "localhost:3\r\n"}) {
    const auto hosts = parse_host_file(text);
    ASSERT_FALSE(hosts.has_value()) << text;
    EXPECT_NE(hosts.error().what.find("line 1"), std::string::npos) << hosts.error().what;
  }
  EXPECT_FALSE(parse_host_file("").has_value());
}

TEST(ControlHostFile, what_is_printed_is_read_again) {
  const std::vector<HostSlots> hosts{{"a.example", 3}, {"b-1", 1}};
  EXPECT_EQ(parse_host_file(print_host_file(hosts)).value(), hosts);
}

TEST(ControlTopology, what_is_printed_is_read_again) {
  Topology topology;
  topology.executors = {{.rank = 1, .worker = 0}, {.rank = 2, .worker = 1}};
  ASSERT_TRUE(check_topology(topology).has_value()) << check_topology(topology).error().what;
  EXPECT_EQ(parse_topology(print_topology(topology)).value(), topology);
}

TEST(ControlTopology, hosts_that_no_launcher_should_be_given_are_refused) {
  for (const std::string& host :
       {std::string(), std::string(" "), std::string("a b"), std::string("a:2"), std::string("a,b"), std::string("-x"),
        std::string("a\nb"), std::string(256, 'a'), std::string("user@h"), std::string("$(id)"), std::string("::1")}) {
    Topology topology;
    topology.executors = {{.rank = 1, .worker = 0, .host = host}};
    const auto checked = check_topology(topology);
    ASSERT_FALSE(checked.has_value()) << host;
    EXPECT_NE(checked.error().what.find("host"), std::string::npos) << checked.error().what;
  }
}

TEST(ControlTopology, ranks_and_workers_have_no_gap_and_rank_0_is_no_executor) {
  const auto refused = [](std::vector<ExecutorPlace> executors) {
    Topology topology;
    topology.executors = std::move(executors);
    return !check_topology(topology).has_value();
  };
  EXPECT_TRUE(refused({}));
  EXPECT_TRUE(refused({{.rank = 1, .worker = 0}, {.rank = 3, .worker = 2}}));
  EXPECT_TRUE(refused({{.rank = 0, .worker = 0}}));
  EXPECT_TRUE(refused({{.rank = 1, .worker = 1}, {.rank = 2, .worker = 0}}));
  EXPECT_TRUE(refused(
      {{.rank = 1, .worker = 0, .host = "a"}, {.rank = 2, .worker = 1, .host = "b"}, {.rank = 3, .worker = 2, .host = "a"}}));
  EXPECT_FALSE(refused({{.rank = 1, .worker = 0}, {.rank = 2, .worker = 1}}));
}

TEST(ControlTopology, a_text_that_is_no_topology_is_refused_with_its_line) {
  for (const char* text : {"[]", "{}", "{\"executors\": []}", "{\n\"executors\": [{\"rank\": 1.0}]}", "", "{\"a\": 1, \"a\": 2}",
                           "nul", "{\"startup_timeout\": 1e400}"}) {
    const auto topology = parse_topology(text);
    ASSERT_FALSE(topology.has_value()) << text;
    EXPECT_NE(topology.error().what.find("line "), std::string::npos) << topology.error().what;
  }
}

}  // namespace
}  // namespace tenter::control
