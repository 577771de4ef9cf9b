#include "hw/posix/processes_part.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <new>
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
  static std::atomic<std::uint64_t> parts{0};
  const auto self = static_cast<std::uint64_t>(getpid());
  const auto stat = stat_of(self);
  mark_ = "TENTER_SPAWNED_BY=" + std::to_string(self) + ":" + std::to_string(stat ? stat->start_time : 0) + ":" +
          std::to_string(++parts) + ":";
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe for the life-line of children");
  lifeline_read_ = Descriptor(ends[0]);
  lifeline_write_ = Descriptor(ends[1]);
  exits_ = Descriptor(epoll_create1(EPOLL_CLOEXEC));
  if (!exits_) throw std::system_error(errno, std::generic_category(), "epoll_create1 for the exits of processes");
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // cannot fail since Linux 3.4
}

ProcessesPart::~ProcessesPart() {
  try {
    kill_all();
  } catch (const std::bad_alloc&) {  // without memory: the children's death signal and life-line are left
  }
}

void ProcessesPart::perform(const action::Spawn& a) {
  auto failed = [&](Status status, std::string_view text) {
    context_.push(context_.current, event::Spawned{now(), a.op, status, {}, Blob(text)});
  };
  std::vector<Blob> environment(a.environment.begin(), a.environment.end());
  const std::string mark = mark_ + std::to_string(++spawned_);
  environment.emplace_back(std::string_view(mark));
  const Result<pid_t> child = spawn_program(a.arguments, Parts(std::move(environment)), lifeline_read_.get());
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
  add({process,
       std::move(pidfd),
       {Listener{context_.current, a.op}},
       true,
       true,
       false,
       std::optional<Counted>(Resource::process),
       mark + '\0'});
  context_.push(context_.current, event::Spawned{now(), a.op, Status::ok, process, {}});
}

void ProcessesPart::perform(const action::WatchProcess& a) {
  const Listener listener{context_.current, a.op};
  if (Watched* known = find(a.process)) return known->listeners.push_back(listener);
  Descriptor pidfd = open_process(a.process);
  if (!pidfd) return context_.push(listener.first, event::ProcessExited{now(), a.op, -1, -1});
  const bool marked = environment_holds(a.process.pid, mark_);
  add({a.process, std::move(pidfd), {listener}, false, marked, false, std::nullopt, {}});
}

// A child that is not reaped yet keeps its number, so its process group can be no stranger's either.
void ProcessesPart::perform(const action::KillProcesses& a) {
  for (const ProcessId& process : a.processes) {
    const Watched* known = find(process);
    if (known && known->spawned) {
      kill(-static_cast<pid_t>(process.pid), a.signal);    // with its leader: that one cannot leave its group
      if (a.signal == SIGKILL) kill_helpers(known->mark);  // a launcher's proxies are in sessions of their own
    } else if (known) {
      send_signal(known->pidfd, a.signal);
    } else if (const Descriptor pidfd = open_process(process)) {
      send_signal(pidfd, a.signal);
    }
  }
}

void ProcessesPart::perform(const action::InspectProcesses& a) {
  const Blob states(a.processes.size(), [&](MutableBytes to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<std::byte>(letter_of(a.processes[i]));
  });
  context_.push(context_.current, event::ProcessesInspected{now(), a.op, states});
  adopt_orphans();
}

char ProcessesPart::letter_of(const ProcessId& process) {
  const char own = state_letter(process);
  const Watched* known = find(process);
  if (own != 'R' || !known || !known->spawned) return own;
  const std::vector<ProcessId> all = helpers(known->mark);
  const bool stopped = std::any_of(all.begin(), all.end(), [](const ProcessId& one) { return state_letter(one) == 'T'; });
  return stopped ? 'H' : own;
}

std::vector<ProcessId> ProcessesPart::helpers(std::string_view mark) const {
  std::vector<ProcessId> all = processes_whose_environment_holds(mark);
  std::erase_if(all, [&](const ProcessId& process) {
    return std::any_of(watched_.begin(), watched_.end(), [&](const Watched& w) { return w.process == process; });
  });
  return all;
}

// They are watched from now on, so that they are reaped once they are orphans.
void ProcessesPart::kill_helpers(const std::string& mark) {
  for (const ProcessId& process : helpers(mark)) {
    Descriptor pidfd = open_process(process);
    if (!pidfd) continue;
    const auto stat = stat_of(process.pid);
    if (stat && stat->session == static_cast<std::int64_t>(process.pid)) sessions_[stat->session] = process.start_time;
    send_signal(pidfd, SIGKILL);
    add({process, std::move(pidfd), {}, false, true, false, std::nullopt, {}});
  }
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
  poll_alone();
  std::array<epoll_event, 64> ready{};
  int count = 0;
  while ((count = epoll_wait(exits_.get(), ready.data(), static_cast<int>(ready.size()), 0)) > 0) {
    adopt_orphans();  // whatever ended may have left children behind, and may itself be ours to reap by now
    for (int i = 0; i < count; ++i) {
      const int pidfd = ready[static_cast<std::size_t>(i)].data.fd;
      epoll_ctl(exits_.get(), EPOLL_CTL_DEL, pidfd, nullptr);
      const auto found = std::find_if(watched_.begin(), watched_.end(), [&](const Watched& w) { return w.pidfd.get() == pidfd; });
      if (found == watched_.end()) continue;
      finish(*found);
      watched_.erase(found);
    }
  }
}

// A pidfd that the set does not take (no memory, or the user's limit of watches, epoll_ctl(2)) is asked itself at every look:
// what runs must be waited for, whatever the kernel lacks.
void ProcessesPart::add(Watched watched) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = watched.pidfd.get();
  watched.alone = epoll_ctl(exits_.get(), EPOLL_CTL_ADD, watched.pidfd.get(), &event) != 0;
  watched_.push_back(std::move(watched));
}

void ProcessesPart::poll_alone() {
  for (std::size_t i = 0; i < watched_.size();) {
    if (!watched_[i].alone || !readable(watched_[i].pidfd.get())) {
      ++i;
      continue;
    }
    adopt_orphans();  // may add behind
    finish(watched_[i]);
    watched_.erase(watched_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void ProcessesPart::finish(Watched& watched) {
  event::ProcessExited exited{now(), {}, -1, -1};
  siginfo_t info{};
  if (watched.counted && waitid(P_PID, static_cast<id_t>(watched.process.pid), &info, WEXITED | WNOHANG) == 0 &&
      info.si_pid != 0) {
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
    const ProcessId process{pid, stat->start_time};
    Watched* known = find(process);
    if (known && known->marked && !known->counted) known->counted.emplace(Resource::process);
    if (known) continue;
    const auto session = sessions_.find(stat->session);
    const bool of_our_session = session != sessions_.end() && (static_cast<std::int64_t>(pid) != session->first ||
                                                               process.start_time == session->second);  // else: number reused
    if (!of_our_session && !environment_holds(pid, mark_)) continue;
    if (Descriptor pidfd = open_process(process)) {
      add({process, std::move(pidfd), {}, false, true, false, std::optional<Counted>(Resource::process), {}});
    }
  }
}

// Killing a parent brings its children here, so it is repeated until there is nobody left; bounded, since a process in
// uninterruptible sleep dies only when it wakes.
void ProcessesPart::kill_all() {
  const Time deadline = now() + kill_time;
  if (!watched_.empty() && !sessions_.empty()) kill_helpers(mark_);
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
  if (!watched_.empty()) waits.descriptors.push_back({exits_.get(), POLLIN, 0});
  for (const Watched& watched : watched_)
    if (watched.alone) waits.descriptors.push_back({watched.pidfd.get(), POLLIN, 0});
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
