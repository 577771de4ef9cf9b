#include "sim/world.hpp"

#include <gtest/gtest.h>

#include "sim/run.hpp"
#include "sim/shrink.hpp"
#include "sim/story.hpp"

namespace tenter::sim {
namespace {

// Arms timers and remembers when they fired; publishes a word after each, so that there are actions to crash between.
struct Ticker {
  std::uint32_t wanted = 3;
  std::uint32_t fired = 0;
  Time due{};
  bool early = false, after_cancel = false;

  template <Timers O>
  void on(const event::Started& e, O& out) {
    due = e.now + milliseconds(1);
    out.arm(Op{1}, due);
    out.arm(Op{2}, due);
    out.cancel(Op{2});
  }
  template <Timers O>
  void on(const event::TimerFired& e, O& out) {
    if (e.op == Op{2}) after_cancel = true;
    if (number(e.now) < number(due)) early = true;
    if (++fired == wanted) return;
    due = e.now + milliseconds(1);
    out.arm(Op{1}, due);
  }
  std::string_view state_name() const { return fired == wanted ? "done" : "ticking"; }
  TENTER_DESCRIBE(ticker, wanted, fired, due, early, after_cancel)
};

Subject subject_of(const Protocol& protocol) { return {&protocol, &protocol.scenarios().front().second, {}}; }

std::optional<Finding> first_finding(const Subject& subject, std::uint64_t seeds) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Outcome outcome = run_seed(subject, seed);
    if (outcome.finding) return outcome.finding;
  }
  return std::nullopt;
}

bool never_early(const View& view) {
  bool ok = true;
  view.for_each<Ticker>([&](const Process&, const Ticker& ticker) { ok = ok && !ticker.early && !ticker.after_cancel; });
  return ok;
}
bool all_done(const View& view) {
  bool ok = true;
  view.for_each<Ticker>([&](const Process& p, const Ticker& t) { ok = ok && (t.fired == t.wanted || p.life == Life::gone); });
  return ok;
}

TEST(World, a_timer_is_never_early_on_a_drifting_clock_and_never_comes_after_its_cancel) {
  Protocol protocol("ticker");
  protocol.scenario("one", [](Scenario& s) { s.process("a").runs(Ticker{5}); })
      .always("never early", never_early)
      .eventually("done", all_done);
  const auto finding = first_finding(subject_of(protocol), 2000);
  EXPECT_FALSE(finding) << finding->property << ": " << finding->text;
}

TEST(World, a_crashed_process_takes_no_further_step) {
  Protocol protocol("ticker");
  protocol
      .scenario("one",
                [](Scenario& s) {
                  s.allow(Tag::crash, 1);
                  s.process("a").runs(Ticker{8}).crashes();
                })
      .sometimes("crashed", [](const View& v) { return v.world().process(0).life == Life::gone; })
      .eventually("done or gone", all_done);
  int crashed = 0, unfinished = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const Outcome outcome = run_seed(subject_of(protocol), seed, [&](const World& world) {
      if (world.process(0).life != Life::gone) return;
      ++crashed;
      unfinished += world.process(0).machines[0].as<Ticker>()->fired < 8 ? 1 : 0;
    });
    EXPECT_FALSE(outcome.finding) << outcome.finding->text;
  }
  EXPECT_GT(crashed, 5);
  EXPECT_EQ(crashed, unfinished);
}

TEST(World, without_leave_nothing_crashes) {
  Protocol protocol("ticker");
  protocol.scenario("one", [](Scenario& s) { s.process("a").runs(Ticker{8}).crashes().stops(); });
  for (std::uint64_t seed = 1; seed <= 300; ++seed)
    run_seed(subject_of(protocol), seed, [&](const World& world) { EXPECT_EQ(world.process(0).life, Life::running); });
}

TEST(World, a_restarted_process_begins_anew) {
  Protocol protocol("ticker");
  protocol.scenario("one", [](Scenario& s) {
    s.allow(Tag::crash, 1);
    s.process("a").runs(Ticker{4}).crashes().restarts(milliseconds(3));
  });
  int restarted = 0;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    run_seed(subject_of(protocol), seed, [&](const World& world) {
      if (world.process_count() < 2) return;
      ++restarted;
      EXPECT_EQ(world.process(1).name, "a");
      EXPECT_EQ(world.process(1).machines[0].as<Ticker>()->fired, 4u);
    });
  }
  EXPECT_GT(restarted, 5);
}

// A machine that has no handler for what its own port brings.
struct Deaf {
  std::uint32_t unused = 0;
  template <Timers O>
  void on(const event::Started& e, O& out) {
    out.arm(Op{1}, e.now);
  }
  std::string_view state_name() const { return "deaf"; }
  TENTER_DESCRIBE(deaf, unused)
};

TEST(World, an_event_without_a_handler_is_a_finding) {
  Protocol protocol("deaf");
  protocol.scenario("one", [](Scenario& s) { s.process("a").runs(Deaf{}); });
  const auto finding = first_finding(subject_of(protocol), 1);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->property, "totality");
}

// Breaks an invariant of its own when its second timer comes.
struct Careless : Ticker {
  using Ticker::on;
  template <Timers O>
  void on(const event::TimerFired& e, O& out) {
    TENTER_CHECK(fired < 1);
    Ticker::on(e, out);
  }
};

TEST(World, a_failed_check_is_a_finding_of_that_seed_with_its_place) {
  Protocol protocol("careless");
  protocol.scenario("one", [](Scenario& s) { s.process("a").runs(Careless{}); });
  const auto finding = first_finding(subject_of(protocol), 1);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->property, "check");
  EXPECT_NE(finding->text.find("fired < 1"), std::string::npos);
  EXPECT_NE(finding->text.find("world_test.cpp"), std::string::npos);
}

// A file that nobody removes.
struct Litterer {
  std::uint32_t done = 0;
  template <Files O>
  void on(const event::Started&, O& out) {
    out.publish_file(Op{1}, Blob("left"), Blob("x"));
  }
  template <Files O>
  void on(const event::FileDone&, O&) {
    done = 1;
  }
  std::string_view state_name() const { return "littering"; }
  TENTER_DESCRIBE(litterer, done)
};

TEST(World, what_is_left_at_the_end_is_a_finding_that_names_it) {
  Protocol protocol("litterer");
  protocol.scenario("one", [](Scenario& s) { s.process("a").runs(Litterer{}); });
  const auto finding = first_finding(subject_of(protocol), 1);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->property, "nothing is left over");
  EXPECT_EQ(finding->text, "file left");
}

Protocol crashing_ticker() {
  Protocol protocol("ticker");
  protocol
      .scenario("four",
                [](Scenario& s) {
                  s.allow(Tag::crash, 2);
                  s.allow(Tag::stop, 2);
                  for (const char* name : {"a", "b", "c", "d"}) s.process(name).runs(Ticker{6}).crashes().stops();
                })
      .always("c is not killed after its third tick",
              [](const View& v) {
                const Process& c = v.world().process(2);
                return c.life != Life::gone || c.machines[0].as<Ticker>()->fired < 3;
              })
      .eventually("c lives", [](const View& v) { return v.world().process(2).life != Life::gone; });
  return protocol;
}

TEST(Shrink, a_failure_is_reduced_to_the_one_fault_that_matters_and_still_fails_the_same_way) {
  const Protocol protocol = crashing_ticker();
  const Subject subject = subject_of(protocol);
  int tried = 0;
  for (std::uint64_t seed = 1; seed <= 2000 && tried < 5; ++seed) {
    const Outcome outcome = run_seed(subject, seed);
    if (!outcome.finding || outcome.finding->property != "c lives") continue;
    ++tried;
    const ShrinkResult small = shrink(subject, outcome.tape, "c lives", [](const ShrinkProgress&) { return true; });
    ASSERT_EQ(small.tape.size(), 1u);
    EXPECT_EQ(small.tape[0].tag, Tag::crash);
    EXPECT_EQ(small.tape[0].entity, 2u);
    const Outcome replayed = run_tape(subject, small.tape);
    ASSERT_TRUE(replayed.finding);
    EXPECT_EQ(replayed.finding->property, "c lives");
    EXPECT_EQ(replayed.finding->step, small.outcome.finding->step);
    EXPECT_EQ(replayed.digest, small.outcome.digest);
    const Story story = tell_story(subject, small.tape);
    ASSERT_EQ(story.faults.size(), 1u);
    EXPECT_NE(story.faults[0].find("c is killed"), std::string::npos);
  }
  EXPECT_EQ(tried, 5);
}

TEST(World, a_tape_replays_to_the_same_property_step_and_digest) {
  const Protocol protocol = crashing_ticker();
  const Subject subject = subject_of(protocol);
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const Outcome first = run_seed(subject, seed);
    const Outcome again = run_tape(subject, first.tape);
    ASSERT_EQ(first.digest, again.digest) << seed;
    ASSERT_EQ(first.steps, again.steps);
    ASSERT_EQ(first.finding.has_value(), again.finding.has_value());
    EXPECT_EQ(again.drift, 0u);
  }
}

TEST(World, a_seed_alone_equals_the_same_seed_in_a_batch) {
  const Protocol protocol = crashing_ticker();
  const Subject subject = subject_of(protocol);
  const std::uint64_t alone = run_seed(subject, 1000).digest;
  std::uint64_t in_batch = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) in_batch = run_batch_seed(subject, seed).digest;
  EXPECT_EQ(alone, in_batch);
}

// Draws from an address: what must never happen, and what the double run must notice.
struct Leaky : Ticker {
  using Ticker::on;
  template <Timers O>
  void on(const event::Started& e, O& out) {
    static std::uint32_t runs = 0;
    wanted = 2 + ++runs % 3;
    Ticker::on(e, out);
  }
};

TEST(World, state_kept_between_runs_is_noticed_by_the_double_run) {
  Protocol protocol("leaky");
  protocol.scenario("one", [](Scenario& s) { s.process("a").runs(Leaky{}); });
  const Subject subject = subject_of(protocol);
  std::uint64_t seed = 1;
  while (!runs_twice(seed)) ++seed;
  EXPECT_EQ(run_batch_seed(subject, seed).verdict, 3);
  EXPECT_NE(first_difference(subject, seed), "");
}

TEST(Mutation, its_text_reads_back) {
  Mutation mutation;
  mutation.kind = MutationKind::shift_value;
  mutation.machine = "channel";
  mutation.state = "idle";
  mutation.event = "submitted";
  mutation.action = "publish";
  mutation.index = 2;
  mutation.field = 1;
  mutation.shift = 1;
  Mutation back;
  ASSERT_TRUE(Mutation::parse(mutation.text(), back)) << mutation.text();
  EXPECT_EQ(back, mutation);
  EXPECT_FALSE(Mutation::parse("drop_action", back));
  EXPECT_FALSE(Mutation::parse("nonsense a.b.c d#1", back));
}

}  // namespace
}  // namespace tenter::sim
