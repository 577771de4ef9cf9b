// What the command knows: protocols with their scenarios and properties, and how to build a machine of each role for a replay.
// The built-in protocols and a user's own are registered with the same calls; see main.hpp.
#pragma once
#include <deque>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/machine.hpp"
#include "core/recording/value.hpp"
#include "sim/protocol.hpp"

namespace tenter {

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
  using MakeMachine = std::function<AnyMachine(Bytes configuration)>;
  const MakeMachine* find_role(std::string_view machine_name) const;

 private:
  std::deque<sim::Protocol> protocols_;
  std::map<std::string, MakeMachine, std::less<>> roles_;
};

}  // namespace tenter
