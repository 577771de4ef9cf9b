#include "core/control/start_notes.hpp"

#include "core/control/topology.hpp"
#include "core/text.hpp"
#include "core/wire.hpp"

namespace tenter::control {
namespace {

constexpr std::uint64_t address_bytes_max = 512;

std::string text_in(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

tl::unexpected<Error> no_note(std::string_view which, std::string_view why) {
  return error(Status::invalid, std::string(which) + ": " + std::string(why));
}

}  // namespace

Note start_note(StartNote kind, Status status, std::string_view text) {
  Note note;
  note.kind = number(kind);
  note.status = status;
  note.text = Blob(text);
  return note;
}

Note rank_seen_note(std::uint32_t rank, ProcessId process, std::string_view host) {
  Note note = start_note(StartNote::rank_seen, Status::ok, host);
  note.a = rank;
  note.b = static_cast<std::int64_t>(process.pid);
  note.c = static_cast<std::int64_t>(process.start_time);
  return note;
}

Note gate_order_note(const GateOrder& order) {
  wire::Writer writer;
  writer.i64(number(order.patience)).counted(std::string_view(order.address)).counted(order.token.span());
  writer.u32(static_cast<std::uint32_t>(order.hosts.size()));
  for (const std::string& host : order.hosts) writer.counted(std::string_view(host));
  Note note = start_note(StartNote::open_gate);
  note.text = writer.blob();
  return note;
}

Result<GateOrder> read_gate_order(const Note& note) {
  if (!is(note, StartNote::open_gate)) return no_note("gate", "a note of kind " + text_of(note.kind) + " opens none");
  wire::Reader reader(note.text.bytes());
  GateOrder order;
  order.patience = Duration{reader.i64()};
  order.address = text_in(reader.counted(address_bytes_max));
  order.token = Hidden(text_in(reader.counted(gate_token_bytes_max)));
  const std::uint32_t world = reader.u32();
  if (reader.ok() && (world == 0 || world > executors_max + 1)) return no_note("gate", "hosts: " + text_of(world) + " ranks");
  for (std::uint32_t rank = 0; reader.ok() && rank < world; ++rank)
    order.hosts.push_back(text_in(reader.counted(host_bytes_max)));
  if (!reader.at_end())
    return no_note("gate", "the order breaks its format at offset " + text_of(std::uint64_t{reader.offset()}));
  if (order.address.empty()) return no_note("gate", "address is empty");
  if (order.token.bytes.empty()) return no_note("gate", "token is empty");
  if (number(order.patience) <= 0) return no_note("gate", "patience is not positive");
  return order;
}

Note check_in_note(const CheckIn& check_in) {
  const GateReport& report = check_in.report;
  wire::Writer writer;
  writer.i64(number(check_in.patience)).counted(std::string_view(check_in.address)).counted(report.token.bytes());
  writer.u32(report.rank).u32(number(report.state)).counted(std::string_view(report.error));
  writer.u64(report.process.pid).u64(report.process.start_time).counted(std::string_view(report.host));
  writer.u32(report.version ? 1 : 0).u32(report.version.value_or(0)).u64(report.features);
  writer.counted(std::string_view(report.address));
  Note note = start_note(StartNote::check_in);
  note.text = writer.blob();
  return note;
}

Result<CheckIn> read_check_in(const Note& note) {
  if (!is(note, StartNote::check_in)) return no_note("check-in", "a note of kind " + text_of(note.kind) + " is none");
  wire::Reader reader(note.text.bytes());
  CheckIn check_in;
  GateReport& report = check_in.report;
  check_in.patience = Duration{reader.i64()};
  check_in.address = text_in(reader.counted(address_bytes_max));
  report.token = Blob(reader.counted(gate_token_bytes_max));
  report.rank = reader.u32();
  const std::uint32_t state = reader.u32();
  report.error = text_in(reader.counted(note.text.size()));
  report.process.pid = reader.u64();
  report.process.start_time = reader.u64();
  report.host = text_in(reader.counted(host_bytes_max));
  const bool versioned = reader.u32() != 0;
  const std::uint32_t version = reader.u32();
  report.features = reader.u64();
  report.address = text_in(reader.counted(gate_address_bytes_max));
  if (versioned) report.version = version;
  if (!reader.at_end()) return no_note("check-in", "it breaks its format at offset " + text_of(std::uint64_t{reader.offset()}));
  if (state != number(GateState::ready) && state != number(GateState::failed))
    return no_note("check-in", "neither ready nor failed");
  report.state = GateState{static_cast<std::uint8_t>(state)};
  if (check_in.address.empty()) return no_note("check-in", "address is empty");
  if (report.token.empty()) return no_note("check-in", "token is empty");
  if (number(check_in.patience) <= 0) return no_note("check-in", "patience is not positive");
  return check_in;
}

}  // namespace tenter::control
