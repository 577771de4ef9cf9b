// The seam. A protocol machine sees the world only through this file: it is given events (core/event.hpp) and an `out` whose
// verbs are the actions (core/action.hpp). The concepts say which ports a machine may touch.
#pragma once
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/action.hpp"

namespace tenter {

template <class O, class A>
concept PerformsOne = requires(O& out, const A& action) {
  out.perform(action);
};
template <class O, class... A>
concept Performs = (PerformsOne<O, A> && ...);

// clang-format off
template <class O> concept Timers     = Performs<O, action::Arm, action::Cancel>;
template <class O> concept SharedPage = Performs<O, action::CreatePage, action::OpenPage, action::ClosePage, action::UnlinkPage,
                                                    action::WriteRegion, action::CopyIn, action::Publish, action::PublishQuiet,
                                                    action::PublishIf, action::Watch, action::Unwatch>;
template <class O> concept Collective = Performs<O, action::Duplicate, action::FreeCommunicator, action::Bcast, action::Gather,
                                                    action::Allgather, action::Barrier>;
template <class O> concept Files      = Performs<O, action::PublishFile, action::ReadFile, action::ListFiles, action::WatchFiles,
                                                    action::RemoveFile, action::MakeDirectory, action::RemoveDirectory>;
template <class O> concept Fabric     = Performs<O, action::OpenFabric, action::CloseFabric, action::RegisterRegion,
                                                    action::StoreRegion, action::CopyToRegion, action::UnregisterRegion,
                                                    action::InsertPeer, action::ReadRemote, action::FillBuffer>;
template <class O> concept Comm       = Performs<O, action::JoinWorld, action::SendMessage, action::AbandonSend,
                                                    action::ReceiveMessage, action::WithdrawReceive>;
template <class O> concept Stream     = Performs<O, action::Listen, action::Accept, action::CloseListener, action::Connect,
                                                    action::ReadStream, action::WriteStream, action::FinishStream,
                                                    action::CloseStream>;
template <class O> concept Processes  = Performs<O, action::Spawn, action::WatchProcess, action::KillProcesses,
                                                    action::InspectProcesses, action::ExitProcess>;
template <class O> concept Client     = Performs<O, action::Complete>;
template <class O> concept Local      = Performs<O, action::Tell>;
template <class O> concept Work       = Performs<O, action::Execute>;
template <class O> concept Entropy    = Performs<O, action::DrawRandom>;
template <class O> concept Host       = Performs<O, action::DescribeHost>;
// clang-format on

// The verbs, written once: a port derives from Actions<Port> and implements perform(action) for what it can do.
template <class Derived>
class Actions {
 public:
  void arm(Op op, Time when) { self().perform(action::Arm{op, when}); }
  void cancel(Op op) { self().perform(action::Cancel{op}); }

  void create_page(Op op, Blob name, std::uint64_t bytes) { self().perform(action::CreatePage{op, std::move(name), bytes}); }
  void open_page(Op op, Blob name) { self().perform(action::OpenPage{op, std::move(name)}); }
  void close_page() { self().perform(action::ClosePage{}); }
  void unlink_page(Blob name) { self().perform(action::UnlinkPage{std::move(name)}); }
  void write_region(std::uint64_t offset, Blob content) { self().perform(action::WriteRegion{offset, std::move(content)}); }
  void copy_in(Op op, std::uint64_t offset, std::uint64_t bytes) { self().perform(action::CopyIn{op, offset, bytes}); }
  void publish(Word word, std::uint32_t value) { self().perform(action::Publish{word, value}); }
  void publish_quiet(Word word, std::uint32_t value) { self().perform(action::PublishQuiet{word, value}); }
  void publish_if(Op op, Word word, std::uint32_t expected, std::uint32_t value) {
    self().perform(action::PublishIf{op, word, expected, value, true});
  }
  void publish_if_quiet(Op op, Word word, std::uint32_t expected, std::uint32_t value) {
    self().perform(action::PublishIf{op, word, expected, value, false});
  }
  void watch(Op op, Word word, std::uint32_t seen) { self().perform(action::Watch{op, word, seen}); }
  void unwatch(Op op) { self().perform(action::Unwatch{op}); }

  void duplicate(Op op, Communicator from, Communicator to) { self().perform(action::Duplicate{op, from, to}); }
  void free_communicator(Op op, Communicator communicator) { self().perform(action::FreeCommunicator{op, communicator}); }
  void bcast(Op op, Communicator communicator, Rank root, Blob content) {
    self().perform(action::Bcast{op, communicator, root, std::move(content)});
  }
  void gather(Op op, Communicator communicator, Rank root, Blob content) {
    self().perform(action::Gather{op, communicator, root, std::move(content)});
  }
  void allgather(Op op, Communicator communicator, Blob content) {
    self().perform(action::Allgather{op, communicator, std::move(content)});
  }
  void barrier(Op op, Communicator communicator) { self().perform(action::Barrier{op, communicator}); }

  void publish_file(Op op, Blob path, Blob content) {
    self().perform(action::PublishFile{op, std::move(path), std::move(content)});
  }
  void read_file(Op op, Blob path, std::uint64_t limit) { self().perform(action::ReadFile{op, std::move(path), limit}); }
  void list_files(Op op, Blob directory) { self().perform(action::ListFiles{op, std::move(directory)}); }
  void watch_files(Op op, Blob directory) { self().perform(action::WatchFiles{op, std::move(directory)}); }
  void remove_file(Op op, Blob path) { self().perform(action::RemoveFile{op, std::move(path)}); }
  void make_directory(Op op, Blob path) { self().perform(action::MakeDirectory{op, std::move(path)}); }
  void remove_directory(Op op, Blob path) { self().perform(action::RemoveDirectory{op, std::move(path)}); }

  void open_fabric(Op op, Endpoint endpoint, Blob provider, Blob domain, bool serves) {
    self().perform(action::OpenFabric{op, endpoint, std::move(provider), std::move(domain), serves});
  }
  void close_fabric(Op op, Endpoint endpoint) { self().perform(action::CloseFabric{op, endpoint}); }
  void register_region(Op op, Endpoint endpoint, Region region, std::uint64_t bytes) {
    self().perform(action::RegisterRegion{op, endpoint, region, bytes});
  }
  void store_region(Region region, std::uint64_t offset, Blob content) {
    self().perform(action::StoreRegion{region, offset, std::move(content)});
  }
  void copy_to_region(Region region, std::uint64_t offset, Buffer buffer, std::uint64_t from, std::uint64_t bytes) {
    self().perform(action::CopyToRegion{region, offset, buffer, from, bytes});
  }
  void unregister_region(Op op, Region region) { self().perform(action::UnregisterRegion{op, region}); }
  void insert_peer(Op op, Endpoint endpoint, Peer peer, Blob address) {
    self().perform(action::InsertPeer{op, endpoint, peer, std::move(address)});
  }
  void read_remote(action::ReadRemote read) { self().perform(std::move(read)); }
  void fill_buffer(Buffer buffer, std::uint64_t at, Blob content) {
    self().perform(action::FillBuffer{buffer, at, std::move(content)});
  }

  void join_world(Op op) { self().perform(action::JoinWorld{op}); }
  void send_message(Op op, Communicator communicator, Rank to, MessageTag tag, Blob content) {
    self().perform(action::SendMessage{op, communicator, to, tag, std::move(content)});
  }
  void abandon_send(Op op) { self().perform(action::AbandonSend{op}); }
  void receive_message(Op op, Communicator communicator, Rank from, std::uint64_t limit) {
    self().perform(action::ReceiveMessage{op, communicator, from, limit});
  }
  void withdraw_receive(Op op) { self().perform(action::WithdrawReceive{op}); }

  void listen(Op op, Listener listener, Blob address, std::uint32_t backlog) {
    self().perform(action::Listen{op, listener, std::move(address), backlog});
  }
  void accept(Op op, Listener listener, Connection connection) { self().perform(action::Accept{op, listener, connection}); }
  void close_listener(Listener listener) { self().perform(action::CloseListener{listener}); }
  void connect(Op op, Connection connection, Blob address) {
    self().perform(action::Connect{op, connection, std::move(address)});
  }
  void read_stream(Op op, Connection connection, std::uint64_t limit) {
    self().perform(action::ReadStream{op, connection, limit});
  }
  void write_stream(Op op, Connection connection, Blob content) {
    self().perform(action::WriteStream{op, connection, std::move(content)});
  }
  void finish_stream(Connection connection) { self().perform(action::FinishStream{connection}); }
  void close_stream(Connection connection, bool abort) { self().perform(action::CloseStream{connection, abort}); }

  void spawn(Op op, Parts arguments, Parts environment) {
    self().perform(action::Spawn{op, std::move(arguments), std::move(environment)});
  }
  void watch_process(Op op, ProcessId process) { self().perform(action::WatchProcess{op, process}); }
  void kill_processes(std::int32_t signal, std::vector<ProcessId> processes) {
    self().perform(action::KillProcesses{signal, std::move(processes)});
  }
  void inspect_processes(Op op, std::vector<ProcessId> processes) {
    self().perform(action::InspectProcesses{op, std::move(processes)});
  }
  void exit_process(std::int32_t code, bool orderly) { self().perform(action::ExitProcess{code, orderly}); }

  void complete(Ticket ticket, Note outcome) { self().perform(action::Complete{ticket, std::move(outcome)}); }
  void tell(Role to, Note note) { self().perform(action::Tell{to, std::move(note)}); }
  void execute(Op op, Blob callable, Blob argument) {
    self().perform(action::Execute{op, std::move(callable), std::move(argument)});
  }
  void draw_random(Op op, std::uint32_t bytes) { self().perform(action::DrawRandom{op, bytes}); }
  void describe_host(Op op) { self().perform(action::DescribeHost{op}); }

 private:
  Derived& self() { return static_cast<Derived&>(*this); }
};

// A backend is a list of parts, one or more concepts each; the names of their actions are disjoint.
template <class... Parts>
struct Port : Parts..., Actions<Port<Parts...>> {
  using Parts::perform...;
};

}  // namespace tenter
