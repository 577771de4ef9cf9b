// Bugs of the store that only show on a file system of several hosts.
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

void plant(sim::Protocol& protocol, const char* name, const char* about, const char* property, const StoreMachines& machines,
           StoreScenario shape = {}) {
  protocol.planted({name, about, property, [machines, shape](sim::Scenario& s) { build_store(s, machines, shape); }, 10'000});
}

}  // namespace

void add_store_file_bugs(sim::Protocol& p) {
  StoreScenario unsynced_bytes, unsynced_names, in_place;
  in_place.publishes.renames = false;
  unsynced_bytes.publishes = {false, true};
  unsynced_names.publishes = {true, false};
  plant(p, "renamed_before_its_bytes_are_synced", "a file's bytes may be lost after its name is there",
        "B11 a file under its name is whole", protocols::shipped_store(), unsynced_bytes);
  plant(p, "record_written_in_place", "a file is written under its name, without a temporary and a rename",
        "B11 a file under its name is whole", protocols::shipped_store(), in_place);
  plant(p, "directory_is_not_synced", "a publish is acknowledged before its name is safe",
        "B11 what was published survives a crash", protocols::shipped_store(), unsynced_names);
  plant(p, "torn_record_believed", "a record is handed on as it was read", "S2 a torn record is never believed",
        torn_record_believed());
  plant(p, "join_does_not_list", "a name that was missing once stays missing in the cache", "a record that is there is found",
        join_does_not_list());
}

}  // namespace tenter::planted
