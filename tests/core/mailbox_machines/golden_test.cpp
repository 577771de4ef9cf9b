// The state × event tables of Channel, Dispatcher and Member: tests/golden/mailbox_<machine>.txt. States are reached by scripts
// of events; world of two ranks; one request, number 1, is or was in the lane.
#include "tests/core/golden.hpp"

#include "core/mailbox/channel.hpp"
#include "core/mailbox/dispatcher.hpp"
#include "core/mailbox/envelope.hpp"
#include "core/mailbox/error_list.hpp"
#include "core/mailbox/member.hpp"
#include "core/mailbox/operation.hpp"
#include "core/mailbox/vector.hpp"
#include "core/wire.hpp"

namespace tenter::mailbox::test {
namespace {

using tenter::test::GoldenTable;

constexpr Time now{1'000};
constexpr std::uint32_t nonsense = 77;

template <class M>
M after(M machine, std::initializer_list<Event> events) {
  Outbox out;
  for (const Event& e : events) EXPECT_TRUE(deliver(machine, e, out)) << name_of(e);
  return machine;
}

Event word(auto kind, Word which, std::uint32_t value, std::uint64_t sequence = 0, std::uint32_t index = 0) {
  return event::WordChanged{now, operation(kind, sequence, index), which, value};
}
Event copied(auto kind, Blob content, std::uint64_t sequence = 0, std::uint32_t index = 0) {
  return event::Copied{now, operation(kind, sequence, index), std::move(content)};
}
Event swapped(auto kind, std::uint32_t seen, std::uint64_t sequence = 0, std::uint32_t index = 0) {
  return event::Swapped{now, operation(kind, sequence, index), seen};
}
Event fired(auto kind) { return event::TimerFired{now, operation(kind)}; }
Event told(Role from, Note note) { return event::Told{now, from, std::move(note)}; }
Event submitted(Opcode opcode, std::size_t payloads = 1) {
  return event::Submitted{now, Ticket{9}, request_note({opcode, Target::group, -1, {}, Parts(std::vector<Blob>(payloads))})};
}
Blob bytes_of(std::initializer_list<std::uint32_t> values) {
  wire::Writer writer;
  for (const std::uint32_t value : values) writer.u32(value);
  return writer.blob();
}
Blob an_error() { return encode_error(1, "Stopped", "pid 99 is stopped"); }

// ---------------------------------------------------------------------------------------------------------------------------

constexpr auto initializing = number(GroupState::initializing);
constexpr auto ready = number(GroupState::ready);
constexpr auto terminal = number(GroupState::terminal);
constexpr auto closed_group = number(GroupState::closed);
constexpr auto idle = number(RequestState::idle);
constexpr auto request_ready = number(RequestState::request_ready);
constexpr auto accepted = number(RequestState::task_accepted);
constexpr auto done = number(RequestState::task_done);
constexpr auto failed = number(RequestState::task_failed);
constexpr auto shutdown_ready = number(RequestState::shutdown_ready);
constexpr auto shutdown_done = number(RequestState::shutdown_done);

TEST(GoldenTables, of_the_channel) {
  using O = ChannelOperation;
  const Event group_ready = told(launch_role, plain_note(NoteKind::group_ready));
  const Channel starting(ChannelConfig{2});
  const Channel at_rest = after(starting, {group_ready});
  const Channel waiting = after(at_rest, {submitted(Opcode::task)});
  const Channel closing = after(at_rest, {submitted(Opcode::shutdown)});
  const Channel taking = after(waiting, {word(O::lane, request_word, done, 1)});
  const Channel failing = after(waiting, {word(O::lane, request_word, failed, 1)});
  const Channel condemning = after(waiting, {fired(O::deadline)});
  const Channel withdrawing = after(condemning, {swapped(O::condemn, ready, 1)});
  const Channel blaming = after(withdrawing, {swapped(O::withdraw, accepted, 1)});

  GoldenTable<Channel> table;
  table.state("starting", starting);
  table.state("idle", at_rest);
  table.state("waiting", waiting);
  table.state("waiting/shutdown", closing);
  table.state("waiting/queue", after(waiting, {submitted(Opcode::ping)}));
  table.state("accepted", after(waiting, {word(O::lane, request_word, accepted, 1)}));
  table.state("taking", taking);
  table.state("taking/head", after(taking, {word(O::reread, group_word, ready, 1), copied(O::lengths, bytes_of({1, 12}), 1)}));
  table.state("taking/reply", after(taking, {word(O::reread, group_word, ready, 1), copied(O::lengths, bytes_of({1, 12}), 1),
                                             copied(O::prefix, bytes_of({1, 4}), 1)}));
  table.state("taking/shutdown", after(closing, {word(O::lane, request_word, shutdown_done, 1)}));
  table.state("failing", failing);
  table.state("condemning", condemning);
  table.state("condemning/shutdown", after(closing, {fired(O::deadline)}));
  table.state("condemning/idle", after(at_rest, {word(O::group, group_word, nonsense)}));
  table.state("withdrawing", withdrawing);
  table.state("blaming", blaming);
  table.state("explaining", after(waiting, {word(O::group, group_word, terminal)}));
  table.state("terminal", after(blaming, {told(launch_role, text_note(NoteKind::culprit, an_error()))}));
  table.state("closed",
              after(closing, {word(O::lane, request_word, shutdown_done, 1), word(O::reread, group_word, closed_group, 1)}));

  const char* late = "the answer to an operation that is over";
  const char* launch_only = "only the machine that it is for, in the state that asked, takes it";
  const char* ended = "the end is under way, or over, with the first reason";
  const char* timer = "the timer is armed in other states only; a cancelled one never fires";
  table.event("started", event::Started{now}, "Launch says when there is a group");
  table.event("page_opened", event::PageOpened{now, Op{1}, Status::ok, layout::page_bytes, {}},
              "Launch owns the page's name and mapping");
  table.event("submitted(ping)", submitted(Opcode::ping));
  table.event("submitted(shutdown)", submitted(Opcode::shutdown));
  table.event("submitted(two payloads)", submitted(Opcode::task, 2));
  table.event("submitted(no request)", event::Submitted{now, Ticket{9}, Note{}});
  table.event("told(rendezvous: request)",
              told(rendezvous_role, request_note({Opcode::ping, Target::group, -1, {}, Parts{Blob()}}, 4)));
  table.event("told(launch: group_ready)", group_ready, launch_only);
  table.event("told(launch: group_broken)", told(launch_role, text_note(NoteKind::group_broken, an_error())), ended);
  table.event("told(launch: culprit)", told(launch_role, text_note(NoteKind::culprit, an_error())), launch_only);
  table.event("told(launch: ranks_gone)", told(launch_role, plain_note(NoteKind::ranks_gone)), launch_only);
  table.event("told(rendezvous: group_broken)", told(rendezvous_role, text_note(NoteKind::group_broken, an_error())),
              launch_only);
  table.event("word_changed(lane=TASK_ACCEPTED)", word(O::lane, request_word, accepted, 1), late);
  table.event("word_changed(lane=TASK_DONE)", word(O::lane, request_word, done, 1), late);
  table.event("word_changed(lane=TASK_FAILED)", word(O::lane, request_word, failed, 1), late);
  table.event("word_changed(lane=SHUTDOWN_DONE)", word(O::lane, request_word, shutdown_done, 1), late);
  table.event("word_changed(lane=IDLE)", word(O::lane, request_word, idle, 1), late);
  table.event("word_changed(lane=77)", word(O::lane, request_word, nonsense, 1), late);
  table.event("word_changed(lane after accept=TASK_DONE)", word(O::lane, request_word, done, 1, 1), late);
  table.event("word_changed(lane after accept=TASK_ACCEPTED)", word(O::lane, request_word, accepted, 1, 1), late);
  table.event("word_changed(lane of another request)", word(O::lane, request_word, done, 7), late);
  table.event("word_changed(reread=READY)", word(O::reread, group_word, ready, 1), late);
  table.event("word_changed(reread=TERMINAL)", word(O::reread, group_word, terminal, 1), late);
  table.event("word_changed(reread=CLOSED)", word(O::reread, group_word, closed_group, 1), late);
  table.event("word_changed(reread=77)", word(O::reread, group_word, nonsense, 1), late);
  table.event("word_changed(group=TERMINAL)", word(O::group, group_word, terminal), ended);
  table.event("word_changed(group=CLOSED)", word(O::group, group_word, closed_group),
              "a shutdown is in the lane, and SHUTDOWN_DONE follows; or the end is under way");
  table.event("word_changed(group=77)", word(O::group, group_word, nonsense), ended);
  table.event("word_changed(error_length=80)", word(O::error_length, error_length_word, 80, 1), late);
  table.event("word_changed(error_length=0)", word(O::error_length, error_length_word, 0, 1), late);
  table.event("word_changed(reason length=80)", word(O::error_length, error_length_word, 80, 1, 1), late);
  table.event("word_changed(reason length=65537)", word(O::error_length, error_length_word, 65'537, 1, 1), late);
  table.event("copied(lengths)", copied(O::lengths, bytes_of({1, 12}), 1), late);
  table.event("copied(wrong lengths)", copied(O::lengths, bytes_of({2, 12}), 1), late);
  table.event("copied(prefix)", copied(O::prefix, bytes_of({1, 4}), 1), late);
  table.event("copied(wrong prefix)", copied(O::prefix, bytes_of({1, 5}), 1), late);
  table.event("copied(reply)", copied(O::reply, bytes_of({5}), 1), late);
  table.event("copied(reply of another request)", copied(O::reply, bytes_of({5}), 7), late);
  table.event("copied(error list)", copied(O::errors, an_error(), 1), late);
  table.event("copied(reason)", copied(O::errors, an_error(), 1, 1), late);
  table.event("swapped(condemn, saw READY)", swapped(O::condemn, ready, 1), late);
  table.event("swapped(condemn, saw TERMINAL)", swapped(O::condemn, terminal, 1), late);
  table.event("swapped(condemn, saw CLOSED)", swapped(O::condemn, closed_group, 1), late);
  table.event("swapped(condemn before any request, saw 77)", swapped(O::condemn, nonsense, 0), late);
  table.event("swapped(withdraw, saw TASK_ACCEPTED)", swapped(O::withdraw, accepted, 1), late);
  table.event("swapped(withdraw, saw REQUEST_READY)", swapped(O::withdraw, request_ready, 1), late);
  table.event("timer_fired(deadline)", fired(O::deadline), timer);
  table.event("timer_fired(queue_deadline)", event::TimerFired{now + seconds(60), operation(O::queue_deadline)}, timer);
  table.event("timer_fired(patience)", fired(O::patience), timer);
  table.expect_complete({"starting", "idle", "waiting", "accepted", "taking", "failing", "condemning", "withdrawing", "blaming",
                         "explaining", "terminal", "closed"});
  table.expect_matches("mailbox_channel");
}

// ---------------------------------------------------------------------------------------------------------------------------

Blob identity(std::uint32_t world = 2) {
  wire::Writer writer;
  writer.bytes(std::as_bytes(std::span(layout::magic_bytes)));
  return writer.u32(1).u32(256).u64(layout::page_bytes).u32(world).blob();
}
Blob zeros(std::size_t count) {
  return Blob(count, [](MutableBytes to) { std::fill(to.begin(), to.end(), std::byte{0}); });
}
Blob header(Opcode opcode, std::uint64_t sequence = 1) {
  return write_request_fields({sequence, opcode, Target::group, -1, 1, 8});
}
Parts records(Outcome second, Outcome first = Outcome::done) {
  return Parts{write_record({0, first, "T", "m", {}}), write_record({1, second, "T", "m", {}})};
}

TEST(GoldenTables, of_the_dispatcher) {
  using O = DispatcherOperation;
  const auto attach = [](Blob reasons) {
    return told(member_role, attach_note({Blob(std::string_view("page")), 2, std::move(reasons)}));
  };
  const Event opened = event::PageOpened{now, operation(O::open), Status::ok, layout::page_bytes, {}};
  const Event copied_identity = copied(O::identity, identity()), copied_middle = copied(O::fields, zeros(40)),
              copied_reserved = copied(O::reserved, zeros(176)), lane_is_idle = word(O::lane, request_word, idle, 1);
  const Dispatcher unattached;
  const Dispatcher opening = after(unattached, {attach({})});
  const Dispatcher attaching = after(opening, {opened});
  const Dispatcher announcing = after(attaching, {copied_identity, copied_middle, copied_reserved, lane_is_idle});
  const Dispatcher parked = after(announcing, {swapped(O::announce, initializing, 1)});
  const Dispatcher reading = after(parked, {word(O::lane, request_word, request_ready, 2)});
  const Dispatcher reading_vector = after(reading, {copied(O::fields, header(Opcode::task), 2)});
  const Dispatcher accepting = after(reading_vector, {copied(O::vector, bytes_of({1, 0}), 2)});
  const Dispatcher gathering = after(accepting, {swapped(O::accept, request_ready, 2)});
  const Dispatcher gathering_shutdown =
      after(parked, {word(O::lane, request_word, shutdown_ready, 2), copied(O::fields, header(Opcode::shutdown), 2),
                     copied(O::vector, bytes_of({1, 0}), 2), swapped(O::accept, shutdown_ready, 2)});
  const Event gathered = told(member_role, gathered_note(records(Outcome::done)));
  const Dispatcher completing = after(gathering, {gathered});
  const Dispatcher parked_done = after(completing, {swapped(O::complete, accepted, 2)});
  const Dispatcher closing = after(gathering_shutdown, {gathered});
  const Dispatcher condemning = after(parked, {word(O::lane, request_word, nonsense, 2)});
  const Dispatcher releasing = after(condemning, {swapped(O::condemn, ready, 2)});

  GoldenTable<Dispatcher> table;
  table.state("unattached", unattached);
  table.state("opening", opening);
  table.state("attaching", attaching);
  table.state("attaching/last", after(attaching, {copied_identity, copied_middle, copied_reserved}));
  table.state("announcing", announcing);
  table.state("announcing/reasons",
              after(unattached, {attach(an_error()), opened, copied_identity, copied_middle, copied_reserved, lane_is_idle}));
  table.state("parked", parked);
  table.state("parked/done", parked_done);
  table.state("doubting", after(parked_done, {fired(O::stall)}));
  table.state("reading", reading);
  table.state("reading/shutdown", after(parked, {word(O::lane, request_word, shutdown_ready, 2)}));
  table.state("reading/vector", reading_vector);
  table.state("accepting", accepting);
  table.state("gathering", gathering);
  table.state("gathering/shutdown", gathering_shutdown);
  table.state("closing", closing);
  table.state("completing", completing);
  table.state("completing/shutdown", after(closing, {swapped(O::close, ready, 2)}));
  table.state("condemning", condemning);
  table.state("releasing", releasing);
  table.state("left", after(releasing, {swapped(O::release, idle, 2)}));

  const char* late = "the answer to an operation that is over";
  const char* leaving = "the word is watched from READY on, and it leaves already after TERMINAL";
  const char* elsewhere = "an order or a round is awaited in another state";
  table.event("started", event::Started{now}, "the member says when to attach");
  table.event("told(member: attach)", attach({}), elsewhere);
  table.event("told(member: broken attach)", told(member_role, plain_note(NoteKind::attach)), elsewhere);
  table.event("told(member: gathered, all done)", gathered, elsewhere);
  table.event("told(member: gathered, rank 1 failed)", told(member_role, gathered_note(records(Outcome::application))),
              elsewhere);
  table.event("told(member: gathered, rank 1 broken)",
              told(member_role, gathered_note(records(Outcome::transport, Outcome::application))), elsewhere);
  table.event("told(member: gathered, one record)", told(member_role, gathered_note(Parts{records(Outcome::done)[0]})),
              elsewhere);
  table.event("told(member: collective_failed)", told(member_role, collective_failed_note("bcast", 1, Status::peer_lost)),
              elsewhere);
  table.event("told(another role)", told(Role{5}, gathered_note(records(Outcome::done))),
              "only the member of this process speaks to it");
  table.event("page_opened", opened, late);
  table.event("page_opened(not_found)",
              event::PageOpened{now, operation(O::open), Status::not_found, 0, Blob(std::string_view("no page"))}, late);
  table.event("page_opened(one byte short)", event::PageOpened{now, operation(O::open), Status::ok, layout::page_bytes - 1, {}},
              late);
  table.event("copied(identity)", copied_identity, late);
  table.event("copied(gap and fields)", copied_middle, late);
  table.event("copied(reserved)", copied_reserved, late);
  table.event("word_changed(first look=IDLE)", lane_is_idle, late);
  table.event("word_changed(first look=REQUEST_READY)", word(O::lane, request_word, request_ready, 1), late);
  table.event("word_changed(lane=REQUEST_READY)", word(O::lane, request_word, request_ready, 2), late);
  table.event("word_changed(lane=SHUTDOWN_READY)", word(O::lane, request_word, shutdown_ready, 2), late);
  table.event("word_changed(lane=TASK_FAILED)", word(O::lane, request_word, failed, 2), late);
  table.event("word_changed(lane=77)", word(O::lane, request_word, nonsense, 2), late);
  table.event("word_changed(lane after done=IDLE)", word(O::lane, request_word, idle, 3), late);
  table.event("word_changed(lane after done=REQUEST_READY)", word(O::lane, request_word, request_ready, 3), late);
  table.event("word_changed(doubt=TASK_DONE)", word(O::doubt, request_word, done, 4), late);
  table.event("word_changed(doubt=IDLE)", word(O::doubt, request_word, idle, 4), late);
  table.event("word_changed(doubt=REQUEST_READY)", word(O::doubt, request_word, request_ready, 4), late);
  table.event("word_changed(group=TERMINAL)", word(O::group, group_word, terminal), leaving);
  table.event("word_changed(group=CLOSED)", word(O::group, group_word, closed_group),
              "it is its own CLOSED; else as with TERMINAL");
  table.event("word_changed(group=77)", word(O::group, group_word, nonsense), leaving);
  table.event("copied(header: task 1)", copied(O::fields, header(Opcode::task), 2), late);
  table.event("copied(header: sequence 0)", copied(O::fields, header(Opcode::task, 0), 2), late);
  table.event("copied(header: shutdown)", copied(O::fields, header(Opcode::shutdown), 2), late);
  table.event("copied(vector)", copied(O::vector, bytes_of({1, 0}), 2), late);
  table.event("copied(broken vector)", copied(O::vector, bytes_of({1, 1}), 2), late);
  table.event("swapped(announce, saw INITIALIZING)", swapped(O::announce, initializing, 1), late);
  table.event("swapped(announce, saw TERMINAL)", swapped(O::announce, terminal, 1), late);
  table.event("swapped(accept, saw REQUEST_READY)", swapped(O::accept, request_ready, 2), late);
  table.event("swapped(accept, saw TASK_FAILED)", swapped(O::accept, failed, 2), late);
  table.event("swapped(close, saw READY)", swapped(O::close, ready, 2), late);
  table.event("swapped(close, saw TERMINAL)", swapped(O::close, terminal, 2), late);
  table.event("swapped(close, saw 77)", swapped(O::close, nonsense, 2), late);
  table.event("swapped(complete, saw TASK_ACCEPTED)", swapped(O::complete, accepted, 2), late);
  table.event("swapped(complete, saw TASK_FAILED)", swapped(O::complete, failed, 2), late);
  table.event("swapped(condemn, saw READY)", swapped(O::condemn, ready, 2), late);
  table.event("swapped(condemn, saw TERMINAL)", swapped(O::condemn, terminal, 2), late);
  table.event("swapped(condemn, saw 77)", swapped(O::condemn, nonsense, 2), late);
  table.event("swapped(release, saw IDLE)", swapped(O::release, idle, 2), late);
  table.event("swapped(release, saw SHUTDOWN_READY)", swapped(O::release, shutdown_ready, 2), late);
  table.event("timer_fired(stall)", fired(O::stall), "it is armed only while an answer waits to be taken");
  table.expect_complete({"unattached", "opening", "attaching", "announcing", "parked", "doubting", "reading", "accepting",
                         "gathering", "closing", "completing", "condemning", "releasing", "left"});
  table.expect_matches("mailbox_dispatcher");
}

// ---------------------------------------------------------------------------------------------------------------------------

Blob vector_of(const Blob& payload) {
  wire::Writer writer;
  return writer.bytes(vector_prefix(Parts{payload}).bytes()).bytes(payload.bytes()).blob();
}
Blob envelope(Opcode opcode, const Blob& payload, Target target = Target::group, std::int32_t rank = -1) {
  const Blob vector = vector_of(payload);
  return write_envelope({1, opcode, target, rank, 1, static_cast<std::uint32_t>(vector.size())}, vector.bytes());
}

void member_table(std::uint32_t rank, const std::set<std::string>& all_states, const std::string& file) {
  using O = MemberOperation;
  const auto collective = [](O kind, std::uint64_t sequence = 0, Blob content = {}, Parts parts = {}) -> Event {
    return event::CollectiveDone{now, operation(kind, sequence), Status::ok, std::move(content), std::move(parts)};
  };
  const auto lost = [](O kind, std::uint64_t sequence = 0) -> Event {
    return event::CollectiveDone{now, operation(kind, sequence), Status::peer_lost, {}, {}};
  };
  const auto file_done = [](O kind, Status status, Blob content = {}) -> Event {
    return event::FileDone{now, operation(kind), status, std::move(content)};
  };
  const bool root = rank == 0;
  const Blob manifest = write_manifest({"page", 1, layout::page_bytes, 2});
  const Parts all_ready{readiness_of(0, {1, 1}, {}), readiness_of(1, {2, 1}, {})};
  const Parts one_not{readiness_of(0, {1, 1}, {}), readiness_of(1, {2, 1}, Blob(std::string_view("no device")))};
  const Blob task_frame = write_task({1, 2, 3}, {});
  const Event described = event::HostDescribed{now, operation(O::describe), ProcessId{5, 6}, 0, {}};
  const Event round_of_task = collective(O::round, 1, envelope(Opcode::task, task_frame));
  const Event order_of_round = told(dispatcher_role, text_note(NoteKind::round, envelope(Opcode::task, task_frame)));
  const Event attached = told(dispatcher_role, text_note(NoteKind::attached, {}));
  const Event orderly = told(dispatcher_role, leave_note(true, {})), leave = told(dispatcher_role, leave_note(false, an_error()));

  const Member describing(MemberConfig{rank, 2});
  const Member reporting = after(describing, {event::Started{now}, described});
  const Member loading = after(reporting, {file_done(O::report, Status::ok)});
  const Member distributing = root ? after(loading, {file_done(O::load, Status::ok, manifest)}) : loading;
  const Member duplicating = after(distributing, {collective(O::distribute, 0, manifest)});
  const Member agreeing = after(duplicating, {collective(O::duplicate_dispatch), collective(O::duplicate_domain)});
  const Member agreed = after(agreeing, {collective(O::agree, 0, {}, all_ready)});
  const Member announcing = root ? after(agreed, {attached}) : agreed;
  const Member at_rest = after(announcing, {collective(O::announce)});
  const Member receiving = root ? after(at_rest, {order_of_round}) : at_rest;
  const Member executing = after(receiving, {round_of_task});
  const Member gathering = after(executing, {event::Executed{now, operation(O::execute, 1), Status::ok, {}}});
  const Member told_off = after(receiving, {collective(O::round, 1, envelope(Opcode::shutdown, {})), collective(O::gather, 1)});

  GoldenTable<Member> table;
  table.state("describing", describing);
  table.state("reporting", reporting);
  if (root) table.state("loading", loading);
  table.state("distributing", distributing);
  table.state("duplicating", duplicating);
  table.state("agreeing", agreeing);
  if (root) table.state("attaching", agreed);
  table.state("announcing", announcing);
  if (root) table.state("idle", at_rest);
  table.state("receiving", receiving);
  table.state("executing", executing);
  table.state("gathering", gathering);
  if (root) table.state("broken", after(receiving, {lost(O::round, 1)}));
  table.state("freeing", root ? after(told_off, {orderly}) : told_off);
  if (root) table.state("leaving", after(at_rest, {leave}));
  table.state("left", after(receiving, {event::ParentExited{now}}));

  const char* late = "the answer to an operation that is over";
  const char* never = "a member never asks for it";
  const char* dispatcher_only = "the Dispatcher of rank 0 says it, in another state";
  table.event("started", event::Started{now}, "once, before anything else");
  table.event("host_described", described, late);
  table.event("file_done(report)", file_done(O::report, Status::ok), late);
  table.event("file_done(report, no_space)", file_done(O::report, Status::no_space, Blob(std::string_view("disk full"))), late);
  table.event("file_done(manifest)", file_done(O::load, Status::ok, manifest), late);
  table.event("file_done(manifest, not_found)", file_done(O::load, Status::not_found), late);
  table.event("file_done(start-failure)", file_done(O::explain, Status::ok), "written for people; the start has failed anyway");
  table.event("collective_done(manifest)", collective(O::distribute, 0, manifest), late);
  table.event("collective_done(broken manifest)", collective(O::distribute, 0, Blob(std::string_view("?"))), late);
  table.event("collective_done(manifest, peer_lost)", lost(O::distribute), late);
  table.event("collective_done(duplicate for dispatch)", collective(O::duplicate_dispatch), late);
  table.event("collective_done(duplicate for the domain)", collective(O::duplicate_domain), late);
  table.event("collective_done(all ready)", collective(O::agree, 0, {}, all_ready), late);
  table.event("collective_done(one not ready)", collective(O::agree, 0, {}, one_not), late);
  table.event("collective_done(outcome: ready)", collective(O::announce), late);
  table.event("collective_done(outcome: not ready)", collective(O::announce, 0, an_error()), late);
  table.event("collective_done(round: task)", round_of_task, late);
  table.event("collective_done(round: ping)", collective(O::round, 1, envelope(Opcode::ping, {})), late);
  table.event("collective_done(round: another rank's)",
              collective(O::round, 1, envelope(Opcode::task, task_frame, Target::rank, rank == 0 ? 1 : 0)), late);
  table.event("collective_done(round: broken frame)", collective(O::round, 1, envelope(Opcode::task, {})), late);
  table.event("collective_done(round: broken envelope)", collective(O::round, 1, Blob(std::string_view("?"))), late);
  table.event("collective_done(round: leave)", collective(O::round, 1, write_leave_envelope()), late);
  table.event("collective_done(round, peer_lost)", lost(O::round, 1), late);
  table.event("collective_done(gather)", collective(O::gather, 1, {}, records(Outcome::done)), late);
  table.event("collective_done(gather, peer_lost)", lost(O::gather, 1), late);
  table.event("collective_done(free domain)", collective(O::free_domain), late);
  table.event("collective_done(free dispatch)", collective(O::free_dispatch), late);
  table.event("collective_done(free domain, failed)", lost(O::free_domain), late);
  table.event("told(dispatcher: attached)", attached, dispatcher_only);
  table.event("told(dispatcher: not attached)", told(dispatcher_role, text_note(NoteKind::attached, an_error())),
              dispatcher_only);
  table.event("told(dispatcher: round)", order_of_round, dispatcher_only);
  table.event("told(dispatcher: leave in order)", orderly, "it leaves already");
  table.event("told(dispatcher: leave)", leave, "it leaves already");
  table.event("told(another role)", told(Role{5}, leave_note(false, {})), "only the Dispatcher of this process speaks to it");
  table.event("executed", event::Executed{now, operation(O::execute, 1), Status::ok, Blob(std::string_view("result"))}, late);
  table.event("executed(failed)", event::Executed{now, operation(O::execute, 1), Status::failed, Blob(std::string_view("why"))},
              late);
  table.event("executed(of another round)", event::Executed{now, operation(O::execute, 7), Status::ok, {}}, late);
  table.event("timer_fired(patience)", fired(O::patience), "armed only while the order to leave is on its way");
  table.event("parent_exited", event::ParentExited{now}, "it has left already");
  table.event("files_listed", event::FilesListed{now, Op{1}, Status::ok, {}}, never);
  table.event("files_changed", event::FilesChanged{now, Op{1}}, never);
  table.event("spawned", event::Spawned{now, Op{1}, Status::ok, {}, {}}, never);
  table.event("process_exited", event::ProcessExited{now, Op{1}, 0, 0}, never);
  table.event("processes_inspected", event::ProcessesInspected{now, Op{1}, {}}, never);
  table.expect_complete(all_states);
  table.expect_matches(file);
}

TEST(GoldenTables, of_the_member_of_rank_0) {
  member_table(0,
               {"describing", "reporting", "loading", "distributing", "duplicating", "agreeing", "attaching", "announcing",
                "idle", "receiving", "executing", "gathering", "broken", "freeing", "leaving", "left"},
               "mailbox_member_rank_0");
}

// loading, attaching, idle, broken and leaving are rank 0's alone.
TEST(GoldenTables, of_the_member_of_another_rank) {
  member_table(1,
               {"describing", "reporting", "distributing", "duplicating", "agreeing", "announcing", "receiving", "executing",
                "gathering", "freeing", "left"},
               "mailbox_member_other_rank");
}

}  // namespace
}  // namespace tenter::mailbox::test
