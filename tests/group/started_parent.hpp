// A process that starts a group, tells the names of its page and its folder, and waits for its own end.
#pragma once
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "hw/group/group.hpp"

namespace tenter {

struct StartedParent {
  char page[128] = {};
  char folder[256] = {};
};

// Its pid, a child of ours; -1 when the group did not start.
inline pid_t start_parent(StartedParent& told) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  const pid_t parent = fork();
  if (parent == 0) {
    close(ends[0]);
    hw::GroupSpec spec;
    spec.ranks = 2;
    spec.member = {hw::this_program(), "member"};
    auto group = hw::Group::start(spec);
    if (!group) _exit(1);
    StartedParent mine;
    (*group)->page().copy(mine.page, sizeof mine.page - 1);
    (*group)->folder().copy(mine.folder, sizeof mine.folder - 1);
    if (write(ends[1], &mine, sizeof mine) != sizeof mine) _exit(1);
    while (true) pause();
  }
  close(ends[1]);
  const bool whole = read(ends[0], &told, sizeof told) == sizeof told;
  close(ends[0]);
  return whole ? parent : -1;
}

// A child of that process with this name (proc(5), comm).
inline std::optional<pid_t> child_named(pid_t parent, const std::string& name) {
  const std::string own = std::to_string(parent);
  std::ifstream children("/proc/" + own + "/task/" + own + "/children");
  for (pid_t child = 0; children >> child;) {
    std::ifstream file("/proc/" + std::to_string(child) + "/comm");
    std::string found;
    if (std::getline(file, found) && found == name) return child;
  }
  return std::nullopt;
}

}  // namespace tenter
