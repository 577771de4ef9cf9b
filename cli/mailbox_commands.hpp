// `tenter mailbox …` and the hidden `tenter member`, without the parsing of the command line.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/command.hpp"

namespace CLI {
class App;
}

namespace tenter::hw {
class Group;
}

namespace tenter::cli {

void add_mailbox(CLI::App& app, Context& context, std::function<int()>& chosen);
void add_mailbox_hardware(Registry& registry);  // for `tenter hw run mailbox`

namespace mailbox_exit {
inline constexpr int all_ok = 0, task_failed = 1, group_failed = 4;
}

struct MailboxRunOptions {
  std::uint32_t ranks = 2;
  std::string tasks;  // file of lines, - for standard input
  std::string launcher = "mpiexec";
  double start_seconds = 60;
  std::string record;  // directory; empty: none
};
int mailbox_run(const Context& context, const MailboxRunOptions& options);

struct MailboxChecksumOptions {
  std::uint32_t ranks = 2;
  std::vector<std::string> files;
  std::string launcher = "mpiexec";
  double deadline_seconds = 60;  // of one round
  std::string record;            // directory; empty: none
};
int mailbox_checksum(const Context& context, const MailboxChecksumOptions& options);

// Ends the recording of a group that was shut down; what failed of it is a warning, never the verdict.
void warn_of_recording(hw::Group& group);

int mailbox_inspect(const Context& context, const std::string& name);
// without_manifest: also pages whose owner is not known.
int mailbox_clean(const Context& context, bool yes, bool without_manifest);
// Before a start, on standard error: groups of this user whose parent is gone and whose page was left.
void tell_orphans();
int mailbox_member(const Context& context);

}  // namespace tenter::cli
