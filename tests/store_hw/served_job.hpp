// A job of `tenter store serve` as a child of this test: one rank, without a launcher.
#pragma once
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/names.hpp"
#include "hw/part.hpp"
#include "hw/store/store_reader.hpp"

namespace tenter::store_hw {

inline constexpr const char* provider = "tcp;ofi_rxm";
inline constexpr std::uint64_t rows = 300, row_bytes = 12;

// A new folder with a private directory "d" of a store in it; removed at the end.
class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tenter-store-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no folder " + pattern);
    path_ = pattern;
    std::filesystem::create_directory(path_ + "/d");
    std::filesystem::permissions(path_ + "/d", std::filesystem::perms::owner_all);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string store() const { return path_ + "/d"; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// The bytes of row r of the array that begins with `first`.
inline std::byte byte_of(std::uint8_t first, std::uint64_t at) { return static_cast<std::byte>(first + at * 13 + at / 251); }

// uint8, rows x row_bytes, .npy format 1.0. Its path.
inline std::string write_rows(const Folder& folder, std::uint8_t first) {
  std::string head =
      "{'descr': '|u1', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " + std::to_string(row_bytes) + "), }";
  head.resize(117, ' ');
  std::string text("\x93NUMPY\x01\x00\x76\x00", 10);
  text += head + "\n";
  for (std::uint64_t at = 0; at < rows * row_bytes; ++at) text.push_back(static_cast<char>(byte_of(first, at)));
  const std::string path = folder.path() + "/" + std::to_string(first) + ".npy";
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

inline bool are_rows(const std::vector<std::byte>& bytes, std::uint8_t first) {
  for (std::uint64_t at = 0; at < bytes.size(); ++at)
    if (bytes[at] != byte_of(first, at)) return false;
  return bytes.size() == rows * row_bytes;
}

class ServedJob {
 public:
  ServedJob(const Folder& folder, std::uint8_t first) {
    const std::string variable = "x=" + write_rows(folder, first), where = folder.store(), log = folder.path() + "/log";
    pid_ = fork();
    if (pid_ < 0) throw std::runtime_error("fork failed");
    if (pid_ > 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int to = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(to, 1);
    dup2(to, 2);
    execl(TENTER_PROGRAM, TENTER_PROGRAM, "store", "serve", "--dir", where.c_str(), "--provider", provider, "--close-patience",
          "10", variable.c_str(), nullptr);
    _exit(127);
  }
  ~ServedJob() { kill(); }
  ServedJob(const ServedJob&) = delete;
  ServedJob& operator=(const ServedJob&) = delete;
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  // ^C; its exit code.
  int close() {
    if (pid_ <= 0) return -1;
    int status = 0;
    ::kill(pid_, SIGINT);
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t pid_ = -1;
};

inline Result<std::unique_ptr<hw::StoreReader>> open_reader(const Folder& folder) {
  hw::StoreReaderOptions options;
  options.directory = folder.store();
  options.provider = provider;
  return hw::StoreReader::open(options);
}

inline Result<void> read_all(hw::StoreReader& reader, std::vector<std::byte>& bytes, Duration patience) {
  bytes.assign(rows * row_bytes, std::byte{0});
  return reader.get("x", {{0, rows}}, bytes, patience);
}

inline std::string file_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
// Whole or not at all, as a publisher writes.
inline void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path + ".new", std::ios::binary) << bytes;
  std::filesystem::permissions(path + ".new", std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  std::filesystem::rename(path + ".new", path);
}

}  // namespace tenter::store_hw
