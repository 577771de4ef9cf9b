// The smallest owners of Beacon and Leases: a core that closes after a while, and a reader that announces itself, reads for a
// while and leaves. They stand in for the machines that publish and join.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/machine.hpp"
#include "core/port.hpp"
#include "core/store/file_name.hpp"
#include "core/store/notes.hpp"

namespace tenter::store::test {

inline constexpr Role owner_role{0}, beacon_role{1}, leases_role{2};
inline constexpr Generation core_job{0x11, 0x22};
inline constexpr std::uint32_t lease_period_ms = 500;

inline Blob blob(std::string_view text) { return Blob(text); }

struct Core {
  Duration serves{};                  // until it closes
  Duration patience{};                // of the close; 0: for ever
  std::string_view state = "making";  // "failed": no space for its directory or its first heartbeat
  std::optional<Status> drained;

  template <class O>
  void on(const event::Started&, O& out) {
    out.make_directory(Op{1}, blob(readers_directory(core_job)));
  }
  template <class O>
  void on(const event::FileDone& e, O& out) {
    if (e.op == Op{1} && e.status != Status::ok) {
      state = "failed";
    } else if (e.op == Op{1}) {
      state = "serving";
      const Beat heartbeat{BeatKind::core, BeatState::open, core_job, {}, 0, 2'000};
      out.tell(beacon_role, announce_note({blob(heartbeat_file_name(core_job)), heartbeat}));
      out.arm(Op{2}, e.now + serves);
    } else if (e.op == Op{3}) {
      state = "closed";
    }
  }
  template <class O>
  void on(const event::TimerFired&, O& out) {
    if (state == "failed") return;
    state = "announcing";
    out.tell(beacon_role, state_note(NoteKind::say, BeatState::closing));
  }
  template <class O>
  void on(const event::Told& e, O& out) {
    if (is(e.note, NoteKind::announced) && e.note.status != Status::ok) {
      state = "failed";
      out.remove_directory(Op{4}, blob(readers_directory(core_job)));
    } else if (is(e.note, NoteKind::said)) {
      state = "draining";
      out.tell(leases_role, drain_note({core_job, patience}));
    } else if (is(e.note, NoteKind::drained)) {
      state = "withdrawing";
      drained = e.note.status;
      out.tell(beacon_role, plain_note(NoteKind::withdraw));
    } else if (is(e.note, NoteKind::withdrawn)) {
      state = "removing";
      out.remove_directory(Op{3}, blob(readers_directory(core_job)));
    }
  }
  std::string_view state_name() const { return state; }
  TENTER_DESCRIBE(core, serves, patience, state, drained)
};

struct Guest {
  Generation id;
  Duration comes_after{}, reads_for{};
  std::string_view state = "coming";

  template <class O>
  void on(const event::Started& e, O& out) {
    out.arm(Op{1}, e.now + comes_after);
  }
  template <class O>
  void on(const event::TimerFired& e, O& out) {
    if (e.op == Op{1}) {
      state = "announcing";
      const Beat lease{BeatKind::reader, BeatState::open, core_job, id, 0, lease_period_ms};
      out.tell(beacon_role, announce_note({blob(lease_path(core_job, id)), lease}));
    } else if (state == "reading") {
      state = "leaving";
      out.tell(beacon_role, plain_note(NoteKind::withdraw));
    }
  }
  template <class O>
  void on(const event::Told& e, O& out) {
    if (is(e.note, NoteKind::announced) && e.note.status == Status::ok) {
      state = "reading";
      out.arm(Op{2}, e.now + reads_for);
    } else if (is(e.note, NoteKind::announced) || is(e.note, NoteKind::withdrawn)) {
      state = "gone";
    } else if (is(e.note, NoteKind::unheard) && e.note.status == Status::not_found) {
      state = "gone";
    }
  }
  std::string_view state_name() const { return state; }
  TENTER_DESCRIBE(guest, id, comes_after, reads_for, state)
};

}  // namespace tenter::store::test
