#include "hw/posix/client_part.hpp"

#include <chrono>
#include <string>
#include <utility>

namespace tenter::hw {
namespace {

// steady_clock is CLOCK_MONOTONIC in libstdc++ and libc++ on Linux, as hw::now() is.
std::chrono::steady_clock::time_point time_point_of(Time when) {
  return std::chrono::steady_clock::time_point(std::chrono::nanoseconds(number(when)));
}

}  // namespace

Result<Ticket> ClientPart::submit(Role to, Note call, Wake wake) {
  Ticket ticket{};
  {
    const std::lock_guard lock(mutex_);
    if (calls_.size() >= limit_) {
      return error(Status::unavailable, "submit of a call: " + std::to_string(limit_) + " calls are open, which is the limit");
    }
    ticket = Ticket{++last_ticket_};
    calls_.emplace(ticket, Call{});
    submissions_.push_back({to, ticket, std::move(call)});
    waiting_.store(true, std::memory_order_release);
  }
  if (wake == Wake::loop) context_.nudge();
  return ticket;
}

std::optional<Note> ClientPart::take(Ticket ticket) {
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(ticket);
  if (found == calls_.end() || !found->second.outcome) return std::nullopt;
  std::optional<Note> outcome = std::move(found->second.outcome);
  calls_.erase(found);
  untaken_.fetch_sub(1, std::memory_order_relaxed);
  return outcome;
}

Result<Note> ClientPart::wait(Ticket ticket, Time deadline) {
  const std::string who = "wait for call " + std::to_string(number(ticket));
  std::unique_lock lock(mutex_);
  ++sleepers_;
  auto settled = [&] {
    const auto found = calls_.find(ticket);
    return found == calls_.end() || found->second.outcome;
  };
  bool in_time = true;
  if (deadline == end_of_time) {
    completed_.wait(lock, settled);
  } else {
    in_time = completed_.wait_until(lock, time_point_of(deadline), settled);
  }
  --sleepers_;
  if (!in_time) return error(Status::timed_out, who + ": no outcome within the time given");
  const auto found = calls_.find(ticket);
  if (found == calls_.end()) return error(Status::not_found, who + ": it was taken before or never submitted");
  Note outcome = std::move(*found->second.outcome);
  calls_.erase(found);
  untaken_.fetch_sub(1, std::memory_order_relaxed);
  return outcome;
}

bool ClientPart::done(Ticket ticket) const {
  if (untaken_.load(std::memory_order_acquire) == 0) return false;
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(ticket);
  return found != calls_.end() && found->second.outcome;
}

void ClientPart::abandon(Ticket ticket) {
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(ticket);
  if (found == calls_.end()) return;
  if (found->second.outcome) {
    calls_.erase(found);
    untaken_.fetch_sub(1, std::memory_order_relaxed);
  } else {
    found->second.abandoned = true;
  }
}

void ClientPart::perform(const action::Complete& a) {
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    const auto found = calls_.find(a.ticket);
    if (found == calls_.end() || found->second.outcome) return;  // only the first answer counts
    if (found->second.abandoned) {
      calls_.erase(found);
      return;
    }
    found->second.outcome = a.outcome;
    untaken_.fetch_add(1, std::memory_order_release);
    wake = sleepers_ > 0;
  }
  if (wake) completed_.notify_all();
}

void ClientPart::poll() {
  if (!waiting_.load(std::memory_order_acquire)) return;
  {
    const std::lock_guard lock(mutex_);
    taken_.swap(submissions_);
    waiting_.store(false, std::memory_order_relaxed);
  }
  const Time at = now();
  for (Submission& s : taken_) context_.push(s.to, event::Submitted{at, s.ticket, std::move(s.call)});
  taken_.clear();
}

}  // namespace tenter::hw
