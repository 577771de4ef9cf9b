// Every execution of a small program, depth first: the answers of choose() are a path, and the next path differs in the last
// answer that can still be raised.
#pragma once
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace tenter::litmus {

class Explorer {
 public:
  std::uint32_t operator()(std::uint32_t n) {
    if (n < 2) return 0;
    if (at_ == path_.size()) path_.push_back({0, n});
    return path_[at_++].answer;
  }

  // Runs body(explorer) once for each path; answers how many there were. Stops early when body answers false.
  template <class Body>
  std::uint64_t explore(Body body) {
    std::uint64_t executions = 0;
    do {
      at_ = 0;
      ++executions;
      if (!body(*this)) break;
    } while (advance());
    return executions;
  }

 private:
  bool advance() {
    while (!path_.empty() && path_.back().answer + 1 == path_.back().n) path_.pop_back();
    if (path_.empty()) return false;
    ++path_.back().answer;
    return true;
  }
  struct Choice {
    std::uint32_t answer = 0, n = 0;
  };
  std::vector<Choice> path_;
  std::size_t at_ = 0;
};

// Prints how fast executions went, when it goes out of scope.
class Rate {
 public:
  explicit Rate(const char* what) : what_(what), begin_(std::chrono::steady_clock::now()) {}
  void add(std::uint64_t executions) { executions_ += executions; }
  ~Rate() {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    std::printf("[     RATE ] %s: %llu executions, %.0f a second\n", what_, static_cast<unsigned long long>(executions_),
                static_cast<double>(executions_) / seconds);
  }

 private:
  const char* what_;
  std::chrono::steady_clock::time_point begin_;
  std::uint64_t executions_ = 0;
};

}  // namespace tenter::litmus
