// Bugs of the store that only show on a file system of several hosts, or at an address that is given out again.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "core/store/layout.hpp"
#include "core/store/record.hpp"
#include "tests/planted/store_bugs.hpp"
#include "tests/planted/store_edits.hpp"

namespace tenter::planted {
namespace {

constexpr Role reader_role{1};

// A record is handed on as it was read: as if its name were proof enough.
StoreMachines torn_record_believed() {
  return with_joiner(after([](const Event& event, Actions& actions) {
    const auto* done = as<event::FileDone>(event);
    if (!done || done->status != Status::ok || !find<action::Arm>(actions) || decode_record(done->content.bytes())) return;
    if (done->content.size() == beat_bytes) return;  // a heartbeat
    drop<action::Arm>(actions);
    actions.emplace_back(action::Tell{reader_role, attach_note(1, done->content)});
  }));
}

// The directory is not listed before a further look.
StoreMachines join_does_not_list() {
  Bug bug;
  constexpr std::uint64_t list_kind = static_cast<std::uint64_t>(JoinerOperation::list);
  bug.before = [](Event& event, Actions&) {
    if (const auto* fired = std::get_if<event::TimerFired>(&event); fired && (number(fired->op) & 0xFF) == list_kind)
      event = event::FilesListed{fired->now, fired->op, Status::ok, {}};
    return true;
  };
  bug.after = [](const Event&, Actions& actions) {
    for (Action& action : actions)
      if (const auto* list = std::get_if<action::ListFiles>(&action)) action = action::Arm{list->op, Time{}};
  };
  return with_joiner(bug);
}

// Every probe but the first of a region is answered with what the first one found: as if it were not compared.
StoreMachines key_not_revalidated() {
  StoreMachines machines = protocols::shipped_store();
  machines.reader = [](ReaderConfig c) {
    struct Memory {
      std::map<std::pair<std::string, std::uint64_t>, Blob> found;  // by key and base
      std::map<Op, std::pair<std::string, std::uint64_t>> probes;
      std::map<Peer, std::string> addresses;
    };
    Bug bug;
    const auto memory = std::make_shared<Memory>();
    bug.before = [memory](Event& event, Actions&) {
      auto* read = std::get_if<event::ReadDone>(&event);
      const auto probe = read ? memory->probes.find(read->op) : memory->probes.end();
      if (probe == memory->probes.end() || read->status != Status::ok) return true;
      const auto [first, inserted] = memory->found.try_emplace(probe->second, read->content);
      if (!inserted) read->content = first->second;
      return true;
    };
    bug.after = [memory](const Event& event, Actions& actions) {
      if (const auto* told_note = as<event::Told>(event); told_note && is(told_note->note, NoteKind::attach))
        memory->found.clear();
      for (const Action& action : actions) {
        if (const auto* insert = std::get_if<action::InsertPeer>(&action))
          memory->addresses[insert->peer] = std::string(insert->address.text());
        const auto* read = std::get_if<action::ReadRemote>(&action);
        if (read && !is_read_of_rows(*read))
          memory->probes[read->op] = {memory->addresses[read->peer] + "/" + std::string(read->key.text()), read->base};
      }
    };
    return rewritten(Reader(std::move(c)), bug);
  };
  return machines;
}

void plant(sim::Protocol& protocol, const char* name, const char* about, const char* property, const StoreMachines& machines,
           StoreScenario shape = {}) {
  protocol.planted({name, about, property, [machines, shape](sim::Scenario& s) { build_store(s, machines, shape); }, 10'000});
}

}  // namespace

void add_store_file_bugs(sim::Protocol& p) {
  StoreScenario unsynced_bytes, unsynced_names;
  unsynced_bytes.publishes = {false, true};
  unsynced_names.publishes = {true, false};
  plant(p, "renamed_before_its_bytes_are_synced", "a file's bytes may be lost after its name is there",
        "B11 a file under its name is whole", protocols::shipped_store(), unsynced_bytes);
  plant(p, "directory_is_not_synced", "a publish is acknowledged before its name is safe",
        "B11 what was published survives a crash", protocols::shipped_store(), unsynced_names);
  plant(p, "torn_record_believed", "a record is handed on as it was read", "S2 a torn record is never believed",
        torn_record_believed());
  plant(p, "join_does_not_list", "a name that was missing once stays missing in the cache", "a record that is there is found",
        join_does_not_list());
  plant(p, "key_not_revalidated", "a region is not probed again on a new endpoint", "S5 no bytes of another run of the job",
        key_not_revalidated());
}

}  // namespace tenter::planted
