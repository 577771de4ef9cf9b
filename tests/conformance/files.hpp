// What every Files keeps, in the simulator and on hardware: docs/ports/files.md, case by case.
#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/action.hpp"
#include "tests/conformance/files_user.hpp"

namespace tenter::conformance {
template <FilesFixture Fixture>
class FilesContract : private FilesUser<Fixture> {
 public:
  using Self = FilesContract;
  static std::vector<Case<Self>> cases() {
    std::vector<Case<Self>> all = content_cases();
    for (const Case<Self>& one : directory_cases()) all.push_back(one);
    for (const Case<Self>& one : watch_cases()) all.push_back(one);
    return all;
  }

  // --- content ----------------------------------------------------------------------------------------------------------------

  static std::vector<Case<Self>> content_cases() {
    return {
        {"what_is_published_reads_back_in_every_process", &Self::what_is_published_reads_back_in_every_process},
        {"publishing_replaces_the_older_file_whole", &Self::publishing_replaces_the_older_file_whole},
        {"a_missing_file_is_not_found_and_named", &Self::a_missing_file_is_not_found_and_named},
        {"a_file_over_the_limit_is_refused_whole", &Self::a_file_over_the_limit_is_refused_whole},
        {"a_directory_is_no_file", &Self::a_directory_is_no_file},
        {"removing_takes_a_file_away_and_a_missing_one_is_fine", &Self::removing_takes_a_file_away_and_a_missing_one_is_fine},
        {"a_file_in_a_missing_directory_is_not_found", &Self::a_file_in_a_missing_directory_is_not_found},
        {"a_publish_without_space_leaves_the_older_file_whole", &Self::a_publish_without_space_leaves_the_older_file_whole},
        {"a_publish_without_space_leaves_nothing_new", &Self::a_publish_without_space_leaves_nothing_new},
        {"a_path_that_is_not_plain_is_invalid_for_every_action", &Self::a_path_that_is_not_plain_is_invalid_for_every_action},
        {"a_name_may_be_any_bytes_but_slash_and_zero", &Self::a_name_may_be_any_bytes_but_slash_and_zero},
    };
  }

  void what_is_published_reads_back_in_every_process() {
    const std::string zeros("a\0b\xff\n", 5), large(1 << 20, 'x');
    for (const std::string_view content :
         {std::string_view("text"), std::string_view(), std::string_view(zeros), std::string_view(large)}) {
      EXPECT_EQ(publish(0, "a", content), Status::ok);
      for (const std::size_t process : {0, 1, 2}) EXPECT_EQ(text(process, "a"), content);
    }
  }
  void publishing_replaces_the_older_file_whole() {
    EXPECT_EQ(publish(0, "a", "a long first content"), Status::ok);
    EXPECT_EQ(publish(1, "a", "short"), Status::ok);
    EXPECT_EQ(text(0, "a"), "short");
    EXPECT_EQ(names(0, ""), (std::vector<std::string>{"a"}));
  }
  void a_missing_file_is_not_found_and_named() {
    const auto done = read(0, "absent");
    EXPECT_EQ(done.status, Status::not_found);
    EXPECT_NE(done.content.text().find("absent"), std::string_view::npos) << "the text names the file";
  }
  void a_file_over_the_limit_is_refused_whole() {
    publish(0, "a", "12345");
    EXPECT_EQ(read(0, "a", 5).content.text(), "12345");
    const auto done = read(0, "a", 4);
    EXPECT_EQ(done.status, Status::invalid);
    EXPECT_NE(done.content.text().find("a"), std::string_view::npos);
    EXPECT_EQ(read(0, "a", 0).status, Status::invalid);
    publish(0, "a", "");
    EXPECT_EQ(read(0, "a", 0).status, Status::ok);
  }
  void a_directory_is_no_file() {
    EXPECT_EQ(make(0, "d"), Status::ok);
    EXPECT_EQ(read(0, "d").status, Status::invalid);
    EXPECT_EQ(publish(0, "d", "x"), Status::invalid);
    EXPECT_EQ(remove(0, "d"), Status::invalid);
    EXPECT_EQ(names(0, ""), (std::vector<std::string>{"d"}));
    EXPECT_EQ(names(0, "d"), std::vector<std::string>{});
  }
  void removing_takes_a_file_away_and_a_missing_one_is_fine() {
    publish(0, "a", "x");
    EXPECT_EQ(remove(1, "a"), Status::ok);
    EXPECT_EQ(read(0, "a").status, Status::not_found);
    EXPECT_EQ(remove(0, "a"), Status::ok);
    EXPECT_EQ(remove(0, "no/such"), Status::ok);
  }
  void a_file_in_a_missing_directory_is_not_found() {
    EXPECT_EQ(publish(0, "d/a", "x"), Status::not_found);
    EXPECT_EQ(read(0, "d/a").status, Status::not_found);
    EXPECT_EQ(make(0, "d/e"), Status::not_found);
    publish(0, "f", "x");  // a file on the way
    EXPECT_EQ(publish(0, "f/a", "x"), Status::invalid);
    EXPECT_EQ(read(0, "f/a").status, Status::invalid);
    EXPECT_EQ(make(0, "f/e"), Status::invalid);
    EXPECT_EQ(names(0, ""), (std::vector<std::string>{"f"}));
  }
  void a_publish_without_space_leaves_the_older_file_whole() {
    publish(0, "a", "old");
    world.perform(2, action::PublishFile{next_op(), Blob("a"), Blob(std::string_view(large_text()))});
    const auto done = done_at(2);
    EXPECT_EQ(done.status, Status::no_space);
    EXPECT_NE(done.content.text().find("a"), std::string_view::npos) << "the text names the file";
    EXPECT_EQ(text(2, "a"), "old");
    EXPECT_EQ(text(0, "a"), "old");
    EXPECT_EQ(names(0, ""), (std::vector<std::string>{"a"}));
    EXPECT_EQ(publish(1, "a", "new"), Status::ok) << "others have space";
    EXPECT_EQ(text(2, "a"), "new");
  }
  void a_publish_without_space_leaves_nothing_new() {
    make(0, "d");
    EXPECT_EQ(publish(2, "d/b", large_text()), Status::no_space);
    EXPECT_EQ(names(0, "d"), std::vector<std::string>{});
    EXPECT_EQ(read(0, "d/b").status, Status::not_found);
    EXPECT_EQ(remove_directory(0, "d"), Status::ok) << "no temporary is left in it either";
    EXPECT_EQ(names(0, ""), std::vector<std::string>{});
  }
  void a_path_that_is_not_plain_is_invalid_for_every_action() {
    make(0, "d");
    publish(0, "d/a", "kept");
    const std::string zero("a\0b", 3), long_name(256, 'n');
    for (const std::string& path :
         {std::string(), std::string("."), std::string(".."), std::string("/d/a"), std::string("d/../d/a"), std::string("d/./a"),
          std::string("d//a"), std::string("d/"), std::string("d/.tmp-1"), zero, long_name}) {
      SCOPED_TRACE("path \"" + path + "\"");
      EXPECT_EQ(publish(0, path, "x"), Status::invalid);
      EXPECT_EQ(read(0, path).status, Status::invalid);
      EXPECT_EQ(remove(0, path), Status::invalid);
      EXPECT_EQ(make(0, path), Status::invalid);
      EXPECT_EQ(remove_directory(0, path), Status::invalid);
    }
    for (const char* path : {"..", "/d", "d/../d", "d//", "./d"}) EXPECT_EQ(list(0, path).status, Status::invalid) << path;
    EXPECT_EQ(names(0, ""), (std::vector<std::string>{"d"}));
    EXPECT_EQ(text(0, "d/a"), "kept");
  }
  void a_name_may_be_any_bytes_but_slash_and_zero() {
    const std::vector<std::string> odd = {
        " ", "\n", "-rf", "gr\xc3\xbc\x6e", "\xe5\x90\x8d\xe5\x89\x8d", "\xff\xfe", std::string(255, 'n')};
    for (const std::string& name : odd) {
      EXPECT_EQ(publish(0, name, name), Status::ok) << name;
      EXPECT_EQ(text(1, name), name);
    }
    std::vector<std::string> sorted = odd;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(names(1, ""), sorted) << "in byte order";
    for (const std::string& name : odd) EXPECT_EQ(remove(1, name), Status::ok);
    EXPECT_EQ(names(0, ""), std::vector<std::string>{});
  }

  // --- directories ------------------------------------------------------------------------------------------------------------

  static std::vector<Case<Self>> directory_cases() {
    return {
        {"making_a_directory_is_exclusive", &Self::making_a_directory_is_exclusive},
        {"a_list_holds_the_direct_children_in_byte_order", &Self::a_list_holds_the_direct_children_in_byte_order},
        {"listing_what_is_missing_or_no_directory_is_refused", &Self::listing_what_is_missing_or_no_directory_is_refused},
        {"removing_a_directory_takes_its_files_along", &Self::removing_a_directory_takes_its_files_along},
        {"a_directory_with_a_directory_in_it_is_not_removed", &Self::a_directory_with_a_directory_in_it_is_not_removed},
    };
  }

  void making_a_directory_is_exclusive() {
    EXPECT_EQ(make(0, "d"), Status::ok);
    publish(0, "d/a", "kept");
    EXPECT_EQ(make(1, "d"), Status::exists);
    EXPECT_EQ(text(1, "d/a"), "kept");
    publish(0, "f", "x");
    EXPECT_EQ(make(1, "f"), Status::exists) << "a file has the name";
    EXPECT_EQ(text(1, "f"), "x");
    EXPECT_EQ(make(1, "d/e"), Status::ok);
    EXPECT_EQ(publish(0, "d/e/a", "deep"), Status::ok);
    EXPECT_EQ(text(1, "d/e/a"), "deep");
  }
  void a_list_holds_the_direct_children_in_byte_order() {
    for (const char* name : {"d", "d/e", "da"}) make(0, name);
    for (const char* name : {"d/b", "d/a", "d/B", "d/e/deep", "d/a.b", "da/other"}) publish(0, name, "x");
    EXPECT_EQ(names(1, "d"), (std::vector<std::string>{"B", "a", "a.b", "b", "e"}));
    EXPECT_EQ(names(1, "d/e"), (std::vector<std::string>{"deep"}));
    EXPECT_EQ(names(1, ""), (std::vector<std::string>{"d", "da"}));
    EXPECT_EQ(names(1, "."), (std::vector<std::string>{"d", "da"})) << "both name the root";
  }
  void listing_what_is_missing_or_no_directory_is_refused() {
    EXPECT_EQ(list(0, "d").status, Status::not_found);
    EXPECT_TRUE(list(0, "d").names.empty());
    publish(0, "f", "x");
    EXPECT_EQ(list(0, "f").status, Status::invalid);
  }
  void removing_a_directory_takes_its_files_along() {
    make(0, "d");
    make(0, "da");
    publish(0, "da/kept", "x");
    for (const char* name : {"d/a", "d/b"}) publish(0, name, "x");
    EXPECT_EQ(remove_directory(1, "d"), Status::ok);
    EXPECT_EQ(list(0, "d").status, Status::not_found);
    EXPECT_EQ(read(0, "d/a").status, Status::not_found);
    EXPECT_EQ(remove_directory(0, "d"), Status::ok) << "a missing one is fine";
    EXPECT_EQ(remove_directory(0, "no/such"), Status::ok);
    EXPECT_EQ(make(0, "d"), Status::ok);
    EXPECT_EQ(names(0, "d"), std::vector<std::string>{}) << "a new one, not the old one";
    EXPECT_EQ(names(0, "da"), (std::vector<std::string>{"kept"}));
    publish(0, "f", "x");
    EXPECT_EQ(remove_directory(0, "f"), Status::invalid) << "a file";
    EXPECT_EQ(text(0, "f"), "x");
  }
  // What else is in it may be gone.
  void a_directory_with_a_directory_in_it_is_not_removed() {
    make(0, "d");
    make(0, "d/e");
    publish(0, "d/e/a", "kept");
    EXPECT_EQ(remove_directory(0, "d"), Status::invalid);
    EXPECT_EQ(text(0, "d/e/a"), "kept");
    EXPECT_EQ(remove_directory(0, "d/e"), Status::ok);
    EXPECT_EQ(remove_directory(0, "d"), Status::ok);
  }

  // --- watches ----------------------------------------------------------------------------------------------------------------

  static std::vector<Case<Self>> watch_cases() {
    return {
        {"a_watch_tells_every_kind_of_change", &Self::a_watch_tells_every_kind_of_change},
        {"a_watch_fires_once", &Self::a_watch_fires_once},
        {"a_sleeper_is_woken_by_a_change", &Self::a_sleeper_is_woken_by_a_change},
        {"who_watches_before_he_lists_loses_no_change", &Self::who_watches_before_he_lists_loses_no_change},
        {"a_change_elsewhere_is_not_told", &Self::a_change_elsewhere_is_not_told},
        {"every_watch_of_a_directory_is_told", &Self::every_watch_of_a_directory_is_told},
        {"a_watch_that_cannot_be_set_answers_at_once", &Self::a_watch_that_cannot_be_set_answers_at_once},
    };
  }

  void a_watch_tells_every_kind_of_change() {
    make(0, "d");
    const std::vector<void (Self::*)()> changes = {&Self::publish_a, &Self::publish_a, &Self::remove_a,
                                                   &Self::make_e,    &Self::remove_e,  &Self::remove_d};
    for (std::size_t i = 0; i < changes.size(); ++i) {
      SCOPED_TRACE("change " + std::to_string(i));
      const Op op = watch(1, "d");
      (this->*changes[i])();
      expect_changed(world.next(1), op);
      while (world.next(1)) {  // what is left of this change must not be taken for the next one
      }
    }
  }
  void a_watch_fires_once() {
    make(0, "d");
    const Op op = watch(1, "d");
    publish_a();
    expect_changed(world.next(1), op);
    publish(0, "d/b", "x");
    remove_a();
    expect_nothing(world.next(1));
  }
  void a_sleeper_is_woken_by_a_change() {
    make(0, "d");
    for (int i = 0; i < 3; ++i) {
      const Op op = watch(1, "d");
      world.park(1);
      world.perform(0, action::PublishFile{next_op(), Blob("d/a"), Blob(std::string_view(std::to_string(i)))});
      expect_changed(world.woken(1), op);
      EXPECT_EQ(done_at(0).status, Status::ok);
      EXPECT_EQ(text(1, "d/a"), std::to_string(i));
    }
  }
  void who_watches_before_he_lists_loses_no_change() {
    make(0, "d");
    for (int i = 0; i < 20; ++i) {
      const Op op = watch(1, "d");
      if (i % 2 == 0) publish(0, "d/early-" + std::to_string(i), "x");  // between watch and list
      const std::size_t before = names_by_op(1, "d").size();
      if (i % 2 != 0) publish(0, "d/late-" + std::to_string(i), "x");
      if (i % 2 == 0) {
        EXPECT_EQ(before, static_cast<std::size_t>(i) + 1);
      }
      bool told = false;
      for (const Event& event : std::exchange(set_aside_, {})) told = told || is_change(event, op);
      while (const std::optional<Event> event = world.next(1)) told = told || is_change(*event, op);
      EXPECT_TRUE(told) << "change " << i << " is lost";
      EXPECT_EQ(names(1, "d").size(), static_cast<std::size_t>(i) + 1);
    }
  }
  void a_change_elsewhere_is_not_told() {
    make(0, "d");
    make(0, "da");
    publish(0, "d/a", "x");
    watch(1, "d");
    publish(0, "da/b", "x");
    publish(0, "c", "x");
    EXPECT_EQ(text(0, "d/a"), "x");
    EXPECT_EQ(names(0, "d"), (std::vector<std::string>{"a"}));
    expect_nothing(world.next(1));
  }
  void every_watch_of_a_directory_is_told() {
    make(0, "d");
    const Op first = watch(1, "d"), second = watch(1, "d"), own = watch(0, "d");
    world.perform(2, action::RemoveFile{next_op(), Blob("d/none")});
    EXPECT_EQ(done_at(2).status, Status::ok);
    world.perform(0, action::PublishFile{next_op(), Blob("d/a"), Blob("x")});
    bool told_first = false, told_second = false, told_own = false;
    while (const std::optional<Event> event = world.next(1)) {
      told_first = told_first || is_change(*event, first);
      told_second = told_second || is_change(*event, second);
    }
    while (const std::optional<Event> event = world.next(0)) told_own = told_own || is_change(*event, own);
    EXPECT_TRUE(told_first);
    EXPECT_TRUE(told_second);
    EXPECT_TRUE(told_own) << "a change of one's own is one too";
  }
  // A lost change may not be, an event without a reason may.
  void a_watch_that_cannot_be_set_answers_at_once() {
    publish(0, "f", "x");
    for (const char* path : {"missing", "missing/d", "f", "../d", "/"}) {
      const Op op = watch(1, path);
      expect_changed(world.next(1), op);
    }
  }

 private:
  using User = FilesUser<Fixture>;
  using User::done_at;
  using User::expect_changed;
  using User::is_change;
  using User::large_text;
  using User::list;
  using User::make;
  using User::make_e;
  using User::names;
  using User::names_by_op;
  using User::names_of;
  using User::next_op;
  using User::ops_;
  using User::publish;
  using User::publish_a;
  using User::read;
  using User::remove;
  using User::remove_a;
  using User::remove_d;
  using User::remove_directory;
  using User::remove_e;
  using User::set_aside_;
  using User::text;
  using User::watch;
  using User::world;
};

}  // namespace tenter::conformance
