// One call of a machine by the thread that drives the loop.
#pragma once
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/event.hpp"
#include "core/store/calls.hpp"
#include "hw/part.hpp"

namespace tenter::hw {

// Runs the process until the call is answered or the deadline is over; the machine's own patience ends before.
template <class Inside>
Result<void> call_machine(Inside& inside, Role to, Note note, Duration patience) {
  const auto ticket = inside.port.submit(to, std::move(note));
  if (!ticket) return tl::unexpected(ticket.error());
  const Time deadline = number(patience) == 0 ? end_of_time : now() + patience;
  if (!inside.process.run_until([&] { return inside.port.done(*ticket); }, deadline)) {
    inside.port.abandon(*ticket);
    return error(Status::timed_out, "the store's machine gave no answer within " + std::to_string(number(patience) / 1'000'000) +
                                        " ms; state " + std::string(inside.process.template machine<0>().state_name()) +
                                        ", reader " + std::string(inside.process.template machine<1>().state_name()));
  }
  const Note outcome = *inside.port.take(*ticket);
  if (outcome.status != Status::ok) return error(outcome.status, std::string(outcome.text.text()));
  return {};
}

inline constexpr Duration call_slack = seconds(10);  // a close of the endpoint, a lease's write

// Rows of any dtype into the caller's memory, which is lent for as long as the call lasts.
template <class Inside>
Result<void> get_rows(Inside& inside, Role reader, const std::string& variable, const std::vector<store::RowRange>& rows,
                      MutableBytes into, Duration patience) {
  store::GetCall call;
  call.variable = Blob(std::string_view(variable));
  call.rows = rows;
  call.buffer = inside.port.lend(into);
  call.buffer_bytes = into.size();
  call.patience = patience;
  call.any_dtype = true;
  auto done = call_machine(inside, reader, store::get_note(call), patience + call_slack);
  inside.port.take_back(call.buffer);
  return done;
}

}  // namespace tenter::hw
