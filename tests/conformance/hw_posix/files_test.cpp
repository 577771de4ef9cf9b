// The Files contract on a real folder; the disk of process 2 is full by its limit of file sizes (setrlimit(2)).
#include "tests/conformance/files.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "hw/loop/process.hpp"
#include "hw/posix/files_part.hpp"
#include "tests/conformance/files_bugs.hpp"

namespace tenter::hw {
namespace {

struct Listener {
  std::vector<Event> events;
  template <class E, class O>
  void on(const E& e, O&) {
    events.emplace_back(e);
  }
};

// A folder of its own, gone with it.
class Folder {
 public:
  Folder() {
    std::string pattern = testing::TempDir() + "files-contract-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp " + pattern);
    path_ = pattern;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class FullDisk {
 public:
  FullDisk() : before_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &limit_);
    const rlimit none{1000, limit_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &none);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &limit_);
    std::signal(SIGXFSZ, before_);
  }
  FullDisk(const FullDisk&) = delete;

 private:
  rlimit limit_{};
  void (*before_)(int);
};

class RealFiles {
 public:
  RealFiles() {
    for (auto& one : processes_) one = std::make_unique<One>(folder_.path());
  }
  template <class Action>
  void perform(std::size_t process, const Action& action) {
    std::optional<FullDisk> full;
    if (process == 2) full.emplace();
    processes_[process]->port.perform(action);
  }
  std::optional<Event> next(std::size_t process) {
    One& one = *processes_[process];
    one.process.run_ready();
    auto& events = one.process.machine<0>().events;
    if (events.empty()) return std::nullopt;
    const Event first = events.front();
    events.erase(events.begin());
    return first;
  }
  void park(std::size_t process) {
    One& one = *processes_[process];
    std::atomic<pid_t> thread{0};
    sleeper_ = std::thread([&one, &thread] {
      thread = gettid();
      one.process.run_until([&one] { return !one.process.machine<0>().events.empty(); }, now() + seconds(20));
    });
    while (thread == 0) sched_yield();
    const std::string stat = "/proc/self/task/" + std::to_string(thread.load()) + "/stat";
    for (int tries = 0; tries < 1'000'000; ++tries) {  // until it sleeps: state S, after the last ')'
      std::ifstream file(stat);
      std::string text;
      std::getline(file, text);
      const std::size_t end = text.rfind(')');
      if (end == text.npos || (text.size() > end + 2 && text[end + 2] == 'S')) return;
      sched_yield();
    }
  }
  std::optional<Event> woken(std::size_t process) {
    sleeper_.join();
    auto& events = processes_[process]->process.machine<0>().events;
    return events.empty() ? std::nullopt : next(process);
  }

 private:
  struct One {
    explicit One(const std::string& root) : port{{context, root}, {}}, process(context, port, Listener{}) {
      context.current = Role{0};
    }
    Context context;
    Port<FilesPart> port;
    Process<Port<FilesPart>, Listener> process;
  };
  Folder folder_;
  std::array<std::unique_ptr<One>, 3> processes_;
  std::thread sleeper_;
};

using conformance::FilesContract;
using conformance::register_cases;
const bool real = register_cases<FilesContract<RealFiles>>("Real/FilesContract");

TEST(FilesContract, planted_bugs_are_found_on_hardware) { conformance::expect_file_bugs_found<RealFiles>(); }

// --- what only hardware has ---------------------------------------------------------------------------------------------------

Event only_event(Context& context) {
  if (context.inbox.empty()) throw std::runtime_error("no event");
  return context.inbox.take_front().event;
}
event::FileDone done(Context& context) { return std::get<event::FileDone>(only_event(context)); }
unsigned mode_of(const std::string& path) {
  struct stat found {};
  return lstat(path.c_str(), &found) == 0 ? found.st_mode & 07777U : 0;
}

TEST(FilesOnDisk, directories_are_0700_and_files_0600_under_any_umask) {
  for (const mode_t mask : {0022U, 0000U, 0077U}) {
    const Folder folder;
    Context context;
    FilesPart part(context, folder.path());
    const mode_t before = umask(mask);
    part.perform(action::MakeDirectory{Op{1}, Blob("d")});
    part.perform(action::PublishFile{Op{2}, Blob("d/a"), Blob("x")});
    umask(before);
    EXPECT_EQ(done(context).status, Status::ok);
    EXPECT_EQ(done(context).status, Status::ok);
    EXPECT_EQ(mode_of(folder.path() + "/d"), 0700U);
    EXPECT_EQ(mode_of(folder.path() + "/d/a"), 0600U);
  }
}

TEST(FilesOnDisk, a_symbolic_link_is_never_followed) {
  const Folder folder, elsewhere;
  std::ofstream(elsewhere.path() + "/secret") << "secret";
  std::filesystem::create_symlink(elsewhere.path(), folder.path() + "/to-directory");
  std::filesystem::create_symlink(elsewhere.path() + "/secret", folder.path() + "/to-file");
  Context context;
  FilesPart part(context, folder.path());
  for (const char* path : {"to-file", "to-directory/secret"}) {
    part.perform(action::ReadFile{Op{1}, Blob(std::string_view(path)), 100});
    EXPECT_EQ(done(context).status, Status::invalid) << path;
  }
  part.perform(action::PublishFile{Op{2}, Blob("to-directory/new"), Blob("x")});
  EXPECT_EQ(done(context).status, Status::invalid);
  part.perform(action::RemoveDirectory{Op{3}, Blob("to-directory")});
  EXPECT_EQ(done(context).status, Status::invalid);
  part.perform(action::PublishFile{Op{4}, Blob("to-file"), Blob("ours")});
  EXPECT_EQ(done(context).status, Status::ok) << "the link is replaced, not what it points to";
  std::string text;
  std::getline(std::ifstream(elsewhere.path() + "/secret"), text);
  EXPECT_EQ(text, "secret");
  EXPECT_FALSE(std::filesystem::exists(elsewhere.path() + "/new"));
}

TEST(FilesOnDisk, what_another_user_owns_is_refused_with_both_owners) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  const Folder folder;
  std::ofstream(folder.path() + "/a") << "x";
  ASSERT_EQ(chown((folder.path() + "/a").c_str(), 12345, 12345), 0);
  std::filesystem::create_directory(folder.path() + "/d");
  ASSERT_EQ(chown((folder.path() + "/d").c_str(), 12345, 12345), 0);
  Context context;
  FilesPart part(context, folder.path());
  part.perform(action::ReadFile{Op{1}, Blob("a"), 100});
  const event::FileDone refused = done(context);
  EXPECT_EQ(refused.status, Status::denied);
  EXPECT_NE(refused.content.text().find("belongs to user 12345, not to user 0"), std::string_view::npos);
  part.perform(action::PublishFile{Op{2}, Blob("d/b"), Blob("x")});
  EXPECT_EQ(done(context).status, Status::denied);
  EXPECT_THROW(FilesPart(context, folder.path() + "/d"), std::runtime_error);
}

TEST(FilesOnDisk, a_reader_beside_a_publisher_sees_one_of_the_versions_whole) {
  const Folder folder;
  const std::string versions[] = {std::string(50'000, 'a'), std::string(80'000, 'b')};
  Context context, other;
  FilesPart reader(context, folder.path());
  std::atomic<bool> stop{false};
  FilesPart writer(other, folder.path());
  writer.perform(action::PublishFile{Op{1}, Blob("f"), Blob(std::string_view(versions[0]))});
  std::thread publisher([&] {
    for (int i = 1; !stop; ++i) writer.perform(action::PublishFile{Op{1}, Blob("f"), Blob(std::string_view(versions[i % 2]))});
  });
  for (int i = 0; i < 300; ++i) {
    reader.perform(action::ReadFile{Op{2}, Blob("f"), 1'000'000});
    const event::FileDone read = done(context);
    ASSERT_EQ(read.status, Status::ok);
    EXPECT_TRUE(read.content.text() == versions[0] || read.content.text() == versions[1]) << read.content.size();
  }
  stop = true;
  publisher.join();
}

TEST(FilesOnDisk, a_publish_that_fails_leaves_no_temporary) {
  const Folder folder;
  Context context;
  FilesPart part(context, folder.path());
  {
    const FullDisk full;
    part.perform(action::PublishFile{Op{1}, Blob("a"), Blob(std::string_view(std::string(100'000, 'x')))});
  }
  EXPECT_EQ(done(context).status, Status::no_space);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace tenter::hw
