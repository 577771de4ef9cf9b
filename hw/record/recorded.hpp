// What makes a hw::Process record: machines run against a traced port, and every event goes to the recorder with the digest of
// the actions that answered it.
#pragma once
#include "core/traced.hpp"
#include "hw/record/recorder.hpp"

namespace tenter::hw {

class Recorded {
 public:
  explicit Recorded(Recorder& recorder) : recorder_(&recorder) {}

  // handle(out) delivers `event` to the machine of `role`, which acts on `out`.
  template <class PortType, class Handle>
  bool observe(Role role, const Event& event, PortType& port, Handle&& handle) {
    Traced<PortType> traced(port);
    const bool handled = handle(traced);
    recorder_->append(role, event, traced.take_digest());
    return handled;
  }
  void before_sleep(WaitSet& waits) { waits.until(recorder_->idle()); }

 private:
  Recorder* recorder_;
};

}  // namespace tenter::hw
