// How streams end: docs/ports/stream.md, the second half of its cases.
#pragma once
#include <vector>

#include "tests/conformance/stream_user.hpp"

namespace tenter::conformance {

template <StreamFixture Fixture>
class StreamEnds : protected StreamUser<Fixture> {
 public:
  using Self = StreamEnds;
  static std::vector<Case<Self>> cases() {
    std::vector<Case<Self>> all = finish_cases();
    for (const Case<Self>& one : close_cases()) all.push_back(one);
    for (const Case<Self>& one : loss_cases()) all.push_back(one);
    return all;
  }

  // --- finished ---------------------------------------------------------------------------------------------------------------

  static std::vector<Case<Self>> finish_cases() {
    return {
        {"the_end_is_read_behind_all_that_was_written", &Self::the_end_is_read_behind_all_that_was_written},
        {"an_end_is_read_again", &Self::an_end_is_read_again},
        {"behind_an_end_the_other_direction_goes_on", &Self::behind_an_end_the_other_direction_goes_on},
        {"a_waiting_read_is_told_of_the_end", &Self::a_waiting_read_is_told_of_the_end},
    };
  }

  void the_end_is_read_behind_all_that_was_written() {
    for (const std::size_t bytes : {0u, 10u, 9'000'000u}) {
      const Pair pair = this->pair();
      const Op op = write(client, pair, stream_content(1, bytes));
      finish(client, pair);
      const Ended ended = this->read_to_end(server, pair);
      EXPECT_EQ(ended.status, Status::ok);
      EXPECT_TRUE(ended.content == stream_content(1, bytes)) << "an end after " << ended.content.size() << " bytes of " << bytes;
      expect_written(client, op);
    }
  }
  void an_end_is_read_again() {
    const Pair pair = this->pair();
    finish(client, pair);
    finish(client, pair);  // of what is finished: nothing
    for (int i = 0; i < 3; ++i) this->expect_end(server, pair);
    expect_quiet();
  }
  void behind_an_end_the_other_direction_goes_on() {
    const Pair pair = this->pair();
    finish(client, pair);
    this->expect_end(server, pair);
    const Op op = write(server, pair, stream_content(1, 2'000'000));
    this->expect_bytes(client, pair, stream_content(1, 2'000'000));
    expect_written(server, op);
    finish(server, pair);
    this->expect_end(client, pair);
  }
  void a_waiting_read_is_told_of_the_end() {
    const Pair pair = this->pair();
    const Op reading = this->read(server, pair);
    world.settle();
    finish(client, pair);
    this->expect_read(server, reading, Blob());
  }

  // --- closed -----------------------------------------------------------------------------------------------------------------

  static std::vector<Case<Self>> close_cases() {
    return {
        {"what_was_written_before_a_close_is_read", &Self::what_was_written_before_a_close_is_read},
        {"what_the_closer_has_not_read_takes_nothing_from_that", &Self::what_the_closer_has_not_read_takes_nothing_from_that},
        {"an_abort_is_seen_as_a_reset", &Self::an_abort_is_seen_as_a_reset},
        {"nothing_is_answered_after_a_close", &Self::nothing_is_answered_after_a_close},
        {"what_was_answered_and_not_delivered_is_taken_back", &Self::what_was_answered_and_not_delivered_is_taken_back},
        {"a_close_touches_no_other_connection", &Self::a_close_touches_no_other_connection},
        {"nothing_is_left_when_all_is_closed", &Self::nothing_is_left_when_all_is_closed},
    };
  }

  void what_was_written_before_a_close_is_read() {
    for (const std::size_t bytes : {0u, 10u, 9'000'000u}) {
      const Pair pair = this->pair();
      (void)write(client, pair, stream_content(1, bytes));
      this->close(client, pair);
      const Ended ended = this->read_to_end(server, pair);
      EXPECT_EQ(ended.status, Status::ok);
      EXPECT_TRUE(ended.content == stream_content(1, bytes)) << "an end after " << ended.content.size() << " bytes of " << bytes;
      expect_quiet(client);
    }
  }
  void what_the_closer_has_not_read_takes_nothing_from_that() {
    const Pair pair = this->pair();
    expect_written(server, write(server, pair, stream_content(2, 3'000)));
    world.settle();
    (void)write(client, pair, stream_content(1, 9'000'000));
    this->close(client, pair);
    const Op more = write(server, pair, stream_content(3, 3'000));
    const Ended ended = this->read_to_end(server, pair);
    EXPECT_TRUE(ended.content == stream_content(1, 9'000'000)) << ended.content.size() << " bytes came";
    EXPECT_TRUE(this->template answer<event::StreamWritten>(server, more).has_value());
  }
  void an_abort_is_seen_as_a_reset() {
    for (const std::size_t bytes : {0u, 9'000'000u}) {
      const Pair pair = this->pair();
      if (bytes > 0) (void)write(client, pair, stream_content(1, bytes));
      world.settle();
      this->close(client, pair, true);
      const Ended ended = this->read_to_end(server, pair);
      EXPECT_EQ(ended.status, Status::peer_lost);
      EXPECT_TRUE(starts(stream_content(1, bytes), ended.content));
      expect_quiet(client);
    }
  }
  void nothing_is_answered_after_a_close() {
    for (const bool abort : {false, true}) {
      const Pair pair = this->pair();
      (void)this->read(client, pair);
      (void)write(client, pair, stream_content(1, 40'000'000));
      world.settle();
      this->close(client, pair, abort);
      const Op op = write(server, pair, stream_content(2, 100));
      world.settle();
      expect_quiet(client);
      (void)this->template answer<event::StreamWritten>(server, op);
    }
  }
  void what_was_answered_and_not_delivered_is_taken_back() {
    const Pair pair = this->pair(), other = this->pair();
    expect_written(server, write(server, pair, stream_content(1, 100)));
    world.settle();
    const Op kept = write(client, other, stream_content(3, 10));
    (void)this->read(client, pair);
    (void)write(client, pair, stream_content(2, 10));
    this->close(client, pair);
    expect_written(client, kept);
    expect_quiet(client);
  }
  void a_close_touches_no_other_connection() {
    const Stand stand = this->listen();
    const Pair closed = this->pair_at(stand), open = this->pair_at(stand);
    const Op reading = this->read(server, open);
    this->close(server, closed, true);
    this->close(client, closed, true);
    world.settle();
    EXPECT_FALSE(this->is_answered(server, reading));
    const Op op = write(client, open, stream_content(1, 1));
    this->expect_read(server, reading, stream_content(1, 1));
    expect_written(client, op);
  }
  void nothing_is_left_when_all_is_closed() {
    const Stand stand = this->listen();
    std::vector<Pair> pairs;
    for (int i = 0; i < 4; ++i) pairs.push_back(this->pair_at(stand));
    (void)this->connect(stand);  // and one that nobody accepts
    const Connection waiting{this->connections_};
    (void)write(client, pairs[1], stream_content(1, 5'000'000));
    this->close(client, pairs[0]);
    this->close(client, pairs[1]);
    this->close(client, pairs[2], true);
    this->close(client, pairs[3]);
    EXPECT_TRUE(this->read_to_end(server, pairs[1]).content == stream_content(1, 5'000'000));
    for (const Pair& pair : pairs) this->close(server, pair);
    perform(server, action::CloseListener{stand.name});
    perform(client, action::CloseStream{waiting, false});
    world.settle();
    expect_quiet();
    EXPECT_EQ(world.left(), "");
  }

  // --- lost -------------------------------------------------------------------------------------------------------------------

  static std::vector<Case<Self>> loss_cases() {
    return {
        {"a_write_to_one_who_is_gone_is_lost", &Self::a_write_to_one_who_is_gone_is_lost},
        {"a_write_that_waits_is_told_of_a_reset", &Self::a_write_that_waits_is_told_of_a_reset},
        {"a_reset_stays_a_reset", &Self::a_reset_stays_a_reset},
        {"a_process_that_ends_closes_its_connections", &Self::a_process_that_ends_closes_its_connections},
        {"nobody_listens_for_a_process_that_has_ended", &Self::nobody_listens_for_a_process_that_has_ended},
    };
  }

  void a_write_to_one_who_is_gone_is_lost() {
    for (const bool abort : {false, true}) {
      const Pair pair = this->pair();
      this->close(client, pair, abort);
      world.settle();
      bool lost = false;
      for (int i = 0; i < 20 && !lost; ++i) {  // the first ones are what tells the system
        const auto written = this->template answer<event::StreamWritten>(server, write(server, pair, stream_content(1, 100)));
        if (!written) return;
        lost = written->status == Status::peer_lost;
        EXPECT_TRUE(lost || written->status == Status::ok);
        world.settle();
      }
      EXPECT_TRUE(lost) << "twenty writes to one who is gone are ok";
    }
  }
  void a_write_that_waits_is_told_of_a_reset() {
    const Pair pair = this->pair();
    const Op op = write(server, pair, stream_content(1, 40'000'000)), behind = write(server, pair, stream_content(2, 10));
    const Op reading = this->read(server, pair);
    world.settle();
    this->close(client, pair, true);
    expect_written(server, op, Status::peer_lost);
    expect_written(server, behind, Status::peer_lost);
    this->expect_status(this->template answer<event::StreamRead>(server, reading), Status::peer_lost);
    expect_quiet();
  }
  void a_reset_stays_a_reset() {
    const Pair pair = this->pair();
    this->close(client, pair, true);
    world.settle();
    (void)this->template answer<event::StreamWritten>(server, write(server, pair, stream_content(1, 10)));
    for (int i = 0; i < 3; ++i) EXPECT_EQ(this->read_to_end(server, pair).status, Status::peer_lost);
    expect_written(server, write(server, pair, stream_content(1, 10)), Status::peer_lost);
  }
  void a_process_that_ends_closes_its_connections() {
    const Pair reads = this->pair(), waits = this->pair();
    const Op op = write(client, reads, stream_content(1, 1'000));
    expect_written(client, op);
    const Op reading = this->read(server, waits);
    world.settle();
    world.end(client);
    const Ended ended = this->read_to_end(server, reads);
    EXPECT_TRUE(ended.status == Status::ok || ended.status == Status::peer_lost) << to_string(ended.status);
    EXPECT_TRUE(starts(stream_content(1, 1'000), ended.content));
    EXPECT_TRUE(ended.status != Status::ok || ended.content.size() == 1'000) << "an end before what was written";
    const auto read = this->template answer<event::StreamRead>(server, reading);
    EXPECT_TRUE(!read || (read->content.empty() && (read->status == Status::ok || read->status == Status::peer_lost)));
  }
  void nobody_listens_for_a_process_that_has_ended() {
    const Stand stand = this->listen();
    const Connection waits = this->connect(stand);
    world.end(server);
    EXPECT_EQ(this->read_to_end(client, {{}, waits}).status, Status::peer_lost);
    const auto refused = this->template answer<event::Connected>(client, this->start_connect(stand.address).first);
    this->expect_status(refused, Status::peer_lost);
  }

 protected:
  using User = StreamUser<Fixture>;
  using typename User::Ended;
  using typename User::Pair;
  using typename User::Stand;
  using User::client;
  using User::expect_quiet;
  using User::expect_written;
  using User::finish;
  using User::perform;
  using User::server;
  using User::world;
  using User::write;

  static bool starts(const Blob& whole, const Blob& part) {
    return part.size() <= whole.size() && Blob(whole.bytes().first(part.size())) == part;
  }
};

}  // namespace tenter::conformance
