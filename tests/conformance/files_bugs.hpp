// Worlds with one bug each, which the cases of tests/conformance/files.hpp must find.
#pragma once
#include <map>

#include "tests/conformance/files.hpp"

namespace tenter::conformance {

// Sets a watch only after the first change: the one between watch and list is lost.
template <FilesFixture Fixture>
struct WatchesTooLate : Fixture {
  template <class Action>
  void perform(std::size_t process, const Action& action) {
    Fixture::perform(process, action);
    if constexpr (std::is_same_v<Action, action::ListFiles>) set(process);
  }
  void perform(std::size_t process, const action::WatchFiles& watch) { waiting.emplace(process, watch); }
  std::optional<Event> next(std::size_t process) { return Fixture::next(process); }
  void park(std::size_t process) {
    set(process);
    Fixture::park(process);
  }
  void set(std::size_t process) {
    const auto [first, last] = waiting.equal_range(process);
    for (auto i = first; i != last; ++i) Fixture::perform(process, i->second);
    waiting.erase(first, last);
  }
  std::multimap<std::size_t, action::WatchFiles> waiting;
};

// Sets every watch anew when it has fired.
template <FilesFixture Fixture>
struct WatchesForEver : Fixture {
  template <class Action>
  void perform(std::size_t process, const Action& action) {
    if constexpr (std::is_same_v<Action, action::WatchFiles>) watches.insert_or_assign(number(action.op), action);
    Fixture::perform(process, action);
  }
  std::optional<Event> next(std::size_t process) {
    const std::optional<Event> event = Fixture::next(process);
    if (const auto* changed = event ? std::get_if<event::FilesChanged>(&*event) : nullptr) {
      const auto watch = watches.find(number(changed->op));
      if (watch != watches.end() && ++renewed < 100) Fixture::perform(process, watch->second);
    }
    return event;
  }
  std::map<std::uint64_t, action::WatchFiles> watches;
  int renewed = 0;
};

// Removes the older file before it writes: when there is no space, neither is left.
template <FilesFixture Fixture>
struct RemovesBeforeItWrites : Fixture {
  template <class Action>
  void perform(std::size_t process, const Action& action) {
    Fixture::perform(process, action);
  }
  void perform(std::size_t process, const action::PublishFile& publish) {
    Fixture::perform(process, action::RemoveFile{Op{0}, publish.path});
    Fixture::perform(process, publish);
  }
  std::optional<Event> next(std::size_t process) {
    std::optional<Event> event = Fixture::next(process);
    if (const auto* done = event ? std::get_if<event::FileDone>(&*event) : nullptr; done && done->op == Op{0})
      event = Fixture::next(process);
    return event;
  }
};

// Cuts what is too long instead of refusing it.
template <FilesFixture Fixture>
struct IgnoresTheLimit : Fixture {
  template <class Action>
  void perform(std::size_t process, Action action) {
    if constexpr (std::is_same_v<Action, action::ReadFile>) action.limit = 100'000'000;
    Fixture::perform(process, action);
  }
};

template <FilesFixture Fixture>
void expect_file_bugs_found() {
  const auto finds = [](const std::vector<std::string>& failing, const char* name) {
    return std::find(failing.begin(), failing.end(), name) != failing.end();
  };
  const auto late = failing_cases<FilesContract<WatchesTooLate<Fixture>>>();
  EXPECT_TRUE(finds(late, "who_watches_before_he_lists_loses_no_change"));
  EXPECT_FALSE(finds(late, "a_sleeper_is_woken_by_a_change")) << "a case that has nothing to do with it";
  EXPECT_TRUE(finds(failing_cases<FilesContract<WatchesForEver<Fixture>>>(), "a_watch_fires_once"));
  EXPECT_TRUE(finds(failing_cases<FilesContract<RemovesBeforeItWrites<Fixture>>>(),
                    "a_publish_without_space_leaves_the_older_file_whole"));
  EXPECT_EQ(failing_cases<FilesContract<IgnoresTheLimit<Fixture>>>(),
            std::vector<std::string>{"a_file_over_the_limit_is_refused_whole"});
}

}  // namespace tenter::conformance
