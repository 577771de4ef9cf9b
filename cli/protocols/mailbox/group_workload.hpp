// The user of a group, as a script for both worlds: starts it, sends requests of every kind, some of them at once, and shuts it
// down. Every payload is unique, so an answer that belongs to another request, rank or moment is recognised.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/mailbox/notes.hpp"
#include "core/mailbox/start_call.hpp"
#include "sim/scenario.hpp"

namespace tenter::protocols {

enum class CallKind : std::uint8_t { start, request, join, stop };

struct Expected {
  Ticket ticket{};
  CallKind kind{};
  Time submitted{};
  Duration patience{};
  std::vector<Blob> replies;  // what each reply's result must be, in order; request and join
  std::vector<bool> fails;    // by reply: the callable fails on purpose
  std::int32_t rank = -1;     // directed
  bool late = false;          // its patience is short: it may time out without a fault
  bool ping = false;
};

class GroupWorkload : public sim::Workload {
 public:
  // hurried: now and then a call has so little patience that its deadline may end the group.
  struct Shape {
    std::uint32_t requests = 0, at_once = 1;
    bool hurried = true;
  };
  GroupWorkload(mailbox::StartSpec start, Shape shape) : start_(std::move(start)), world_(start_.world), shape_(shape) {}

  void start(sim::ClientPort& port) override;
  void completed(sim::ClientPort& port, Ticket ticket, const Note& outcome) override;
  void abandoned(sim::ClientPort& port, Ticket ticket) override;
  bool finished() const override { return stopped_ || parent_gone_; }
  std::string waiting_for() const override;

  void stop_early() { shape_.requests = sent_; }  // nothing new; what is open is awaited, then the group is shut down

  bool started() const { return started_; }
  bool start_failed() const { return start_failed_; }
  bool parent_gone() const { return parent_gone_; }
  std::uint32_t sent() const { return sent_; }  // requests, operations and pings
  const Expected* find(Ticket ticket) const;
  bool any_late() const;  // a call with a short patience was sent

 private:
  void next(sim::ClientPort& port);
  void one_request(sim::ClientPort& port);
  void directed(sim::ClientPort& port);
  void everyone(sim::ClientPort& port);
  void ping(sim::ClientPort& port);
  void together(sim::ClientPort& port);
  void stop(sim::ClientPort& port);
  void send(sim::ClientPort& port, Role role, Note call, Expected expected);
  Blob task_frame(sim::ClientPort& port, std::uint32_t rank, Expected& expected);
  Duration patience(sim::ClientPort& port, Expected& expected);

  mailbox::StartSpec start_;
  std::uint32_t world_;
  Shape shape_;
  std::uint32_t sent_ = 0, open_ = 0;
  std::uint64_t next_id_ = 1;
  std::vector<Expected> expected_;
  bool started_ = false, start_failed_ = false, stopping_ = false, stopped_ = false, parent_gone_ = false;
};

// What the ranks do with such a task: the reply is a digest of the argument; some fail, some with texts that are no UTF-8.
sim::WorkResult simulated_work(sim::ProcessIndex process, const Blob& callable, const Blob& argument);

}  // namespace tenter::protocols
