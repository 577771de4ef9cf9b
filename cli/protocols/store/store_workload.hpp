// The users of a store, as a script: the ranks of a core job open it, publish variables, update and read them, and close it;
// readers of another job join, read and leave. A job that was killed opens again; a reader whose read failed joins again.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "cli/protocols/store/store_truth.hpp"
#include "sim/workload.hpp"
#include "sim/world.hpp"

namespace tenter::protocols {

// A rank of the core job publishes; a process of another job joins, reads, and beats while it reads.
constexpr Role publisher_role{0}, joiner_role{0}, reader_role{1}, beacon_role{2};

struct StoreShape {
  std::uint32_t cores = 1, readers = 1;
  std::uint32_t operations = 4;  // of each core and each reader, at most
  bool closes_early = false;     // while readers read
  Duration close_patience{};     // 0: for ever
  bool hurried = true;           // now and then a get has little patience
  bool hot = false;              // while a reader reads, a core updates and reads in turn
};

// One call, as it was sent, until the end of the run.
struct StoreCall {
  Ticket ticket{};
  store::CallKind kind{};
  std::size_t actor = 0;
  sim::ProcessIndex process = 0;
  std::uint32_t run = 0;  // of the core job when it was sent
  Time submitted{};
  Duration patience{};  // 0: none
  bool hurried = false;
  std::size_t variable = 0;
  // get
  std::vector<store::RowRange> ranges;
  Buffer buffer{};
  std::vector<std::vector<std::uint32_t>> acknowledged;  // by run and row, when it was sent
  // update
  std::uint64_t first = 0;  // global row
  std::vector<std::uint32_t> versions;
  bool beside = false;  // not one of its actor's own operations
  bool ended = false;   // answered, or its process went
};

class StoreWorkload : public sim::Workload {
 public:
  StoreWorkload(StoreShape shape, std::vector<StoreVariable> variables);

  void start(sim::ClientPort& port) override;
  void completed(sim::ClientPort& port, Ticket ticket, const Note& outcome) override;
  void abandoned(sim::ClientPort& port, Ticket ticket) override;
  void restarted(sim::ClientPort& port, sim::ProcessIndex process) override;
  bool finished() const override;
  std::string waiting_for() const override;

  const StoreCall* find(Ticket ticket) const;
  const StoreCall* find_buffer(sim::ProcessIndex process, Buffer buffer) const;  // the get that it was lent for
  const StoreShape& shape() const { return shape_; }
  const StoreTruth& truth() const { return truth_; }
  std::uint32_t run() const { return truth_.runs() - 1; }
  std::uint32_t cores() const { return shape_.cores; }
  bool is_core(std::size_t actor) const { return actor < shape_.cores; }
  std::string name_of(const StoreCall& call) const;
  // Readers that have joined anything and were not told to leave it, by process.
  std::vector<sim::ProcessIndex> joined_readers() const;
  bool hurried() const { return any_hurried_; }
  bool job_was_killed() const { return kills_ != 0; }
  bool job_runs() const { return job_ == JobStep::running; }

 private:
  enum class JobStep : std::uint8_t { opening, adding, running, closing, closed, killed, given_up };
  enum class Doing : std::uint8_t { nothing, joining, working, leaving, done };
  struct Actor {
    std::string name;
    sim::ProcessIndex process = 0;
    Doing doing = Doing::nothing;
    std::uint32_t left = 0;    // operations
    std::uint32_t tries = 0;   // joins that may still be tried
    std::size_t next = 0;      // variable to join or to leave
    std::vector<bool> joined;  // by variable
    bool rejoins = false;      // leaving: to join again
    bool reading = false;      // a reader: a get is under way
    bool updating = false;     // one update at a time: the order of two is nobody's promise
    bool gone = false;         // killed, not born again yet
  };

  void ended(Ticket ticket);
  std::size_t beside_open() const;
  StoreCall& send(sim::ClientPort& port, std::size_t actor, Role role, Note note, StoreCall call);
  void collective(sim::ClientPort& port, const std::vector<Note>& notes);
  void open_job(sim::ClientPort& port);
  void add_next(sim::ClientPort& port);
  void job_answered(sim::ClientPort& port, const StoreCall& call, const Note& outcome);
  void run_job(sim::ClientPort& port);
  void close_when_due(sim::ClientPort& port);
  void next_operation(sim::ClientPort& port, std::size_t actor);
  void get(sim::ClientPort& port, std::size_t actor, bool beside = false);
  void beside_a_get(sim::ClientPort& port, std::size_t core, bool updates);
  void update(sim::ClientPort& port, std::size_t actor, bool beside = false);
  void update_beside_a_collective(sim::ClientPort& port);
  void join_next(sim::ClientPort& port, std::size_t actor);
  void leave_next(sim::ClientPort& port, std::size_t actor);
  void reader_answered(sim::ClientPort& port, const StoreCall& call, const Note& outcome);
  void done(sim::ClientPort& port, std::size_t actor);

  StoreShape shape_;
  StoreTruth truth_;
  std::vector<Actor> actors_;  // cores first, by rank
  std::vector<StoreCall> calls_;
  std::vector<bool> published_;  // in this run, by variable
  JobStep job_ = JobStep::opening;
  std::size_t adding_ = 0;
  std::uint32_t answers_ = 0, open_tries_ = 3, kills_ = 0, born_again_ = 0;
  Status step_status_ = Status::ok;
  bool any_hurried_ = false;
  std::uint32_t beside_left_ = 0;  // hot: calls beside the present gets
};

inline const StoreWorkload& workload_of(const sim::View& view) {
  return static_cast<const StoreWorkload&>(*view.world().workload());
}

}  // namespace tenter::protocols
