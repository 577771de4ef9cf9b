#include "core/control/inbound.hpp"

#include <string>

#include "core/text.hpp"

namespace tenter::control {

Result<Frame> read_inbound(const event::MessageArrived& message, std::uint64_t session, std::int32_t worker) {
  if (number(message.tag) < number(command_tag) || number(message.tag) > number(lifecycle_tag))
    return error(Status::not_found, "a message with tag " + text_of(message.tag) + ", expected 1 to 4");
  auto frame = read_frame(message.content.bytes());
  if (!frame) return frame;
  const std::string what = describe(frame->type, frame->identity);
  if (frame->identity.session != session) return error(Status::not_found, what + ": this session is " + text_of_hex(session));
  if (frame->identity.worker != worker) return error(Status::invalid, what + ": it came from worker " + text_of(worker));
  if (tag_of(frame->type) != message.tag)
    return error(Status::invalid, what + " under tag " + text_of(message.tag) + ", expected " + text_of(tag_of(frame->type)));
  return frame;
}

Result<AnyReply> read_any_reply(const Frame& frame) {
  AnyReply any;
  if (frame.type == FrameType::completion) {
    auto completion = read_completion(frame.payload);
    if (!completion) return tl::unexpected(completion.error());
    any = {completion->sequence, task_result, control_version, completion->code, std::move(completion->error), {}};
  } else {
    auto reply = read_control_reply(frame.payload);
    if (!reply) return tl::unexpected(reply.error());
    any = {reply->sequence, reply->name, reply->version, reply->code, std::move(reply->error), reply->result};
  }
  if (any.sequence != frame.identity.sequence)
    return error(Status::invalid, describe(frame.type, frame.identity) + ": its payload says sequence " + text_of(any.sequence));
  return any;
}

}  // namespace tenter::control
