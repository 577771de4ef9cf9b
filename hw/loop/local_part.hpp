// Tell: notes between the machines of one process, in the order they were told.
#pragma once
#include "core/action.hpp"
#include "hw/part.hpp"

namespace tenter::hw {

class LocalPart {
 public:
  LocalPart(Context& context) : context_(context) {}
  void perform(const action::Tell& tell) { context_.push(tell.to, event::Told{context_.round(), context_.current, tell.note}); }
  void poll() {}
  void add_waits(WaitSet&) const {}

 private:
  Context& context_;
};

}  // namespace tenter::hw
