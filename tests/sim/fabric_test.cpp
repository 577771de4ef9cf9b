// The simulated NIC keeps the Fabric's contract, and does what real ones were seen to do beside it (spec B2.6, cases M1, M4, M5).
#include "tests/conformance/fabric.hpp"
#include "core/wire.hpp"
#include "tests/sim/puppet.hpp"

namespace tenter::sim {
namespace {

TapeEntry of_kind(NicKind kind) { return {Tag::nic, 0, 0, 3, static_cast<std::uint32_t>(kind)}; }

// chunk: 0 the whole read at one instant, 1 eight bytes.
template <NicKind Kind, std::uint32_t Chunk>
class SimulatedNics {
 public:
  SimulatedNics() : puppets_(2, tape()) {}
  Blob provider() const { return Blob("simulated"); }
  void perform(std::size_t side, Action action) { puppets_.perform(side, std::move(action)); }
  std::optional<Event> next(std::size_t side) { return puppets_.next(side); }
  bool quiet(std::size_t side) { return !puppets_.next(side); }
  Buffer lend(std::size_t side, std::uint64_t bytes) { return fabric().lend(static_cast<ProcessIndex>(side), bytes); }
  Blob look(std::size_t side, Buffer buffer) { return fabric().look(static_cast<ProcessIndex>(side), buffer); }
  void fill(std::size_t side, Buffer buffer, const Blob& bytes) { fabric().fill(static_cast<ProcessIndex>(side), buffer, bytes); }
  bool refuses() const { return Kind != NicKind::lax; }
  bool closes_under_reads() const { return true; }

 private:
  FabricModel& fabric() { return puppets_.world().fabric(); }
  static TapeEntries tape() {
    TapeEntries entries{of_kind(Kind)};
    for (std::uint32_t i = 0; i < 64; ++i)
      if (Chunk != 0) entries.push_back({Tag::nic_chunks, 1, i, 6, Chunk});
    return entries;
  }
  PuppetWorld puppets_;
};

std::function<void(Scenario&)> allowing(std::vector<Tag> faults) {
  return [faults](Scenario& scenario) {
    for (const Tag fault : faults) scenario.allow(fault, 8);
  };
}

// A world whose tape a test writes; two processes, the second reads the first.
class Nics {
 public:
  explicit Nics(NicKind kind, TapeEntries tape = {}, const std::vector<Tag>& faults = {})
      : puppets(2, with(kind, std::move(tape)), allowing(faults)) {
    open(0);
    open(1);
  }
  event::FabricOpened open(std::size_t side, Endpoint name = Endpoint{1}) {
    puppets.perform(side, action::OpenFabric{Op{1}, name, Blob("simulated"), {}});
    return std::get<event::FabricOpened>(*puppets.next(side));
  }
  // Region 1 of process `side`, filled with 8-byte words of `word`, known to the reader as peer 1.
  void serve(std::uint64_t bytes, std::uint64_t word, std::size_t side = 0) {
    puppets.perform(side, action::RegisterRegion{Op{2}, Endpoint{1}, Region{1}, bytes});
    region = std::get<event::RegionRegistered>(*puppets.next(side));
    store(word, bytes, side);
    insert(Peer{1}, Blob("nic:1"));
  }
  void insert(Peer peer, Blob address) {
    puppets.perform(1, action::InsertPeer{Op{3}, Endpoint{1}, peer, std::move(address)});
    EXPECT_EQ(std::get<event::FabricDone>(*puppets.next(1)).status, Status::ok);
  }
  void store(std::uint64_t word, std::uint64_t bytes, std::size_t side = 0) {
    puppets.perform(side, action::StoreRegion{Region{1}, 0, words(word, bytes)});
  }
  static Blob words(std::uint64_t word, std::uint64_t bytes) {
    return Blob(static_cast<std::size_t>(bytes), [&](MutableBytes to) {
      for (std::size_t i = 0; i + 8 <= to.size(); i += 8) wire::store(to.data() + i, word);
    });
  }
  void post(Op op, std::uint64_t bytes, Buffer buffer = no_buffer) {
    puppets.perform(1, action::ReadRemote{op, Endpoint{1}, Peer{1}, region.key, region.base, 0, bytes, buffer, 0});
  }
  std::optional<event::ReadDone> done() {
    const auto e = puppets.next(1);
    return e ? std::optional(std::get<event::ReadDone>(*e)) : std::nullopt;
  }
  FabricModel& fabric() { return puppets.world().fabric(); }

  PuppetWorld puppets;
  event::RegionRegistered region;

 private:
  static TapeEntries with(NicKind kind, TapeEntries tape) {
    tape.push_back(of_kind(kind));
    return tape;
  }
};

TEST(SimulatedNic, tears_a_read_between_words_and_knows_which_store_each_byte_is_of) {
  // 8-byte chunks; the second and fourth are sampled late, after another store.
  Nics nics(NicKind::strict, {{Tag::nic_chunks, 1, 0, 6, 1}, {Tag::nic_time, 1, 1, 19, 9}, {Tag::nic_time, 1, 3, 19, 9}});
  nics.serve(32, 0x1111'1111'1111'1111);
  nics.post(Op{9}, 32);
  for (int i = 0; i < 2; ++i) nics.puppets.world().step();
  nics.store(0x2222'2222'2222'2222, 32);
  const auto got = nics.done();
  ASSERT_TRUE(got && got->status == Status::ok);
  std::vector<std::uint64_t> seen;
  for (std::size_t i = 0; i < 4; ++i) seen.push_back(wire::load<std::uint64_t>(got->content.bytes().data() + 8 * i));
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{0x1111'1111'1111'1111, 0x2222'2222'2222'2222, 0x1111'1111'1111'1111,
                                              0x2222'2222'2222'2222}));
  const auto* runs = nics.fabric().epochs(1, Role{0}, Op{9});
  ASSERT_TRUE(runs);
  ASSERT_EQ(runs->size(), 4u);
  EXPECT_EQ((*runs)[0].epoch, (*runs)[2].epoch);
  EXPECT_EQ((*runs)[1].epoch, (*runs)[3].epoch);
  EXPECT_LT((*runs)[0].epoch, (*runs)[1].epoch);
  EXPECT_TRUE(nics.fabric().epoch_is_of((*runs)[0].epoch, 0));
}

TEST(SimulatedNic, of_a_process_that_died_is_noticed_only_by_who_had_reached_it) {
  for (const NicKind kind : {NicKind::strict, NicKind::breaking, NicKind::lax}) {
    Nics reached(kind);
    reached.serve(64, 7);
    reached.post(Op{5}, 8);
    ASSERT_EQ(reached.done()->status, Status::ok);
    reached.puppets.world().end_process(0, 0, 9);
    reached.post(Op{6}, 8);
    EXPECT_EQ(reached.done()->status, Status::peer_lost);
    reached.post(Op{7}, 8);
    EXPECT_EQ(reached.done()->status, kind == NicKind::breaking ? Status::failed : Status::peer_lost);

    Nics never(kind);
    never.serve(64, 7);
    never.puppets.world().end_process(0, 0, 9);
    never.post(Op{6}, 8);
    const auto got = never.done();
    EXPECT_EQ(got.has_value(), kind == NicKind::strict) << "endless try-again else (M1)";
    never.puppets.perform(1, action::CloseFabric{Op{8}, Endpoint{1}});
    if (!got) {
      EXPECT_EQ(never.done()->status, Status::cancelled);
    }
    EXPECT_EQ(std::get<event::FabricDone>(*never.puppets.next(1)).status, Status::ok);
  }
}

TEST(SimulatedNic, of_a_stopped_process_answers_when_it_goes_on_and_a_lax_one_at_once) {
  for (const NicKind kind : {NicKind::strict, NicKind::lax}) {
    Nics nics(kind);
    nics.serve(64, 7);
    nics.puppets.world().signal_process(0, 19);
    nics.post(Op{5}, 8);
    EXPECT_EQ(nics.done().has_value(), kind == NicKind::lax);
    nics.puppets.world().signal_process(0, 18);
    if (kind != NicKind::lax) {
      EXPECT_EQ(nics.done()->status, Status::ok);
    }
  }
}

TEST(SimulatedNic, lands_late_after_a_failed_answer_until_the_endpoint_is_closed) {
  for (const bool closed : {false, true}) {
    Nics nics(NicKind::strict, {{Tag::read_failure, 1, 0, 4, 3}, {Tag::read_stall, 1, 0, 17, 12}},
              {Tag::read_failure, Tag::read_stall});
    nics.serve(64, 0x77);
    const Buffer buffer = nics.fabric().lend(1, 8);
    nics.post(Op{5}, 8, buffer);
    while (nics.puppets.events(1).size() < 3) nics.puppets.world().step();
    EXPECT_EQ(std::get<event::ReadDone>(nics.puppets.events(1)[2]).status, Status::failed);
    EXPECT_EQ(nics.fabric().look(1, buffer).bytes()[0], std::byte{0xBB});
    if (closed) nics.puppets.perform(1, action::CloseFabric{Op{8}, Endpoint{1}});
    nics.puppets.run();
    EXPECT_EQ(nics.fabric().look(1, buffer).bytes()[0], closed ? std::byte{0xBB} : std::byte{0x77});
  }
}

TEST(SimulatedNic, that_is_given_a_used_address_serves_a_strangers_bytes_under_the_same_key) {
  Nics nics(NicKind::strict, {{Tag::address_reuse, 2, 0, 2, 1}}, {Tag::address_reuse});
  nics.serve(64, 1);
  const auto first = nics.region;
  nics.puppets.world().end_process(0, 0, 9);
  const std::size_t stranger = nics.puppets.add_process();
  EXPECT_EQ(nics.open(stranger).address.text(), "nic:1");
  nics.puppets.perform(stranger, action::RegisterRegion{Op{2}, Endpoint{1}, Region{1}, 64});
  const auto second = std::get<event::RegionRegistered>(*nics.puppets.next(stranger));
  EXPECT_TRUE(second.key == first.key);
  EXPECT_EQ(second.base, first.base);
  nics.store(2, 64, stranger);
  nics.post(Op{5}, 8);
  const auto got = nics.done();
  ASSERT_EQ(got->status, Status::ok);
  EXPECT_EQ(wire::load<std::uint64_t>(got->content.bytes().data()), 2u);
  EXPECT_TRUE(nics.fabric().epoch_is_of(nics.fabric().epochs(1, Role{0}, Op{5})->front().epoch, 2));
}

TEST(SimulatedNic, takes_a_write_into_memory_that_was_given_back_for_a_failure) {
  Nics nics(NicKind::strict);
  nics.serve(64, 1);
  const Buffer buffer = nics.fabric().lend(1, 8);
  nics.post(Op{5}, 8, buffer);
  nics.fabric().take_back(1, buffer);
  nics.puppets.run();
  ASSERT_TRUE(nics.puppets.world().finding());
  EXPECT_EQ(nics.puppets.world().finding()->property, "S1 nothing lands in a buffer after its call has ended");
}

TEST(SimulatedNic, names_that_are_not_open_are_the_machines_mistake) {
  const std::pair<const char*, Action> mistakes[] = {
      {"endpoint 7 is closed", action::CloseFabric{Op{1}, Endpoint{7}}},
      {"endpoint 1 is opened a second time", action::OpenFabric{Op{1}, Endpoint{1}, Blob("simulated"), {}}},
      {"region 9 is given back", action::UnregisterRegion{Op{1}, Region{9}}},
      {"a store into region 9", action::StoreRegion{Region{9}, 0, Blob("x")}},
      {"a store of 65 bytes at 0", action::StoreRegion{Region{1}, 0, Nics::words(1, 65)}},
      {"a read of peer 4", action::ReadRemote{Op{1}, Endpoint{1}, Peer{4}, {}, 0, 0, 8, no_buffer, 0}}};
  for (const auto& [text, action] : mistakes) {
    Nics nics(NicKind::strict);
    nics.serve(64, 1, 0);
    nics.puppets.perform(std::holds_alternative<action::ReadRemote>(action) ? 1 : 0, action);
    ASSERT_TRUE(nics.puppets.world().finding()) << text;
    EXPECT_NE(nics.puppets.world().finding()->text.find(text), std::string::npos) << nics.puppets.world().finding()->text;
  }
}

TEST(SimulatedNic, a_region_of_an_endpoint_that_only_reads_is_the_machines_mistake) {
  PuppetWorld puppets(1, {}, allowing({}));
  puppets.perform(0, action::OpenFabric{Op{1}, Endpoint{1}, Blob("simulated"), {}, false});
  ASSERT_EQ(std::get<event::FabricOpened>(*puppets.next(0)).status, Status::ok);
  puppets.perform(0, action::RegisterRegion{Op{2}, Endpoint{1}, Region{1}, 64});
  ASSERT_TRUE(puppets.world().finding());
  EXPECT_NE(puppets.world().finding()->text.find("endpoint 1, which only reads"), std::string::npos);
}

TEST(SimulatedNic, an_opening_that_fails_leaves_nothing_open) {
  PuppetWorld puppets(1, {{Tag::fabric_failure, 0, 0, 2, 1}}, allowing({Tag::fabric_failure}));
  puppets.perform(0, action::OpenFabric{Op{1}, Endpoint{1}, Blob("simulated"), {}});
  EXPECT_EQ(std::get<event::FabricOpened>(*puppets.next(0)).status, Status::failed);
  EXPECT_EQ(puppets.world().fabric().open_endpoints(0), 0u);
  EXPECT_TRUE(puppets.world().fabric().first_left(0).empty());
}

}  // namespace
}  // namespace tenter::sim

namespace tenter::conformance {

using sim::NicKind;
using Simulated = testing::Types<sim::SimulatedNics<NicKind::strict, 0>, sim::SimulatedNics<NicKind::strict, 1>,
                                 sim::SimulatedNics<NicKind::breaking, 1>, sim::SimulatedNics<NicKind::lax, 2>>;
INSTANTIATE_TYPED_TEST_SUITE_P(Simulated, FabricConformance, Simulated);

}  // namespace tenter::conformance
