#include "hw/control/rank_check_in.hpp"

#include <exception>

#include "core/control/gate_client.hpp"
#include "core/control/gate_desk.hpp"
#include "hw/loop/local_part.hpp"
#include "hw/loop/process.hpp"
#include "hw/posix/client_part.hpp"
#include "hw/posix/stream_part.hpp"
#include "hw/posix/timers_part.hpp"

namespace tenter::hw {
namespace {

using GatePort = Port<StreamPart, TimersPart, ClientPart, LocalPart>;
constexpr Role desk_role{0};

}  // namespace

struct RankCheckIn::Inside {
  explicit Inside(const RankPlace& at)
      : place(at),
        port{{context}, {context}, {context}, {context}, {}},
        process(context, port, control::GateDesk(), control::GateClient()) {
    process.start();
  }
  // The machine's own patience ends every call.
  Result<std::string> call(Note note) {
    ClientPart& client = port;
    const auto ticket = client.submit(desk_role, std::move(note), ClientPart::Wake::nobody);
    if (!ticket) return tl::unexpected(ticket.error());
    process.run_until([&] { return client.done(*ticket); }, end_of_time);
    const Note answer = *client.take(*ticket);
    if (answer.status != Status::ok) return error(answer.status, std::string(answer.text.text()));
    return std::string(answer.text.text());
  }
  control::CheckIn order(control::GateState state, std::string_view why, std::string_view address) const {
    control::CheckIn check_in{place.gate, place.topology.startup_timeout, {}};
    control::GateReport& report = check_in.report;
    report.token = Blob(std::string_view(place.token.bytes));
    report.rank = place.rank;
    report.state = state;
    report.error = why;
    report.process = own_process();
    report.host = own_host();
    report.version = control::frame_version;
    report.address = address;
    return check_in;
  }

  RankPlace place;
  Context context;
  GatePort port;
  Process<GatePort, control::GateDesk, control::GateClient> process;
};

RankCheckIn::RankCheckIn(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
RankCheckIn::RankCheckIn(RankCheckIn&&) noexcept = default;
RankCheckIn::~RankCheckIn() = default;

Result<RankCheckIn> RankCheckIn::open(const RankPlace& place) {
  try {
    return RankCheckIn(std::make_unique<Inside>(place));
  } catch (const std::exception& failure) {
    return error(Status::failed, std::string("start: ") + failure.what());
  }
}

Result<std::string> RankCheckIn::check_in(std::string_view address) {
  return inside_->call(control::check_in_note(inside_->order(control::GateState::ready, {}, address)));
}
Result<void> RankCheckIn::failed(std::string_view why) {
  auto taken = inside_->call(control::check_in_note(inside_->order(control::GateState::failed, why, {})));
  if (!taken) return tl::unexpected(taken.error());
  return {};
}
Result<void> RankCheckIn::joined() {
  auto taken = inside_->call(control::start_note(control::StartNote::joined));
  if (!taken) return tl::unexpected(taken.error());
  return {};
}

}  // namespace tenter::hw
