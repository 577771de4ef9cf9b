// A real group that records itself: every machine of every process is fed its log and acts as it did.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "core/mailbox/channel.hpp"
#include "core/mailbox/dispatcher.hpp"
#include "core/mailbox/launch.hpp"
#include "core/mailbox/member.hpp"
#include "core/mailbox/rendezvous.hpp"
#include "core/recording/replay.hpp"
#include "core/recording/value.hpp"
#include "hw/group/group.hpp"
#include "tests/group/watching.hpp"

namespace tenter {
namespace {

constexpr Duration budget = seconds(60);

struct Folder {
  std::filesystem::path path;
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "tenter-group-recording-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "no folder " << name;
    path = name;
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string recording() const { return (path / "recording").string(); }
};

hw::GroupSpec spec_of(std::uint32_t ranks, const Folder& folder) {
  hw::GroupSpec spec;
  spec.ranks = ranks;
  spec.member = {hw::this_program(), "member"};
  spec.record = folder.recording();
  return spec;
}

std::vector<std::byte> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const Bytes bytes = std::as_bytes(std::span(text.data(), text.size()));
  return {bytes.begin(), bytes.end()};
}

template <Machine M, Described Configuration>
AnyMachine made_from(const recording::RoleHeader& role) {
  return AnyMachine(M(recording::decode_value<Configuration>(role.configuration.bytes()).value()));
}

AnyMachine machine_of(const recording::RoleHeader& role) {
  if (role.machine == mailbox::Channel::name) return made_from<mailbox::Channel, mailbox::ChannelConfig>(role);
  if (role.machine == mailbox::Rendezvous::name) return made_from<mailbox::Rendezvous, mailbox::RendezvousConfig>(role);
  if (role.machine == mailbox::Launch::name) return made_from<mailbox::Launch, mailbox::LaunchConfig>(role);
  if (role.machine == mailbox::Dispatcher::name) return made_from<mailbox::Dispatcher, mailbox::DispatcherConfig>(role);
  return made_from<mailbox::Member, mailbox::MemberConfig>(role);
}

recording::ReplayResult replay(Bytes log, const recording::BlobStore& blobs) {
  auto reader = recording::LogReader::open(log, blobs);
  if (!reader) {
    recording::ReplayResult refused;
    refused.damage = reader.error();
    return refused;
  }
  std::vector<AnyMachine> machines;
  for (const recording::RoleHeader& role : reader->header().roles) machines.push_back(machine_of(role));
  return recording::replay(*reader, machines);
}

std::string text_of_result(const recording::ReplayResult& result) {
  if (result.difference) return result.difference->event + " -> " + result.difference->actions;
  return result.damage ? result.damage->what : "";
}

// By process.
std::map<std::string, recording::ReplayResult> replay_all(const Folder& folder) {
  std::map<std::string, recording::ReplayResult> results;
  for (const auto& entry : std::filesystem::directory_iterator(folder.recording())) {
    if (entry.path().extension() != ".log") continue;
    const recording::BlobStore blobs(read_file(std::filesystem::path(entry.path()).replace_extension(".blobs").string()));
    results[entry.path().stem().string()] = replay(read_file(entry.path().string()), blobs);
  }
  return results;
}

// A group of two that answered `requests` requests, recorded.
void record(const Folder& folder, int requests) {
  auto group = hw::Group::start(spec_of(2, folder));
  ASSERT_TRUE(group) << group.error().what;
  for (int i = 0; i < requests; ++i) {
    const hw::Task task{{}, Blob(std::string_view("a payload that does not fit into a record " + std::to_string(i)))};
    auto echoes = (*group)->submit_all("echo", std::vector<hw::Task>(2, task), budget);
    ASSERT_TRUE(echoes) << echoes.error().what;
  }
  auto refused = (*group)->submit(1, "fail", {{}, Blob(std::string_view("on purpose"))}, budget);
  ASSERT_FALSE(refused);
  auto closed = (*group)->shutdown(budget);
  ASSERT_TRUE(closed) << closed.error().what;
  auto whole = (*group)->finish_recording();
  ASSERT_TRUE(whole) << whole.error().what;
}

TEST(GroupRecording, every_process_of_a_group_is_replayed_with_every_digest_equal) {
  const Folder folder;
  ASSERT_NO_FATAL_FAILURE(record(folder, 100));
  const auto results = replay_all(folder);
  ASSERT_EQ(results.size(), 3u);
  for (const auto& [process, result] : results) {
    EXPECT_TRUE(result.equal()) << process << ": " << text_of_result(result);
    EXPECT_TRUE(result.complete) << process;
    EXPECT_GE(result.steps, 2 * 100u) << process;
  }
  struct stat found {};
  ASSERT_EQ(stat(folder.recording().c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777u, 0700u);
  for (const auto& entry : std::filesystem::directory_iterator(folder.recording())) {
    ASSERT_EQ(stat(entry.path().c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777u, 0600u) << entry.path();
  }
}

TEST(GroupRecording, a_log_cut_at_any_byte_is_replayed_up_to_its_last_whole_record) {
  const Folder folder;
  ASSERT_NO_FATAL_FAILURE(record(folder, 3));
  for (const char* process : {"parent", "rank-0", "rank-1"}) {
    const auto log = read_file(folder.recording() + "/" + process + ".log");
    const recording::BlobStore blobs(read_file(folder.recording() + "/" + process + ".blobs"));
    const std::uint64_t whole = replay(log, blobs).steps;
    ASSERT_GT(whole, 10u) << process;
    std::uint64_t reached = 0, cuts = 0;
    for (std::size_t length = 0; length < log.size(); ++length) {
      const auto result = replay(Bytes(log).first(length), blobs);
      ASSERT_FALSE(result.difference) << process << " cut at " << length << ": " << text_of_result(result);
      ASSERT_FALSE(result.complete) << process << " cut at " << length;
      ASSERT_GE(result.steps, reached) << process << " cut at " << length;
      ASSERT_LE(result.steps, reached + 1) << process << " cut at " << length;
      if (reached > 0) {
        ASSERT_TRUE(result.equal()) << process << " cut at " << length << ": " << text_of_result(result);
      }
      reached = result.steps;
      cuts += result.cut ? 1 : 0;
    }
    EXPECT_EQ(reached, whole) << process;
    EXPECT_GT(cuts, whole) << process;
  }
}

TEST(GroupRecording, a_flipped_byte_is_damage_and_never_a_difference) {
  const Folder folder;
  ASSERT_NO_FATAL_FAILURE(record(folder, 2));
  const auto log = read_file(folder.recording() + "/rank-0.log");
  const recording::BlobStore blobs(read_file(folder.recording() + "/rank-0.blobs"));
  const std::size_t end = log.size() - 6;  // of the records; a damaged end costs the knowledge that nothing is missing
  for (std::size_t at = 0; at < end; ++at) {
    std::vector<std::byte> damaged = log;
    damaged[at] ^= std::byte{0x20};
    const auto result = replay(damaged, blobs);
    ASSERT_FALSE(result.difference) << "byte " << at << ": " << text_of_result(result);
    ASSERT_FALSE(result.equal()) << "byte " << at;
    ASSERT_NE(result.damage->what.find("offset"), std::string::npos) << result.damage->what;
  }
}

TEST(GroupRecording, a_killed_rank_leaves_a_log_that_is_true_and_the_others_are_whole) {
  const Folder folder;
  auto group = hw::Group::start(spec_of(2, folder));
  ASSERT_TRUE(group) << group.error().what;
  ASSERT_TRUE((*group)->ping(budget));
  ASSERT_TRUE(watching::comes_true([&] { return (*group)->processes().at(1).pid != 0; }));
  ASSERT_EQ(kill(static_cast<pid_t>((*group)->processes().at(1).pid), SIGKILL), 0);
  ASSERT_TRUE(watching::comes_true([&] { return (*group)->ended(); }));
  group->reset();
  const auto results = replay_all(folder);
  ASSERT_EQ(results.size(), 3u);
  for (const auto& [process, result] : results) EXPECT_TRUE(result.equal()) << process << ": " << text_of_result(result);
  EXPECT_TRUE(results.at("parent").complete);
  EXPECT_FALSE(results.at("rank-1").complete);
}

TEST(GroupRecording, a_recording_that_is_there_already_is_refused_before_anything_starts) {
  const Folder folder;
  ASSERT_NO_FATAL_FAILURE(record(folder, 1));
  auto again = hw::Group::start(spec_of(2, folder));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().status, Status::exists);
  EXPECT_NE(again.error().what.find("parent"), std::string::npos) << again.error().what;
}

}  // namespace
}  // namespace tenter
