// User callables on threads of their own, so that a slow one does not hold up the loop. Answers come in the order in which the
// callables end; with one thread (the default) that is the order asked for.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "core/action.hpp"
#include "core/error.hpp"
#include "hw/part.hpp"
#include "hw/resource.hpp"

namespace tenter::hw {

class WorkPart {
 public:
  // Runs the callable of that name. May throw: an exception is answered as Executed{failed, its text}. With several threads it
  // is called by all of them at once.
  using Call = std::function<Result<Blob>(const Blob& callable, const Blob& argument)>;

  // Whether that callable takes microseconds at most, so that perform() itself runs it: the switch to a thread and back costs
  // more.
  using Prompt = std::function<bool(const Blob& callable)>;

  // threads 0: perform() runs every callable itself and the loop waits. Throws std::system_error when a thread cannot start.
  WorkPart(Context& context, Call call, std::size_t threads = 1, Prompt prompt = {});
  struct Calls {
    Call call;
    Prompt prompt{};
  };
  WorkPart(Context& context, Calls calls) : WorkPart(context, std::move(calls.call), 1, std::move(calls.prompt)) {}
  WorkPart(const WorkPart&) = delete;
  WorkPart& operator=(const WorkPart&) = delete;
  ~WorkPart();  // waits for the callables that run; those not begun are dropped, nothing is answered any more

  void perform(const action::Execute& a);
  void poll();
  void add_waits(WaitSet&) const {}  // a worker nudges

 private:
  struct Job {
    Role role{};
    action::Execute execute;
  };
  bool runs_at_once(const action::Execute& execute) const;
  event::Executed run(const action::Execute& execute) const;
  void work();
  void stop();

  Context& context_;
  const Call call_;
  const Prompt prompt_;
  std::size_t open_ = 0;  // given to the threads, their answers not taken yet; loop thread only
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  std::vector<Delivery> answers_;
  std::atomic<bool> answered_{false};  // answers_ is not empty
  bool stopping_ = false;
  std::vector<std::thread> threads_;
  std::vector<Counted> counted_;
};

}  // namespace tenter::hw
