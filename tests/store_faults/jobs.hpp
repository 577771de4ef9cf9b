// Whole jobs in one simulated directory, driven by a script: core jobs of any number of ranks that publish and may die, and
// readers. What the script's steps leave as answers is what a test judges.
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/store/calls.hpp"
#include "core/store/record.hpp"
#include "sim/world.hpp"

namespace tenter::store_faults {

using store::AddCall;
using store::DType;

struct Job {
  std::string name;
  std::uint32_t ranks = 1;
  std::string provider = "simulated";
};

// A call and its answer.
struct Asked {
  std::string process;
  Ticket ticket{};
  Buffer buffer{};
  bool answered = false;
  Note outcome;
  Blob bytes;  // get: what the buffer held when it was answered
};

// The rows of a job's variable: each byte says whose they are.
std::byte byte_of(const std::string& job, std::uint64_t row);

class Script;
using Step = std::function<void(Script&)>;

// Runs its steps one after the other; the next begins when every call of the present one was answered, or its process is gone.
class Script : public sim::Workload {
 public:
  Script(std::vector<Job> jobs, std::vector<Step> steps) : jobs_(std::move(jobs)), steps_(std::move(steps)) {}

  // For steps.
  void open(const std::string& job);
  void add(const std::string& job, const std::string& variable, std::uint64_t rows_of_a_rank = 2,
           const std::function<void(std::uint32_t rank, AddCall&)>& change = {});
  void update(const std::string& job, std::uint32_t rank, const std::string& variable, std::uint64_t row, Blob bytes);
  void close(const std::string& job);
  void die(const std::string& job);
  void join(const std::string& reader, const std::string& variable, Duration patience, std::uint32_t cores = 0);
  void leave(const std::string& reader, const std::string& variable);
  void get(const std::string& process, const std::string& variable, store::RowRange rows, std::uint64_t row_bytes = 4);
  sim::ClientPort& port() { return *port_; }

  // For tests: the answers of one step, by the order of its calls.
  const std::vector<Asked>& answers(std::size_t step) const { return asked_.at(step); }
  std::size_t steps_done() const { return asked_.size(); }

  void start(sim::ClientPort& port) override;
  void completed(sim::ClientPort& port, Ticket ticket, const Note& outcome) override;
  void abandoned(sim::ClientPort& port, Ticket ticket) override;
  bool finished() const override { return next_ == steps_.size() && open_ == 0; }
  std::string waiting_for() const override { return "step " + std::to_string(next_); }

 private:
  const Job& job(const std::string& name) const;
  void send(const std::string& process, Role role, Note note, Buffer buffer = {});
  void answered(Ticket ticket, const Note& outcome);
  void go_on();

  std::vector<Job> jobs_;
  std::vector<Step> steps_;
  std::size_t next_ = 0, open_ = 0;
  sim::ClientPort* port_ = nullptr;
  std::vector<std::vector<Asked>> asked_;  // by step
};

struct Play {
  std::vector<Job> jobs;
  std::vector<std::string> readers;
  std::vector<Step> steps;
  std::function<void(sim::Scenario&)> faults;  // which are allowed
};

struct Played {
  std::vector<std::vector<Asked>> answers;  // by step
  std::vector<std::string> files;           // *.record that are left
  std::string finding;                      // empty: none
  std::size_t drift = 0;                    // entries of the tape that the run did not come to
};
Played play(const Play& play, sim::Choices choices);
// Every run ends, and nothing is said twice; what the answers are is the test's.
void for_each_seed(const Play& what, std::uint64_t seeds, const std::function<void(const Played&)>& judge);

inline std::string text(const Note& note) { return std::string(note.text.text()); }
// All answers of a step have this status and text.
void expect_all(const std::vector<Asked>& answers, Status status, std::string_view text = {});

}  // namespace tenter::store_faults
