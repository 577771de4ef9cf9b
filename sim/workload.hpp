// The user threads of a run, as a script: they submit calls and get answers. Knows neither world: the simulator drives it in
// virtual time, `tenter hw run` on a real group.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "core/event.hpp"
#include "sim/process.hpp"

namespace tenter::sim {

class ClientPort {
 public:
  virtual ~ClientPort() = default;
  // Submitted{ticket, call} for the machine `role` of `process`.
  virtual Ticket submit(ProcessIndex process, Role role, Note call) = 0;
  virtual std::uint32_t choose(std::uint32_t n) = 0;              // shape of the work: on the tape, 0 the smallest
  virtual ProcessIndex process(std::string_view name) const = 0;  // the newest of this name (a restarted one has the same name)
  virtual Time now() const = 0;

  // Memory of the caller at a process, for calls that name a buffer. A world without the Fabric port lends none.
  virtual Buffer lend(ProcessIndex, std::uint64_t /*bytes*/) { return no_buffer; }
  virtual void fill(ProcessIndex, Buffer, const Blob&) {}
  virtual Blob look(ProcessIndex, Buffer) const { return {}; }
  virtual void take_back(ProcessIndex, Buffer) {}  // nothing may land there any more
};

class Workload {
 public:
  virtual ~Workload() = default;
  virtual void start(ClientPort& port) = 0;
  virtual void completed(ClientPort& port, Ticket ticket, const Note& outcome) = 0;
  // The process that was called is gone: nobody will answer this ticket.
  virtual void abandoned(ClientPort&, Ticket) {}
  virtual void restarted(ClientPort&, ProcessIndex) {}
  virtual bool finished() const = 0;
  virtual std::string waiting_for() const { return "the workload's next answer"; }
};

}  // namespace tenter::sim
