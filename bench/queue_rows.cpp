// The bare event loop: every event counts itself and schedules one more, so the number of pending events stays.
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "bench/sim_rows.hpp"
#include "sim/queue.hpp"
#include "sim/world.hpp"

namespace tenter::bench {
namespace {

constexpr std::uint64_t batch = 4096;

// What the handler draws delays from; both sides use the same. Source: Marsaglia, "Xorshift RNGs" (2003), 64 bit, 13-7-17.
struct Delays {
  std::uint64_t state = 0x9E37'79B9'7F4A'7C15ull;
  std::int64_t next() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<std::int64_t>(state % 1000) + 1;
  }
};

struct Small {
  std::uint32_t target = 0;
  std::uint32_t value = 0;
};
void prepare(Small& event, std::uint32_t target) { event.target = target; }
std::uint32_t target_of(const Small& event) { return event.target; }
void prepare(sim::Item& item, std::uint32_t target) {
  item.kind = sim::Item::Kind::turn;
  item.process = target;
}
std::uint32_t target_of(const sim::Item& item) { return item.process; }

template <class Payload>
class OurLoop {
 public:
  explicit OurLoop(std::uint32_t actors) : counts_(actors) {
    for (std::uint32_t i = 0; i < actors; ++i) push(Time{0}, i);
  }
  std::uint64_t run() {
    for (std::uint64_t i = 0; i < batch; ++i) {
      auto [when, event] = queue_.pop();
      ++counts_[target_of(event)];
      queue_.push(when + Duration{delays_.next()}, 0, std::move(event));
    }
    return batch;
  }

 private:
  void push(Time when, std::uint32_t target) {
    Payload event;
    prepare(event, target);
    queue_.push(when + Duration{delays_.next()}, 0, std::move(event));
  }
  sim::Queue<Payload> queue_;
  std::vector<std::uint64_t> counts_;
  Delays delays_;
};

// The usual way: a priority queue of closures, ordered by time, then by insertion.
class ClosureLoop {
 public:
  explicit ClosureLoop(std::uint32_t actors) : counts_(actors) {
    for (std::uint32_t i = 0; i < actors; ++i) push(0, i);
  }
  std::uint64_t run() {
    for (std::uint64_t i = 0; i < batch; ++i) {
      const auto handler = std::move(const_cast<Entry&>(queue_.top()).handler);
      const std::int64_t now = queue_.top().when;
      queue_.pop();
      handler(now);
    }
    return batch;
  }

 private:
  struct Entry {
    std::int64_t when;
    std::uint64_t order;
    std::function<void(std::int64_t)> handler;
    bool operator<(const Entry& other) const { return when != other.when ? when > other.when : order > other.order; }
  };
  void push(std::int64_t now, std::uint32_t target) {
    queue_.push({now + delays_.next(), order_++, [this, target](std::int64_t at) {
                   ++counts_[target];
                   push(at, target);
                 }});
  }
  std::priority_queue<Entry> queue_;
  std::vector<std::uint64_t> counts_;
  Delays delays_;
  std::uint64_t order_ = 0;
};

template <class Loop>
Side side_of(std::uint32_t actors) {
  auto loop = std::make_shared<Loop>(actors);
  return {.slice = [loop](Budget budget, std::vector<std::uint32_t>&) { return repeat(budget, [&] { return loop->run(); }); }};
}

template <class Payload>
void add(Report& report, const std::string& payload, std::uint32_t actors, double least_rate) {
  report.add({.name = "loop/" + payload + "/" + std::to_string(actors) + "_pending",
              .candidate = side_of<OurLoop<Payload>>(actors),
              .peer = side_of<ClosureLoop>(actors),
              .peer_name = "std closures",
              .unit = "event",
              .least_rate = least_rate});
}

}  // namespace

void add_queue_rows(Report& report) {
  add<Small>(report, "bare", 2, 8e6);
  add<Small>(report, "bare", 64, 8e6);
  add<Small>(report, "bare", 1000, 8e6);
  add<sim::Item>(report, "world_item", 2, 0);
  add<sim::Item>(report, "world_item", 1000, 0);
}

}  // namespace tenter::bench
