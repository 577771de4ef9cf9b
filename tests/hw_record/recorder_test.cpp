// A process that records itself over real parts, and its replay.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/recording/replay.hpp"
#include "hw/loop/local_part.hpp"
#include "hw/loop/process.hpp"
#include "hw/posix/entropy_part.hpp"
#include "hw/posix/timers_part.hpp"
#include "hw/record/recorded.hpp"

namespace tenter::hw {
namespace {

template <class O>
concept WalkerPorts = Timers<O> && Local<O> && Entropy<O>;
using WalkerPort = Port<TimersPart, LocalPart, EntropyPart>;

// Draws random bytes, tells them on, waits, and so forth: what it does depends on what it was told.
class Walker {
 public:
  explicit Walker(std::uint64_t rounds) : rounds_(rounds) {}
  template <WalkerPorts O>
  void on(const event::Started&, O& out) {
    out.draw_random(Op{1}, 24);
  }
  template <WalkerPorts O>
  void on(const event::RandomBytes& e, O& out) {
    Note note;
    note.text = e.content;
    note.a = static_cast<std::int64_t>(e.content.bytes()[0]);
    out.tell(Role{0}, note);
  }
  template <WalkerPorts O>
  void on(const event::Told& e, O& out) {
    out.arm(Op{2}, e.now + microseconds(e.note.a));
  }
  template <WalkerPorts O>
  void on(const event::TimerFired&, O& out) {
    if (++done_ < rounds_) out.draw_random(Op{1}, 24);
  }
  bool done() const { return done_ == rounds_; }
  std::string_view state_name() const { return "walking"; }
  TENTER_DESCRIBE(walker, rounds_, done_)

 private:
  std::uint64_t rounds_ = 0, done_ = 0;
};

struct Folder {
  std::filesystem::path path;
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "tenter-recorder-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "no folder " << name;
    path = name;
  }
  ~Folder() { std::filesystem::remove_all(path); }
};

std::vector<std::byte> read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const Bytes bytes = std::as_bytes(std::span(text.data(), text.size()));
  return {bytes.begin(), bytes.end()};
}

recording::ReplayResult replay_from(const std::filesystem::path& base, std::uint64_t rounds) {
  const auto log = read_file(base.string() + ".log"), side = read_file(base.string() + ".blobs");
  auto reader = recording::LogReader::open(log, recording::BlobStore(side));
  if (!reader) {
    ADD_FAILURE() << reader.error().what;
    return {};
  }
  std::vector<AnyMachine> machines{AnyMachine(Walker(rounds))};
  return recording::replay(*reader, machines);
}

void walk(Recorder& recorder, std::uint64_t rounds) {
  Context context;
  WalkerPort port{{context}, {context}, {context}, {}};
  ObservedProcess process(context, port, Recorded(recorder), Walker(rounds));
  process.start();
  ASSERT_TRUE(process.run_until([&] { return process.template machine<0>().done(); }, now() + seconds(60)));
}

const recording::LogHeader header{"walk", "rank-0", Rank{0}, {{"walker", Blob()}}};

TEST(Recorder, a_recorded_process_is_replayed_with_every_digest_equal) {
  const Folder folder;
  const std::string directory = (folder.path / "recording").string();
  auto recorder = Recorder::open(directory, header);
  ASSERT_TRUE(recorder) << recorder.error().what;
  walk(**recorder, 500);
  ASSERT_TRUE((*recorder)->finish());
  EXPECT_EQ((*recorder)->records(), 1501u);
  recorder->reset();
  const auto same = replay_from(directory + "/rank-0", 500);
  EXPECT_TRUE(same.equal()) << (same.damage ? same.damage->what : same.difference ? same.difference->event : "");
  EXPECT_TRUE(same.complete);
  EXPECT_EQ(same.steps, 1501u);
  const auto shorter = replay_from(directory + "/rank-0", 400);
  ASSERT_TRUE(shorter.difference);
  EXPECT_EQ(shorter.difference->step, 3u * 400u);  // Started, then three events a round
}

TEST(Recorder, a_recording_is_private_and_never_overwritten) {
  const Folder folder;
  const std::string directory = (folder.path / "recording").string();
  ASSERT_TRUE(Recorder::open(directory, header));
  struct stat found {};
  ASSERT_EQ(stat(directory.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777u, 0700u);
  for (const char* suffix : {".log", ".blobs"}) {
    ASSERT_EQ(stat((directory + "/rank-0" + suffix).c_str(), &found), 0);
    EXPECT_EQ(found.st_mode & 0777u, 0600u);
  }
  const auto again = Recorder::open(directory, header);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().status, Status::exists);
}

TEST(Recorder, a_process_name_that_leaves_the_folder_is_refused) {
  const Folder folder;
  for (const char* name : {"", "../rank", "a/b", ".", ".hidden"}) {
    recording::LogHeader other = header;
    other.process = name;
    const auto recorder = Recorder::open(folder.path.string(), other);
    ASSERT_FALSE(recorder) << name;
    EXPECT_EQ(recorder.error().status, Status::invalid);
  }
}

TEST(Recorder, what_an_idle_process_recorded_survives_a_kill) {
  const Folder folder;
  const std::string directory = (folder.path / "recording").string();
  auto recorder = Recorder::open(directory, header);
  ASSERT_TRUE(recorder);
  Context context;
  WalkerPort port{{context}, {context}, {context}, {}};
  ObservedProcess process(context, port, Recorded(**recorder), Walker(1));
  process.start();
  const Time deadline = now() + seconds(60);
  ASSERT_TRUE(process.run_until([&] { return process.machine<0>().done(); }, deadline));
  while ((*recorder)->pending() && number(now()) < number(deadline))
    process.run_until([] { return false; }, now() + milliseconds(20));
  ASSERT_FALSE((*recorder)->pending());
  const auto result = replay_from(directory + "/rank-0", 1);  // nothing was finished
  EXPECT_TRUE(result.equal());
  EXPECT_FALSE(result.complete);
  EXPECT_EQ(result.steps, 4u);
}

TEST(Recorder, a_full_disk_stops_the_recording_and_not_the_process) {
  const Folder folder;
  const std::string directory = (folder.path / "recording").string();
  auto recorder = Recorder::open(directory, header);
  ASSERT_TRUE(recorder);
  ASSERT_EQ(std::signal(SIGXFSZ, SIG_DFL), SIG_DFL);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{4096, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  walk(**recorder, 500);
  const auto finished = (*recorder)->finish();
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  ASSERT_FALSE(finished);
  EXPECT_NE(finished.error().what.find("rank-0"), std::string::npos) << finished.error().what;
  EXPECT_EQ(finished.error().native, EFBIG);
  const auto result = replay_from(directory + "/rank-0", 500);
  EXPECT_FALSE(result.difference);  // what was written is true
}

}  // namespace
}  // namespace tenter::hw
