// What the command knows: protocols with their scenarios and properties, and how to build a machine of each role for a replay.
// The built-in protocols and a user's own are registered with the same calls; see main.hpp.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/machine.hpp"
#include "core/recording/value.hpp"
#include "sim/protocol.hpp"

namespace tenter {

// A run of a protocol on hardware: `tenter hw run`. The same work as in a scenario, on real parts.
struct HardwareOptions {
  std::uint32_t ranks = 4;
  std::uint64_t requests = 1000;
  std::uint64_t seed = 1;  // of the work's shape
  Duration patience = seconds(60);
  std::string launcher = "mpiexec";
  std::string record;               // directory for a log a process; empty: none
  std::vector<std::string> member;  // how a rank is called: this program and the hidden subcommand that runs HardwareRun::member
  std::function<bool()> interrupted;  // true: end in order, soon
  std::function<void(std::uint64_t done)> progress;
};
struct HardwareOutcome {
  struct Failure {
    std::string property, text;
    bool liveness = false;  // something did not start or end: exit code 4 instead of 1
  };
  std::uint64_t answers = 0;
  std::string unit = "answers";       // what was counted
  std::optional<std::uint64_t> seed;  // of the run that failed, where there are several
  std::vector<Failure> failures;
  std::string recording_trouble;  // the recording is not complete, and why
};
struct HardwareRun {
  std::function<HardwareOutcome(const HardwareOptions&)> run;
  std::function<int()> member;  // what a rank does; its exit code
};

class Registry {
 public:
  // The protocol of this name, made when it is new.
  sim::Protocol& protocol(std::string_view name);
  const sim::Protocol* find(std::string_view name) const;
  const std::deque<sim::Protocol>& protocols() const { return protocols_; }

  // How `sim replay DIR` makes the machine called M::name from the configuration bytes in a recording's header.
  template <Machine M>
  Registry& role(std::function<M(Bytes configuration)> make) {
    roles_[std::string(M::name)] = [make = std::move(make)](Bytes configuration) { return AnyMachine(make(configuration)); };
    return *this;
  }
  // The same where a recording's header holds an encoded Configuration (core/recording/value.hpp), as hw/ writes it.
  template <Machine M, Described Configuration>
  Registry& role() {
    return role<M>([](Bytes bytes) {
      const auto configuration = recording::decode_value<Configuration>(bytes);
      if (!configuration) throw std::invalid_argument(configuration.error().what);
      return M(*configuration);
    });
  }
  Registry& hardware(std::string_view protocol, HardwareRun run) {
    hardware_.insert_or_assign(std::string(protocol), std::move(run));
    return *this;
  }
  const HardwareRun* find_hardware(std::string_view protocol) const {
    const auto found = hardware_.find(protocol);
    return found == hardware_.end() ? nullptr : &found->second;
  }

  using MakeMachine = std::function<AnyMachine(Bytes configuration)>;
  const MakeMachine* find_role(std::string_view machine_name) const;

 private:
  std::deque<sim::Protocol> protocols_;
  std::map<std::string, MakeMachine, std::less<>> roles_;
  std::map<std::string, HardwareRun, std::less<>> hardware_;
};

}  // namespace tenter
