// Messages between the ranks of a job: in order per sender, receiver and communicator, short ones done at once (eager), long ones
// when their receiver has taken them (rendezvous); where the border lies is one choice a run. A message is eager, waiting or
// being taken, and in one place only, so that none is lost between two that live. Contract: docs/ports/comm.md.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/action.hpp"
#include "core/event.hpp"
#include "sim/process.hpp"

namespace tenter::sim {

class World;

class CommModel {
 public:
  explicit CommModel(World& world) : world_(world) {}

  // A message of fewer bytes is eager: 0 makes all of them rendezvous, `all_eager` none. Not called: chosen, once a run.
  static constexpr std::uint64_t all_eager = ~std::uint64_t{0};
  void eager_below(std::uint64_t bytes) { eager_below_ = bytes; }

  void perform(Process& p, Role role, const action::JoinWorld& a);
  void perform(Process& p, Role role, const action::SendMessage& a);
  void perform(Process& p, Role role, const action::AbandonSend& a);
  void perform(Process& p, Role role, const action::ReceiveMessage& a);
  void perform(Process& p, Role role, const action::WithdrawReceive& a);

  void step(std::uint64_t lane, std::uint64_t what);  // from the queue
  bool take(ProcessIndex process, Role role, Op op);  // true once, while that answer is still wanted
  bool take_join(ProcessIndex process);               // the same of WorldJoined
  void formed(ProcessIndex member);                   // its job is complete
  void leaves(const Process& p);                      // before an orderly exit
  void process_ended(const Process& p);
  void resumed(ProcessIndex process);

  // For properties, mutants and people.
  bool outstanding(ProcessIndex process, Role role, Op op) const;
  struct Counts {
    std::uint64_t sent = 0;     // accepted from a machine
    std::uint64_t arrived = 0;  // delivered to a machine, whole or as too long
    std::uint64_t dropped = 0;  // by a death, a withdrawn receive or an abandoned send
    std::uint64_t under_way = 0;
    friend bool operator==(const Counts&, const Counts&) = default;
  };
  Counts counts() const;  // sent = arrived + dropped + under_way
  std::string waits() const;

 private:
  struct Message {
    Role role{};
    Op op{};
    MessageTag tag{};
    Blob content;
    Time arrives{};
    bool here = false;  // at the receiver's port
    bool eager = false;
    bool abandoned = false;
  };
  struct Receive {
    Role role{};
    Op op{};
    std::uint64_t limit = 0;
    bool wanted = true;
  };
  enum class News : std::uint8_t { none, untold, told };  // of the other side's end
  struct Lane {                                           // one direction between two processes on one communicator
    ProcessIndex from = no_process, to = no_process;
    Rank sender{};
    Communicator communicator{};
    std::deque<Message> messages;    // not taken yet, the oldest first
    std::optional<Receive> receive;  // posted
    std::optional<Receive> taking;   // bound to the first message, a rendezvous one that moves
    std::uint64_t transfer = 0;      // number of that move
    bool stalled = false;            // one of its ends was stopped when it should have ended
    Time last{};                     // nothing arrives earlier than this
    News at_sender = News::none, at_receiver = News::none;
    std::vector<std::pair<Role, Op>> unsent;  // rendezvous messages to a receiver that is gone
  };
  struct Join {
    bool asked = false, failed = false, told = false, joined = false;
    Role role{};
    Op op{};
  };
  enum class Stage : std::uint8_t { open, answering, over };
  struct Use {  // of an op; kept after its end, since an op is used once
    Stage stage = Stage::open;
    std::size_t lane = 0;
    bool sends = false;
    bool carries = false;  // its answer holds a message
  };
  using OpKey = std::tuple<ProcessIndex, Role, Op>;
  using LaneKey = std::tuple<ProcessIndex, ProcessIndex, Communicator>;  // from, to

  void misuse(const Process& p, const std::string& text);
  Join& join(ProcessIndex process);
  void complete_join(ProcessIndex member);
  bool refuses(const Process& p, Role role, Op op, Communicator communicator, Rank other);
  std::size_t lane_of(ProcessIndex from, ProcessIndex to, Rank sender, Communicator communicator);
  bool eager(const Blob& content);
  Time arrival(Lane& lane);
  void schedule(std::size_t lane, std::uint64_t what, Duration after);
  void send_to_nobody(std::size_t lane, Role role, const action::SendMessage& a);
  void match(std::size_t lane);
  void finish(std::size_t lane);
  void hand_over(Lane& lane, const Receive& receive, const Message& message);
  void answer_send(const Lane& lane, Role role, Op op, Status status);
  void answer_lost(std::size_t lane);
  void sender_ended(std::size_t lane, bool orderly);
  void receiver_ended(std::size_t lane);
  void drop_from(Lane& lane, std::size_t first);
  News news_for(std::size_t lane, ProcessIndex observer, std::uint64_t what);
  std::string text_of_lane(const Lane& lane) const;

  World& world_;
  std::optional<std::uint64_t> eager_below_;
  std::vector<Join> joins_;  // by process
  std::vector<Lane> lanes_;
  std::map<LaneKey, std::size_t> lane_by_key_;
  std::vector<std::vector<std::size_t>> lanes_of_;  // by process, either end
  std::map<OpKey, Use> uses_;
  std::uint64_t transfers_ = 0;
  Counts counts_;
};

}  // namespace tenter::sim
