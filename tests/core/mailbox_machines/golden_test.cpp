// The state × event tables of Channel and Dispatcher: tests/golden/mailbox_<machine>.txt. States are reached by scripts of
// events.
#include "tests/core/mailbox_machines/golden_steps.hpp"

namespace tenter::mailbox::test {
namespace golden_test {
namespace {

TEST(GoldenTables, of_the_channel) {
  using O = ChannelOperation;
  const Event group_ready = told(launch_role, plain_note(NoteKind::group_ready));
  const Channel starting(ChannelConfig{2});
  const Channel at_rest = after(starting, {group_ready});
  const Channel waiting = after(at_rest, {submitted(Opcode::task)});
  const Channel closing = after(at_rest, {submitted(Opcode::shutdown)});
  const Channel taking = after(waiting, {word(O::lane, request_word, done, 1)});
  const Channel failing = after(waiting, {word(O::lane, request_word, failed, 1)});
  const Channel looking = after(waiting, {fired(O::deadline)});
  const Channel condemning = after(waiting, {word(O::lane, request_word, nonsense, 1)});
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
  table.state("condemning/shutdown", after(closing, {fired(O::deadline), fired(O::patience)}));
  table.state("condemning/idle", after(at_rest, {word(O::group, group_word, nonsense)}));
  table.state("withdrawing", withdrawing);
  table.state("blaming", blaming);
  table.state("blaming/before TERMINAL", looking);
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

}  // namespace
}  // namespace golden_test
}  // namespace tenter::mailbox::test
