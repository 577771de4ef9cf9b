#include "hw/posix/processes_part.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <system_error>

#include "hw/posix/process_stat.hpp"
#include "hw/posix/spawn.hpp"

namespace tenter::hw {
namespace {

// A poll of descriptors costs a system call. The loop spins over poll(), so look only after a nudge (whoever watches the
// descriptors of a parked loop gives one) or after this long.
constexpr Duration check_interval = milliseconds(1);
constexpr Duration kill_time = seconds(5);

bool readable(int descriptor, int timeout_ms = 0) {
  pollfd one{descriptor, POLLIN, 0};
  return ::poll(&one, 1, timeout_ms) > 0;
}

}  // namespace

ProcessesPart::ProcessesPart(Context& context) : context_(context) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe for the life-line of children");
  lifeline_read_ = Descriptor(ends[0]);
  lifeline_write_ = Descriptor(ends[1]);
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // cannot fail since Linux 3.4
}

ProcessesPart::~ProcessesPart() { kill_all(); }

void ProcessesPart::perform(const action::Spawn& a) {
  auto failed = [&](Status status, std::string_view text) {
    context_.push(context_.current, event::Spawned{now(), a.op, status, {}, Blob(text)});
  };
  const Result<pid_t> child = spawn_program(a.arguments, a.environment, lifeline_read_.get());
  if (!child) return failed(child.error().status, child.error().what);
  const auto pid = static_cast<std::uint64_t>(*child);
  const auto stat = stat_of(pid);
  const ProcessId process{pid, stat ? stat->start_time : 0};
  Descriptor pidfd = open_process(process);
  if (!pidfd) {  // out of descriptors: a child that nobody can watch must not run
    kill(-*child, SIGKILL);
    while (waitpid(*child, nullptr, 0) < 0 && errno == EINTR) {
    }
    return failed(Status::failed, "spawn of \"" + std::string(a.arguments[0].text()) + "\": no pidfd for the child");
  }
  sessions_[*child] = process.start_time;
  watched_.push_back(
      {process, std::move(pidfd), {Listener{context_.current, a.op}}, true, std::optional<Counted>(Resource::process)});
  context_.push(context_.current, event::Spawned{now(), a.op, Status::ok, process, {}});
}

void ProcessesPart::perform(const action::WatchProcess& a) {
  const Listener listener{context_.current, a.op};
  if (Watched* known = find(a.process)) return known->listeners.push_back(listener);
  Descriptor pidfd = open_process(a.process);
  if (!pidfd) return context_.push(listener.first, event::ProcessExited{now(), a.op, -1, -1});
  watched_.push_back({a.process, std::move(pidfd), {listener}, false, std::nullopt});
}

// A child that is not reaped yet keeps its number, so its process group can be no stranger's either.
void ProcessesPart::perform(const action::KillProcesses& a) {
  for (const ProcessId& process : a.processes) {
    const Watched* known = find(process);
    if (known && known->spawned) {
      kill(-static_cast<pid_t>(process.pid), a.signal);  // with its leader: that one cannot leave its group
    } else if (known) {
      send_signal(known->pidfd, a.signal);
    } else if (const Descriptor pidfd = open_process(process)) {
      send_signal(pidfd, a.signal);
    }
  }
}

void ProcessesPart::perform(const action::InspectProcesses& a) {
  const Blob states(a.processes.size(), [&](MutableBytes to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<std::byte>(state_letter(a.processes[i]));
  });
  context_.push(context_.current, event::ProcessesInspected{now(), a.op, states});
  adopt_orphans();
}

void ProcessesPart::perform(const action::ExitProcess& a) {
  if (!exit_requested_) exit_requested_ = ExitRequest{a.code, a.orderly};
}

ProcessesPart::Watched* ProcessesPart::find(const ProcessId& process) {
  const auto found = std::find_if(watched_.begin(), watched_.end(), [&](const Watched& w) { return w.process == process; });
  return found == watched_.end() ? nullptr : &*found;
}

void ProcessesPart::poll() {
  if (watched_.empty() && !parent_lifeline_) return;
  const std::uint32_t nudges = context_.nudges.load(std::memory_order_acquire);
  const Time at = now();
  if (nudges == checked_nudges_ && at < next_check_) return;
  checked_nudges_ = nudges;
  next_check_ = at + check_interval;
  poll_lifeline();
  if (!anything_readable()) return;
  adopt_orphans();  // whatever ended may have left children behind, and may itself be ours to reap by now
  std::erase_if(watched_, [&](Watched& watched) {
    if (!readable(watched.pidfd.get())) return false;
    finish(watched);
    return true;
  });
}

bool ProcessesPart::anything_readable() const {
  WaitSet waits;
  for (const Watched& watched : watched_) waits.descriptors.push_back({watched.pidfd.get(), POLLIN, 0});
  return ::poll(waits.descriptors.data(), waits.descriptors.size(), 0) > 0;
}

void ProcessesPart::finish(Watched& watched) {
  event::ProcessExited exited{now(), {}, -1, -1};
  siginfo_t info{};
  if (watched.counted && waitid(P_PID, static_cast<id_t>(watched.process.pid), &info, WEXITED | WNOHANG) == 0 &&
      info.si_pid != 0 && watched.spawned) {
    exited.code = info.si_code == CLD_EXITED ? info.si_status : -1;
    exited.signal = info.si_code == CLD_EXITED ? 0 : info.si_status;
  }
  for (const auto& [role, op] : watched.listeners) {
    exited.op = op;
    context_.push(role, exited);
  }
}

void ProcessesPart::adopt_orphans() {
  if (sessions_.empty()) return;
  for (const std::uint64_t pid : children_of_self()) {
    const auto stat = stat_of(pid);
    if (!stat || stat->parent != getpid()) continue;
    const auto session = sessions_.find(stat->session);
    if (session == sessions_.end()) continue;
    const ProcessId process{pid, stat->start_time};
    if (static_cast<std::int64_t>(pid) == session->first && process.start_time != session->second) continue;  // number reused
    Watched* known = find(process);
    if (known && !known->counted) known->counted.emplace(Resource::process);
    if (known) continue;
    if (Descriptor pidfd = open_process(process)) {
      watched_.push_back({process, std::move(pidfd), {}, false, std::optional<Counted>(Resource::process)});
    }
  }
}

// Killing a parent brings its children here, so it is repeated until there is nobody left; bounded, since a process in
// uninterruptible sleep dies only when it wakes.
void ProcessesPart::kill_all() {
  const Time deadline = now() + kill_time;
  while (true) {
    adopt_orphans();
    std::erase_if(watched_, [](const Watched& watched) { return !watched.counted; });
    if (watched_.empty() || now() >= deadline) return;
    for (const Watched& watched : watched_) {
      if (watched.spawned) kill(-static_cast<pid_t>(watched.process.pid), SIGKILL);
      send_signal(watched.pidfd, SIGKILL);
    }
    std::erase_if(watched_, [&](Watched& watched) {
      const auto left = std::max<std::int64_t>(0, number(deadline - now()) / 1'000'000);
      if (!readable(watched.pidfd.get(), static_cast<int>(left))) return false;
      watched.listeners.clear();
      finish(watched);
      return true;
    });
  }
}

void ProcessesPart::add_waits(WaitSet& waits) const {
  for (const Watched& watched : watched_) waits.descriptors.push_back({watched.pidfd.get(), POLLIN, 0});
  if (parent_lifeline_) waits.descriptors.push_back({parent_lifeline_.get(), POLLIN, 0});
}

void ProcessesPart::watch_lifeline(Descriptor lifeline, std::vector<Role> roles) {
  parent_lifeline_ = std::move(lifeline);
  parent_roles_ = std::move(roles);
  next_check_ = Time{};
}

void ProcessesPart::poll_lifeline() {
  if (!parent_lifeline_ || !readable(parent_lifeline_.get())) return;
  char ignored[64];  // nobody writes, but a byte is not an end
  if (read(parent_lifeline_.get(), ignored, sizeof ignored) != 0) return;
  parent_lifeline_ = Descriptor();
  for (const Role role : parent_roles_) context_.push(role, event::ParentExited{now()});
}

}  // namespace tenter::hw
