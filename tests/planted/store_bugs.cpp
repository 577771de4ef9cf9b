#include "tests/planted/store_bugs.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "core/store/slot.hpp"
#include "tests/planted/store_edits.hpp"

namespace tenter::planted {
namespace {

// ---- Reader

// Every slot is given the checksum that its bytes deserve: as if nobody compared it.
StoreMachines checksum_not_checked() {
  Bug bug;
  bug.before = [formats = std::map<std::uint64_t, RowFormat>(), posted = std::map<Op, RowFormat>()](Event& event,
                                                                                                    Actions&) mutable {
    if (const auto* e = as<event::Told>(event); e && is(e->note, NoteKind::attach))
      if (const auto record = decode_record(e->note.parts[0].bytes()); record && record->versioned) {
        const RowFormat format = format_of(*record);
        formats[format.slot_bytes()] = format;
      }
    auto* read = std::get_if<event::ReadDone>(&event);
    if (!read || read->status != Status::ok || read->content.empty() || read->content.text().starts_with(identity_magic))
      return true;
    for (const auto& [slot, format] : formats) {
      if (read->content.size() % slot != 0) continue;
      wire::Writer slots;
      for (std::size_t at = 0; at < read->content.size(); at += slot) {
        const Bytes bytes = read->content.bytes().subspan(at, slot);
        slots.bytes(encode_slot(format, std::max<std::uint64_t>(1, wire::load<std::uint64_t>(bytes.data())),
                                bytes.subspan(slot_head_bytes, format.row_bytes))
                        .bytes());
      }
      read->content = slots.blob();
      break;
    }
    return true;
  };
  return with_reader(bug);
}

// D11: a completion is taken for the read that was posted first, whichever it is of.
StoreMachines completion_taken_for_the_next() {
  StoreMachines machines = protocols::shipped_store();
  machines.reader = [](ReaderConfig c) {
    const auto posted = std::make_shared<std::vector<action::ReadRemote>>();
    Bug bug;
    bug.before = [posted](Event& event, Actions&) {
      auto* read = std::get_if<event::ReadDone>(&event);
      if (!read || read->status != Status::ok) return true;
      const std::size_t bytes = read->content.size();
      const auto first = std::find_if(posted->begin(), posted->end(), [&](const action::ReadRemote& r) {
        return is_read_of_rows(r) && bytes == (r.buffer == no_buffer ? r.bytes : 0);
      });
      if (first == posted->end() || read->content.text().starts_with(identity_magic)) return true;
      read->op = first->op;
      posted->erase(first);
      return true;
    };
    bug.after = [posted](const Event&, Actions& actions) {
      if (find<action::CloseFabric>(actions)) posted->clear();
      for (const Action& action : actions)
        if (const auto* read = std::get_if<action::ReadRemote>(&action)) posted->push_back(*read);
    };
    return rewritten(Reader(std::move(c)), bug);
  };
  return machines;
}

// S1: the caller has its buffer back while reads into it are in flight.
StoreMachines answered_before_the_close() {
  constexpr Op later{0xFFFFFF};
  struct Memory {
    Ticket ticket{}, told{};
    action::CloseFabric close;
  };
  StoreMachines machines = protocols::shipped_store();
  machines.reader = [](ReaderConfig c) {
    const auto memory = std::make_shared<Memory>();
    Bug bug;
    bug.before = [memory](Event& event, Actions& actions) {
      const auto* fired = as<event::TimerFired>(event);
      if (!fired || fired->op != later) return true;
      actions.emplace_back(memory->close);
      return false;
    };
    bug.after = [memory](const Event& event, Actions& actions) {
      if (const auto* submitted = as<event::Submitted>(event)) memory->ticket = submitted->ticket;
      const auto* fired = as<event::TimerFired>(event);
      if (const auto* close = fired ? find<action::CloseFabric>(actions) : nullptr) {
        memory->close = *close;
        memory->told = memory->ticket;
        drop<action::CloseFabric>(actions);
        actions.emplace_back(action::Arm{later, fired->now + milliseconds(1)});
        actions.emplace_back(
            action::Complete{memory->told, answer_note(CallKind::get, Status::timed_out, "get: not answered in time")});
        return;
      }
      std::erase_if(actions, [&](const Action& action) {
        const auto* complete = std::get_if<action::Complete>(&action);
        return complete && complete->ticket == memory->told;
      });
    };
    return rewritten(Reader(std::move(c)), bug);
  };
  return machines;
}

StoreMachines failed_read_taken_for_a_good_one() {
  StoreMachines machines = protocols::shipped_store();
  machines.reader = [](ReaderConfig c) {
    const auto asked = std::make_shared<std::map<Op, std::size_t>>();
    Bug bug;
    bug.before = [asked](Event& event, Actions&) {
      auto* read = std::get_if<event::ReadDone>(&event);
      if (!read || read->status != Status::failed || !asked->contains(read->op)) return true;
      read->status = Status::ok;
      read->content = Blob((*asked)[read->op], [](MutableBytes to) { std::fill(to.begin(), to.end(), std::byte{0}); });
      return true;
    };
    bug.after = [asked](const Event&, Actions& actions) {
      for (const Action& action : actions)
        if (const auto* read = std::get_if<action::ReadRemote>(&action); read && is_read_of_rows(*read))
          (*asked)[read->op] = read->buffer == no_buffer ? read->bytes : 0;
    };
    return rewritten(Reader(std::move(c)), bug);
  };
  return machines;
}

StoreMachines pieces_at_each_others_places() {
  return with_reader(after([](const Event&, Actions& actions) {
    std::vector<action::FillBuffer*> fills;
    for (Action& action : actions)
      if (auto* fill = std::get_if<action::FillBuffer>(&action)) fills.push_back(fill);
    if (fills.size() > 1) std::swap(fills[0]->at, fills[1]->at);
  }));
}

StoreMachines answered_twice() {
  return with_reader(after([](const Event& event, Actions& actions) {
    if (as<event::ReadDone>(event))
      if (const auto* complete = find<action::Complete>(actions)) actions.push_back(*complete);
  }));
}

StoreMachines window_without_an_end() {
  StoreMachines machines = protocols::shipped_store();
  machines.reader = [](ReaderConfig c) {
    c.reads_in_flight = 1'000;
    return AnyMachine(Reader(std::move(c)));
  };
  return machines;
}

// The span's offset counts from the first row, not from the region's start.
StoreMachines offset_forgets_the_identity() {
  return with_reader(after([](const Event&, Actions& actions) {
    for (Action& action : actions)
      if (auto* read = std::get_if<action::ReadRemote>(&action); read && is_read_of_rows(*read)) read->offset -= 8;
  }));
}

// ---- Publisher

void each_store(Actions& actions, const std::function<void(action::StoreRegion&)>& edit) {
  for (Action& action : actions)
    if (auto* store = std::get_if<action::StoreRegion>(&action)) edit(*store);
}

StoreMachines identity_without_generation() {
  return with_publisher(after([](const Event&, Actions& actions) {
    each_store(actions, [](action::StoreRegion& store) {
      if (store.offset != 0 || store.content.size() != identity_bytes) return;
      wire::Reader reader(store.content.bytes().subspan(8 + 16));
      Identity identity{{}, reader.u64(), reader.u64(), reader.u64(), reader.u32()};
      store.content = encode_identity(identity);
    });
  }));
}

StoreMachines every_rank_says_it_is_rank_0() {
  return with_publisher(after([](const Event&, Actions& actions) {
    each_store(actions, [](action::StoreRegion& store) {
      if (store.offset != 0 || store.content.size() != identity_bytes) return;
      const Bytes bytes = store.content.bytes();
      wire::Reader reader(bytes.subspan(8 + 16));
      store.content = encode_identity({generation_of(bytes.subspan(8)), reader.u64(), reader.u64(), reader.u64(), 0});
    });
  }));
}

StoreMachines rows_are_not_stored() {
  return with_publisher(after([](const Event& event, Actions& actions) {
    if (as<event::RegionRegistered>(event)) drop<action::CopyToRegion>(actions);
  }));
}

StoreMachines update_acknowledged_before_it_is_stored() {
  return with_publisher(after([](const Event& event, Actions& actions) {
    if (as<event::Submitted>(event) && find<action::StoreRegion>(actions)) first<action::Complete>(actions);
  }));
}

StoreMachines update_keeps_the_old_checksum() {
  return with_publisher(after([](const Event& event, Actions& actions) {
    const auto* submitted = as<event::Submitted>(event);
    if (!submitted || !is(submitted->call, CallKind::update)) return;
    each_store(actions, [](action::StoreRegion& store) {
      if (store.content.size() <= slot_head_bytes) return;
      store.content = Blob(store.content.bytes().subspan(slot_head_bytes));
      store.offset += slot_head_bytes;
    });
  }));
}

StoreMachines shard_of_another_rank() {
  return with_publisher(after([](const Event&, Actions& actions) {
    auto* shared = find<action::Allgather>(actions);
    auto intent = shared ? decode_intent(shared->content) : std::nullopt;
    if (!intent || intent->what != "shard" || intent->more.empty()) return;
    for (std::uint32_t rank = 1; rank < 3; ++rank)
      if (const auto shard = decode_shard(intent->more.bytes(), rank)) intent->more = encode_shard(*shard, 0);
    shared->content = encode_intent(*intent);
  }));
}

// ---- Joiner, Beacon, Leases

StoreMachines missing_for_ever() {
  return with_joiner(after([ticket = Ticket{}](const Event& event, Actions& actions) mutable {
    if (const auto* submitted = as<event::Submitted>(event)) ticket = submitted->ticket;
    const auto* done = as<event::FileDone>(event);
    if (!done || done->status != Status::not_found || !find<action::Arm>(actions)) return;
    drop<action::Arm>(actions);
    actions.emplace_back(
        action::Complete{ticket, answer_note(CallKind::join, Status::not_found, "join: there is no such variable")});
  }));
}

StoreMachines lease_is_not_written() {
  Bug bug;
  bug.before = [](Event& event, Actions& actions) {
    const auto* e = as<event::Told>(event);
    if (!e) return true;
    const auto what = read_announce(e->note);
    if (!what || what->beat.kind != BeatKind::reader) return true;
    actions.emplace_back(action::Tell{owner_role, plain_note(NoteKind::announced)});
    return false;
  };
  return with_beacon(bug);
}

StoreMachines full_directory_taken_for_an_empty_one() {
  Bug bug;
  bug.before = [](Event& event, Actions&) {
    if (auto* listed = std::get_if<event::FilesListed>(&event)) listed->names = Parts{};
    return true;
  };
  return with_leases(bug);
}

// ---- the list

void plant(sim::Protocol& protocol, const char* name, const char* about, const char* property, const StoreMachines& machines,
           StoreScenario shape = {}) {
  protocol.planted({name, about, property, [machines, shape](sim::Scenario& s) { build_store(s, machines, shape); }, 10'000});
}

constexpr const char* own_rows = "S1 a get gives the bytes of its own rows";
constexpr const char* torn = "S2 a torn row is never believed";
constexpr const char* late = "S1 nothing lands in a buffer after its call has ended";
constexpr const char* healthy = "without a fault nothing fails";
constexpr const char* ends = "every call ends";
constexpr const char* left = "nothing is left over";
constexpr const char* closes = "D31 no core closes under a reader";
constexpr const char* found = "a record that is there is found";

}  // namespace

void add_store_bugs(Registry& registry) {
  sim::Protocol& p = registry.protocol("store");
  StoreScenario calm;
  calm.faults = false;
  StoreScenario hot;
  hot.hot = true;
  plant(p, "checksum_not_checked", "a torn row is taken for whole", torn, checksum_not_checked(), hot);
  plant(p, "completion_taken_for_the_next", "completions are matched by their order, not by their operation", own_rows,
        completion_taken_for_the_next());
  plant(p, "answered_before_the_close", "a get that timed out is answered while its reads are in flight", late,
        answered_before_the_close());
  plant(p, "failed_read_taken_for_a_good_one", "the status of a completion is not looked at", own_rows,
        failed_read_taken_for_a_good_one());
  plant(p, "pieces_at_each_others_places", "two pieces of one span change places in the buffer", own_rows,
        pieces_at_each_others_places());
  plant(p, "answered_twice", "a get is completed a second time", "a call is answered once", answered_twice());
  plant(p, "window_without_an_end", "all reads are posted at once", "at most so many reads are in flight",
        window_without_an_end());
  plant(p, "offset_forgets_the_identity", "rows are read 8 bytes too early", own_rows, offset_forgets_the_identity(), calm);
  plant(p, "get_without_a_deadline", "a silent peer is waited for for ever", ends,
        with_reader(without<action::Arm>(armed(ReaderOperation::deadline))));
  plant(p, "endpoint_is_not_closed", "the last leave keeps the endpoint", ends, with_reader(without<action::CloseFabric>()),
        calm);
  plant(p, "attach_is_not_answered", "the owner is not told that a variable can be read", healthy,
        with_reader(without<action::Tell>(told(NoteKind::attached))), calm);
  plant(p, "identity_without_generation", "the region does not say which run it is of", healthy, identity_without_generation(),
        calm);
  plant(p, "every_rank_says_it_is_rank_0", "the identity names another rank", healthy, every_rank_says_it_is_rank_0(), calm);
  plant(p, "rows_are_not_stored", "the buffer's rows do not reach the region", own_rows, rows_are_not_stored(), calm);
  plant(p, "update_acknowledged_before_it_is_stored", "an update is answered too early",
        "a get is not older than an acknowledged update", update_acknowledged_before_it_is_stored());
  plant(p, "update_keeps_the_old_checksum", "an updated row is torn for ever", healthy, update_keeps_the_old_checksum(), calm);
  plant(p, "shard_of_another_rank", "a rank's shard says that it is rank 0's", healthy, shard_of_another_rank(), calm);
  plant(p, "record_is_not_removed", "a close leaves its records", left, with_publisher(after([](const Event&, Actions& actions) {
          for (Action& action : actions)
            if (auto* remove = std::get_if<action::RemoveFile>(&action)) remove->path = Blob("another.record");
        })),
        calm);
  plant(p, "readers_directory_is_not_removed", "a close leaves the leases", left,
        with_publisher(after([](const Event&, Actions& actions) {
          for (Action& action : actions)
            if (auto* remove = std::get_if<action::RemoveDirectory>(&action)) remove->path = Blob("another.readers");
        })),
        calm);
  plant(p, "region_is_not_given_back", "an add that failed waits for ever", ends,
        with_publisher(without<action::UnregisterRegion>()));
  plant(p, "heartbeat_is_not_withdrawn", "a close waits for its own heartbeat", ends,
        with_publisher(without<action::Tell>(told(NoteKind::withdraw))), calm);
  plant(p, "join_without_a_deadline", "a variable that never comes is waited for for ever", ends,
        with_joiner(without<action::Arm>(armed(JoinerOperation::deadline))));
  plant(p, "join_looks_once", "a record that comes later is not seen", found,
        with_joiner(without<action::Arm>(armed(JoinerOperation::look))), calm);
  plant(p, "missing_for_ever", "a record that is not there yet is taken for absent for ever", healthy, missing_for_ever(), calm);
  plant(p, "leave_without_detach", "a leave does not end the reads", ends,
        with_joiner(without<action::Tell>(told(NoteKind::detach))), calm);
  plant(p, "lease_is_not_withdrawn", "a leave keeps the lease", ends,
        with_joiner(without<action::Tell>(told(NoteKind::withdraw))), calm);
  plant(p, "lease_is_not_written", "a reader reads without saying so", closes, lease_is_not_written());
  plant(p, "full_directory_taken_for_an_empty_one", "a core does not see its readers' leases", closes,
        full_directory_taken_for_an_empty_one());
  add_store_file_bugs(p);
}

}  // namespace tenter::planted
