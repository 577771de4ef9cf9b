#include "jobs.hpp"

#include <algorithm>

#include "core/store/beacon.hpp"
#include "core/store/joiner.hpp"
#include "core/store/leases.hpp"
#include "core/store/publisher.hpp"
#include "core/store/reader.hpp"

namespace tenter::store_faults {

using namespace store;

namespace {

constexpr Role owner{0}, reader_role{1}, beacon_role{2}, mortal_role{4};
constexpr std::uint64_t row_bytes = 4;

// Ends its process when it is called, as a SIGKILL would: nothing is closed, no file is removed.
class Mortal {
 public:
  template <class O>
  void on(const event::Submitted&, O& out) {
    dead_ = true;
    out.exit_process(9, false);
  }
  std::string_view state_name() const { return dead_ ? "dead" : "alive"; }
  friend bool operator==(const Mortal&, const Mortal&) = default;
  TENTER_DESCRIBE(mortal, dead_)

 private:
  bool dead_ = false;
};

std::string rank_name(const std::string& job, std::uint32_t rank) { return job + " " + std::to_string(rank); }

}  // namespace

std::byte byte_of(const std::string& job, std::uint64_t row) {
  return static_cast<std::byte>(static_cast<unsigned>(job.front()) + 16 * row);
}

const Job& Script::job(const std::string& name) const {
  return *std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& j) { return j.name == name; });
}

void Script::send(const std::string& process, Role role, Note note, Buffer buffer) {
  Asked asked;
  asked.process = process;
  asked.buffer = buffer;
  ++open_;
  asked.ticket = port_->submit(port_->process(process), role, std::move(note));
  asked_.back().push_back(std::move(asked));
}

void Script::open(const std::string& name) {
  for (std::uint32_t rank = 0; rank < job(name).ranks; ++rank) send(rank_name(name, rank), owner, call_note(CallKind::open));
}

void Script::add(const std::string& name, const std::string& variable, std::uint64_t rows_of_a_rank,
                 const std::function<void(std::uint32_t, AddCall&)>& change) {
  for (std::uint32_t rank = 0; rank < job(name).ranks; ++rank) {
    AddCall call;
    call.variable = Blob(variable);
    call.dtype = DType::uint8;
    call.row_shape = {row_bytes};
    call.rows = rows_of_a_rank;
    call.content = Blob(static_cast<std::size_t>(rows_of_a_rank * row_bytes), [&](MutableBytes to) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = byte_of(name, rank * rows_of_a_rank + i / row_bytes);
    });
    if (change) change(rank, call);
    send(rank_name(name, rank), owner, add_note(call));
  }
}

void Script::update(const std::string& name, std::uint32_t rank, const std::string& variable, std::uint64_t row, Blob bytes) {
  send(rank_name(name, rank), owner, update_note({Blob(variable), row, std::move(bytes)}));
}

void Script::close(const std::string& name) {
  for (std::uint32_t rank = 0; rank < job(name).ranks; ++rank) send(rank_name(name, rank), owner, close_note(seconds(3)));
}

void Script::die(const std::string& name) {
  for (std::uint32_t rank = 0; rank < job(name).ranks; ++rank)
    send(rank_name(name, rank), mortal_role, call_note(CallKind::close));
}

void Script::join(const std::string& reader, const std::string& variable, Duration patience, std::uint32_t cores) {
  JoinCall call;
  call.variable = Blob(variable);
  call.patience = patience;
  call.cores = cores;
  send(reader, owner, join_note(call));
}

void Script::leave(const std::string& reader, const std::string& variable) { send(reader, owner, leave_note(Blob(variable))); }

void Script::get(const std::string& process, const std::string& variable, RowRange rows, std::uint64_t bytes_of_a_row) {
  GetCall call;
  call.variable = Blob(variable);
  call.rows = {rows};
  call.any_dtype = true;
  call.patience = seconds(20);
  call.buffer_bytes = rows.rows * bytes_of_a_row;
  call.buffer = port_->lend(port_->process(process), call.buffer_bytes);
  send(process, reader_role, get_note(call), call.buffer);
}

void Script::start(sim::ClientPort& port) {
  port_ = &port;
  go_on();
}

void Script::go_on() {
  while (open_ == 0 && next_ < steps_.size()) {
    asked_.emplace_back();
    steps_[next_++](*this);
  }
}

void Script::answered(Ticket ticket, const Note& outcome) {
  for (auto& step : asked_)
    for (Asked& asked : step) {
      if (asked.ticket != ticket || asked.answered) continue;
      asked.answered = true;
      asked.outcome = outcome;
      if (asked.buffer != Buffer{}) {
        asked.bytes = port_->look(port_->process(asked.process), asked.buffer);
        port_->take_back(port_->process(asked.process), asked.buffer);
      }
      --open_;
    }
  go_on();
}

void Script::completed(sim::ClientPort&, Ticket ticket, const Note& outcome) { answered(ticket, outcome); }

void Script::abandoned(sim::ClientPort&, Ticket ticket) {
  Note gone;
  gone.status = Status::peer_lost;
  gone.text = Blob("its process is gone");
  answered(ticket, gone);
}

Played play(const Play& what, sim::Choices choices) {
  sim::Scenario scenario(choices);
  for (const Job& job : what.jobs)
    for (std::uint32_t rank = 0; rank < job.ranks; ++rank) {
      PublisherConfig publisher;
      publisher.rank = rank;
      publisher.ranks = job.ranks;
      publisher.provider = Blob(job.provider);
      publisher.job = Blob(job.name);
      ReaderConfig reader;
      reader.owner = owner;
      reader.provider = publisher.provider;
      reader.first_endpoint = 1'000;
      LeasesConfig leases;
      leases.owner = owner;
      sim::ProcessSpec& process = scenario.process(rank_name(job.name, rank));
      process.runs(Publisher(publisher)).runs(Reader(reader)).runs(Beacon(owner)).runs(Leases(leases)).runs(Mortal{});
      process.in_job(job.name).on_host("host of " + job.name);
    }
  for (const std::string& name : what.readers) {
    JoinerConfig joiner;
    joiner.reader = reader_role;
    joiner.beacon = beacon_role;
    ReaderConfig reader;
    reader.owner = owner;
    reader.provider = Blob("simulated");
    scenario.process(name).runs(Joiner(joiner)).runs(Reader(reader)).runs(Beacon(owner)).on_host("host of " + name);
  }
  scenario.files_outlive_crashes();
  scenario.phases(seconds(5), seconds(600));
  if (what.faults) what.faults(scenario);
  auto owned = std::make_unique<Script>(what.jobs, what.steps);
  const Script* script = owned.get();
  scenario.client(std::move(owned));
  const std::vector<sim::Property> none;
  sim::World world(choices, scenario, none, {});
  world.run();
  Played played;
  for (std::size_t step = 0; step < script->steps_done(); ++step) played.answers.push_back(script->answers(step));
  for (const char* variable : {"x", "y", "z"})
    if (world.files().content(std::string(variable) + ".record")) played.files.emplace_back(variable);
  if (world.finding()) played.finding = world.finding()->property + ": " + world.finding()->text;
  played.drift = choices.drift();
  return played;
}

void for_each_seed(const Play& what, std::uint64_t seeds, const std::function<void(const Played&)>& judge) {
  for (std::uint64_t seed = 1; seed <= seeds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Played played = play(what, sim::Choices::seeded(seed));
    EXPECT_EQ(played.answers.size(), what.steps.size()) << played.finding;
    if (played.answers.size() == what.steps.size()) judge(played);
  }
}

void expect_all(const std::vector<Asked>& answers, Status status, std::string_view wanted) {
  for (const Asked& asked : answers) {
    EXPECT_TRUE(asked.answered) << asked.process;
    EXPECT_EQ(asked.outcome.status, status) << asked.process << ": " << text(asked.outcome);
    EXPECT_NE(text(asked.outcome).find(wanted), std::string::npos) << asked.process << ": " << text(asked.outcome);
  }
}

}  // namespace tenter::store_faults
