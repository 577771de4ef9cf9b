// How often the store's machines ask its directory for something (L3): idle readers, joins that wait, heartbeats and leases each
// have a bound, so the load of a shared file system grows with readers and with time, never with luck.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "core/event.hpp"
#include "sim/property.hpp"

namespace tenter::protocols {

// The looks of one join that began `waited` ago: one at once, then one after 10, 20, 40, 80, 160 ms and each further 250 ms.
std::uint64_t looks_within(Duration waited);
// Operations of one look: a list of the directory, the record, and the heartbeat when its core does not answer.
inline constexpr std::uint64_t operations_of_a_look = 3;

class DirectoryMonitor : public sim::Monitor {
 public:
  void on_step(const sim::View& view, const sim::Step& step, sim::Findings& findings) override;

 private:
  struct Looking {
    std::map<Ticket, Time> joins;  // under way, since when
    std::uint64_t allowed = 0;     // of the joins that have ended
    std::uint64_t operations = 0;
  };
  struct Beat {
    Time begun{};
    std::uint32_t state = 0;
  };
  void beat(const sim::View& view, const sim::Step& step, Time now, const action::PublishFile& publish, sim::Findings& findings);
  void look(const sim::View& view, const sim::Step& step, Time now, sim::Findings& findings);

  std::map<sim::ProcessIndex, Looking> looking_;                         // readers
  std::map<std::pair<sim::ProcessIndex, std::string>, Beat> last_beat_;  // by file
};

}  // namespace tenter::protocols
