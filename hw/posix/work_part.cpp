#include "hw/posix/work_part.hpp"

#include <exception>
#include <string>
#include <utility>

namespace tenter::hw {

WorkPart::WorkPart(Context& context, Call call, std::size_t threads, Prompt prompt)
    : context_(context), call_(std::move(call)), prompt_(std::move(prompt)) {
  try {
    for (std::size_t i = 0; i < threads; ++i) {
      threads_.emplace_back([this] { work(); });
      counted_.emplace_back(Resource::thread);
    }
  } catch (...) {
    stop();
    throw;
  }
}

WorkPart::~WorkPart() { stop(); }

void WorkPart::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  counted_.clear();
}

event::Executed WorkPart::run(const action::Execute& execute) const {
  event::Executed executed{{}, execute.op, Status::failed, {}};
  const std::string who = "callable \"" + std::string(execute.callable.text()) + "\": ";
  try {
    if (Result<Blob> reply = call_(execute.callable, execute.argument)) {
      executed.status = Status::ok;
      executed.reply = std::move(*reply);
    } else {
      executed.status = reply.error().status;
      executed.reply = Blob(std::string_view(reply.error().what));
    }
  } catch (const std::exception& e) {
    executed.reply = Blob(std::string_view(who + e.what()));
  } catch (...) {
    executed.reply = Blob(std::string_view(who + "an exception of unknown type"));
  }
  executed.now = now();
  return executed;
}

// One that is prompt waits its turn behind those that are not.
bool WorkPart::runs_at_once(const action::Execute& execute) const {
  return threads_.empty() || (open_ == 0 && prompt_ && prompt_(execute.callable));
}

void WorkPart::perform(const action::Execute& a) {
  if (runs_at_once(a)) {
    context_.push(context_.current, run(a));
    return context_.look_again();
  }
  ++open_;
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back({context_.current, a});
  }
  changed_.notify_one();
}

void WorkPart::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stopping_ || !jobs_.empty(); });
    if (stopping_) return;
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    event::Executed executed = run(job.execute);
    lock.lock();
    answers_.push_back({job.role, std::move(executed)});
    answered_.store(true, std::memory_order_release);
    lock.unlock();
    context_.nudge();
    lock.lock();
  }
}

void WorkPart::poll() {
  if (!answered_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(mutex_);
  for (Delivery& answer : answers_) context_.inbox.push_back(std::move(answer));
  open_ -= answers_.size();
  answers_.clear();
  answered_.store(false, std::memory_order_relaxed);
}

}  // namespace tenter::hw
