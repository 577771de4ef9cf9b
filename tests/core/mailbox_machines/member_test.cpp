#include "core/mailbox/member.hpp"

#include "core/mailbox/envelope.hpp"
#include "core/mailbox/vector.hpp"
#include "tests/core/mailbox_machines/script.hpp"

namespace tenter::mailbox::test {
namespace member_test {
namespace {

using O = MemberOperation;

Event collective(O kind, std::uint64_t sequence = 0, Blob content = {}, Parts parts = {}, Status status = Status::ok) {
  return event::CollectiveDone{Time{1}, operation(kind, sequence), status, std::move(content), std::move(parts)};
}
Event from_dispatcher(Note note) { return event::Told{Time{1}, dispatcher_role, std::move(note)}; }
Blob manifest(std::uint32_t world = 2) { return write_manifest({"page", 1, layout::page_bytes, world}); }

Blob envelope(Opcode opcode, Target target, std::int32_t rank, const Parts& payloads) {
  wire::Writer writer;
  writer.bytes(vector_prefix(payloads).bytes());
  for (const Blob& payload : payloads) writer.bytes(payload.bytes());
  const auto count = static_cast<std::uint32_t>(payloads.size());
  return write_envelope({1, opcode, target, rank, count, static_cast<std::uint32_t>(writer.written().size())}, writer.written());
}
Blob task(std::string_view text, std::uint64_t sequence = 3) {
  TaskCall call;
  call.callable[31] = std::byte{0xCD};
  call.scalars = {1, 2};
  call.inline_bytes = std::as_bytes(std::span(text.data(), text.size()));
  return write_task({8, 4, sequence}, call).value();
}
Blob control(std::uint32_t name, bool group = false) { return write_control({8, 4, 3}, {ControlName{name}, {}}, group).value(); }

Script<Member> in_round(std::uint32_t rank = 1) {
  Script<Member> s{Member(MemberConfig{rank, 2}), {}};
  s << event::Started{Time{1}} << event::HostDescribed{Time{1}, operation(O::describe), ProcessId{5, 6}, 0, {}}
    << event::FileDone{Time{1}, operation(O::report), Status::ok, {}};
  if (rank == 0) s << event::FileDone{Time{1}, operation(O::load), Status::ok, manifest()};
  s << collective(O::distribute, 0, manifest()) << collective(O::duplicate_dispatch) << collective(O::duplicate_domain)
    << collective(O::agree, 0, {}, Parts{readiness_of(0, {1, 1}, {}), readiness_of(1, {2, 1}, {})});
  if (rank == 0) s << from_dispatcher(text_note(NoteKind::attached, {}));
  s << collective(O::announce);
  s.clear();
  return s;
}
Record record_of(const Script<Member>& s, Blob& keep) {
  keep = s.last<action::Gather>().content;
  auto record = read_record(keep.bytes());
  EXPECT_TRUE(record) << record.error().what;
  return record ? *record : Record{};
}

TEST(Member, reports_itself_before_it_joins_a_collective) {
  Script<Member> s{Member(MemberConfig{1, 2}), {}};
  s << event::Started{Time{1}} << event::HostDescribed{Time{1}, operation(O::describe), ProcessId{5, 6}, 0, {}};
  EXPECT_EQ(s.last<action::PublishFile>().path, Blob(std::string_view("rank-1")));
  EXPECT_TRUE(s.all<action::Bcast>().empty());
  s << event::FileDone{Time{1}, operation(O::report), Status::ok, {}};
  EXPECT_EQ(s.all<action::Bcast>().size(), 1u);
}

TEST(Member, carries_its_own_trouble_to_the_readiness_exchange_instead_of_leaving_alone) {
  Script<Member> s{Member(MemberConfig{1, 2}), {}};
  s << event::Started{Time{1}} << event::HostDescribed{Time{1}, operation(O::describe), ProcessId{5, 6}, 0, {}}
    << event::FileDone{Time{1}, operation(O::report), Status::no_space, Blob(std::string_view("disk full"))}
    << collective(O::distribute, 0, manifest()) << collective(O::duplicate_dispatch) << collective(O::duplicate_domain);
  auto readiness = read_readiness(s.last<action::Allgather>().content.bytes());
  ASSERT_TRUE(readiness);
  EXPECT_NE(readiness->trouble.find("disk full"), std::string::npos);
  EXPECT_EQ(readiness->process, (ProcessId{5, 6}));
}

TEST(Member, duplicates_the_world_twice_and_frees_the_domain_communicator_first) {
  auto s = in_round(1);
  s << collective(O::round, 1, envelope(Opcode::shutdown, Target::group, -1, Parts{Blob()})) << collective(O::gather, 1);
  EXPECT_EQ(s.last<action::FreeCommunicator>().communicator, domain_communicator);
  s << collective(O::free_domain);
  EXPECT_EQ(s.last<action::FreeCommunicator>().communicator, dispatch_communicator);
  EXPECT_TRUE(s.all<action::ExitProcess>().empty());
  s << collective(O::free_dispatch);
  EXPECT_EQ(s.last<action::ExitProcess>(), (action::ExitProcess{0, true}));
}

TEST(Member, executes_its_own_payload_of_a_per_rank_task) {
  auto s = in_round(1);
  s << collective(O::round, 1, envelope(Opcode::task, Target::per_rank, -1, Parts{task("zero"), task("one", 77)}));
  const auto execute = s.last<action::Execute>();
  EXPECT_EQ(execute.callable.size(), 32u);
  EXPECT_EQ(execute.callable.bytes()[31], std::byte{0xCD});
  wire::Reader argument(execute.argument.bytes());
  EXPECT_EQ(argument.u32(), 2u);
  EXPECT_EQ(argument.u64(), 1u);
  EXPECT_EQ(argument.u64(), 2u);
  EXPECT_EQ(execute.argument.text().substr(20), "one");
  s << event::Executed{Time{1}, operation(O::execute, 1), Status::ok, Blob(std::string_view("done"))};
  Blob keep;
  const Record record = record_of(s, keep);
  EXPECT_EQ(record.outcome, Outcome::done);
  auto frame = read_frame(record.reply);
  ASSERT_TRUE(frame) << frame.error().what;
  EXPECT_EQ(frame->identity, (FrameIdentity{8, 4, 77})) << "the request's identity comes back";
}

TEST(Member, takes_part_in_a_round_for_another_rank_without_executing) {
  auto s = in_round(1);
  s << collective(O::round, 1, envelope(Opcode::task, Target::rank, 0, Parts{task("x")}));
  EXPECT_TRUE(s.all<action::Execute>().empty());
  Blob keep;
  EXPECT_EQ(record_of(s, keep).outcome, Outcome::idle);
}

TEST(Member, knows_17_controls_and_makes_every_other_number_its_own_error) {
  for (std::uint32_t name = 0; name <= 19; ++name) {
    auto s = in_round(1);
    s << collective(O::round, 1, envelope(Opcode::control, Target::rank, 1, Parts{control(name)}));
    if (name >= 1 && name <= 17) {
      EXPECT_EQ(s.last<action::Execute>().callable, Blob("control/" + std::to_string(name)));
    } else {
      Blob keep;
      EXPECT_EQ(record_of(s, keep).outcome, Outcome::application) << name;
    }
  }
}

TEST(Member, lets_only_the_two_domain_controls_address_the_group_and_only_by_their_flag) {
  for (std::uint32_t name = 1; name <= 17; ++name)
    for (const bool flag : {false, true})
      for (const Target target : {Target::group, Target::rank}) {
        auto s = in_round(1);
        s << collective(O::round, 1,
                        envelope(Opcode::control, target, target == Target::rank ? 1 : -1, Parts{control(name, flag)}));
        const bool legal = target == Target::rank ? !flag : flag && (name == 14 || name == 15);
        EXPECT_EQ(s.all<action::Execute>().size(), legal ? 1u : 0u) << name << flag << to_string(target);
      }
}

TEST(Member, every_broken_payload_is_its_own_application_error_and_it_still_gathers) {
  wire::Writer cut;
  cut.bytes(task("x").bytes().first(60));
  const std::vector<Blob> broken = {Blob(),
                                    Blob(std::string_view("SLR3")),
                                    cut.blob(),
                                    control(1),
                                    write_frame(FrameType::health, {}, {}).value(),
                                    write_frame(FrameType::task, {}, Bytes(task("x").bytes()).subspan(40), 1).value()};
  for (const Blob& payload : broken) {
    auto s = in_round(1);
    s << collective(O::round, 1, envelope(Opcode::task, Target::rank, 1, Parts{payload}));
    Blob keep;
    const Record record = record_of(s, keep);
    EXPECT_EQ(record.outcome, Outcome::application) << text_of(payload);
    EXPECT_FALSE(record.message.empty());
  }
}

TEST(Member, a_broken_envelope_is_a_transport_error_and_it_still_gathers) {
  const Blob whole = envelope(Opcode::task, Target::rank, 1, Parts{task("x")});
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{3}, std::size_t{11}, std::size_t{30}, whole.size() - 1}) {
    auto s = in_round(1);
    s << collective(O::round, 1, Blob(whole.bytes().first(bytes)));
    Blob keep;
    EXPECT_EQ(record_of(s, keep).outcome, Outcome::transport) << bytes << " of " << whole.size() << " bytes";
  }
}

TEST(Member, a_reply_that_just_fits_is_a_reply_and_one_byte_more_is_its_application_error) {
  const auto outcome = [](std::size_t bytes) {
    auto s = in_round(1);
    s << collective(O::round, 1, envelope(Opcode::control, Target::rank, 1, Parts{control(9)}))
      << event::Executed{Time{1}, operation(O::execute, 1), Status::ok, sized(bytes)};
    Blob keep;
    return record_of(s, keep).outcome;
  };
  const std::size_t fits = frame_payload_max - 28;  // around a result: 28 bytes of CONTROL_REPLY
  EXPECT_EQ(outcome(fits), Outcome::done);
  EXPECT_EQ(outcome(fits + 1), Outcome::application);
}

TEST(Member, an_error_text_of_1_mib_of_broken_utf_8_still_makes_a_record) {
  auto s = in_round(1);
  s << collective(O::round, 1, envelope(Opcode::task, Target::rank, 1, Parts{task("x")}))
    << event::Executed{Time{1}, operation(O::execute, 1), Status::failed, sized(1 << 20, 0xFF)};
  Blob keep;
  const Record record = record_of(s, keep);
  EXPECT_EQ(record.outcome, Outcome::application);
  EXPECT_LE(keep.size(), 4'096u);
}

TEST(Member, ignores_a_callable_of_an_earlier_round) {
  auto s = in_round(1);
  s << collective(O::round, 1, envelope(Opcode::task, Target::rank, 1, Parts{task("x")}))
    << event::Executed{Time{1}, operation(O::execute, 1), Status::ok, {}} << collective(O::gather, 1)
    << collective(O::round, 2, envelope(Opcode::task, Target::rank, 1, Parts{task("y")}));
  s.clear();
  s << event::Executed{Time{1}, operation(O::execute, 1), Status::ok, {}};
  EXPECT_EQ(s.said(), "");
  EXPECT_EQ(s.machine.state(), MemberState::executing);
}

TEST(Member, leaves_without_finalizing_when_the_parent_is_gone_whatever_it_is_doing) {
  for (const std::uint32_t rank : {0u, 1u}) {
    auto s = in_round(rank);
    s << event::ParentExited{Time{1}};
    EXPECT_EQ(s.last<action::ExitProcess>(), (action::ExitProcess{1, false}));
    s.clear();
    s << event::ParentExited{Time{1}} << collective(O::round, 1, write_leave_envelope());
    EXPECT_EQ(s.said(), "");
  }
}

TEST(Member, rank_0_tells_the_dispatcher_of_a_failed_collective_and_the_others_leave) {
  auto root = in_round(0);
  root << from_dispatcher(text_note(NoteKind::round, envelope(Opcode::ping, Target::group, -1, Parts{Blob()})))
       << collective(O::round, 1, {}, {}, Status::peer_lost);
  EXPECT_TRUE(is(root.last<action::Tell>().note, NoteKind::collective_failed));
  EXPECT_TRUE(root.all<action::ExitProcess>().empty()) << "the reason is published first";
  root << from_dispatcher(leave_note(false, {}));
  EXPECT_EQ(root.last<action::ExitProcess>(), (action::ExitProcess{1, false}));
  auto other = in_round(1);
  other << collective(O::round, 1, {}, {}, Status::peer_lost);
  EXPECT_EQ(other.last<action::ExitProcess>(), (action::ExitProcess{1, false}));
}

TEST(Member, rank_0_does_not_wait_for_ever_for_the_others_to_take_the_order_to_leave) {
  auto s = in_round(0);
  s << from_dispatcher(leave_note(false, {}));
  auto order = read_envelope(s.last<action::Bcast>().content.bytes());
  ASSERT_TRUE(order);
  EXPECT_TRUE(order->leave);
  EXPECT_EQ(s.last<action::Arm>().when, Time{1} + seconds(2));
  s << fired_event(O::patience, Time{1} + seconds(2));
  EXPECT_EQ(s.last<action::ExitProcess>(), (action::ExitProcess{1, false}));
}

TEST(Member, keeps_a_first_round_that_overtakes_the_bcast_of_the_outcome) {
  Script<Member> s{Member(MemberConfig{0, 1}), {}};
  s << event::Started{Time{1}} << event::HostDescribed{Time{1}, operation(O::describe), ProcessId{5, 6}, 0, {}}
    << event::FileDone{Time{1}, operation(O::report), Status::ok, {}}
    << event::FileDone{Time{1}, operation(O::load), Status::ok, manifest(1)} << collective(O::distribute, 0, manifest(1))
    << collective(O::duplicate_dispatch) << collective(O::duplicate_domain)
    << collective(O::agree, 0, {}, Parts{readiness_of(0, {1, 1}, {})}) << from_dispatcher(text_note(NoteKind::attached, {}));
  const Blob first = envelope(Opcode::ping, Target::group, -1, Parts{Blob()});
  s << from_dispatcher(text_note(NoteKind::round, first));
  EXPECT_EQ(s.machine.state(), MemberState::announcing);
  s << collective(O::announce);
  EXPECT_EQ(s.machine.state(), MemberState::receiving);
  EXPECT_EQ(s.last<action::Bcast>().content, first);
}

TEST(Member, a_start_that_failed_for_all_frees_both_communicators_and_exits_with_1) {
  Script<Member> s{Member(MemberConfig{1, 2}), {}};
  s << event::Started{Time{1}} << event::HostDescribed{Time{1}, operation(O::describe), ProcessId{5, 6}, 0, {}}
    << event::FileDone{Time{1}, operation(O::report), Status::ok, {}} << collective(O::distribute, 0, manifest())
    << collective(O::duplicate_dispatch) << collective(O::duplicate_domain) << collective(O::agree, 0, {}, Parts{Blob(), Blob()})
    << collective(O::announce, 0, encode_error(0, "NotReady", "no device")) << collective(O::free_domain)
    << collective(O::free_dispatch);
  EXPECT_EQ(s.all<action::FreeCommunicator>().size(), 2u);
  EXPECT_EQ(s.last<action::ExitProcess>(), (action::ExitProcess{1, true}));
}

TEST(Member, refuses_a_manifest_of_another_page_or_world_on_every_rank) {
  const std::vector<Blob> wrong = {manifest(3), write_manifest({"page", 2, layout::page_bytes, 2}),
                                   write_manifest({"page", 1, 5, 2}), Blob(std::string_view("")),
                                   unreadable_manifest(Blob(std::string_view("permission denied")))};
  for (const Blob& content : wrong) EXPECT_FALSE(check_manifest(content, 2)) << content.text();
  EXPECT_TRUE(check_manifest(manifest(), 2));
  EXPECT_NE(check_manifest(wrong.back(), 2).error().what.find("permission denied"), std::string::npos);
}

}  // namespace
}  // namespace member_test
}  // namespace tenter::mailbox::test
