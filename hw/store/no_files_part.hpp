// The Files port of a job without a directory (methods fabric and window): its machines ask for nothing, and would be refused.
#pragma once
#include "core/action.hpp"
#include "core/event.hpp"
#include "hw/part.hpp"

namespace tenter::hw {

class NoFilesPart {
 public:
  explicit NoFilesPart(Context& context) : context_(context) {}

  void perform(const action::PublishFile& a) { refuse(a.op); }
  void perform(const action::ReadFile& a) { refuse(a.op); }
  void perform(const action::RemoveFile& a) { refuse(a.op); }
  void perform(const action::MakeDirectory& a) { refuse(a.op); }
  void perform(const action::RemoveDirectory& a) { refuse(a.op); }
  void perform(const action::ListFiles& a) {
    context_.push(context_.current, event::FilesListed{now(), a.op, Status::unavailable, {}});
  }
  void perform(const action::WatchFiles&) {}
  void poll() {}
  void add_waits(WaitSet&) const {}

 private:
  void refuse(Op op) {
    context_.push(context_.current, event::FileDone{now(), op, Status::unavailable, Blob("this job has no directory")});
  }
  Context& context_;
};

}  // namespace tenter::hw
