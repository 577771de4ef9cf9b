#include "bench/mailbox_pair.hpp"

#include <cstdio>
#include <ctime>
#include <string>

#include "bench/echo_member.hpp"
#include "core/mailbox/channel.hpp"
#include "core/mailbox/dispatcher.hpp"
#include "hw/loop/local_part.hpp"
#include "hw/loop/process.hpp"
#include "hw/posix/timers_part.hpp"
#include "hw/shm/futex.hpp"
#include "hw/shm/shared_page_part.hpp"

namespace tenter::bench {
namespace {

enum Mode : std::uint32_t { not_yet, blocking, polling, quit };

constexpr Duration patience = seconds(20);

// The Client port of a single call at a time.
class AnswerPart {
 public:
  void perform(const action::Complete& complete) {
    answered = true;
    status = complete.outcome.status;
    bytes = complete.outcome.parts.size() == 0 ? 0 : complete.outcome.parts[0].size();
  }
  void poll() {}
  void add_waits(hw::WaitSet&) const {}

  bool answered = false;
  Status status = Status::ok;
  std::size_t bytes = 0;
};

using RankPort = Port<hw::SharedPagePart, hw::TimersPart, hw::LocalPart>;
using ParentPort = Port<hw::SharedPagePart, hw::TimersPart, hw::LocalPart, AnswerPart>;

std::string page_name(pid_t parent, const void* pair) {
  char name[64];
  std::snprintf(name, sizeof name, "tenter-bench-%d-%zx", static_cast<int>(parent), reinterpret_cast<std::size_t>(pair));
  return name;
}

void yield_sometimes(std::uint32_t& idle_turns) {
  if (++idle_turns % 4096 == 0) sched_yield();
}

int serve(std::atomic<std::uint32_t>& mode, const PairOptions& options, const std::string& name) {
  if (options.pinned_at_birth) pin_to(options.work.child_cpu);
  hw::Context context;
  RankPort port{{context}, {context}, {context}, {}};
  const Blob reply(options.work.reply_bytes, [](MutableBytes to) { std::fill(to.begin(), to.end(), std::byte{1}); });
  hw::Process process(context, port, EchoMember(Blob(name), reply), mailbox::Dispatcher(mailbox::DispatcherConfig{}));
  pin_to(options.work.child_cpu);
  process.start();
  const auto left = [&] { return process.template machine<0>().left(); };
  while (!left()) {
    if (mode.load(std::memory_order_acquire) == polling) {
      std::uint32_t idle_turns = 0;
      while (mode.load(std::memory_order_relaxed) == polling && !left())
        if (process.run_ready() == 0) yield_sometimes(idle_turns);
    } else {
      process.run_until([&] { return left() || mode.load(std::memory_order_relaxed) == polling; }, hw::now() + seconds(3600));
    }
  }
  return 0;
}

}  // namespace

struct MailboxPair::Parent {
  explicit Parent(const std::string& name)
      : port{{context}, {context}, {context}, {}, {}},
        process(context, port, mailbox::Channel({.world = 1, .launch = Role{1}}), PageMaker(Blob(name))) {}
  hw::Context context;
  ParentPort port;
  hw::Process<ParentPort, mailbox::Channel, PageMaker> process;
  std::uint64_t calls = 0;
  Blob payload;
};

MailboxPair::MailboxPair(const PairOptions& options) : options_(options) {}

std::unique_ptr<MailboxPair> MailboxPair::start(const PairOptions& options) {
  std::unique_ptr<MailboxPair> pair(new MailboxPair(options));
  void* memory = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return std::perror("mailbox pair: mmap"), nullptr;
  pair->mode_ = static_cast<std::atomic<std::uint32_t>*>(memory);
  const pid_t self = getpid();
  const std::string name = page_name(self, pair.get());
  pair->rank_ = fork();
  if (pair->rank_ < 0) return std::perror("mailbox pair: fork"), nullptr;
  if (pair->rank_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != self) _exit(1);
    while (pair->mode_->load() == not_yet) hw::futex_wait_shared(reinterpret_cast<const std::uint32_t*>(memory), not_yet);
    _exit(pair->mode_->load() == quit ? 0 : serve(*pair->mode_, options, name));
  }
  cpu_set_t before;
  sched_getaffinity(0, sizeof(before), &before);
  if (options.pinned_at_birth) pin_to(options.work.caller_cpu);
  pair->parent_ = std::make_unique<Parent>(name);
  sched_setaffinity(0, sizeof(before), &before);
  Parent& parent = *pair->parent_;
  parent.payload = Blob(options.work.request_bytes, [](MutableBytes to) { std::fill(to.begin(), to.end(), std::byte{2}); });
  const PageMaker& maker = parent.process.template machine<1>();
  parent.process.start();
  parent.process.run_until([&] { return maker.created(); }, hw::now() + patience);
  pair->mode_->store(blocking);
  hw::futex_wake_shared(reinterpret_cast<const std::uint32_t*>(memory));
  const bool settled = parent.process.run_until([&] { return maker.settled(); }, hw::now() + patience);
  parent.process.run_ready();
  if (settled && maker.ready()) return pair;
  std::fprintf(stderr, "mailbox pair: the group is not ready: %.*s %.*s\n", static_cast<int>(maker.state_name().size()),
               maker.state_name().data(), static_cast<int>(maker.text().size()), maker.text().data());
  return nullptr;
}

MailboxPair::~MailboxPair() {
  if (rank_ > 0 && parent_ && parent_->process.template machine<1>().ready()) {
    mailbox::RequestCall call;
    call.opcode = mailbox::Opcode::shutdown;
    call.payloads = Parts{Blob()};
    parent_->port.answered = false;
    parent_->context.push(mailbox::channel_role, event::Submitted{hw::now(), Ticket{++parent_->calls}, request_note(call)});
    if (!parent_->process.run_until([&] { return parent_->port.answered; }, hw::now() + patience)) kill(rank_, SIGKILL);
  } else if (rank_ > 0) {
    kill(rank_, SIGKILL);
  }
  if (rank_ > 0) waitpid(rank_, nullptr, 0);
  if (mode_) munmap(mode_, 4096);
}

bool MailboxPair::round_trip() {
  Parent& parent = *parent_;
  mailbox::RequestCall call;
  call.payloads = Parts{parent.payload};
  parent.port.answered = false;
  parent.context.push(mailbox::channel_role, event::Submitted{hw::now(), Ticket{++parent.calls}, mailbox::request_note(call)});
  if (options_.busy) {
    std::uint32_t idle_turns = 0;
    while (!parent.port.answered)
      if (parent.process.run_ready() == 0) yield_sometimes(idle_turns);
  } else {
    parent.process.run_until([&] { return parent.port.answered; }, hw::now() + patience);
  }
  return parent.port.answered && parent.port.status == Status::ok && parent.port.bytes == options_.work.reply_bytes;
}

Elapsed MailboxPair::slice(Budget budget, std::vector<std::uint32_t>& round_ns) {
  cpu_set_t before;
  sched_getaffinity(0, sizeof(before), &before);
  pin_to(options_.work.caller_cpu);
  if (options_.busy) mode_->store(polling, std::memory_order_release);
  bool good = true;
  for (std::uint64_t i = 0; i < options_.work.warm_up && good; ++i) good = round_trip();
  Elapsed elapsed;
  if (good) elapsed = run_rounds(budget, &round_ns, [&] { return round_trip(); });
  mode_->store(blocking, std::memory_order_release);
  sched_setaffinity(0, sizeof(before), &before);
  return elapsed;
}

std::int64_t MailboxPair::rank_cpu_ns() const {
  clockid_t clock{};
  timespec used{};
  if (clock_getcpuclockid(rank_, &clock) != 0 || clock_gettime(clock, &used) != 0) return 0;
  return static_cast<std::int64_t>(used.tv_sec) * 1'000'000'000 + used.tv_nsec;
}

}  // namespace tenter::bench
