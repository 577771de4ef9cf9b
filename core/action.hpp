// What a machine can ask of the world. Every action returns at once and says nothing; its result, where it has one, comes
// back as an event with the same op.
#pragma once
#include <cstdint>
#include <variant>

#include "core/blob.hpp"
#include "core/comm_action.hpp"
#include "core/describe.hpp"
#include "core/event.hpp"
#include "core/fabric_action.hpp"
#include "core/names.hpp"
#include "core/one_of.hpp"
#include "core/stream_action.hpp"

namespace tenter::action {

// Timers.
struct Arm {  // -> TimerFired{op} at `when` or later; arming an armed op moves it
  Op op{};
  Time when{};
  friend bool operator==(const Arm&, const Arm&) = default;
  TENTER_DESCRIBE(arm, op, when)
};
struct Cancel {  // no TimerFired{op} is delivered after this, also not one that was already due
  Op op{};
  friend bool operator==(const Cancel&, const Cancel&) = default;
  TENTER_DESCRIBE(cancel, op)
};

// SharedPage: one page a process.
struct CreatePage {  // exclusive, private (0600), zeroed, every byte backed -> PageOpened
  Op op{};
  Blob page_name;
  std::uint64_t bytes = 0;
  friend bool operator==(const CreatePage&, const CreatePage&) = default;
  TENTER_DESCRIBE(create_page, op, page_name, bytes)
};
struct OpenPage {  // an existing page of this user -> PageOpened
  Op op{};
  Blob page_name;
  friend bool operator==(const OpenPage&, const OpenPage&) = default;
  TENTER_DESCRIBE(open_page, op, page_name)
};
struct ClosePage {  // unmaps; the name stays
  friend bool operator==(const ClosePage&, const ClosePage&) = default;
  static constexpr std::string_view name = "close_page";
  static constexpr std::string_view labels = "";
  template <class Self>
  static constexpr auto fields(Self&) {
    return std::tie();
  }
};
struct UnlinkPage {  // only the creator's; a missing name is fine
  Blob page_name;
  friend bool operator==(const UnlinkPage&, const UnlinkPage&) = default;
  TENTER_DESCRIBE(unlink_page, page_name)
};
struct WriteRegion {  // plain stores; another process may look after the next publish
  std::uint64_t offset = 0;
  Blob content;
  friend bool operator==(const WriteRegion&, const WriteRegion&) = default;
  TENTER_DESCRIBE(write_region, offset, content)
};
struct CopyIn {  // -> Copied{op}
  Op op{};
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  friend bool operator==(const CopyIn&, const CopyIn&) = default;
  TENTER_DESCRIBE(copy_in, op, offset, bytes)
};
struct Publish {  // store-release, then wake of every waiter
  Word word{};
  std::uint32_t value = 0;
  friend bool operator==(const Publish&, const Publish&) = default;
  TENTER_DESCRIBE(publish, word, value)
};
struct PublishQuiet {  // store-release, no wake
  Word word{};
  std::uint32_t value = 0;
  friend bool operator==(const PublishQuiet&, const PublishQuiet&) = default;
  TENTER_DESCRIBE(publish_quiet, word, value)
};
struct PublishIf {  // compare-exchange (acquire-release), when it stored and `wake`: wake of every waiter -> Swapped{op, seen}
  Op op{};
  Word word{};
  std::uint32_t expected = 0;
  std::uint32_t value = 0;
  bool wake = true;
  friend bool operator==(const PublishIf&, const PublishIf&) = default;
  TENTER_DESCRIBE(publish_if, op, word, expected, value, wake)
};
struct Watch {  // -> one WordChanged{op} once the word differs from `seen`, also when it differs already
  Op op{};
  Word word{};
  std::uint32_t seen = 0;
  friend bool operator==(const Watch&, const Watch&) = default;
  TENTER_DESCRIBE(watch, op, word, seen)
};
struct Unwatch {  // no WordChanged{op} is delivered after this
  Op op{};
  friend bool operator==(const Unwatch&, const Unwatch&) = default;
  TENTER_DESCRIBE(unwatch, op)
};

// Collective: every rank of the communicator issues the same sequence. A posted collective cannot be cancelled.
struct Duplicate {  // -> CollectiveDone
  Op op{};
  Communicator from{}, to{};
  friend bool operator==(const Duplicate&, const Duplicate&) = default;
  TENTER_DESCRIBE(duplicate, op, from, to)
};
struct FreeCommunicator {  // collective -> CollectiveDone
  Op op{};
  Communicator communicator{};
  friend bool operator==(const FreeCommunicator&, const FreeCommunicator&) = default;
  TENTER_DESCRIBE(free_communicator, op, communicator)
};
struct Bcast {  // content counts at the root only; lengths need not be known by the others
  Op op{};
  Communicator communicator{};
  Rank root{};
  Blob content;
  friend bool operator==(const Bcast&, const Bcast&) = default;
  TENTER_DESCRIBE(bcast, op, communicator, root, content)
};
struct Gather {  // lengths may differ
  Op op{};
  Communicator communicator{};
  Rank root{};
  Blob content;
  friend bool operator==(const Gather&, const Gather&) = default;
  TENTER_DESCRIBE(gather, op, communicator, root, content)
};
struct Allgather {
  Op op{};
  Communicator communicator{};
  Blob content;
  friend bool operator==(const Allgather&, const Allgather&) = default;
  TENTER_DESCRIBE(allgather, op, communicator, content)
};
struct Barrier {
  Op op{};
  Communicator communicator{};
  friend bool operator==(const Barrier&, const Barrier&) = default;
  TENTER_DESCRIBE(barrier, op, communicator)
};

// Files: paths are relative to the private root folder of the run; directories 0700, files 0600.
struct PublishFile {  // temporary, fsync, rename, directory fsync -> FileDone; replaces an older one
  Op op{};
  Blob path, content;
  friend bool operator==(const PublishFile&, const PublishFile&) = default;
  TENTER_DESCRIBE(publish_file, op, path, content)
};
struct ReadFile {  // a regular file of at most `limit` bytes -> FileDone
  Op op{};
  Blob path;
  std::uint64_t limit = 0;
  friend bool operator==(const ReadFile&, const ReadFile&) = default;
  TENTER_DESCRIBE(read_file, op, path, limit)
};
struct ListFiles {  // -> FilesListed
  Op op{};
  Blob directory;
  friend bool operator==(const ListFiles&, const ListFiles&) = default;
  TENTER_DESCRIBE(list_files, op, directory)
};
struct WatchFiles {  // -> FilesChanged{op}, once; watch again for the next one
  Op op{};
  Blob directory;
  friend bool operator==(const WatchFiles&, const WatchFiles&) = default;
  TENTER_DESCRIBE(watch_files, op, directory)
};
struct RemoveFile {  // -> FileDone; a missing file is fine
  Op op{};
  Blob path;
  friend bool operator==(const RemoveFile&, const RemoveFile&) = default;
  TENTER_DESCRIBE(remove_file, op, path)
};
struct MakeDirectory {  // exclusive -> FileDone
  Op op{};
  Blob path;
  friend bool operator==(const MakeDirectory&, const MakeDirectory&) = default;
  TENTER_DESCRIBE(make_directory, op, path)
};
struct RemoveDirectory {  // with the files in it; a missing one is fine -> FileDone
  Op op{};
  Blob path;
  friend bool operator==(const RemoveDirectory&, const RemoveDirectory&) = default;
  TENTER_DESCRIBE(remove_directory, op, path)
};

// Processes.
struct Spawn {  // own process group, death signal and life-line -> Spawned{op}, later ProcessExited{op}
  Op op{};
  Parts arguments;    // arguments[0] is the program
  Parts environment;  // NAME=value, added to the inherited one
  friend bool operator==(const Spawn&, const Spawn&) = default;
  TENTER_DESCRIBE(spawn, op, arguments, environment)
};
struct WatchProcess {  // -> ProcessExited{op}, at once if it is gone already
  Op op{};
  ProcessId process;
  friend bool operator==(const WatchProcess&, const WatchProcess&) = default;
  TENTER_DESCRIBE(watch_process, op, process)
};
struct KillProcesses {  // those still alive under the same start time; never a stranger
  std::int32_t signal = 9;
  std::vector<ProcessId> processes;
  friend bool operator==(const KillProcesses&, const KillProcesses&) = default;
  TENTER_DESCRIBE(kill_processes, signal, processes)
};
struct InspectProcesses {  // -> ProcessesInspected{op}
  Op op{};
  std::vector<ProcessId> processes;
  friend bool operator==(const InspectProcesses&, const InspectProcesses&) = default;
  TENTER_DESCRIBE(inspect_processes, op, processes)
};
struct ExitProcess {  // ends the own process after the actions before it. orderly: MPI is finalized; else it leaves at once
  std::int32_t code = 0;
  bool orderly = true;
  friend bool operator==(const ExitProcess&, const ExitProcess&) = default;
  TENTER_DESCRIBE(exit_process, code, orderly)
};

// Client, Local, Work, Entropy, Host.
struct Complete {  // the answer to Submitted{ticket}, once
  Ticket ticket{};
  Note outcome;
  friend bool operator==(const Complete&, const Complete&) = default;
  TENTER_DESCRIBE(complete, ticket, outcome)
};
struct Tell {  // -> Told at another machine of this process, in order
  Role to{};
  Note note;
  friend bool operator==(const Tell&, const Tell&) = default;
  TENTER_DESCRIBE(tell, to, note)
};
struct Execute {  // a user callable by name -> Executed{op}
  Op op{};
  Blob callable, argument;
  friend bool operator==(const Execute&, const Execute&) = default;
  TENTER_DESCRIBE(execute, op, callable, argument)
};
struct DrawRandom {  // unguessable -> RandomBytes{op}
  Op op{};
  std::uint32_t bytes = 0;
  friend bool operator==(const DrawRandom&, const DrawRandom&) = default;
  TENTER_DESCRIBE(draw_random, op, bytes)
};
struct DescribeHost {  // -> HostDescribed{op}
  Op op{};
  friend bool operator==(const DescribeHost&, const DescribeHost&) = default;
  TENTER_DESCRIBE(describe_host, op)
};

}  // namespace tenter::action

namespace tenter {

struct Action
    : std::variant<action::Arm, action::Cancel, action::CreatePage, action::OpenPage, action::ClosePage, action::UnlinkPage,
                   action::WriteRegion, action::CopyIn, action::Publish, action::PublishQuiet, action::PublishIf, action::Watch,
                   action::Unwatch, action::Duplicate, action::FreeCommunicator, action::Bcast, action::Gather, action::Allgather,
                   action::Barrier, action::PublishFile, action::ReadFile, action::ListFiles, action::WatchFiles,
                   action::RemoveFile, action::MakeDirectory, action::RemoveDirectory, action::Spawn, action::WatchProcess,
                   action::KillProcesses, action::InspectProcesses, action::ExitProcess, action::Complete, action::Tell,
                   action::Execute, action::DrawRandom, action::DescribeHost, action::OpenFabric, action::CloseFabric,
                   action::RegisterRegion, action::StoreRegion, action::CopyToRegion, action::UnregisterRegion,
                   action::InsertPeer, action::ReadRemote, action::FillBuffer, action::JoinWorld, action::SendMessage,
                   action::AbandonSend, action::ReceiveMessage, action::WithdrawReceive, action::Listen, action::Accept,
                   action::CloseListener, action::Connect, action::ReadStream, action::WriteStream, action::FinishStream,
                   action::CloseStream> {
  using Variant = variant;  // std::visit, std::get_if and std::holds_alternative take an Action as they take this
  Action() = default;
  template <OneOf<Variant> A>
  Action(A&& alternative) : Variant(std::in_place_type<std::remove_cvref_t<A>>, std::forward<A>(alternative)) {}
};

inline std::string_view name_of(const Action& action) {
  return std::visit([](const auto& a) { return std::remove_cvref_t<decltype(a)>::name; }, action);
}

}  // namespace tenter
