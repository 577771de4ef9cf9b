// The smallest world in which Channel, Dispatcher and Members work together: one page as bytes, collectives that end when every
// rank has joined, callables as a function, no faults, no order but first in first out. The simulator proper is in sim/.
#pragma once
#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/mailbox/channel.hpp"
#include "core/mailbox/dispatcher.hpp"
#include "core/mailbox/member.hpp"
#include "core/wire.hpp"

namespace tenter::mailbox::test {

class Lockstep {
 public:
  using Callable = std::function<std::pair<Status, std::string>(std::uint32_t rank, const Blob& callable, const Blob& argument)>;

  explicit Lockstep(std::uint32_t world, ChannelConfig config = {}) : world_(world), page_(layout::page_bytes) {
    config.world = world;
    channel = Channel(config);
    for (std::uint32_t rank = 0; rank < world; ++rank) members.push_back(Member(MemberConfig{rank, world}));
    std::copy_n(std::as_bytes(std::span(layout::magic_bytes)).begin(), 8, page_.begin());
    store(layout::version.offset, layout::protocol_version);
    store(layout::header_size.offset, layout::header_bytes);
    wire::store(page_.data() + layout::page_size.offset, layout::page_bytes);
    store(layout::world.offset, world);
    files["manifest"] = write_manifest({"the-page", layout::protocol_version, layout::page_bytes, world});
    callable = [](std::uint32_t, const Blob&, const Blob& argument) {
      return std::pair(Status::ok, std::string(argument.text()));
    };
  }

  // Every rank starts; once READY is published, the channel is told, as Launch does.
  void start() {
    for (std::uint32_t rank = 0; rank < world_; ++rank) deliver(member(rank), event::Started{now});
    run();
    if (load(layout::group_state.offset) == number(GroupState::ready)) tell_channel(plain_note(NoteKind::group_ready));
  }
  void submit(const RequestCall& call, std::uint64_t ticket) {
    deliver(channel_machine, event::Submitted{now, Ticket{ticket}, request_note(call)});
    run();
  }
  void tell_channel(Note note) {
    deliver(channel_machine, event::Told{now, launch_role, std::move(note)});
    run();
  }
  // Virtual time: every timer due until then fires, in order.
  void advance(Duration by) {
    const Time until = now + by;
    for (;;) {
      auto next =
          std::min_element(timers_.begin(), timers_.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
      if (next == timers_.end() || next->second > until) break;
      now = next->second;
      const auto [machine, op] = next->first;
      timers_.erase(next);
      deliver(machine, event::TimerFired{now, op});
      run();
    }
    now = until;
  }
  void run() {
    while (!events_.empty()) {
      auto [machine, e] = std::move(events_.front());
      events_.pop_front();
      deliver(machine, e);
    }
  }

  std::uint32_t load(std::uint32_t offset) const { return wire::load<std::uint32_t>(page_.data() + offset); }
  void store(std::uint32_t offset, std::uint32_t value) { wire::store(page_.data() + offset, value); }
  // A stranger's or a peer's store, seen by whoever watches.
  void poke(Word word, std::uint32_t value) {
    store(number(word), value);
    look();
    run();
  }

  Channel channel;
  Dispatcher dispatcher{DispatcherConfig{}};
  std::vector<Member> members;
  std::map<std::string, Blob> files;
  std::map<std::uint64_t, std::vector<Note>> answers;  // by ticket
  std::vector<Note> launch;                            // what the channel told Launch
  std::map<std::uint32_t, action::ExitProcess> exits;  // by rank
  std::vector<std::uint32_t> stopped;                  // ranks whose callables never end
  Callable callable;
  Time now{1};

 private:
  using Machine = std::uint32_t;  // 0: channel, 1: dispatcher, 2 + rank: member
  static constexpr Machine channel_machine = 0, dispatcher_machine = 1;
  static constexpr Machine member(std::uint32_t rank) { return 2 + rank; }

  struct Watch {
    Machine machine = 0;
    Op op{};
    Word word{};
    std::uint32_t seen = 0;
  };
  struct Joined {
    Op op{};
    Blob content;
    std::string what;
  };

  void post(Machine machine, Event e) { events_.emplace_back(machine, std::move(e)); }

  void deliver(Machine machine, const Event& e) {
    if (machine >= 2 && exits.contains(machine - 2)) return;
    if (machine == dispatcher_machine && exits.contains(0)) return;
    Outbox out;
    const bool handled = machine == channel_machine      ? tenter::deliver(channel, e, out)
                         : machine == dispatcher_machine ? tenter::deliver(dispatcher, e, out)
                                                         : tenter::deliver(members[machine - 2], e, out);
    TENTER_CHECK(handled);
    for (const Action& action : out.actions()) std::visit([&](const auto& a) { perform(machine, a); }, action);
  }

  void look() {
    for (std::size_t i = 0; i < watches_.size();) {
      const Watch w = watches_[i];
      const std::uint32_t value = load(number(w.word));
      if (value == w.seen) {
        ++i;
        continue;
      }
      watches_.erase(watches_.begin() + static_cast<std::ptrdiff_t>(i));
      post(w.machine, event::WordChanged{now, w.op, w.word, value});
    }
  }

  // Collectives: the k-th one that a rank joins on a communicator is the k-th one of all.
  void join(Machine machine, Communicator communicator, Joined joined) {
    const std::uint32_t rank = machine - 2;
    auto& counts = joined_counts_[number(communicator)];
    counts.resize(world_);
    auto& rounds = collectives_[number(communicator)];
    const std::size_t k = counts[rank]++;
    if (rounds.size() <= k) rounds.resize(k + 1);
    rounds[k].resize(world_);
    rounds[k][rank] = std::move(joined);
    for (const Joined& j : rounds[k])
      if (j.what.empty()) return;
    for (const Joined& j : rounds[k]) TENTER_CHECK(j.what == rounds[k][0].what);
    std::vector<Blob> all;
    for (const Joined& j : rounds[k]) all.push_back(j.content);
    const std::string& what = rounds[k][0].what;
    for (std::uint32_t r = 0; r < world_; ++r) {
      event::CollectiveDone done{now, rounds[k][r].op, Status::ok, {}, {}};
      if (what == "bcast") done.content = all[0];
      if (what == "allgather" || (what == "gather" && r == 0)) done.parts = Parts(all);
      post(member(r), done);
    }
  }

  void perform(Machine m, const action::Arm& a) { timers_[{m, a.op}] = a.when; }
  void perform(Machine m, const action::Cancel& a) { timers_.erase({m, a.op}); }
  void perform(Machine m, const action::OpenPage& a) { post(m, event::PageOpened{now, a.op, Status::ok, page_.size(), {}}); }
  void perform(Machine, const action::ClosePage&) {}
  void perform(Machine, const action::WriteRegion& a) {
    std::memcpy(page_.data() + a.offset, a.content.bytes().data(), a.content.size());
  }
  void perform(Machine m, const action::CopyIn& a) {
    post(m, event::Copied{now, a.op, Blob(Bytes(page_).subspan(a.offset, a.bytes))});
  }
  void perform(Machine, const action::Publish& a) { store(number(a.word), a.value), look(); }
  void perform(Machine, const action::PublishQuiet& a) { store(number(a.word), a.value), look(); }
  void perform(Machine m, const action::PublishIf& a) {
    const std::uint32_t seen = load(number(a.word));
    if (seen == a.expected) store(number(a.word), a.value);
    post(m, event::Swapped{now, a.op, seen});
    look();
  }
  void perform(Machine m, const action::Watch& a) {
    watches_.push_back({m, a.op, a.word, a.seen});
    look();
  }
  void perform(Machine m, const action::Unwatch& a) {
    std::erase_if(watches_, [&](const Watch& w) { return w.machine == m && w.op == a.op; });
  }
  void perform(Machine m, const action::Duplicate& a) { join(m, a.from, {a.op, {}, "duplicate"}); }
  void perform(Machine m, const action::FreeCommunicator& a) { join(m, a.communicator, {a.op, {}, "free"}); }
  void perform(Machine m, const action::Bcast& a) { join(m, a.communicator, {a.op, a.content, "bcast"}); }
  void perform(Machine m, const action::Gather& a) { join(m, a.communicator, {a.op, a.content, "gather"}); }
  void perform(Machine m, const action::Allgather& a) { join(m, a.communicator, {a.op, a.content, "allgather"}); }
  void perform(Machine m, const action::PublishFile& a) {
    files[std::string(a.path.text())] = a.content;
    post(m, event::FileDone{now, a.op, Status::ok, {}});
  }
  void perform(Machine m, const action::ReadFile& a) {
    const auto found = files.find(std::string(a.path.text()));
    if (found == files.end())
      return post(m, event::FileDone{now, a.op, Status::not_found, Blob(std::string_view("no such file"))});
    post(m, event::FileDone{now, a.op, Status::ok, found->second});
  }
  void perform(Machine m, const action::DescribeHost& a) {
    post(m, event::HostDescribed{now, a.op, ProcessId{100 + m, 7}, 0, Blob(std::string_view("host"))});
  }
  void perform(Machine m, const action::ExitProcess& a) { exits.emplace(m - 2, a); }
  void perform(Machine m, const action::Execute& a) {
    if (std::find(stopped.begin(), stopped.end(), m - 2) != stopped.end()) return;
    auto [status, reply] = callable(m - 2, a.callable, a.argument);
    post(m, event::Executed{now, a.op, status, Blob(std::string_view(reply))});
  }
  void perform(Machine, const action::Complete& a) { answers[number(a.ticket)].push_back(a.outcome); }
  void perform(Machine m, const action::Tell& a) {
    if (m == channel_machine) return launch.push_back(a.note);
    if (m == dispatcher_machine) return post(member(0), event::Told{now, dispatcher_role, a.note});
    post(dispatcher_machine, event::Told{now, member_role, a.note});
  }
  template <class A>
  void perform(Machine, const A&) {
    TENTER_CHECK(!"an action that these machines never perform");
  }

  std::uint32_t world_;
  std::vector<std::byte> page_;
  std::deque<std::pair<Machine, Event>> events_;
  std::vector<Watch> watches_;
  std::map<std::pair<Machine, Op>, Time> timers_;
  std::map<std::uint32_t, std::vector<std::size_t>> joined_counts_;
  std::map<std::uint32_t, std::vector<std::vector<Joined>>> collectives_;
};

}  // namespace tenter::mailbox::test
