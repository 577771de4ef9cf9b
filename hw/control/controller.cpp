#include "hw/control/controller.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "hw/group/loop_driver.hpp"
#include "hw/mpi/environment.hpp"

namespace tenter::hw {
namespace {

constexpr Role hub_role{0};
constexpr Duration answer_slack = seconds(5);  // for a loop that is late
constexpr Duration last_patience = seconds(10);

tl::unexpected<Error> error_of(const Note& answer) { return error(answer.status, std::string(answer.text.text())); }

}  // namespace

struct Controller::Inside {
  explicit Inside(ControlRank& taken)
      : rank(taken),
        driver(std::in_place, LoopDriver::Loop{[this](const std::function<bool()>& until, Time deadline, SleepWatch* watch) {
                                                 rank.run_until(until, deadline, watch);
                                               },
                                               [this] { return rank.sleep_holds(); }, [this] { rank.nudge(); }}) {}

  // The outcome by sleeping or driving. begin: once it is this thread's turn.
  std::optional<Note> outcome(const std::function<std::optional<Ticket>(ClientPart::Wake)>& begin, Time deadline) {
    ClientPart& client = rank.client();
    std::optional<Ticket> ticket;
    std::optional<Note> answer;
    driver->drive(
        [&](bool drives) {
          ticket = begin(drives ? ClientPart::Wake::nobody : ClientPart::Wake::loop);
          return ticket.has_value();
        },
        [&] { return client.done(*ticket); },
        [&] {
          if (auto waited = client.wait(*ticket, deadline)) answer = std::move(*waited);
        },
        deadline);
    if (ticket && !answer) answer = client.take(*ticket);
    return answer;
  }
  Note call(const Note& note, Duration patience) {
    std::optional<Ticket> ticket;
    std::string refused;
    auto answer = outcome(
        [&](ClientPart::Wake wake) -> std::optional<Ticket> {
          auto submitted = rank.client().submit(hub_role, note, wake);
          if (!submitted) {
            refused = submitted.error().what;
            return std::nullopt;
          }
          return ticket = *submitted;
        },
        patience == Duration{} ? end_of_time : now() + patience);
    if (answer) return std::move(*answer);
    const control::CallKind kind{note.kind};
    if (!ticket) return control::answer_note(kind, Status::unavailable, refused);
    rank.client().abandon(*ticket);
    return control::answer_note(kind, Status::timed_out, "the loop of the controller gave no answer");
  }

  ControlRank& rank;
  std::optional<LoopDriver> driver;  // none once the loop is left
  bool ended = false;                // shutdown() was answered
};

Controller::Controller(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
Controller::~Controller() {
  if (!inside_->ended) (void)shutdown(last_patience, true);
  if (inside_->driver) (void)exit_code(last_patience);
}

Result<std::unique_ptr<Controller>> Controller::start(ControlRank& rank, Duration patience) {
  std::unique_ptr<Controller> controller(new Controller(std::make_unique<Inside>(rank)));
  const Note answer = controller->inside_->call(control::call_note(control::CallKind::start), patience);
  if (answer.status != Status::ok) return error_of(answer);
  return controller;
}

Result<Ticket> Controller::submit(std::uint32_t worker, Blob payload, Duration patience) {
  return inside_->rank.client().submit(hub_role, control::submit_note({worker, patience, std::move(payload)}));
}

Result<Ticket> Controller::control(std::uint32_t worker, control::ControlName name, Blob command, Duration patience) {
  return inside_->rank.client().submit(hub_role, control::control_note({worker, patience, name, std::move(command)}));
}

Result<Blob> Controller::wait(Ticket ticket, Time deadline) {
  const auto answer = inside_->outcome([&](ClientPart::Wake) { return std::optional(ticket); }, deadline);
  if (!answer) return error(Status::timed_out, "");
  if (answer->status != Status::ok) return error_of(*answer);
  return answer->parts.empty() ? Blob() : answer->parts[0];
}

Result<Blob> Controller::run(std::uint32_t worker, Blob payload, Duration patience) {
  const Note answer = inside_->call(control::submit_note({worker, patience, std::move(payload)}),
                                    patience == Duration{} ? patience : patience + answer_slack);
  if (answer.status != Status::ok) return error_of(answer);
  return answer.parts.empty() ? Blob() : answer.parts[0];
}

Result<void> Controller::cancel(Ticket ticket) {
  const Note answer = inside_->call(control::cancel_note(ticket), answer_slack);
  if (answer.status != Status::ok) return error_of(answer);
  return {};
}

Result<void> Controller::cancel_route(std::uint32_t worker) {
  const Note answer = inside_->call(control::cancel_route_note(worker), answer_slack);
  if (answer.status != Status::ok) return error_of(answer);
  return {};
}

Result<std::vector<control::RouteHealth>> Controller::health() {
  const Note answer = inside_->call(control::call_note(control::CallKind::health), answer_slack);
  if (answer.status != Status::ok) return error_of(answer);
  std::vector<control::RouteHealth> rows;
  for (const Blob& part : answer.parts)
    if (const auto row = control::read_route_health(part)) rows.push_back(*row);
  return rows;
}

Result<void> Controller::shutdown(Duration patience, bool abort) {
  const Note answer = inside_->call(control::shutdown_note(patience, abort), patience + answer_slack);
  inside_->ended = true;
  if (answer.status != Status::ok) return error_of(answer);
  return {};
}

int Controller::exit_code(Duration patience) {
  inside_->driver.reset();  // its thread ends: from here on this one drives
  const bool left = inside_->rank.leave(patience);
  const auto& asked = inside_->rank.exit_asked();
  return left && asked ? asked->code : std::max(1, asked ? asked->code : 1);
}

int serve(ControlRank& executor, Duration leave_patience) {
  executor.run_until([&] { return executor.exit_asked().has_value(); }, end_of_time);
  const int code = executor.exit_asked()->code;
  if (!executor.leave(leave_patience)) MpiEnvironment::leave(std::max(1, code));
  return code;
}

}  // namespace tenter::hw
