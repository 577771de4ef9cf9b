// `tenter control check`: X13 (topologies) and X14 (host files) of the hostile inputs, as a user meets them.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/command_line.hpp"

namespace tenter {
namespace control_check {
namespace {

Ran check(const std::string& content, const std::string& name, const std::vector<std::string>& more = {}) {
  const TemporaryFolder folder;
  std::ofstream(folder / name, std::ios::binary) << content;
  std::vector<std::string> words = {"control", "check", folder / name};
  words.insert(words.end(), more.begin(), more.end());
  Ran ran = run_command(Registry{}, words);
  for (std::string* text : {&ran.output, &ran.errors})
    for (std::size_t at = 0; (at = text->find(folder.text() + "/")) != std::string::npos;)
      text->erase(at, folder.text().size() + 1);
  return ran;
}

// Executors on these hosts, a line each, beginning in line 2.
std::string topology(const std::vector<std::string>& hosts, const std::string& more = "") {
  std::string text = "{" + more + "\"executors\": [\n";
  for (std::size_t i = 0; i < hosts.size(); ++i)
    text += std::string(i > 0 ? ",\n" : "") + R"({"rank": )" + std::to_string(i + 1) + R"(, "worker_id": )" + std::to_string(i) +
            R"(, "host": ")" + hosts[i] + R"(", "platform": "cpu"})";
  return text + "]}\n";
}

TEST(ControlCheck, a_good_topology_is_told_with_its_hosts) {
  const Ran ran = check(topology({"node-a", "node-a", "node-b"}, R"("controller_host": "node-a", )"), "topo.json");
  EXPECT_EQ(ran.code, 0) << ran.errors;
  EXPECT_EQ(ran.output, "topo.json: ok: topology of 4 ranks, node-a:3, node-b:1\n");
  EXPECT_EQ(ran.errors, "");
}

TEST(ControlCheck, X13_a_bad_topology_is_refused_with_line_and_field) {
  const std::pair<std::string, std::string> cases[] = {
      {"[]", "line 1: the root: is not an object"},
      {R"({"executors": []})", "line 1: executors: there is none"},
      {topology({"a", "b", "a"}, R"("controller_host": "c", )"), "line 4: executors[2].host: "},
      {topology({"localhost", "b"}), "line 1: controller_host: localhost is this machine's loopback"},
      {"{\"executors\": [\n{\"rank\": 0, \"worker_id\": 0, \"host\": \"a\", \"platform\": \"cpu\"}]}",
       "line 2: executors[0].rank: 0"},
      {"{\"executors\": [\n{\"rank\": 1, \"worker_id\": 1, \"host\": \"a\", \"platform\": \"cpu\"}]}",
       "line 2: executors[0].worker_id: 1"},
  };
  for (const auto& [text, expected] : cases) {
    const Ran ran = check(text, "topo.json");
    EXPECT_EQ(ran.code, 1) << text;
    EXPECT_EQ(ran.errors.find("tenter: topo.json: " + expected), 0u) << ran.errors;
    EXPECT_EQ(ran.output, "");
  }
}

TEST(ControlCheck, X13_no_host_name_that_a_shell_or_a_launcher_would_read_otherwise_is_taken) {
  for (const char* host : {"", " ", "a b", "a:2", "a,b", "-x", R"(a\nb)", "user@h", "$(id)", "::1"}) {
    const Ran ran = check(topology({host}, R"("controller_host": "c", )"), "topo.json");
    EXPECT_EQ(ran.code, 1) << host;
    EXPECT_EQ(ran.errors.find("tenter: topo.json: line 2: executors[0].host: "), 0u) << ran.errors;
  }
  EXPECT_EQ(check(topology({std::string(256, 'a')}, R"("controller_host": "c", )"), "topo.json").code, 1);
  EXPECT_EQ(check(topology({std::string(255, 'a')}, R"("controller_host": "c", )"), "topo.json").code, 0);
}

TEST(ControlCheck, X13_times_are_positive_finite_numbers) {
  for (const char* time : {"NaN", "Infinity", "0", "-1", "1e-320", "1e308", R"("3")"}) {
    const Ran ran =
        check("{\n\"startup_timeout_s\": " + std::string(time) + ",\n" + topology({"localhost"}).substr(1), "topo.json");
    EXPECT_EQ(ran.code, 1) << time;
    EXPECT_EQ(ran.errors.find("tenter: topo.json: line 2: "), 0u) << ran.errors;
  }
}

TEST(ControlCheck, X14_a_bad_host_file_is_refused_with_its_line) {
  const std::pair<std::string, std::string> cases[] = {
      {"localhost:0\n", "line 1: "},
      {"localhost:x\n", "line 1: "},
      {"localhost:-1\n", "line 1: "},
      {"localhost:2:3\n", "line 1: "},
      {"localhost:99999999999\n", "line 1: "},
      {"", "line 1: the file is empty"},
      {"\n", "line 1: it is empty"},
      {"# only\n", "line 1: a comment"},
      {"a:1\nlocalhost:3", "line 2: it has no end of line"},
      {"a:2\nb:3\r\n", "line 2: it ends with a carriage return"},
      {"a:1\nb:1\na:1\n", "line 3: host a is there twice"},
  };
  for (const auto& [text, expected] : cases) {
    const Ran ran = check(text, "hosts");
    EXPECT_EQ(ran.code, 1) << text;
    EXPECT_EQ(ran.errors.find("tenter: hosts: host file: " + expected), 0u) << ran.errors;
  }
}

TEST(ControlCheck, a_good_host_file_is_told) {
  const Ran ran = check("a:1\nb:3\n", "hosts");
  EXPECT_EQ(ran.code, 0) << ran.errors;
  EXPECT_EQ(ran.output, "hosts: ok: host file of a:1, b:3\n");
}

TEST(ControlCheck, what_kind_a_file_is_can_be_said) {
  EXPECT_EQ(check("a:1\n", "hosts.json").code, 1);
  EXPECT_EQ(check("a:1\n", "hosts.json", {"--kind", "hosts"}).code, 0);
  EXPECT_EQ(check(topology({"localhost"}), "topo", {"--kind", "hosts"}).code, 1);
  EXPECT_EQ(check(topology({"localhost"}), "topo").code, 0);
}

TEST(ControlCheck, the_json_result_has_line_and_field_apart) {
  const Ran bad = check(topology({"a", "b", "a"}, R"("controller_host": "c", )"), "topo.json", {"--json", "-"});
  EXPECT_EQ(bad.code, 1);
  const auto json = nlohmann::json::parse(bad.output);
  EXPECT_EQ(json.at("schema"), "tenter.control_check/1");
  EXPECT_EQ(json.at("verdict"), "fail");
  EXPECT_EQ(json.at("kind"), "topology");
  EXPECT_EQ(json.at("line"), 4);
  EXPECT_EQ(json.at("field"), "executors[2].host");
  EXPECT_EQ(json.at("error"), "a comes back after another host");
  const auto good = nlohmann::json::parse(check("a:1\nb:3\n", "hosts", {"--json", "-"}).output);
  EXPECT_EQ(good.at("verdict"), "pass");
  EXPECT_EQ(good.at("hosts").at(1).at("host"), "b");
  EXPECT_EQ(good.at("hosts").at(1).at("slots"), 3);
}

TEST(ControlCheck, X15_a_file_that_cannot_be_read_is_a_usage_error_that_names_it) {
  const TemporaryFolder folder;
  for (const std::string& file : {folder / "none", folder.text(), std::string("/dev/zero")}) {
    const Ran ran = run_command(Registry{}, {"control", "check", file});
    EXPECT_EQ(ran.code, 64) << file;
    EXPECT_NE(ran.errors.find(file), std::string::npos) << ran.errors;
  }
}

}  // namespace
}  // namespace control_check
}  // namespace tenter
