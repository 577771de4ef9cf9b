// Scripts rank 0 of two by hand, method file. Its operations count from 1: open 1 to 5, add 6 to 13, close 14 to 21.
#pragma once
#include <string>
#include <utility>

#include "core/store/publisher.hpp"
#include "joiner_kit.hpp"

namespace tenter::store::test {

using Publishes = mailbox::test::Script<Publisher>;
using Publishing = PublisherOperation;
inline constexpr Role leases_role{3};
inline constexpr Generation own_generation{0x11, 0x22};

inline Blob blob(std::string_view text) { return Blob(text); }
inline Event add_call(std::uint64_t rows = 2) {
  AddCall call;
  call.variable = blob("x");
  call.dtype = DType::uint8;
  call.row_shape = {4};
  call.rows = rows;
  return call_of(add_note(call), Ticket{2});
}
inline Event open_call() { return call_of(call_note(CallKind::open), Ticket{1}); }
inline Event close_call() { return call_of(close_note(seconds(3)), Ticket{3}); }
inline Event update_call() { return call_of(update_note({blob("x"), 1, blob("abcd")}), Ticket{4}); }
inline Event host() { return event::HostDescribed{Time{0}, operation(Publishing::host, 1), ProcessId{7, 8}, 0, blob("node-1")}; }
inline Event drawn(std::size_t bytes = generation_bytes) {
  wire::Writer writer;
  writer.u64(own_generation.low).u64(own_generation.high);
  return event::RandomBytes{Time{0}, operation(Publishing::draw, 1), Blob(writer.blob().bytes().first(bytes))};
}
inline Event fabric_opened(Status status = Status::ok) {
  return event::FabricOpened{Time{0},        operation(Publishing::local, 2), status, 0x34, 3, 1u << 20, blob("own address"),
                             blob("a cause")};
}
inline Event registered(Status status = Status::ok) {
  return event::RegionRegistered{Time{0}, operation(Publishing::local, 7), status, blob("key"), 0x1000, blob("a cause")};
}
inline Event fabric_done(std::uint64_t sequence) {
  return event::FabricDone{Time{0}, operation(Publishing::local, sequence), Status::ok, {}};
}
// The same intent from both ranks.
inline Event agreed(std::uint64_t sequence, const std::string& what, Blob more = {}, const std::string& other = {}) {
  const Blob mine = encode_intent({Status::ok, {}, what, more});
  const Blob theirs = encode_intent({Status::ok, {}, other.empty() ? what : other, more});
  return event::CollectiveDone{Time{0}, operation(Publishing::collective, sequence), Status::ok, {}, Parts{mine, theirs}};
}
inline Event agreed_to_open(const std::string& other = {}) {
  wire::Writer writer;
  writer.u64(own_generation.low).u64(own_generation.high);
  return agreed(3, "open with method file, provider shm", writer.blob(), other);
}
inline Event agreed_to_add(const std::string& other = {}) { return agreed(6, "add \"x\" of uint8 [4]", {}, other); }
inline Event agreed_to_close() { return agreed(14, "close"); }
inline Event shards(Status status = Status::ok) {
  const auto intent = [&](std::uint32_t rank) {
    const Shard shard{blob("address"), blob("key"), 0x1000, identity_bytes + 8, 2};
    return encode_intent({rank == 0 ? Status::ok : status, "no memory", "shard", encode_shard(shard, rank)});
  };
  return event::CollectiveDone{Time{0}, operation(Publishing::collective, 8), Status::ok, {}, Parts{intent(0), intent(1)}};
}
inline Event outcome(std::uint64_t sequence, Status status = Status::ok) {
  return event::CollectiveDone{Time{0},
                               operation(Publishing::collective, sequence),
                               Status::ok,
                               encode_intent({status, status == Status::ok ? "" : "a cause", {}, {}}),
                               {}};
}
inline Event left_barrier() { return event::CollectiveDone{Time{0}, operation(Publishing::collective, 20), Status::ok, {}, {}}; }
inline Event file_done(std::uint64_t sequence, Status status = Status::ok, Blob content = {}, Time now = Time{0}) {
  if (status != Status::ok && content.empty()) content = blob("a cause");
  return event::FileDone{now, operation(Publishing::file, sequence), status, std::move(content)};
}
inline Event listed(std::uint64_t sequence) {
  return event::FilesListed{Time{0}, operation(Publishing::list, sequence), Status::ok, {}};
}
inline Event look_due(std::uint64_t sequence) { return event::TimerFired{after(2'000), operation(Publishing::look, sequence)}; }
inline Blob record_of_another() { return encode_record(sample_record()); }
inline Blob heartbeat_of_another(std::uint64_t count, BeatState state = BeatState::open) {
  return encode_beat({BeatKind::core, state, sample_record().generation, {}, count, 2'000});
}
inline Event from_beacon(NoteKind kind, Status status = Status::ok) {
  return note_from(beacon_role, plain_note(kind, status, status == Status::ok ? Blob() : blob("a cause")));
}
inline Event from_reader(NoteKind kind, Status status = Status::ok) {
  return note_from(reader_role, number_note(kind, 1, status, status == Status::ok ? Blob() : blob("a cause")));
}
inline Event drained(Status status = Status::ok) {
  return note_from(leases_role, drained_note(status, 0, status == Status::ok ? "" : "reader a may still read"));
}

inline Publishes not_open() {
  PublisherConfig config;
  config.ranks = 2;
  config.provider = blob("shm");
  config.job = blob("train");
  return {Publisher(config), {}};
}
inline Publishes preparing() { return std::move(not_open() << open_call()); }
inline Publishes opening_link() { return std::move(preparing() << host() << drawn()); }
inline Publishes agreeing_to_open() { return std::move(opening_link() << fabric_opened()); }
inline Publishes making() { return std::move(agreeing_to_open() << agreed_to_open()); }
inline Publishes announcing() { return std::move(making() << file_done(4)); }
inline Publishes concluding_open() { return std::move(announcing() << from_beacon(NoteKind::announced)); }
inline Publishes open_store() { return std::move(concluding_open() << outcome(5)); }
inline Publishes agreeing_to_add() { return std::move(open_store() << add_call()); }
inline Publishes registering() { return std::move(agreeing_to_add() << agreed_to_add()); }
inline Publishes sharing() { return std::move(registering() << registered()); }
inline Publishes looking() { return std::move(sharing() << shards()); }
inline Publishes looking_at_record() { return std::move(looking() << listed(9)); }
inline Publishes listening() { return std::move(looking_at_record() << file_done(10, Status::ok, record_of_another())); }
inline Publishes publishing() { return std::move(looking_at_record() << file_done(10, Status::not_found)); }
inline Publishes concluding_add() { return std::move(publishing() << file_done(11)); }
inline Publishes attaching_own() { return std::move(concluding_add() << outcome(12)); }
inline Publishes published() { return std::move(attaching_own() << from_reader(NoteKind::attached)); }
inline Publishes agreeing_to_close() { return std::move(published() << close_call()); }
inline Publishes saying() { return std::move(agreeing_to_close() << agreed_to_close()); }
inline Publishes draining() {
  return std::move(saying() << note_from(beacon_role, state_note(NoteKind::said, BeatState::closing)));
}
inline Publishes checking() { return std::move(draining() << drained()); }
inline Blob own_record() { return publishing().last<action::PublishFile>().content; }
inline Publishes removing() { return std::move(checking() << file_done(15, Status::ok, own_record())); }
inline Publishes withdrawing() { return std::move(removing() << file_done(16)); }
inline Publishes clearing() { return std::move(withdrawing() << from_beacon(NoteKind::withdrawn)); }
inline Publishes concluding_close() { return std::move(clearing() << file_done(18)); }
inline Publishes detaching() { return std::move(concluding_close() << outcome(19)); }
inline Publishes leaving() { return std::move(detaching() << from_reader(NoteKind::detached)); }
inline Publishes closing_link() { return std::move(leaving() << left_barrier()); }
inline Publishes undoing() { return std::move(sharing() << shards(Status::no_space)); }

}  // namespace tenter::store::test
