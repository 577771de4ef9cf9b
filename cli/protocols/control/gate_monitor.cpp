#include "cli/protocols/control/gate_monitor.hpp"

#include <algorithm>

#include "core/control/gate_message.hpp"
#include "core/text.hpp"

namespace tenter::protocols {

using namespace control;

namespace {
constexpr Duration slack = seconds(2);  // a timer's event may wait, and a clock may be slow
}

void GateMonitor::step(const sim::View& view, const sim::Step& step, sim::Findings& findings) {
  if (!of_supervisor(step, gate_role)) return;
  keeps_seat_.reset();
  hears(step, findings);
  for (const Action& action : step.actions) does(view, step, action, findings);
  if (order_ && !over_) judge_strangers(view, step, findings);
}

void GateMonitor::hears(const sim::Step& step, sim::Findings& findings) {
  if (const auto* told = std::get_if<event::Told>(&step.event); told && is(told->note, StartNote::open_gate)) {
    if (auto order = read_gate_order(told->note)) order_ = std::move(*order);
    opened_ = step.now;
  }
  const auto* connected = std::get_if<event::Connected>(&step.event);
  if (connected && connected->status == Status::ok)
    if (const auto found = accepts_.find(connected->op); found != accepts_.end()) peers_[found->second] = {step.now};
  if (const auto* read = std::get_if<event::StreamRead>(&step.event))
    if (const auto found = reads_.find(read->op); found != reads_.end() && peers_.contains(found->second))
      reads(found->second, read->content, findings);
}

// Only what shows the token counts as said.
void GateMonitor::reads(std::uint32_t connection, const Blob& content, sim::Findings& findings) {
  Peer& peer = peers_.at(connection);
  peer.bytes += content.text();
  while (peer.bytes.size() >= gate_prefix_bytes && order_) {
    const Bytes all = std::as_bytes(std::span(peer.bytes.data(), peer.bytes.size()));
    const auto length = gate_body_bytes(all.first(gate_prefix_bytes));
    if (!length || peer.bytes.size() < gate_prefix_bytes + *length) return;
    const auto report = read_gate_report(all.subspan(gate_prefix_bytes, *length));
    peer.bytes.erase(0, gate_prefix_bytes + *length);
    if (!report || report->token.text() != order_->token.bytes || report->rank >= order_->hosts.size()) return;
    for (const auto& [other, there] : peers_)
      if (other != connection && there.said && there.said->rank == report->rank && there.said->process != report->process)
        keeps_seat_ = other;
    if (peer.said && peer.said->rank != report->rank) return;
    if (!keeps_seat_) {
      if (report->state == GateState::joined) joined_.insert(report->rank);
      if (report->state == GateState::failed) reasons_.emplace(report->rank, report->error);
    }
    if (peer.said && went_) findings.seen("a rank said that it has joined");
    peer.said = *report;
  }
}

void GateMonitor::does(const sim::View& view, const sim::Step& step, const Action& action, sim::Findings& findings) {
  if (std::holds_alternative<action::Listen>(action)) listens_ = true;
  if (std::holds_alternative<action::CloseListener>(action)) listens_ = false;
  if (const auto* accept = std::get_if<action::Accept>(&action)) accepts_[accept->op] = number(accept->connection);
  if (const auto* read = std::get_if<action::ReadStream>(&action)) reads_[read->op] = number(read->connection);
  if (const auto* close = std::get_if<action::CloseStream>(&action)) {
    const bool gives_up = keeps_seat_ == number(close->connection) && !over_ && !went_;
    peers_.erase(number(close->connection));
    if (gives_up && std::none_of(step.actions.begin(), step.actions.end(), [](const Action& a) {
          const auto* tell = std::get_if<action::Tell>(&a);
          return tell && (is(tell->note, StartNote::gate_failed) || is(tell->note, StartNote::gate_passed));
        }))
      findings.safety("X12 a rank that is here keeps its seat",
                      "connection " + text_of(number(close->connection)) + " is closed for another process of its rank");
  }
  if (const auto* write = std::get_if<action::WriteStream>(&action))
    says_go(number(write->connection), start_workload_of(view).shape(), findings);
  const auto* tell = std::get_if<action::Tell>(&action);
  if (tell && (is(tell->note, StartNote::gate_passed) || is(tell->note, StartNote::gate_failed)))
    ends(view, step, tell->note, findings);
}

bool GateMonitor::is_here(std::uint32_t rank, GateState state) const {
  return std::any_of(peers_.begin(), peers_.end(), [&](const auto& peer) {
    return peer.second.said && peer.second.said->rank == rank && peer.second.said->state == state;
  });
}

void GateMonitor::says_go(std::uint32_t connection, const StartShape& shape, sim::Findings& findings) {
  const auto to = peers_.find(connection);
  if (to == peers_.end() || !to->second.said)
    return findings.safety("P-C7 go is said to who has shown the token", "connection " + text_of(connection) + " is told go");
  if (went_) return;
  went_ = true;
  for (std::uint32_t rank = 0; rank < shape.world(); ++rank)
    if (!is_here(rank, GateState::ready))
      return findings.safety("P-X10 go is said when every rank is here and ready",
                             "go is said, and rank " + text_of(rank) + " is not");
}

void GateMonitor::ends(const sim::View& view, const sim::Step& step, const Note& note, sim::Findings& findings) {
  over_ = true;
  if (listens_ || !peers_.empty())
    return findings.safety("L4 a gate that is over has nothing open",
                           text_of(std::uint64_t{peers_.size()}) + " connections" + (listens_ ? " and its listener" : ""));
  if (order_ && step.now - opened_ > order_->patience + slack && !supervisor_was_stopped())
    return findings.fail(sim::FindingKind::liveness, "P-X9 the gate's deadline holds", "it ended later");
  const bool turned_away = note.text.text().find("turned away") != std::string_view::npos;
  if (turned_away) findings.seen("a stranger was turned away");
  if (note.text.text().find("room") != std::string_view::npos) findings.seen("a stranger made room");
  if (is(note, StartNote::gate_failed)) {
    for (const auto& [rank, reason] : reasons_)
      if (note.text.text().find(reason) == std::string_view::npos)
        return findings.safety("P-C8 who cannot start is named with its reason",
                               "rank " + text_of(rank) + ": " + reason + ", and the gate says: " + std::string(note.text.text()));
    return;
  }
  for (std::uint32_t rank = 0; rank < start_workload_of(view).shape().world(); ++rank)
    if (!joined_.contains(rank))
      return findings.safety("P-X10 success means that every rank has joined", "rank " + text_of(rank) + " has not said so");
}

void GateMonitor::judge_strangers(const sim::View& view, const sim::Step& step, sim::Findings& findings) {
  const StartShape& shape = start_workload_of(view).shape();
  std::uint32_t strangers = 0;
  for (const auto& [connection, peer] : peers_) {
    if (peer.said) continue;
    ++strangers;
    if (step.now - peer.since > shape.stranger_wait + slack && !supervisor_was_stopped())
      return findings.safety(
          "P-X9 no byte prolongs a stranger's time",
          "connection " + text_of(connection) + " is open since " + text_of(number(step.now - peer.since) / 1'000'000) + " ms");
  }
  if (strangers > shape.strangers_max)
    findings.safety("P-X9 strangers are few at once",
                    text_of(strangers) + " are let in, at most " + text_of(shape.strangers_max));
  if (strangers == shape.strangers_max) findings.seen("the gate was full");
}

// ---------------------------------------------------------------- the token

namespace {

bool carries_the_token_on_purpose(const Note& note) { return is(note, StartNote::open_gate) || is(note, StartNote::check_in); }

// The texts of an action that somebody may read who has no business with the token.
std::vector<std::string_view> readable(const Action& action) {
  std::vector<std::string_view> texts;
  const auto add = [&](const Parts& parts) {
    for (const Blob& part : parts) texts.push_back(part.text());
  };
  if (const auto* spawn = std::get_if<action::Spawn>(&action)) add(spawn->arguments);
  if (const auto* file = std::get_if<action::PublishFile>(&action)) {
    texts.push_back(file->path.text());
    texts.push_back(file->content.text());
  }
  if (const auto* complete = std::get_if<action::Complete>(&action)) {
    texts.push_back(complete->outcome.text.text());
    add(complete->outcome.parts);
  }
  const auto* tell = std::get_if<action::Tell>(&action);
  if (tell && !carries_the_token_on_purpose(tell->note)) {
    texts.push_back(tell->note.text.text());
    add(tell->note.parts);
  }
  return texts;
}

}  // namespace

void TokenMonitor::step(const sim::View& view, const sim::Step& step, sim::Findings& findings) {
  for (const Action& action : step.actions) {
    if (const auto* tell = std::get_if<action::Tell>(&action); tell && is(tell->note, StartNote::open_gate))
      if (const auto order = read_gate_order(tell->note)) token_ = order->token.bytes;
    if (token_.empty()) continue;
    for (const std::string_view text : readable(action))
      if (text.find(token_) != std::string_view::npos)
        return findings.safety("P-C7 the token is shown to nobody",
                               view.world().process(step.process).name + " shows it: " + std::string(name_of(action)));
  }
}

}  // namespace tenter::protocols
