#include "cli/protocols/control/flow_monitor.hpp"

#include <algorithm>

#include "core/control/inbound.hpp"
#include "core/control/slr3.hpp"
#include "core/text.hpp"

namespace tenter::protocols {

using namespace control;

namespace {

constexpr std::string_view no_credit = "no credit for ", window_full = " of its window are in flight";

bool is_command(FrameType type) { return type == FrameType::task || type == FrameType::control; }

}  // namespace

std::uint64_t FlowMonitor::on_the_way(std::uint32_t worker) const {
  std::uint64_t bytes = 0;
  for (const auto& [which, size] : paid_) bytes += which.first == worker ? size : 0;
  return bytes;
}

void FlowMonitor::hear(const sim::Step& step) {
  if (const auto* sent = std::get_if<event::MessageSent>(&step.event))
    if (const auto found = sends_.find(sent->op); found != sends_.end()) paid_.erase(found->second);
  const auto* arrived = std::get_if<event::MessageArrived>(&step.event);
  if (!arrived || arrived->status != Status::ok) return;
  const auto frame = read_frame(arrived->content.bytes());
  if (!frame || (frame->type != FrameType::completion && frame->type != FrameType::control_reply)) return;
  if (frame->identity.session != session_ || !read_any_reply(*frame)) return;  // it answers nothing
  const std::pair which{static_cast<std::uint32_t>(frame->identity.worker), frame->identity.sequence};
  paid_.erase(which);
  unanswered_.erase(which);
}

void FlowMonitor::speak(const sim::View& view, const action::SendMessage& send, sim::Findings& findings) {
  const std::uint32_t worker = static_cast<std::uint32_t>(number(send.to)) - 1;
  const auto frame = read_frame(send.content.bytes());
  const std::string to = "worker " + text_of(worker);
  if (!frame) return findings.safety("what the hub sends is a frame", to + ": " + frame.error().what);
  if (frame->type == FrameType::hello) return;
  const std::string what = describe(frame->type, frame->identity);
  if (ended_.contains(worker)) return findings.safety("P-X12 SHUTDOWN is the last word", what + " behind it");
  if (frame->type == FrameType::shutdown) ended_.insert(worker);
  if (!is_command(frame->type) && frame->type != FrameType::shutdown) return;
  if (frame->identity.sequence != newest_[worker] + 1)
    return findings.safety("B2.3 commands are numbered one by one", what + " after " + text_of(newest_[worker]));
  newest_[worker] = frame->identity.sequence;
  session_ = frame->identity.session;
  if (!is_command(frame->type)) return;
  const std::pair which{worker, frame->identity.sequence};
  sends_[send.op] = which;
  paid_[which] = send.content.size();
  unanswered_.insert(which);
  const auto flight = std::count_if(unanswered_.begin(), unanswered_.end(), [&](const auto& w) { return w.first == worker; });
  if (flight > control_workload_of(view).shape().window)
    findings.safety("S6 a route has at most its window in flight", to + " has " + text_of(static_cast<std::uint64_t>(flight)));
}

// A frame is paid whole, so the least that the pool must have given is known from the frames alone.
void FlowMonitor::weigh(const sim::View& view, sim::Findings& findings) {
  const ControlShape& shape = control_workload_of(view).shape();
  std::uint64_t pool = 0;
  for (std::uint32_t worker = 0; worker < shape.executors; ++worker) {
    std::uint64_t all = 0, large = 0;
    for (const auto& [which, size] : paid_) {
      if (which.first != worker) continue;
      all += size;
      large += size > shape.share_bytes ? size : 0;
    }
    pool += std::max(large, all > shape.share_bytes ? all - shape.share_bytes : 0);
  }
  if (pool > shape.pool_bytes)
    findings.safety("S6 what is on its way is within the credit",
                    text_of(pool) + " bytes of a pool of " + text_of(shape.pool_bytes) + " are on their way");
}

void FlowMonitor::judge_the_end(const sim::View& view, sim::Findings& findings) {
  if (!open_.empty())
    if (const ControlCall* call = control_workload_of(view).find(Ticket{*open_.begin()}))
      findings.safety("S3 who ends has answered every call", control_workload_of(view).name_of(*call) + " is not answered");
  for (std::uint32_t worker = 0; worker < control_workload_of(view).shape().executors; ++worker)
    if (joined(controller) && innocent(view, worker) && !ended_.contains(worker))
      findings.safety("P-X11 SHUTDOWN is said to every executor", "not to worker " + text_of(worker));
}

void FlowMonitor::step(const sim::View& view, const sim::Step& step, sim::Findings& findings) {
  if (step.process != controller || step.role != hub_role) return;
  hear(step);
  if (const auto* asked = std::get_if<event::Submitted>(&step.event)) {
    open_.insert(number(asked->ticket));
    reached_.insert(asked->ticket);
  }
  bool sent = false;
  for (const Action& action : step.actions) {
    if (const auto* send = std::get_if<action::SendMessage>(&action)) {
      sent = true;
      speak(view, *send, findings);
    }
    if (const auto* abandoned = std::get_if<action::AbandonSend>(&action))
      if (const auto found = sends_.find(abandoned->op); found != sends_.end()) paid_.erase(found->second);
    if (const auto* complete = std::get_if<action::Complete>(&action)) open_.erase(number(complete->ticket));
    if (std::holds_alternative<action::ExitProcess>(action)) judge_the_end(view, findings);
  }
  if (sent) weigh(view, findings);
  const auto* call = std::get_if<event::Submitted>(&step.event);
  if (!call || (!is(call->call, CallKind::submit) && !is(call->call, CallKind::control))) return;
  for (const Action& action : step.actions)
    if (const auto* complete = std::get_if<action::Complete>(&action); complete && complete->ticket == call->ticket) sent = true;
  if (!sent) findings.safety("P-X1 a call is sent or refused at once", "ticket " + text_of(number(call->ticket)) + " is neither");
}

// The answers were there before the process went.
void FlowMonitor::end(const sim::View& view, sim::Findings& findings) {
  const sim::Process& hub = view.world().process(controller);
  if (hub.life != sim::Life::gone || hub.exit_signal != 0 || reached_.empty()) return;
  if (const ControlCall* call = control_workload_of(view).find(*reached_.begin()))
    findings.safety("S3 who ends has answered every call", control_workload_of(view).name_of(*call) + " is not answered");
}

void FlowMonitor::complete(const sim::View& view, const ControlCall& call, const Note& outcome, sim::Findings& findings) {
  reached_.erase(call.ticket);
  if (outcome.status != Status::no_space) return;
  const ControlShape& shape = control_workload_of(view).shape();
  const std::string name = control_workload_of(view).name_of(call) + ": " + std::string(outcome.text.text());
  const bool for_credit = outcome.text.text().starts_with(no_credit);
  findings.seen(for_credit ? "there was no credit" : "the window was full");
  const std::map<std::uint32_t, Time> line = in_line_;
  if (for_credit) in_line_[call.worker] = view.now();
  if (call.worker == any_worker) return;
  const auto flight =
      std::count_if(unanswered_.begin(), unanswered_.end(), [&](const auto& w) { return w.first == call.worker; });
  if (!for_credit && outcome.text.text().find(window_full) != std::string_view::npos && flight == 0)
    return findings.safety("P-X3 a window has room again when its replies are here", name + ", and nothing is unanswered");
  if (!for_credit) return;
  if (on_the_way(call.worker) == 0 && call.bytes <= shape.share_bytes)
    return findings.safety("P-X2 a share is its route's own", name);
  bool others_wait = false;  // a place in line is kept for a while
  for (const auto& [worker, when] : line) others_wait = others_wait || (worker != call.worker && view.now() - when < seconds(3));
  if (paid_.empty() && !others_wait && call.bytes <= shape.pool_bytes)
    findings.safety("P-X3 credit that is not in use can be had", name + ", and nothing is on its way");
}

}  // namespace tenter::protocols
