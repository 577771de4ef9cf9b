// A forked worker of a command. Its results come through a pipe. Where it is stands in memory that it shares with the command,
// because of a worker that ends badly the results that it has not sent yet are lost, and with them what it was doing.
#pragma once
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace tenter::cli {

class WorkerProcess {
 public:
  // What the worker is at; the numbers are the command's own (offset of a seed, index of a mutant).
  using Task = std::atomic<std::uint64_t>;
  // Runs in the worker and tells the task before it begins with it. Its return, or its exception, ends the worker.
  using Work = std::function<void(Task& task, int results)>;
  // Throws std::runtime_error: the kernel refused (which call, and why).
  explicit WorkerProcess(const Work& work);
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&&) = delete;
  ~WorkerProcess();  // kills it if it still runs

  int results() const { return results_; }  // read end
  bool running() const { return pid_ > 0; }
  void kill();

  struct BadEnd {
    std::uint64_t task = 0;  // it was at this one
    std::string cause;       // the exception's text, the signal or the exit code
  };
  // Waits for its end, to be called at the end of its results. Nothing: it did all its work.
  std::optional<BadEnd> end();

 private:
  struct Shared;
  [[noreturn]] void run(const Work& work, int to);
  Shared* shared_ = nullptr;
  pid_t pid_ = -1;
  int results_ = -1;
};

}  // namespace tenter::cli
