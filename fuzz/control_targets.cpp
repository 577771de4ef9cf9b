#include "fuzz/control_targets.hpp"

#include "core/check.hpp"
#include "core/control/gate_message.hpp"
#include "core/control/slr3.hpp"
#include "core/control/topology.hpp"
#include "core/utf8.hpp"

namespace tenter::fuzz {

using namespace control;

namespace {

std::string_view text_of_bytes(Bytes input) { return {reinterpret_cast<const char*>(input.data()), input.size()}; }

// What was read is written as it was, byte for byte.
void same(const Blob& written, Bytes input) { TENTER_CHECK(written == Blob(input)); }

// An error text is repaired while it is read, so what is written afterwards is another text at most once.
void settled_text(const std::string& text) {
  TENTER_CHECK(text.size() <= error_text_bytes_max && error_text(text) == text);
  TENTER_CHECK(text.empty() || utf8_run(text, 0) == text.size());
}

template <class T>
void explained(const Result<T>& refused) {
  TENTER_CHECK(refused.error().status != Status::ok && !refused.error().what.empty());
}

void check_replied(Bytes input) {
  const auto reply = read_control_reply(input);
  if (!reply) return explained(reply);
  settled_text(reply->error);
  const Blob again = write_control_reply(*reply);
  const auto second = read_control_reply(again.bytes());
  TENTER_CHECK(second && second->sequence == reply->sequence && second->name == reply->name && second->code == reply->code);
  TENTER_CHECK(second->error == reply->error && Blob(second->result) == Blob(reply->result));
}

}  // namespace

void slr3_hello(Bytes input) {
  const auto hello = read_hello(input);
  if (!hello) return explained(hello);
  same(write_hello(*hello), input);
}

void slr3_task(Bytes input) {
  const auto task = read_task(input);
  if (!task) return explained(task);
  TENTER_CHECK(check_task(*task).has_value());
  const auto written = write_task(*task);
  TENTER_CHECK(written.has_value());
  same(*written, input);
}

void slr3_control(Bytes input) {
  const ControlName name = control_name_of(input);
  TENTER_CHECK(number(name) >= 1 && number(name) <= 17);
  const auto call = read_control(input);
  if (!call) return explained(call);
  TENTER_CHECK(call->name == name);
  same(write_control(*call), input);
  slr3_command(call->command);
}

void slr3_reply(Bytes input) {
  check_replied(input);
  const auto completion = read_completion(input);
  if (!completion) return explained(completion);
  settled_text(completion->error);
  const auto second = read_completion(write_completion(*completion).bytes());
  TENTER_CHECK(second && *second == *completion);
}

void slr3_command(Bytes input) {
  if (const auto name = read_callable_name(input)) same(write_callable_name(*name), input);
  if (const auto payload = read_callable_payload(input)) same(write_callable_payload(*payload), input);
  if (const auto buffer = read_buffer_name(input)) same(write_buffer_name(*buffer), input);
  if (const auto bytes = read_alloc(input)) same(write_alloc(*bytes), input);
  if (const auto buffer = read_remote_buffer(input)) same(write_remote_buffer(*buffer), input);
  if (const auto copy = read_copy_to(input)) same(write_copy_to(copy->range.buffer, copy->range.offset, copy->data), input);
  if (const auto range = read_copy_from(input)) same(write_copy_from(*range), input);
  if (const auto call = read_export(input)) same(write_export(*call), input);
  if (const auto call = read_release_import(input)) same(write_release_import(*call), input);
  if (const auto name = read_release_domain(input)) same(write_release_domain(*name), input);
}

void slr3_frame(Bytes input) {
  const auto frame = read_frame(input);
  if (!frame) return explained(frame);
  const auto written = write_frame(frame->type, frame->identity, frame->payload, frame->flags);
  TENTER_CHECK(written.has_value());
  same(*written, input);
  switch (frame->type) {
    case FrameType::hello:
      return slr3_hello(frame->payload);
    case FrameType::task:
      return slr3_task(frame->payload);
    case FrameType::control:
      return slr3_control(frame->payload);
    default:
      return slr3_reply(frame->payload);
  }
}

void gate_message(Bytes input) {
  if (input.size() < gate_prefix_bytes) return;
  const auto length = gate_body_bytes(input.first(gate_prefix_bytes));
  if (length) TENTER_CHECK(*length >= 1 && *length <= gate_message_bytes_max);
  const Bytes body = input.subspan(gate_prefix_bytes);
  if (const auto go = read_gate_go(body)) {
    const Blob again = write_gate_go(go->token.text(), go->address);
    const auto second = read_gate_go(again.bytes().subspan(gate_prefix_bytes));
    TENTER_CHECK(second && same_token(second->token.bytes(), go->token.bytes()) && second->address == go->address);
  }
  const auto report = read_gate_report(body);
  if (!report) return explained(report);
  const Blob again = write_gate_report(*report);
  TENTER_CHECK(*gate_body_bytes(again.bytes().first(gate_prefix_bytes)) == again.size() - gate_prefix_bytes);
  const auto second = read_gate_report(again.bytes().subspan(gate_prefix_bytes));
  TENTER_CHECK(second && second->rank == report->rank && second->state == report->state && second->process == report->process);
  TENTER_CHECK(same_token(second->token.bytes(), report->token.bytes()) && report->error.starts_with(second->error));
}

void topology(Bytes input) {
  const auto read = parse_topology(text_of_bytes(input));
  if (!read) return TENTER_CHECK(read.error().what.starts_with("line "));
  TENTER_CHECK(check_topology(*read).has_value());
  const auto again = parse_topology(print_topology(*read));
  TENTER_CHECK(again && *again == *read);
  const auto hosts = parse_host_file(print_host_file(host_slots(*read)));
  TENTER_CHECK(hosts && *hosts == host_slots(*read));
}

void host_file(Bytes input) {
  const auto hosts = parse_host_file(text_of_bytes(input));
  if (!hosts) return TENTER_CHECK(hosts.error().what.starts_with("host file: line "));
  const auto again = parse_host_file(print_host_file(*hosts));
  TENTER_CHECK(again && *again == *hosts);
}

}  // namespace tenter::fuzz
