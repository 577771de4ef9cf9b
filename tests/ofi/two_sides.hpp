// Two loops with a Fabric port each in one process: side 0 owns memory, side 1 reads it.
#pragma once
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/event.hpp"
#include "hw/loop/process.hpp"
#include "hw/ofi/fabric_part.hpp"

namespace tenter::hw {

class TwoSides {
 public:
  TwoSides() {
    for (auto& side : sides_) side = std::make_unique<Side>();
  }
  ~TwoSides() {
    for (auto& side : sides_) side.reset();
    EXPECT_EQ(Resources::held(Resource::fabric_object), 0);
    EXPECT_EQ(Resources::held(Resource::thread), 0);
    EXPECT_EQ(Resources::held(Resource::mapping), 0);
  }
  void perform(std::size_t side, const Action& action) {
    sides_[side]->context.current = Role{0};
    std::visit(
        [&](const auto& a) {
          if constexpr (PerformsOne<Port<FabricPart>, std::remove_cvref_t<decltype(a)>>) sides_[side]->port.perform(a);
        },
        action);
  }
  std::optional<Event> next(std::size_t side, Duration patience = seconds(20)) {
    auto& process = sides_[side]->process;
    auto& events = process.template machine<0>().events;
    process.run_until([&] { return !events.empty(); }, now() + patience);
    if (events.empty()) return std::nullopt;
    const Event first = events.front();
    events.erase(events.begin());
    return first;
  }
  bool quiet(std::size_t side) { return !next(side, milliseconds(100)); }
  Buffer lend(std::size_t side, std::uint64_t bytes) {
    auto& memory = memory_.emplace_back(std::make_unique<std::vector<std::byte>>(bytes, std::byte{0xBB}));
    const Buffer buffer = sides_[side]->port.lend(*memory);
    lent_[{side, buffer}] = memory.get();
    return buffer;
  }
  void take_back(std::size_t side, Buffer buffer) { sides_[side]->port.take_back(buffer); }
  Blob look(std::size_t side, Buffer buffer) { return Blob(Bytes(*lent_.at({side, buffer}))); }
  void fill(std::size_t side, Buffer buffer, const Blob& bytes) {
    std::copy(bytes.bytes().begin(), bytes.bytes().end(), lent_.at({side, buffer})->begin());
  }

 private:
  struct Listener {
    std::vector<Event> events;
    template <class E, class O>
    void on(const E& e, O&) {
      events.emplace_back(e);
    }
  };
  struct Side {
    Context context;
    Port<FabricPart> port{{context}, {}};
    Process<Port<FabricPart>, Listener> process{context, port, Listener{}};
  };
  std::vector<std::unique_ptr<std::vector<std::byte>>> memory_;
  std::map<std::pair<std::size_t, Buffer>, std::vector<std::byte>*> lent_;
  std::array<std::unique_ptr<Side>, 2> sides_;
};

}  // namespace tenter::hw
