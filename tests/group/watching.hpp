// What the tests look at from outside: processes, /dev/shm, folders; and waiting for a fact with a deadline.
#pragma once
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include <poll.h>

#include "core/mailbox/layout.hpp"
#include "core/names.hpp"
#include "core/wire.hpp"
#include "hw/group/group_files.hpp"
#include "hw/part.hpp"
#include "hw/posix/process_stat.hpp"

namespace tenter::watching {

inline bool runs(const ProcessId& process) {
  const char letter = hw::state_letter(process);
  return letter == 'R' || letter == 'T';
}

inline bool awake(const ProcessId& process) { return hw::state_letter(process) == 'R'; }

// False when it is not so after 20 s.
inline bool comes_true(const std::function<bool()>& fact) {
  const Time deadline = hw::now() + seconds(20);
  while (!fact()) {
    if (hw::now() >= deadline) return false;
    poll(nullptr, 0, 5);
  }
  return true;
}

inline bool page_exists(const std::string& name) { return std::filesystem::exists("/dev/shm/" + name); }

// The request word, as any onlooker may read it.
inline mailbox::RequestState request_state(const std::string& page) {
  std::ifstream file("/dev/shm/" + page, std::ios::binary);
  file.seekg(mailbox::layout::request_state.offset);
  std::byte word[4] = {};
  file.read(reinterpret_cast<char*>(word), 4);
  return mailbox::RequestState{wire::load<std::uint32_t>(word)};
}

// Processes, this one and zombies left out, whose environment names a group in `folder`.
inline std::vector<std::string> members_of(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code failure;
  for (std::filesystem::directory_iterator entry("/proc", failure), end; !failure && entry != end; entry.increment(failure)) {
    std::ifstream file(entry->path() / "environ", std::ios::binary);
    const std::string environment{std::istreambuf_iterator<char>(file), {}};
    if (environment.find(std::string(hw::directory_variable) + "=" + folder + "/") != std::string::npos)
      found.push_back(entry->path().filename().string());
  }
  return found;
}

}  // namespace tenter::watching
