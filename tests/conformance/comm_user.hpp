// Who uses Comm in a conformance case: joins, sends, receives, and takes the answers that must come.
#pragma once
#include <concepts>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/action.hpp"
#include "tests/conformance/suite.hpp"

namespace tenter::conformance {

// A world of ranks, each with a Comm and a Collective port. The simulator holds all of them in one process; an MPI process drives
// its own and runs the same case beside the others. drives: whether this process drives that rank, and may call the following for
// it. perform: it asks. next: its next event, awaited for seconds; none if none came. soon: the same, within a moment. settle:
// until the others are as far as they come without this process. hold: no process goes on before all came here. No case stops
// half-way (EXPECT only): a rank that left alone would leave the others waiting.
template <class F>
concept CommFixture = std::default_initializable<F> && requires(F& fixture, Rank rank, Action action) {
  { fixture.size() } -> std::same_as<std::uint32_t>;
  { fixture.drives(rank) } -> std::same_as<bool>;
  fixture.perform(rank, action);
  { fixture.next(rank) } -> std::same_as<std::optional<Event>>;
  { fixture.soon(rank) } -> std::same_as<std::optional<Event>>;
  fixture.settle();
  fixture.hold();
};

// Any such world: that of the last `of<F>()`.
class AnyComm {
 public:
  template <CommFixture F>
  static void of() {
    make() = [] { return std::unique_ptr<World>(std::make_unique<WorldOf<F>>()); };
  }
  AnyComm() : world_(make()()) {}
  std::uint32_t size() const { return world_->size(); }
  bool drives(Rank rank) const { return world_->drives(rank); }
  void perform(Rank rank, Action action) { world_->perform(rank, std::move(action)); }
  std::optional<Event> next(Rank rank) { return world_->next(rank); }
  std::optional<Event> soon(Rank rank) { return world_->soon(rank); }
  void settle() { world_->settle(); }
  void hold() { world_->hold(); }

 private:
  struct World {
    virtual ~World() = default;
    virtual std::uint32_t size() = 0;
    virtual bool drives(Rank rank) = 0;
    virtual void perform(Rank rank, Action action) = 0;
    virtual std::optional<Event> next(Rank rank) = 0;
    virtual std::optional<Event> soon(Rank rank) = 0;
    virtual void settle() = 0;
    virtual void hold() = 0;
  };
  template <class F>
  struct WorldOf final : World {
    std::uint32_t size() override { return world.size(); }
    bool drives(Rank rank) override { return world.drives(rank); }
    void perform(Rank rank, Action action) override { world.perform(rank, std::move(action)); }
    std::optional<Event> next(Rank rank) override { return world.next(rank); }
    std::optional<Event> soon(Rank rank) override { return world.soon(rank); }
    void settle() override { world.settle(); }
    void hold() override { world.hold(); }
    F world;
  };
  static std::unique_ptr<World> (*&make())() {
    static std::unique_ptr<World> (*chosen)() = nullptr;
    return chosen;
  }
  std::unique_ptr<World> world_;
};

// Content that tells messages apart, byte by byte.
inline Blob message_bytes(std::uint64_t which, std::size_t bytes) {
  return Blob(bytes, [&](MutableBytes to) {
    std::uint64_t state = 0x9E3779B97F4A7C15ull * (which + 1);
    for (std::byte& byte : to) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      byte = static_cast<std::byte>(state >> 56);
    }
  });
}

template <CommFixture Fixture>
class CommUser {
 protected:
  Rank first() const { return Rank{0}; }
  Rank last() { return Rank{world.size() - 1}; }
  Op next_op() { return Op{++ops_}; }  // the same on every process

  void join() {
    const Op op = next_op();
    for (std::uint32_t rank = 0; rank < world.size(); ++rank) perform(Rank{rank}, action::JoinWorld{op});
    for (std::uint32_t rank = 0; rank < world.size(); ++rank) expect_joined(Rank{rank}, op);
  }
  void expect_joined(Rank rank, Op op) {
    const auto joined = answer<event::WorldJoined>(rank, op);
    if (!joined) return;
    EXPECT_EQ(joined->status, Status::ok) << joined->text.text();
    EXPECT_EQ(joined->rank, rank);
    EXPECT_EQ(joined->ranks, world.size());
  }
  Op send(Rank from, Rank to, std::uint32_t tag, Blob content, Communicator communicator = world_communicator) {
    const Op op = next_op();
    perform(from, action::SendMessage{op, communicator, to, MessageTag{tag}, std::move(content)});
    return op;
  }
  Op receive(Rank at, Rank from, std::uint64_t limit = 64u << 20, Communicator communicator = world_communicator) {
    const Op op = next_op();
    perform(at, action::ReceiveMessage{op, communicator, from, limit});
    return op;
  }
  void expect_sent(Rank from, Op op) {
    const auto sent = answer<event::MessageSent>(from, op);
    if (!sent) return;
    EXPECT_EQ(sent->status, Status::ok) << sent->text.text();
  }
  void expect_arrived(Rank at, Op op, Rank from, std::uint32_t tag, const Blob& content) {
    const auto arrived = answer<event::MessageArrived>(at, op);
    if (!arrived) return;
    EXPECT_EQ(arrived->status, Status::ok);
    EXPECT_EQ(arrived->from, from);
    EXPECT_EQ(arrived->tag, MessageTag{tag});
    EXPECT_EQ(arrived->length, content.size());
    EXPECT_TRUE(arrived->content == content)
        << arrived->content.size() << " bytes, not those " << content.size() << " of tag " << tag;
  }
  // The message is asked for and must be that one.
  void expect_message(Rank at, Rank from, std::uint32_t tag, const Blob& content,
                      Communicator communicator = world_communicator) {
    expect_arrived(at, receive(at, from, 64u << 20, communicator), from, tag, content);
  }
  // Nothing comes but what was awaited.
  void expect_quiet(Rank rank) {
    if (!world.drives(rank)) return;
    std::deque<Event>& early = early_[rank];
    while (std::optional<Event> event = world.soon(rank)) early.push_back(std::move(*event));
    for (const Event& event : early) ADD_FAILURE() << "rank " << number(rank) << ": came unasked: " << text_of(event);
    early.clear();
  }
  void expect_quiet() {
    for (std::uint32_t rank = 0; rank < world.size(); ++rank) expect_quiet(Rank{rank});
  }
  // The answer to that op; what comes before it is kept. Nothing where this process does not drive the rank.
  template <class E>
  std::optional<E> answer(Rank rank, Op op) {
    if (!world.drives(rank)) return std::nullopt;
    std::deque<Event>& early = early_[rank];
    for (std::size_t i = 0;; ++i) {
      if (i == early.size()) {
        std::optional<Event> event = world.next(rank);
        if (!event) break;
        early.push_back(std::move(*event));
      }
      const auto* found = std::get_if<E>(&early[i]);
      if (!found || found->op != op) continue;
      E taken = *found;
      early.erase(early.begin() + static_cast<std::ptrdiff_t>(i));
      return taken;
    }
    ADD_FAILURE() << "rank " << number(rank) << ": no " << E::name << " for op " << number(op);
    return std::nullopt;
  }
  template <class A>
  void perform(Rank rank, A action) {
    if (world.drives(rank)) world.perform(rank, Action(std::move(action)));
  }

  Fixture world;
  std::uint64_t ops_ = 0;
  std::map<Rank, std::deque<Event>> early_;  // came before the answer that was awaited
};

}  // namespace tenter::conformance
