// Tasks as the frames that travel in the page, and their replies back; notes of failed calls as errors for the user.
#pragma once
#include <string_view>
#include <vector>

#include "core/event.hpp"
#include "core/mailbox/frame.hpp"
#include "hw/group/group.hpp"

namespace tenter::hw {

// invalid: more data or scalars than a TASK frame carries; the text has size and limit.
Result<Blob> task_frame(const mailbox::FrameIdentity& identity, std::string_view callable, const Task& task);

// invalid: no such control, or one that may not address the group.
Result<Blob> control_frame(const mailbox::FrameIdentity& identity, mailbox::ControlName name, Bytes command,
                           mailbox::Target target);

// The result in a reply to `identity`. invalid, mismatch: the reply breaks its format, or is not the asked rank's and request's.
// failed: the task's own error code and text.
Result<Blob> result_of(std::string_view call, const mailbox::FrameIdentity& identity, const Blob& reply);

// "submit: rank 2: RemoteOperationError: fail: asked to fail".
Error call_error(std::string_view call, const Note& answer);

}  // namespace tenter::hw
