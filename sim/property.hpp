// What must hold. ALWAYS: after every event. EVENTUALLY: at the end, after the faults have stopped. SOMETIMES: in some run, so
// that "never seen" is reported. A monitor may keep history.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/action.hpp"
#include "core/event.hpp"
#include "sim/process.hpp"

namespace tenter::sim {

class View;

// One event that was delivered, and what the machine answered.
struct Step {
  std::uint64_t number = 0;
  Time now{};  // world time
  ProcessIndex process = 0;
  Role role{};
  const Event& event;
  std::span<const Action> actions;
  std::string_view before;  // the machine's state before the event
};

enum class FindingKind : std::uint8_t { safety, liveness };

class Findings {
 public:
  virtual ~Findings() = default;
  // Ends the run: `property` does not hold, `text` gives the values that contradict it.
  virtual void fail(FindingKind kind, std::string property, std::string text) = 0;
  void safety(std::string property, std::string text) { fail(FindingKind::safety, std::move(property), std::move(text)); }
  virtual void seen(std::string_view sometimes) = 0;
};

class Monitor {
 public:
  virtual ~Monitor() = default;
  virtual void on_step(const View&, const Step&, Findings&) {}
  virtual void on_complete(const View&, Ticket, const Note&, Findings&) {}
  virtual void on_end(const View&, Findings&) {}
  virtual bool watches_steps() const { return true; }  // false: on_step need not be called
};

using MonitorFactory = std::function<std::unique_ptr<Monitor>()>;
using Predicate = std::function<bool(const View&)>;

enum class PropertyKind : std::uint8_t { always, eventually, sometimes, monitor };

struct Property {
  PropertyKind kind{};
  std::string name;
  Predicate holds;
  MonitorFactory make_monitor;
};

}  // namespace tenter::sim
