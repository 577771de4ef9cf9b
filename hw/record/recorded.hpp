// What makes a hw::Process record: machines run against a traced port, and every event goes to the recorder with the digest of
// the actions that answered it.
#pragma once
#include <string>
#include <utility>

#include "core/machine.hpp"
#include "core/recording/log.hpp"
#include "core/recording/value.hpp"
#include "core/traced.hpp"
#include "hw/record/recorder.hpp"

namespace tenter::hw {

// A machine M(configuration) as a log's header names it.
template <Machine M, Described Configuration>
recording::RoleHeader recorded_role(const Configuration& configuration) {
  return {std::string(M::name), recording::encode_value(configuration)};
}

class Recorded {
 public:
  explicit Recorded(Recorder& recorder) : recorder_(&recorder) {}

  // handle(out) delivers `event` to the machine of `role`, which acts on `out`.
  template <class PortType, class Handle>
  bool observe(Role role, Event& event, PortType& port, Handle&& handle) {
    Traced<PortType> traced(port);
    const bool handled = handle(traced);
    recorder_->append(role, std::move(event), traced.take_digest());
    return handled;
  }
  void idle() { recorder_->settle(); }

 private:
  Recorder* recorder_;
};

// The same, where it is known at run time only whether there is a recorder; without one it costs a branch an event.
class PerhapsRecorded {
 public:
  explicit PerhapsRecorded(Recorder* recorder) : recorder_(recorder) {}

  template <class PortType, class Handle>
  bool observe(Role role, Event& event, PortType& port, Handle&& handle) {
    if (recorder_ == nullptr) [[likely]]
      return handle(port);
    return Recorded(*recorder_).observe(role, event, port, std::forward<Handle>(handle));
  }
  void idle() {
    if (recorder_ != nullptr) [[unlikely]]
      recorder_->settle();
  }

 private:
  Recorder* recorder_;
};

}  // namespace tenter::hw
