#include "hw/group/task_frames.hpp"

#include <algorithm>

#include "core/event.hpp"
#include "core/mailbox/error_list.hpp"
#include "hw/group/callables.hpp"

namespace tenter::hw {

Result<Blob> task_frame(const mailbox::FrameIdentity& identity, std::string_view callable, const Task& task) {
  const std::string who = "submit: task for rank " + std::to_string(identity.worker) + " (" + std::string(callable) + "): ";
  mailbox::TaskCall call;
  const Blob key = callable_key(callable);
  if (key.size() != call.callable.size())
    return error(Status::invalid, who + "the callable's name has no digest; a control is no task");
  std::copy(key.bytes().begin(), key.bytes().end(), call.callable.begin());
  call.scalars = task.scalars;
  call.inline_bytes = task.data.bytes();
  auto frame = mailbox::write_task(identity, call);
  if (!frame) return error(frame.error().status, who + frame.error().what);
  return frame;
}

Result<Blob> control_frame(const mailbox::FrameIdentity& identity, mailbox::ControlName name, Bytes command,
                           mailbox::Target target) {
  const std::string who = "control " + std::to_string(number(name)) + " (" + std::string(to_string(name)) + "): ";
  if (!mailbox::is_valid(name)) return error(Status::invalid, who + "there are the controls 1 to 17");
  const bool whole_group = target == mailbox::Target::group;
  if (whole_group && !mailbox::may_target_group(name))
    return error(Status::invalid, who + "it addresses one rank; only ALLOC_DOMAIN and RELEASE_DOMAIN address the group");
  auto frame = mailbox::write_control(identity, {name, command}, whole_group);
  if (!frame) return error(frame.error().status, who + frame.error().what);
  return frame;
}

Result<Blob> result_of(std::string_view call, const mailbox::FrameIdentity& identity, const Blob& reply) {
  const std::string who = std::string(call) + ": reply of rank " + std::to_string(identity.worker) + ": ";
  auto frame = mailbox::read_frame(reply.bytes());
  if (!frame) return error(frame.error().status, who + frame.error().what);
  const bool replies = frame->type == mailbox::FrameType::completion || frame->type == mailbox::FrameType::control_reply;
  if (!replies || !(frame->identity == identity))
    return error(Status::mismatch, who + "it is no reply to request " + std::to_string(identity.sequence));
  auto content = mailbox::read_reply(*frame);
  if (!content) return error(content.error().status, who + content.error().what);
  if (content->code != 0)
    return error(Status::failed, who + "code " + std::to_string(content->code) + ": " + std::string(content->error));
  return Blob(content->result);
}

Error call_error(std::string_view call, const Note& answer) {
  const auto errors = mailbox::decode_error_list(answer.text.bytes());
  const std::string why = errors.empty() ? std::string("no reason was given") : mailbox::text_of_errors(errors);
  return {answer.status, std::string(call) + ": " + why};
}

}  // namespace tenter::hw
