// What a rank is told by its environment, and what of it is refused.
#include "hw/control/rank_place.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "core/control/launcher.hpp"

namespace tenter::hw {
namespace rank_place_of {
namespace {

constexpr const char* rank_variables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID"};

RankOrder order() { return {ControlTransport::tcp, 0xFEDC'BA98'7654'3210, 7, {4711, 88}, "node-a", "/tmp/a folder/with blanks"}; }
control::Topology topology() {
  control::Topology two;
  two.executors.push_back({});
  return two;
}

class Environment : public testing::Test {
 protected:
  Environment() { clear(); }
  ~Environment() override { clear(); }
  static void clear() {
    for (const char* name : rank_variables) unsetenv(name);
    for (const char* name : {order_variable, topology_variable, control::token_variable.data(), control::gate_variable.data()})
      unsetenv(name);
  }
  static void set_all() {
    const auto variables = *rank_environment(order(), topology());
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
    setenv(control::token_variable.data(), "the token", 1);
    setenv(control::gate_variable.data(), "10.0.0.1:99", 1);
    setenv("PMI_RANK", "1", 1);
  }
};
using RankPlaceTest = Environment;

TEST_F(RankPlaceTest, an_order_is_read_as_it_was_written) { EXPECT_EQ(*read_rank_order(write_rank_order(order())), order()); }

TEST_F(RankPlaceTest, a_broken_order_is_refused_and_the_word_named) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "transport"},
      {"transport=udp session=1 window=1 supervisor=1:1 host=a folder=/", "transport"},
      {"transport=tcp session=0 window=1 supervisor=1:1 host=a folder=/", "session"},
      {"transport=tcp session=1 window=x supervisor=1:1 host=a folder=/", "window"},
      {"transport=tcp session=1 window=1 supervisor=1 host=a folder=/", "supervisor"},
      {"transport=tcp session=1 window=1 supervisor=1:1 folder=/", "host"},
      {"transport=tcp session=1 window=1 supervisor=1:1 host=a folder=here", "folder"}};
  for (const auto& [text, word] : cases) {
    const auto read = read_rank_order(text);
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_NE(read.error().what.find("'" + std::string(word) + "'"), std::string::npos) << read.error().what;
  }
}

TEST_F(RankPlaceTest, a_rank_knows_its_job_and_hands_the_token_to_nobody) {
  set_all();
  const auto place = rank_place();
  ASSERT_TRUE(place.has_value()) << place.error().what;
  EXPECT_EQ(place->rank, 1u);
  EXPECT_EQ(place->order, order());
  EXPECT_EQ(place->topology, topology());
  EXPECT_EQ(place->gate, "10.0.0.1:99");
  EXPECT_EQ(place->token.bytes, "the token");
  EXPECT_EQ(getenv(control::token_variable.data()), nullptr);
}

TEST_F(RankPlaceTest, what_is_missing_is_named_and_the_token_is_in_no_error) {
  for (const char* name : {order_variable, topology_variable, control::token_variable.data(), control::gate_variable.data()}) {
    clear();
    set_all();
    unsetenv(name);
    const auto place = rank_place();
    ASSERT_FALSE(place.has_value()) << name;
    EXPECT_NE(place.error().what.find(name), std::string::npos) << place.error().what;
    EXPECT_EQ(place.error().what.find("the token"), std::string::npos);
  }
}

TEST_F(RankPlaceTest, launchers_that_disagree_are_refused_but_slurm_gives_way) {
  setenv("PMI_RANK", "1", 1);
  setenv("PMIX_RANK", "1", 1);
  setenv("SLURM_PROCID", "0", 1);
  EXPECT_EQ(*rank_by_launcher(), 1u);
  setenv("PMIX_RANK", "2", 1);
  ASSERT_FALSE(rank_by_launcher().has_value());
  EXPECT_NE(rank_by_launcher().error().what.find("PMI_RANK and PMIX_RANK"), std::string::npos);
  clear();
  setenv("SLURM_PROCID", "3", 1);
  EXPECT_EQ(*rank_by_launcher(), 3u);
  setenv("SLURM_PROCID", "3x", 1);
  EXPECT_FALSE(rank_by_launcher().has_value());
  clear();
  EXPECT_EQ(rank_by_launcher().error().status, Status::not_found);
}

TEST_F(RankPlaceTest, a_rank_beyond_the_topology_is_refused) {
  set_all();
  setenv("PMI_RANK", "2", 1);
  EXPECT_EQ(rank_place().error().status, Status::mismatch);
}

TEST_F(RankPlaceTest, a_topology_that_no_argument_can_hold_is_refused) {
  control::Topology many = topology();
  for (int i = 0; i < 2'000; ++i) many.executors.push_back({});
  EXPECT_EQ(rank_environment(order(), many).error().status, Status::no_space);
}

}  // namespace
}  // namespace rank_place_of
}  // namespace tenter::hw
