// Golden state × event tables: every event label is delivered to a copy of the machine in every state, and what it did (next
// state, actions) is compared with a file under tests/golden/. A pair that does nothing is explained once, with its event.
//
//   GoldenTable<Dispatcher> table;
//   table.state("parked", parked_dispatcher());                       // however the caller scripted it there
//   table.event("timer_fired(stall)", event::TimerFired{...}, "only armed while a result waits to be taken");
//   table.expect_complete({"waiting", "parked", ...});
//   table.expect_matches("mailbox_dispatcher");                       // tests/golden/mailbox_dispatcher.txt
//
// TENTER_UPDATE_GOLDEN=1 in the environment rewrites the file instead; the change is then reviewed like code.
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/machine.hpp"

namespace tenter::test {

// An action in a table: its name and what makes it that one (a word and its value, the note's receiver), not its payload.
inline std::string brief(const Action& action) {
  std::string text(name_of(action));
  auto word = [&](Word w, std::uint32_t value) { text += "(" + text_of(w) + "=" + text_of(value) + ")"; };
  if (const auto* a = std::get_if<action::Publish>(&action)) word(a->word, a->value);
  if (const auto* a = std::get_if<action::PublishQuiet>(&action)) word(a->word, a->value);
  if (const auto* a = std::get_if<action::PublishIf>(&action))
    text += "(" + text_of(a->word) + ": " + text_of(a->expected) + " to " + text_of(a->value) + (a->wake ? ")" : ", quiet)");
  if (const auto* a = std::get_if<action::Tell>(&action))
    text += "(role " + text_of(a->to) + ", kind " + text_of(a->note.kind) + ")";
  if (const auto* a = std::get_if<action::Complete>(&action)) text += "(" + text_of(a->outcome.status) + ")";
  if (const auto* a = std::get_if<action::ExitProcess>(&action)) text += a->orderly ? "(orderly)" : "(at once)";
  return text;
}

template <Machine M>
class GoldenTable {
 public:
  // `label` is the machine's state name, or that name, a slash and what is special ("waiting/shutdown").
  void state(std::string label, M machine) {
    EXPECT_EQ(machine.state_name(), label.substr(0, label.find('/'))) << "the script for '" << label << "' ends elsewhere";
    states_.push_back({std::move(label), std::move(machine)});
  }
  // `otherwise`: why a state may ignore this event; empty when none does.
  void event(std::string label, Event event, std::string otherwise = "") {
    events_.push_back({std::move(label), std::move(event), std::move(otherwise)});
  }

  // Every state of the machine has a row.
  void expect_complete(const std::set<std::string>& all_states) const {
    std::set<std::string> seen;
    for (const auto& s : states_) seen.insert(s.label.substr(0, s.label.find('/')));
    EXPECT_EQ(seen, all_states);
  }

  std::string text() const {
    std::ostringstream out;
    out << "# " << M::name << ": state, event -> next state: actions. A dash: ignored, for the reason given with the event.\n";
    for (const auto& e : events_)
      if (!e.otherwise.empty()) out << "# " << e.label << ": " << e.otherwise << "\n";
    for (const auto& s : states_) {
      out << "\n";
      for (const auto& e : events_) out << row(s, e) << "\n";
    }
    return out.str();
  }

  void expect_matches(const std::string& name) const {
    const std::string path = std::string(TENTER_GOLDEN_DIR) + "/" + name + ".txt";
    const std::string now = text();
    if (std::getenv("TENTER_UPDATE_GOLDEN") != nullptr) {
      std::ofstream(path, std::ios::binary) << now;
      return;
    }
    std::ifstream file(path, std::ios::binary);
    ASSERT_TRUE(file) << "no golden table " << path << "; create it with TENTER_UPDATE_GOLDEN=1";
    const std::string golden((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (golden != now) ADD_FAILURE() << path << " differs (- golden, + now):\n" << differences(golden, now);
  }

 private:
  struct State {
    std::string label;
    M machine;
  };
  struct Column {
    std::string label;
    Event event;
    std::string otherwise;
  };

  static std::string row(const State& s, const Column& e) {
    M machine = s.machine;
    Outbox out;
    if (!deliver(machine, e.event, out)) {
      ADD_FAILURE() << M::name << " has no handler for " << e.label;
      return s.label + ", " + e.label + " -> no handler";
    }
    std::string text = s.label + ", " + e.label + " -> ";
    if (out.actions().empty() && machine == s.machine) {
      EXPECT_FALSE(e.otherwise.empty()) << text << "ignored, and nobody says why";
      return text + "-";
    }
    text += machine.state_name();
    text += ":";
    for (const Action& action : out.actions()) text += " " + brief(action);
    return text;
  }

  static std::string differences(const std::string& a, const std::string& b) {
    std::istringstream left(a), right(b);
    std::set<std::string> left_lines, right_lines;
    for (std::string line; std::getline(left, line);) left_lines.insert(line);
    for (std::string line; std::getline(right, line);) right_lines.insert(line);
    std::string text;
    for (const auto& line : left_lines)
      if (!right_lines.contains(line)) text += "- " + line + "\n";
    for (const auto& line : right_lines)
      if (!left_lines.contains(line)) text += "+ " + line + "\n";
    return text.empty() ? "only the order of the lines\n" : text;
  }

  std::vector<State> states_;
  std::vector<Column> events_;
};

}  // namespace tenter::test
