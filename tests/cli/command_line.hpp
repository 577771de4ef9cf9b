// tenter::main called with words; what it printed and its exit code.
#pragma once
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>
#include <vector>

#include "cli/main.hpp"

namespace tenter {

struct Ran {
  int code = 0;
  std::string output, errors;
};

inline Ran run_command(const Registry& registry, std::vector<std::string> words) {
  words.insert(words.begin(), "tenter");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Ran ran;
  ran.code = main(static_cast<int>(words.size()), arguments.data(), registry);
  ran.output = testing::internal::GetCapturedStdout();
  ran.errors = testing::internal::GetCapturedStderr();
  return ran;
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tenter-cli-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "no folder " << name;
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code failure;
    std::filesystem::remove_all(path_, failure);
  }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string text() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace tenter
