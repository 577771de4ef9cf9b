// `tenter control run` as a process of its own, in a folder of its own in which everything that it makes is to be found.
#pragma once
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/group/watching.hpp"

namespace tenter::running {

namespace fs = std::filesystem;
using watching::comes_true;

inline std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Processes, zombies left out, whose environment or arguments hold this text.
inline std::vector<std::string> processes_with(const std::string& text, const char* where = "environ") {
  std::vector<std::string> found;
  std::error_code failure;
  for (fs::directory_iterator entry("/proc", failure), end; !failure && entry != end; entry.increment(failure))
    if (content_of(entry->path() / where).find(text) != std::string::npos) found.push_back(entry->path().filename().string());
  return found;
}

class Job {
 public:
  Job() {
    if (mkdtemp(folder_.data()) == nullptr) ADD_FAILURE() << "no folder " << folder_;
    fs::create_directory(made());
  }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;
  ~Job() {
    if (pid_ > 0) kill(pid_, SIGKILL);
    if (pid_ > 0) (void)end();
    std::error_code failure;
    fs::remove_all(folder_, failure);
  }
  std::string operator/(const std::string& name) const { return folder_ + "/" + name; }
  std::string made() const { return folder_ + "/made"; }  // TMPDIR of the command and of all that it starts
  std::string write(const std::string& name, const std::string& text, bool executable = false) const {
    std::ofstream(*this / name) << text;
    if (executable) fs::permissions(*this / name, fs::perms::owner_all);
    return *this / name;
  }

  // sh(1) becomes `tenter control run`, or another command of tenter's.
  void start(const std::string& words, const std::string& command = "control run") {
    pid_ = fork();
    if (pid_ != 0) return;
    setenv("TMPDIR", made().c_str(), 1);
    unsetenv("XDG_RUNTIME_DIR");
    const std::string line =
        "exec '" TENTER_COMMAND "' " + command + " " + words + " >" + *this / "out" + " 2>" + *this / "errors";
    execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
    _exit(127);
  }
  int end() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  int run(const std::string& words, const std::string& command = "control run") {
    start(words, command);
    return end();
  }
  void signal(int number) const { EXPECT_EQ(kill(pid_, number), 0); }
  pid_t pid() const { return pid_; }
  // The process of a rank, once it is there; 0 otherwise.
  pid_t rank(std::uint32_t number) const {
    pid_t found = 0;
    const std::string said = std::string("PMI_RANK=") + std::to_string(number);
    const auto look = [&] {
      for (const std::string& pid : processes_with("control-rank", "cmdline")) {
        std::string environment = content_of("/proc/" + pid + "/environ");
        const bool ours = environment.find(made()) != std::string::npos;
        if (ours && environment.find(said + '\0') != std::string::npos) found = std::stoi(pid);
      }
      return found != 0;
    };
    EXPECT_TRUE(comes_true(look)) << "no rank " << number;
    return found;
  }
  std::string out() const { return content_of(*this / "out"); }
  std::string errors() const { return content_of(*this / "errors"); }
  bool says(const std::string& text) const {
    return comes_true([&] { return errors().find(text) != std::string::npos; });
  }
  // No process of the job, and no file: at once after an orderly end, within the guardian's time after a kill.
  void expect_nothing_left(bool at_once = true) const {
    const auto nothing = [&] { return processes_with(made()).empty() && fs::is_empty(made()); };
    EXPECT_TRUE(at_once ? nothing() : comes_true(nothing)) << (fs::is_empty(made()) ? "a process" : "a file") << " is left";
  }

 private:
  std::string folder_ = "/tmp/tenter-control-XXXXXX";
  pid_t pid_ = 0;
};

}  // namespace tenter::running
