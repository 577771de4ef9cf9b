// What every SharedPage keeps, in the simulator and on hardware: docs/ports/shared_page.md, case by case. A world takes part by a
// fixture with the members below and one INSTANTIATE_TYPED_TEST_SUITE_P(World, SharedPageConformance, Fixture).
#pragma once
#include <gtest/gtest.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "core/action.hpp"
#include "core/event.hpp"
#include "core/text.hpp"

namespace tenter::conformance {

// add_process: one more process without a page; processes are numbered from 0. perform: the process carries out the action, as if
// a handler of its machine had asked for it; on return it is done. next: the next event at the process while nobody else acts;
// none if there is none. park, woken: the process goes to sleep until an event comes, and answers that event; none if it slept
// for seconds. kill: the process dies at once. page_name: a legal name that nothing else uses.
template <class F>
concept SharedPageFixture = std::default_initializable<F> && requires(F& fixture, std::size_t process, action::Publish publish) {
  { fixture.add_process() } -> std::same_as<std::size_t>;
  fixture.perform(process, publish);
  { fixture.next(process) } -> std::same_as<std::optional<Event>>;
  fixture.park(process);
  { fixture.woken(process) } -> std::same_as<std::optional<Event>>;
  fixture.kill(process);
  { fixture.page_name() } -> std::same_as<std::string>;
};

inline Blob bytes_of(std::string_view text) { return Blob(text); }

template <class Fixture>
class SharedPageConformance : public testing::Test {
 protected:
  static_assert(SharedPageFixture<Fixture>);
  static constexpr std::uint64_t page_bytes = 33'620'224;  // the mailbox page, version 1
  static constexpr Word state{32}, group{28};
  static constexpr std::uint64_t region = 256;

  template <class E>
  E expect(std::optional<Event> event) {
    if (event && std::holds_alternative<E>(*event)) return std::get<E>(*event);
    ADD_FAILURE() << "expected " << E::name << ", got " << (event ? text_of(*event) : "nothing");
    return E{};
  }
  template <class E>
  E expect_next(std::size_t process) {
    return expect<E>(world.next(process));
  }
  void expect_silence(std::size_t process) {
    const std::optional<Event> event = world.next(process);
    EXPECT_FALSE(event.has_value()) << text_of(*event);
  }

  event::PageOpened create(std::size_t process, std::string_view with_name, std::uint64_t bytes = page_bytes) {
    world.perform(process, action::CreatePage{next_op(), Blob(with_name), bytes});
    return expect_next<event::PageOpened>(process);
  }
  event::PageOpened open(std::size_t process, std::string_view with_name) {
    world.perform(process, action::OpenPage{next_op(), Blob(with_name)});
    return expect_next<event::PageOpened>(process);
  }
  Blob copy_in(std::size_t process, std::uint64_t offset, std::uint64_t bytes) {
    const Op op = next_op();
    world.perform(process, action::CopyIn{op, offset, bytes});
    const auto copied = expect_next<event::Copied>(process);
    EXPECT_EQ(copied.op, op);
    return copied.content;
  }
  std::uint32_t publish_if(std::size_t process, Word word, std::uint32_t expected, std::uint32_t value) {
    const Op op = next_op();
    world.perform(process, action::PublishIf{op, word, expected, value, true});
    const auto swapped = expect_next<event::Swapped>(process);
    EXPECT_EQ(swapped.op, op);
    return swapped.seen;
  }
  Op watch(std::size_t process, Word word, std::uint32_t seen) {
    const Op op = next_op();
    world.perform(process, action::Watch{op, word, seen});
    return op;
  }
  void expect_changed(std::optional<Event> event, Op op, Word word, std::uint32_t value) {
    const auto changed = expect<event::WordChanged>(std::move(event));
    EXPECT_EQ(changed.op, op);
    EXPECT_EQ(changed.word, word);
    EXPECT_EQ(changed.value, value);
  }
  // `count` processes that have mapped one page; the first created it.
  void share(std::size_t count) {
    name = world.page_name();
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(world.add_process(), i);
    ASSERT_EQ(create(0, name).status, Status::ok);
    for (std::size_t i = 1; i < count; ++i) ASSERT_EQ(open(i, name).status, Status::ok);
  }
  Op next_op() { return Op{++ops_}; }

  Fixture world;
  std::string name;

 private:
  std::uint64_t ops_ = 0;
};

TYPED_TEST_SUITE_P(SharedPageConformance);

// --- names ----------------------------------------------------------------------------------------------------------------

TYPED_TEST_P(SharedPageConformance, a_new_page_is_zero_to_the_last_byte) {
  this->share(1);
  EXPECT_EQ(this->copy_in(0, 0, 256), Blob(256, [](MutableBytes to) {
              for (std::byte& b : to) b = {};
            }));
  EXPECT_EQ(this->copy_in(0, this->page_bytes - 4, 4), bytes_of(std::string_view("\0\0\0\0", 4)));
}

TYPED_TEST_P(SharedPageConformance, create_is_exclusive_and_leaves_the_other_page_alone) {
  this->share(1);
  this->world.perform(0, action::WriteRegion{this->region, bytes_of("mine")});
  this->world.add_process();
  const event::PageOpened second = this->create(1, this->name);
  EXPECT_EQ(second.status, Status::exists);
  EXPECT_NE(second.text.text().find(this->name), std::string_view::npos) << "the text names the page";
  EXPECT_EQ(this->copy_in(0, this->region, 4), bytes_of("mine"));
}

TYPED_TEST_P(SharedPageConformance, opening_a_missing_page_is_not_found) {
  this->world.add_process();
  const std::string missing = this->world.page_name();
  const event::PageOpened opened = this->open(0, missing);
  EXPECT_EQ(opened.status, Status::not_found);
  EXPECT_NE(opened.text.text().find(missing), std::string_view::npos) << "the text names the page";
}

TYPED_TEST_P(SharedPageConformance, opening_tells_the_size_of_what_was_found) {
  const std::string fresh = this->world.page_name();
  this->world.add_process();
  this->world.add_process();
  EXPECT_EQ(this->create(0, fresh, 8192).bytes, 8192u);
  EXPECT_EQ(this->open(1, fresh).bytes, 8192u);
}

TYPED_TEST_P(SharedPageConformance, an_unlinked_page_lives_on_for_who_has_it_and_its_name_is_free) {
  this->share(2);
  this->world.perform(0, action::UnlinkPage{Blob(this->name)});
  this->world.perform(0, action::UnlinkPage{Blob(this->name)});  // a missing name is fine
  this->world.add_process();
  EXPECT_EQ(this->open(2, this->name).status, Status::not_found);
  const Op op = this->watch(1, this->state, 0);
  this->world.perform(0, action::Publish{this->state, 5});
  this->expect_changed(this->world.next(1), op, this->state, 5);
  EXPECT_EQ(this->create(2, this->name).status, Status::ok);
  EXPECT_EQ(this->copy_in(2, number(this->state), 4), bytes_of(std::string_view("\0\0\0\0", 4))) << "a new page, not the old one";
  this->world.perform(2, action::UnlinkPage{Blob(this->name)});
}

TYPED_TEST_P(SharedPageConformance, closing_keeps_the_name_and_the_bytes_and_silences_the_watches) {
  this->share(2);
  this->world.perform(0, action::WriteRegion{this->region, bytes_of("kept")});
  this->watch(0, this->state, 0);
  this->world.perform(0, action::ClosePage{});
  const Op op = this->watch(1, this->state, 0);
  this->world.perform(1, action::Publish{this->state, 1});
  this->expect_changed(this->world.next(1), op, this->state, 1);
  this->expect_silence(0);
  EXPECT_EQ(this->open(0, this->name).status, Status::ok);
  EXPECT_EQ(this->copy_in(0, this->region, 4), bytes_of("kept"));
}

// --- bytes ----------------------------------------------------------------------------------------------------------------

TYPED_TEST_P(SharedPageConformance, a_process_reads_back_what_it_stored) {
  this->share(2);
  this->world.perform(0, action::WriteRegion{this->region + 3, bytes_of("unaligned bytes")});
  EXPECT_EQ(this->copy_in(0, this->region + 3, 15), bytes_of("unaligned bytes"));
  this->world.perform(0, action::PublishQuiet{this->state, 9});
  EXPECT_EQ(this->publish_if(0, this->state, 9, 10), 9u);
  this->world.perform(0, action::Publish{this->state, 11});
  const Op op = this->watch(0, this->state, 10);
  this->expect_changed(this->world.next(0), op, this->state, 11);
  EXPECT_EQ(this->copy_in(0, number(this->state), 4), bytes_of(std::string_view("\x0b\0\0\0", 4)));
}

TYPED_TEST_P(SharedPageConformance, bytes_written_before_a_publish_are_there_after_word_changed) {
  this->share(2);
  std::uint32_t seen = 0;
  for (const std::string_view text : {"first request", "2nd", "the third request is longer"}) {
    const Op op = this->watch(1, this->state, seen);
    this->world.perform(0, action::WriteRegion{this->region, Blob(text)});
    this->world.perform(0, action::WriteRegion{40, bytes_of("header")});
    this->world.perform(0, action::Publish{this->state, ++seen});
    this->expect_changed(this->world.next(1), op, this->state, seen);
    EXPECT_EQ(this->copy_in(1, this->region, text.size()), Blob(text));
    EXPECT_EQ(this->copy_in(1, 40, 6), bytes_of("header"));
    const Op answer = this->watch(0, this->state, seen);
    EXPECT_EQ(this->publish_if(1, this->state, seen, seen + 1), seen);  // hand the window back
    this->expect_changed(this->world.next(0), answer, this->state, ++seen);
  }
}

TYPED_TEST_P(SharedPageConformance, bytes_written_before_a_publish_are_there_after_a_swap_that_saw_it) {
  this->share(2);
  this->world.perform(0, action::WriteRegion{this->region, bytes_of("payload")});
  this->world.perform(0, action::Publish{this->state, 1});
  ASSERT_EQ(this->publish_if(1, this->state, 1, 2), 1u);
  EXPECT_EQ(this->copy_in(1, this->region, 7), bytes_of("payload"));
}

TYPED_TEST_P(SharedPageConformance, copy_in_is_a_private_copy) {
  this->share(1);
  this->world.perform(0, action::WriteRegion{this->region, bytes_of("before")});
  const Blob copy = this->copy_in(0, this->region, 6);
  this->world.perform(0, action::WriteRegion{this->region, bytes_of("after!")});
  EXPECT_EQ(copy, bytes_of("before"));
  EXPECT_EQ(this->copy_in(0, this->region, 6), bytes_of("after!"));
}

TYPED_TEST_P(SharedPageConformance, words_are_little_endian_bytes_of_the_page) {
  this->share(1);
  this->world.perform(0, action::WriteRegion{24, bytes_of(std::string_view("\x04\0\0\0\x01\0\0\0\x78\x56\x34\x12", 12))});
  const Op op = this->watch(0, this->state, 0);
  this->expect_changed(this->world.next(0), op, this->state, 0x12345678u);
  this->world.perform(0, action::Publish{this->state, 0x0A0B0C0Du});
  EXPECT_EQ(this->copy_in(0, 24, 12), bytes_of(std::string_view("\x04\0\0\0\x01\0\0\0\x0D\x0C\x0B\x0A", 12)));
}

// --- words and watches ----------------------------------------------------------------------------------------------------

TYPED_TEST_P(SharedPageConformance, publish_if_stores_if_and_only_if_it_saw_what_it_expected) {
  this->share(2);
  EXPECT_EQ(this->publish_if(0, this->state, 1, 2), 0u);  // not stored
  EXPECT_EQ(this->publish_if(0, this->state, 0, 2), 0u);  // stored
  EXPECT_EQ(this->publish_if(1, this->state, 0, 3), 2u);  // not stored
  EXPECT_EQ(this->publish_if(1, this->state, 2, 3), 2u);  // stored
  EXPECT_EQ(this->publish_if(0, this->state, 3, 3), 3u);
}

TYPED_TEST_P(SharedPageConformance, a_watch_on_a_word_that_differs_already_fires) {
  this->share(2);
  this->world.perform(0, action::Publish{this->state, 4});
  const Op op = this->watch(1, this->state, 0);
  this->expect_changed(this->world.next(1), op, this->state, 4);
  const Op impossible = this->watch(1, this->group, 0xFFFFFFFFu);  // how a machine loads a word
  this->expect_changed(this->world.next(1), impossible, this->group, 0);
}

TYPED_TEST_P(SharedPageConformance, a_watch_on_a_word_that_is_the_same_is_silent) {
  this->share(2);
  const Op op = this->watch(1, this->state, 0);
  this->expect_silence(1);
  this->world.perform(0, action::Publish{this->state, 0});  // a wake, but no change
  this->expect_silence(1);
  this->world.perform(0, action::Publish{this->group, 1});  // another word
  this->expect_silence(1);
  this->world.perform(0, action::Publish{this->state, 1});
  this->expect_changed(this->world.next(1), op, this->state, 1);
}

TYPED_TEST_P(SharedPageConformance, a_watch_fires_once) {
  this->share(2);
  const Op op = this->watch(1, this->state, 0);
  this->world.perform(0, action::Publish{this->state, 1});
  this->expect_changed(this->world.next(1), op, this->state, 1);
  this->world.perform(0, action::Publish{this->state, 2});
  this->world.perform(0, action::Publish{this->state, 0});
  this->expect_silence(1);
}

TYPED_TEST_P(SharedPageConformance, unwatch_silences_also_a_watch_that_has_fired_already) {
  this->share(2);
  const Op waiting = this->watch(1, this->state, 0);
  this->world.perform(1, action::Unwatch{waiting});
  this->world.perform(0, action::Publish{this->state, 1});
  this->expect_silence(1);
  const Op fired = this->watch(1, this->state, 0);
  this->world.perform(1, action::Unwatch{fired});
  this->world.perform(1, action::Unwatch{fired});  // an op that is not watched is fine
  this->expect_silence(1);
}

TYPED_TEST_P(SharedPageConformance, watching_with_the_same_op_replaces_the_watch) {
  this->share(2);
  const Op op = this->watch(1, this->state, 0);
  this->world.perform(1, action::Watch{op, this->group, 0});
  this->world.perform(0, action::Publish{this->state, 1});
  this->expect_silence(1);
  this->world.perform(0, action::Publish{this->group, 1});
  this->expect_changed(this->world.next(1), op, this->group, 1);
  this->expect_silence(1);
}

TYPED_TEST_P(SharedPageConformance, two_watches_of_one_process_on_one_word_both_fire) {
  this->share(2);
  const Op first = this->watch(1, this->state, 0);
  const Op second = this->watch(1, this->state, 0);
  this->world.perform(0, action::Publish{this->state, 1});
  const auto one = this->template expect_next<event::WordChanged>(1);
  const auto other = this->template expect_next<event::WordChanged>(1);
  EXPECT_TRUE((one.op == first && other.op == second) || (one.op == second && other.op == first));
  this->expect_silence(1);
}

// --- sleep ----------------------------------------------------------------------------------------------------------------

TYPED_TEST_P(SharedPageConformance, a_publish_wakes_every_watcher) {
  this->share(4);
  Op ops[4]{};
  for (std::size_t process = 1; process < 4; ++process) {
    ops[process] = this->watch(process, this->state, 0);
    this->world.park(process);
  }
  this->world.perform(0, action::Publish{this->state, 7});
  for (std::size_t process = 1; process < 4; ++process)
    this->expect_changed(this->world.woken(process), ops[process], this->state, 7);
}

TYPED_TEST_P(SharedPageConformance, a_publish_if_that_stores_wakes_the_watcher) {
  this->share(2);
  const Op op = this->watch(1, this->state, 0);
  this->world.park(1);
  EXPECT_EQ(this->publish_if(0, this->state, 0, 3), 0u);
  this->expect_changed(this->world.woken(1), op, this->state, 3);
}

TYPED_TEST_P(SharedPageConformance, a_sleeper_with_two_words_is_woken_by_either) {
  this->share(2);
  for (const Word word : {this->state, this->group}) {
    const Op on_state = this->watch(1, this->state, 0);
    const Op on_group = this->watch(1, this->group, 0);
    this->world.park(1);
    this->world.perform(0, action::Publish{word, 1});
    this->expect_changed(this->world.woken(1), word == this->state ? on_state : on_group, word, 1);
    this->world.perform(1, action::Unwatch{on_state});
    this->world.perform(1, action::Unwatch{on_group});
    this->world.perform(0, action::Publish{word, 0});
  }
}

TYPED_TEST_P(SharedPageConformance, a_quiet_publish_is_seen_by_the_next_watch) {
  this->share(2);
  this->world.perform(0, action::WriteRegion{this->region, bytes_of("quiet")});
  this->world.perform(0, action::PublishQuiet{this->state, 1});
  const Op op = this->watch(1, this->state, 0);
  this->expect_changed(this->world.next(1), op, this->state, 1);
  EXPECT_EQ(this->copy_in(1, this->region, 5), bytes_of("quiet"));
}

TYPED_TEST_P(SharedPageConformance, what_a_process_published_outlives_it) {
  this->share(2);
  const Op op = this->watch(1, this->state, 0);
  this->world.park(1);
  this->world.perform(0, action::WriteRegion{this->region, bytes_of("last words")});
  this->world.perform(0, action::Publish{this->state, 2});
  this->world.kill(0);
  this->expect_changed(this->world.woken(1), op, this->state, 2);
  EXPECT_EQ(this->copy_in(1, this->region, 10), bytes_of("last words"));
}

REGISTER_TYPED_TEST_SUITE_P(
    SharedPageConformance, a_new_page_is_zero_to_the_last_byte, create_is_exclusive_and_leaves_the_other_page_alone,
    opening_a_missing_page_is_not_found, opening_tells_the_size_of_what_was_found,
    an_unlinked_page_lives_on_for_who_has_it_and_its_name_is_free, closing_keeps_the_name_and_the_bytes_and_silences_the_watches,
    a_process_reads_back_what_it_stored, bytes_written_before_a_publish_are_there_after_word_changed,
    bytes_written_before_a_publish_are_there_after_a_swap_that_saw_it, copy_in_is_a_private_copy,
    words_are_little_endian_bytes_of_the_page, publish_if_stores_if_and_only_if_it_saw_what_it_expected,
    a_watch_on_a_word_that_differs_already_fires, a_watch_on_a_word_that_is_the_same_is_silent, a_watch_fires_once,
    unwatch_silences_also_a_watch_that_has_fired_already, watching_with_the_same_op_replaces_the_watch,
    two_watches_of_one_process_on_one_word_both_fire, a_publish_wakes_every_watcher, a_publish_if_that_stores_wakes_the_watcher,
    a_sleeper_with_two_words_is_woken_by_either, a_quiet_publish_is_seen_by_the_next_watch, what_a_process_published_outlives_it);

}  // namespace tenter::conformance
