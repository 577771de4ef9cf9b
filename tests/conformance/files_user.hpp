// Who uses Files in a conformance case: asks, and takes the one answer that must come.
#pragma once
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/action.hpp"
#include "tests/conformance/suite.hpp"

namespace tenter::conformance {

// Three processes with the same empty root folder; the disk of process 2 is full. perform: the process carries out the action;
// its effect is there on return. next: the next event at the process while nobody else acts; none if there is none. park, woken:
// the process sleeps until an event comes, and answers that event; none if it slept for seconds.
template <class F>
concept FilesFixture = std::default_initializable<F> && requires(F& fixture, std::size_t process, action::ReadFile read) {
  fixture.perform(process, read);
  { fixture.next(process) } -> std::same_as<std::optional<Event>>;
  fixture.park(process);
  { fixture.woken(process) } -> std::same_as<std::optional<Event>>;
};

template <FilesFixture Fixture>
class FilesUser {
 protected:
  static std::string large_text() { return std::string(100'000, 'y'); }
  static bool is_change(const Event& event, Op op) {
    const auto* changed = std::get_if<event::FilesChanged>(&event);
    return changed && changed->op == op;
  }
  Op next_op() { return Op{++ops_}; }
  event::FileDone done_at(std::size_t process) {
    const auto done = expect_event<event::FileDone>(world.next(process));
    EXPECT_EQ(done.op, Op{ops_});
    return done;
  }
  Status publish(std::size_t process, std::string_view path, std::string_view content) {
    world.perform(process, action::PublishFile{next_op(), Blob(path), Blob(content)});
    return done_at(process).status;
  }
  event::FileDone read(std::size_t process, std::string_view path, std::uint64_t limit = 10'000'000) {
    world.perform(process, action::ReadFile{next_op(), Blob(path), limit});
    return done_at(process);
  }
  std::string text(std::size_t process, std::string_view path) {
    const auto done = read(process, path);
    EXPECT_EQ(done.status, Status::ok) << done.content.text();
    return std::string(done.content.text());
  }
  Status remove(std::size_t process, std::string_view path) {
    world.perform(process, action::RemoveFile{next_op(), Blob(path)});
    return done_at(process).status;
  }
  Status make(std::size_t process, std::string_view path) {
    world.perform(process, action::MakeDirectory{next_op(), Blob(path)});
    return done_at(process).status;
  }
  Status remove_directory(std::size_t process, std::string_view path) {
    world.perform(process, action::RemoveDirectory{next_op(), Blob(path)});
    return done_at(process).status;
  }
  event::FilesListed list(std::size_t process, std::string_view directory) {
    world.perform(process, action::ListFiles{next_op(), Blob(directory)});
    const auto listed = expect_event<event::FilesListed>(world.next(process));
    EXPECT_EQ(listed.op, Op{ops_});
    return listed;
  }
  std::vector<std::string> names_of(const event::FilesListed& listed) {
    EXPECT_EQ(listed.status, Status::ok);
    std::vector<std::string> all;
    for (const Blob& name : listed.names) all.emplace_back(name.text());
    return all;
  }
  std::vector<std::string> names(std::size_t process, std::string_view directory) { return names_of(list(process, directory)); }
  // The same where other events may come before it; they are set aside.
  std::vector<std::string> names_by_op(std::size_t process, std::string_view directory) {
    world.perform(process, action::ListFiles{next_op(), Blob(directory)});
    while (const std::optional<Event> event = world.next(process)) {
      if (const auto* listed = std::get_if<event::FilesListed>(&*event)) return names_of(*listed);
      set_aside_.push_back(*event);
    }
    ADD_FAILURE() << "no list came";
    return {};
  }
  Op watch(std::size_t process, std::string_view directory) {
    const Op op = next_op();
    world.perform(process, action::WatchFiles{op, Blob(directory)});
    return op;
  }
  void expect_changed(const std::optional<Event>& event, Op op) { EXPECT_EQ(expect_event<event::FilesChanged>(event).op, op); }

  void publish_a() { publish(0, "d/a", "x"); }
  void remove_a() { remove(0, "d/a"); }
  void make_e() { make(0, "d/e"); }
  void remove_e() { remove_directory(0, "d/e"); }
  void remove_d() { remove_directory(0, "d"); }

  Fixture world;
  std::uint64_t ops_ = 0;
  std::vector<Event> set_aside_;
};

}  // namespace tenter::conformance
