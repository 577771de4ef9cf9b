// Calls of the machines by the thread that drives the loop.
#pragma once
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/event.hpp"
#include "core/store/calls.hpp"
#include "hw/part.hpp"
#include "hw/posix/client_part.hpp"

namespace tenter::hw {

inline Result<void> status_of_answer(const Note& outcome) {
  if (outcome.status != Status::ok) return error(outcome.status, std::string(outcome.text.text()));
  return {};
}

// The thread that calls drives the loop, so nobody has to be woken.
template <class Inside>
Result<Ticket> submit_call(Inside& inside, Role to, Note note) {
  return inside.port.submit(to, std::move(note), ClientPart::Wake::nobody);
}

// Runs the process until the call is answered or the deadline is over; the machine's own patience ends before.
template <class Inside>
Result<void> await_answer(Inside& inside, Ticket ticket, Duration patience) {
  const Time deadline = number(patience) == 0 ? end_of_time : now() + patience;
  if (!inside.process.run_until([&] { return inside.port.done(ticket); }, deadline)) {
    inside.port.abandon(ticket);
    return error(Status::timed_out, "the store's machine gave no answer within " + std::to_string(number(patience) / 1'000'000) +
                                        " ms; state " + std::string(inside.process.template machine<0>().state_name()) +
                                        ", reader " + std::string(inside.process.template machine<1>().state_name()));
  }
  return status_of_answer(*inside.port.take(ticket));
}

template <class Inside>
Result<void> call_machine(Inside& inside, Role to, Note note, Duration patience) {
  const auto ticket = submit_call(inside, to, std::move(note));
  if (!ticket) return tl::unexpected(ticket.error());
  return await_answer(inside, *ticket, patience);
}

inline constexpr Duration call_slack = seconds(10);  // a close of the endpoint, a lease's write

// A get under way: the memory that it reads into is the store's until end_get().
struct PendingGet {
  Ticket ticket{};
  Buffer buffer{};
  Duration patience{};
};

// Rows of any dtype into the caller's memory.
template <class Inside>
Result<PendingGet> begin_get_rows(Inside& inside, Role reader, const std::string& variable,
                                  const std::vector<store::RowRange>& rows, MutableBytes into, Duration patience) {
  store::GetCall call;
  call.variable = Blob(std::string_view(variable));
  call.rows = rows;
  call.buffer = inside.port.lend(into);
  call.buffer_bytes = into.size();
  call.patience = patience;
  call.any_dtype = true;
  const auto ticket = submit_call(inside, reader, store::get_note(call));
  if (ticket) return PendingGet{*ticket, call.buffer, patience};
  inside.port.take_back(call.buffer);
  return tl::unexpected(ticket.error());
}

template <class Inside>
Result<void> end_get_rows(Inside& inside, const PendingGet& get) {
  auto done = await_answer(inside, get.ticket, get.patience + call_slack);
  inside.port.take_back(get.buffer);
  return done;
}

template <class Inside>
Result<void> get_rows(Inside& inside, Role reader, const std::string& variable, const std::vector<store::RowRange>& rows,
                      MutableBytes into, Duration patience) {
  const auto get = begin_get_rows(inside, reader, variable, rows, into, patience);
  if (!get) return tl::unexpected(get.error());
  return end_get_rows(inside, *get);
}

}  // namespace tenter::hw
