// The port's actions as calls that wait for their answer, over two sides: the owner (0) and the reader (1).
#pragma once
#include <string>

#include "core/text.hpp"
#include "tests/ofi/two_sides.hpp"

namespace tenter::hw {

inline Blob bytes_from(std::size_t bytes, std::uint32_t first) {
  return Blob(bytes, [&](MutableBytes to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = static_cast<std::byte>(first + i * 7);
  });
}

class FabricCalls {
 public:
  static constexpr std::size_t owner = 0, reader = 1;
  explicit FabricCalls(std::string_view provider) : provider_(provider) {}

  event::FabricOpened open(std::size_t side, Endpoint endpoint = Endpoint{1}, std::string_view domain = {}) {
    return ask<event::FabricOpened>(side, action::OpenFabric{op(), endpoint, provider_, Blob(domain), side == owner});
  }
  event::FabricDone close(std::size_t side, Endpoint endpoint = Endpoint{1}) {
    return ask<event::FabricDone>(side, action::CloseFabric{op(), endpoint});
  }
  event::RegionRegistered region(Region name, std::uint64_t bytes, Endpoint endpoint = Endpoint{1}) {
    return ask<event::RegionRegistered>(owner, action::RegisterRegion{op(), endpoint, name, bytes});
  }
  event::FabricDone unregister(Region name) { return ask<event::FabricDone>(owner, action::UnregisterRegion{op(), name}); }
  event::FabricDone insert(const Blob& address, Peer peer = Peer{1}, Endpoint endpoint = Endpoint{1}) {
    return ask<event::FabricDone>(reader, action::InsertPeer{op(), endpoint, peer, address});
  }
  Op post(const event::RegionRegistered& of, std::uint64_t offset, std::uint64_t bytes, Endpoint endpoint = Endpoint{1},
          Buffer buffer = no_buffer, Peer peer = Peer{1}) {
    const Op asked = op();
    sides.perform(reader, action::ReadRemote{asked, endpoint, peer, of.key, of.base, offset, bytes, buffer, 0});
    return asked;
  }
  event::ReadDone read(const event::RegionRegistered& of, std::uint64_t offset, std::uint64_t bytes,
                       Endpoint endpoint = Endpoint{1}, Peer peer = Peer{1}) {
    return answer<event::ReadDone>(reader, post(of, offset, bytes, endpoint, no_buffer, peer));
  }
  // A region of the owner's that holds `content`.
  event::RegionRegistered serve(Region name, const Blob& content) {
    const event::RegionRegistered of = region(name, content.size());
    EXPECT_EQ(of.status, Status::ok) << of.text.text();
    if (of.status == Status::ok) sides.perform(owner, action::StoreRegion{name, 0, content});
    return of;
  }
  // Both sides open, and the reader knows the owner.
  void meet(Endpoint readers = Endpoint{1}) {
    if (owners_address.empty()) {
      const auto opened = open(owner);
      ASSERT_EQ(opened.status, Status::ok) << opened.text.text();
      owners_address = opened.address;
    }
    const auto opened = open(reader, readers);
    ASSERT_EQ(opened.status, Status::ok) << opened.text.text();
    const auto known = insert(owners_address, Peer{1}, readers);
    ASSERT_EQ(known.status, Status::ok) << known.text.text();
  }
  template <class E>
  E answer(std::size_t side, Op asked) {
    const auto e = sides.next(side);
    if (!e) {
      ADD_FAILURE() << "no answer";
      return E{};
    }
    if (const E* found = std::get_if<E>(&*e); found && found->op == asked) return *found;
    ADD_FAILURE() << "unexpected " << text_of(*e);
    return E{};
  }
  Op op() { return Op{next_op_++}; }

  TwoSides sides;
  Blob owners_address;

 private:
  template <class E, class A>
  E ask(std::size_t side, const A& action) {
    sides.perform(side, action);
    return answer<E>(side, action.op);
  }
  Blob provider_;
  std::uint64_t next_op_ = 1;
};

// The texts name the culprit, the call and the errno.
inline bool says(const Blob& text, std::string_view what) { return text.text().find(what) != std::string_view::npos; }

}  // namespace tenter::hw
