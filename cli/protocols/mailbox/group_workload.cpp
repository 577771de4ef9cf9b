#include "cli/protocols/mailbox/group_workload.hpp"

#include <algorithm>

#include "core/digest.hpp"
#include "core/mailbox/frame.hpp"
#include "core/mailbox/join.hpp"
#include "core/text.hpp"
#include "core/wire.hpp"

namespace tenter::protocols {

using namespace mailbox;

namespace {

// What a task's callable does, told by its second scalar.
enum class Doing : std::uint64_t { replies, replies_nothing, replies_much, fails, fails_with_bad_text };

Blob reply_to(const Blob& argument, Doing doing) {
  if (doing == Doing::replies_nothing) return {};
  const std::uint64_t digest = argument.digest();
  wire::Writer writer;
  writer.u64(digest);
  if (doing == Doing::replies_much)
    for (std::uint64_t i = 0; i < 600; ++i) writer.u64(digest + i);
  return writer.blob();
}

Doing doing_of(const Blob& argument) {
  wire::Reader reader(argument.bytes());
  if (reader.u32() < 2) return Doing::replies;
  reader.u64();
  return static_cast<Doing>(reader.u64());
}

// Euro signs, a byte that is no UTF-8, a quote: at the front, and wherever a message of 2,048 repaired bytes may be cut.
std::string bad_text() {
  std::string units;
  for (int i = 0; i < 100; ++i) units += "\xE2\x82\xAC\xFF\"";
  return units + std::string(1'200, 'x') + units;
}

}  // namespace

sim::WorkResult simulated_work(sim::ProcessIndex, const Blob& callable, const Blob& argument) {
  sim::WorkResult result;
  result.takes = microseconds(5);
  if (callable.size() != slr3::callable_digest_bytes) return result;  // a control: done, no result
  const Doing doing = doing_of(argument);
  if (doing == Doing::fails || doing == Doing::fails_with_bad_text) {
    result.status = Status::failed;
    std::string text = "ValueError: no such thing";
    if (doing == Doing::fails_with_bad_text) text += bad_text();
    result.reply = Blob(text);
    return result;
  }
  result.reply = reply_to(argument, doing);
  return result;
}

void GroupWorkload::start(sim::ClientPort& port) {
  Expected expected;
  expected.kind = CallKind::start;
  expected.patience = seconds(60);
  send(port, launch_role, start_call(start_), expected);
}

void GroupWorkload::send(sim::ClientPort& port, Role role, Note call, Expected expected) {
  expected.submitted = port.now();
  expected.ticket = port.submit(port.process("parent"), role, std::move(call));
  expected_.push_back(std::move(expected));
  ++open_;
}

const Expected* GroupWorkload::find(Ticket ticket) const {
  const auto found = std::find_if(expected_.rbegin(), expected_.rend(), [&](const Expected& e) { return e.ticket == ticket; });
  return found == expected_.rend() ? nullptr : &*found;
}

bool GroupWorkload::any_late() const {
  for (const Expected& expected : expected_)
    if (expected.late) return true;
  return false;
}

void GroupWorkload::completed(sim::ClientPort& port, Ticket ticket, const Note& outcome) {
  const Expected* expected = find(ticket);
  if (!expected) return;
  --open_;
  switch (expected->kind) {
    case CallKind::start:
      started_ = true;
      start_failed_ = outcome.status != Status::ok;
      if (start_failed_) return stop(port);
      break;
    case CallKind::stop:
      stopped_ = true;
      return;
    case CallKind::request:
    case CallKind::join:
      break;
  }
  next(port);
}

void GroupWorkload::abandoned(sim::ClientPort&, Ticket) { parent_gone_ = true; }

void GroupWorkload::next(sim::ClientPort& port) {
  while (open_ < shape_.at_once && sent_ < shape_.requests) one_request(port);
  if (open_ == 0 && sent_ >= shape_.requests) stop(port);
}

void GroupWorkload::one_request(sim::ClientPort& port) {
  ++sent_;
  switch (port.choose(8)) {
    case 0:
    case 1:
    case 2:
      return directed(port);
    case 3:
    case 4:
    case 5:
      return everyone(port);
    case 6:
      return ping(port);
    default:
      return together(port);
  }
}

// Mostly plenty of time; now and then so little that it may be over before the answer.
Duration GroupWorkload::patience(sim::ClientPort& port, Expected& expected) {
  expected.late = shape_.hurried && port.choose(16) == 15;
  expected.patience = expected.late ? microseconds(50) * (1 + port.choose(40)) : seconds(30);
  return expected.patience;
}

Blob GroupWorkload::task_frame(sim::ClientPort& port, std::uint32_t rank, Expected& expected) {
  constexpr Doing seldom[] = {Doing::replies_nothing, Doing::replies_much, Doing::fails_with_bad_text};
  const std::uint32_t drawn = port.choose(48);  // large and broken texts cost the most: 1 in 48 each
  const Doing doing = drawn >= 45 ? seldom[drawn - 45] : drawn >= 42 ? Doing::fails : Doing::replies;
  TaskCall call;
  call.callable[0] = std::byte{7};
  call.scalars = {next_id_++, static_cast<std::uint64_t>(doing), rank};
  const Blob argument = task_argument(call);
  expected.replies.push_back(reply_to(argument, doing));
  expected.fails.push_back(doing == Doing::fails || doing == Doing::fails_with_bad_text);
  return write_task({0x5E55, static_cast<std::int32_t>(rank), next_id_}, call).value();
}

void GroupWorkload::directed(sim::ClientPort& port) {
  Expected expected;
  expected.kind = CallKind::request;
  expected.rank = static_cast<std::int32_t>(port.choose(world_));
  RequestCall call{Opcode::task, Target::rank, expected.rank, {}, {}};
  call.payloads = Parts{task_frame(port, static_cast<std::uint32_t>(expected.rank), expected)};
  call.patience = patience(port, expected);
  send(port, channel_role, request_note(call), std::move(expected));
}

void GroupWorkload::everyone(sim::ClientPort& port) {
  Expected expected;
  expected.kind = CallKind::request;
  std::vector<Blob> frames;
  for (std::uint32_t rank = 0; rank < world_; ++rank) frames.push_back(task_frame(port, rank, expected));
  RequestCall call{Opcode::task, Target::per_rank, -1, {}, Parts(std::move(frames))};
  call.patience = patience(port, expected);
  send(port, channel_role, request_note(call), std::move(expected));
}

void GroupWorkload::ping(sim::ClientPort& port) {
  Expected expected;
  expected.kind = CallKind::request;
  expected.ping = true;
  RequestCall call{Opcode::ping, Target::group, -1, {}, Parts{Blob()}};
  call.patience = patience(port, expected);
  send(port, channel_role, request_note(call), std::move(expected));
}

// Members of one group operation, each its own call; now and then one of them never comes.
void GroupWorkload::together(sim::ClientPort& port) {
  const bool one_missing = world_ > 1 && port.choose(4) == 3;
  const std::uint64_t slot = port.choose(2);  // slots are used again, with another generation
  const std::uint64_t generation = next_id_++;
  for (std::uint32_t rank = 0; rank < world_; ++rank) {
    if (one_missing && rank == world_ - 1) break;
    Expected expected;
    expected.kind = CallKind::join;
    expected.rank = static_cast<std::int32_t>(rank);
    expected.late = one_missing;
    expected.patience = one_missing ? milliseconds(1 + port.choose(20)) : seconds(30);
    Join join;
    join.batch = {slot, generation};
    join.rank = rank;
    join.size = join.of_group = world_;
    join.patience = expected.patience;
    join.payload = task_frame(port, rank, expected);
    send(port, rendezvous_role, join_call(join), std::move(expected));
  }
}

void GroupWorkload::stop(sim::ClientPort& port) {
  if (stopping_) return;
  stopping_ = true;
  Expected expected;
  expected.kind = CallKind::stop;
  expected.patience = seconds(30);
  send(port, launch_role, stop_call(expected.patience), std::move(expected));
}

std::string GroupWorkload::waiting_for() const {
  return std::to_string(open_) + " of " + std::to_string(expected_.size()) + " calls" +
         (stopping_ ? ", the last one a shutdown" : "");
}

}  // namespace tenter::protocols
