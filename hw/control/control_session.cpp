#include "hw/control/control_session.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <vector>

#include "hw/control/rank_check_in.hpp"
#include "hw/control/rank_loop.hpp"
#include "hw/group/parent_watch.hpp"
#include "hw/mpi/environment.hpp"

namespace tenter::hw {
namespace {

constexpr Duration supervisor_grace = seconds(3);
constexpr int supervisor_gone_code = 113;

// A rank does not outlive the supervisor of its host, whatever it is stuck in; on another host the launcher's proxy sees to it.
Result<std::optional<ParentWatch>> watch_supervisor(const RankPlace& place) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // the launcher's proxy; cannot fail with a legal signal
  if (place.order.host != own_host()) return std::optional<ParentWatch>();
  auto watch = ParentWatch::open(place.order.supervisor);
  if (!watch) return tl::unexpected(watch.error());
  watch->start(supervisor_grace, supervisor_gone_code);
  return std::optional<ParentWatch>(std::move(*watch));
}

Result<void> await_world(RankLoop& loop, const RankPlace& place) {
  loop.run_until([&] { return loop.has_joined() || loop.cannot_join() || loop.exit_requested(); },
                 now() + place.topology.startup_timeout);
  if (loop.has_joined()) return {};
  return error(loop.cannot_join() ? Status::failed : Status::timed_out,
               "rank " + std::to_string(place.rank) + ": the world was not joined over " +
                   std::string(to_string(place.order.transport)) + " in time");
}

// Whether the gate has heard it is the supervisor's affair: it ends a job that has not started, and the rank works meanwhile.
void say_joined(RankCheckIn& desk, const RankPlace& place) {
  if (const auto told = desk.joined(); !told)
    std::fprintf(stderr, "tenter control rank %u: joined, but not acknowledged: %s\n", place.rank, told.error().what.c_str());
}

int end_of(RankLoop& loop, const RankPlace& place, int code) {
  if (const auto recorded = loop.finish_recording(); !recorded)
    std::fprintf(stderr, "tenter control rank %u: the recording is not complete: %s\n", place.rank,
                 recorded.error().what.c_str());
  const bool orderly = loop.exit_requested() && loop.exit_requested()->orderly && loop.part();
  if (!orderly && place.order.transport == ControlTransport::mpi) MpiEnvironment::leave(code);
  return code;
}

}  // namespace

control::HubConfig hub_config(const RankPlace& place) {
  control::HubConfig config;
  config.session = place.order.session;
  for (const control::ExecutorPlace& executor : place.topology.executors) config.profiles.push_back(executor.profile);
  config.window = place.order.window;
  config.credit.pool_bytes = place.topology.pending_bytes_max;
  config.startup_patience = place.topology.startup_timeout;
  config.heartbeat_interval = place.topology.heartbeat_interval;
  return config;
}

control::ExecutorConfig executor_config(const RankPlace& place, const ControlCallables& callables) {
  control::ExecutorConfig config;
  config.session = place.order.session;
  config.worker = place.rank - 1;
  config.world = place.topology.world();
  config.profile = place.topology.executors[config.worker].profile;
  config.callables = registered(callables);
  config.heartbeat_interval = place.topology.heartbeat_interval;
  return config;
}

struct ControlSession::Inside {
  RankPlace place;
  std::optional<ParentWatch> watch;
  std::unique_ptr<RankLoop> loop;
  std::string absent;
  std::vector<Ticket> open;

  Result<Note> call(Note note, Time deadline) {
    ClientPart& client = loop->client();
    const auto ticket = client.submit(Role{0}, std::move(note), ClientPart::Wake::nobody);
    if (!ticket) return tl::unexpected(ticket.error());
    if (!loop->run_until([&] { return client.done(*ticket); }, deadline)) {
      client.abandon(*ticket);
      return error(Status::timed_out, "the controller's machine gave no answer");
    }
    return *client.take(*ticket);
  }
};

ControlSession::ControlSession(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
ControlSession::~ControlSession() = default;

// On TCP rank 0 listens before it checks in, since its address goes with go; MPI is started after go.
Result<std::unique_ptr<ControlSession>> ControlSession::open(const RankPlace& place) {
  auto watch = watch_supervisor(place);
  if (!watch) return tl::unexpected(watch.error());
  auto inside = std::make_unique<Inside>(Inside{place, std::move(*watch), nullptr, {}, {}});
  auto desk = RankCheckIn::open(place);
  if (!desk) return tl::unexpected(desk.error());
  const bool on_tcp = place.order.transport == ControlTransport::tcp;
  std::string address;
  if (on_tcp) {
    auto made = controller_on_tcp(place);
    if (!made) {
      (void)desk->failed(made.error().what);
      return tl::unexpected(made.error());
    }
    inside->loop = std::move(*made);
    RankLoop& loop = *inside->loop;
    loop.start();
    loop.run_until([&] { return !loop.address().empty() || loop.cannot_join(); }, now() + place.topology.startup_timeout);
    address = loop.address();
    if (address.empty()) {
      const std::string why = "it cannot listen on " + place.topology.controller_host;
      (void)desk->failed(why);
      return error(Status::failed, why);
    }
  }
  if (auto go = desk->check_in(address); !go) return tl::unexpected(go.error());
  if (!on_tcp) {
    auto loop = controller_on_mpi(place);
    if (!loop) return tl::unexpected(loop.error());
    inside->loop = std::move(*loop);
    inside->loop->start();
  }
  if (auto joined = await_world(*inside->loop, place); !joined) return tl::unexpected(joined.error());
  say_joined(*desk, place);
  const auto started =
      inside->call(control::call_note(control::CallKind::start), now() + place.topology.startup_timeout + seconds(10));
  if (!started) return tl::unexpected(started.error());
  if (started->status != Status::ok) inside->absent = std::string(started->text.text());
  return std::unique_ptr<ControlSession>(new ControlSession(std::move(inside)));
}

std::uint32_t ControlSession::workers() const { return static_cast<std::uint32_t>(inside_->place.topology.executors.size()); }
const std::string& ControlSession::absent() const { return inside_->absent; }

Result<Ticket> ControlSession::submit(std::uint32_t worker, Blob payload, Duration patience) {
  const auto ticket = inside_->loop->client().submit(Role{0}, control::submit_note({worker, patience, std::move(payload)}),
                                                     ClientPart::Wake::nobody);
  if (ticket) inside_->open.push_back(*ticket);
  return ticket;
}

Result<ControlSession::Answer> ControlSession::next(Time deadline) {
  ClientPart& client = inside_->loop->client();
  std::vector<Ticket>& open = inside_->open;
  const auto answered = [&] { return std::find_if(open.begin(), open.end(), [&](Ticket t) { return client.done(t); }); };
  inside_->loop->run_until([&] { return answered() != open.end(); }, deadline);
  const auto found = answered();
  if (found == open.end()) return error(Status::timed_out, std::to_string(open.size()) + " calls are open, none was answered");
  const Ticket ticket = *found;
  open.erase(found);
  const Note note = *client.take(ticket);
  return Answer{ticket, note.status, std::string(note.text.text()), note.parts.empty() ? Blob() : note.parts[0]};
}

Result<void> ControlSession::shutdown(Duration patience) {
  const auto ended = inside_->call(control::shutdown_note(patience), now() + patience + seconds(10));
  if (!ended) return tl::unexpected(ended.error());
  inside_->loop->run_until([&] { return inside_->loop->exit_requested().has_value(); }, now() + seconds(10));
  if (ended->status != Status::ok) return error(ended->status, std::string(ended->text.text()));
  return {};
}

int ControlSession::exit(int code) { return end_of(*inside_->loop, inside_->place, code); }

namespace {

Result<std::unique_ptr<RankLoop>> join_as_executor(const RankPlace& place, const ControlCallables& callables) {
  auto desk = RankCheckIn::open(place);
  if (!desk) return tl::unexpected(desk.error());
  const auto address = desk->check_in();
  if (!address) return tl::unexpected(address.error());
  auto loop = place.order.transport == ControlTransport::tcp ? executor_on_tcp(place, callables, *address)
                                                             : executor_on_mpi(place, callables);
  if (!loop) return loop;
  (*loop)->start();
  if (auto joined = await_world(**loop, place); !joined) return tl::unexpected(joined.error());
  say_joined(*desk, place);
  return loop;
}

}  // namespace

int serve_control(const RankPlace& place, const ControlCallables& callables) {
  const auto refuse = [&](const std::string& why) {
    std::fprintf(stderr, "tenter control rank %u: %s\n", place.rank, why.c_str());
    return 1;
  };
  const auto watch = watch_supervisor(place);
  if (!watch) return refuse(watch.error().what);
  auto loop = join_as_executor(place, callables);
  if (!loop) return refuse(loop.error().what);
  (*loop)->run_until([&] { return (*loop)->exit_requested().has_value(); }, end_of_time);
  return end_of(**loop, place, (*loop)->exit_requested()->code);
}

}  // namespace tenter::hw
