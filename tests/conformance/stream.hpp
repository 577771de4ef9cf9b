// What every Stream keeps, in the simulator and on hardware: docs/ports/stream.md, case by case. Here: listening, connecting, and
// bytes. How streams end: stream_ends.hpp.
#pragma once
#include <vector>

#include "tests/conformance/stream_user.hpp"

namespace tenter::conformance {

template <StreamFixture Fixture>
class StreamContract : protected StreamUser<Fixture> {
 public:
  using Self = StreamContract;
  static std::vector<Case<Self>> cases() {
    std::vector<Case<Self>> all = listening_cases();
    for (const Case<Self>& one : waiting_cases()) all.push_back(one);
    for (const Case<Self>& one : byte_cases()) all.push_back(one);
    return all;
  }

  // --- listening and connecting -----------------------------------------------------------------------------------------------

  static std::vector<Case<Self>> listening_cases() {
    return {
        {"a_listen_answers_with_its_real_port", &Self::a_listen_answers_with_its_real_port},
        {"an_address_that_is_taken_exists", &Self::an_address_that_is_taken_exists},
        {"what_is_no_address_is_invalid", &Self::what_is_no_address_is_invalid},
        {"it_listens_on_that_address_only", &Self::it_listens_on_that_address_only},
        {"a_connect_to_nobody_is_refused", &Self::a_connect_to_nobody_is_refused},
        {"both_sides_are_told_of_each_other", &Self::both_sides_are_told_of_each_other},
        {"what_failed_to_open_may_be_closed", &Self::what_failed_to_open_may_be_closed},
        {"an_address_is_free_again_after_its_listener", &Self::an_address_is_free_again_after_its_listener},
    };
  }

  void a_listen_answers_with_its_real_port() {
    const Stand one = listen(), two = listen();
    EXPECT_NE(port_of(one.address), 0);
    EXPECT_NE(port_of(one.address), port_of(two.address));
    if (port_of(one.address) == 0 || port_of(two.address) == 0) return;
    const Pair first = this->pair_at(one), second = this->pair_at(two);
    const Op op = write(client, second, stream_content(2, 10));
    this->expect_bytes(server, second, stream_content(2, 10));
    expect_written(client, op);
    (void)first;
  }
  void an_address_that_is_taken_exists() {
    const Stand stand = listen();
    for (const std::size_t process : {server, client}) {
      const auto second = this->try_listen(process, Listener{90}, stand.address);
      this->expect_status(second, Status::exists);
      EXPECT_TRUE(!second || !second->text.empty());
    }
    (void)this->pair_at(stand);
  }
  void what_is_no_address_is_invalid() {
    std::uint32_t name = 100;
    for (const char* text :
         {"",           "localhost:80",   "127.0.0.1",      "127.0.0.1:",     "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:+1",
          "127.0.1:80", "127.0.0.1.1:80", "127.0.0.256:80", " 127.0.0.1:80",  "127.0.0.1:80 ",   "::1:80",       "[::1]",
          "[::1]80",    "[:::1]:80",      "[1::2::3]:80",   "[127.0.0.1]:80", "[::1%lo]:80",     "*:80",         ":80"}) {
      const auto listening = this->try_listen(server, Listener{++name}, Blob(std::string_view(text)));
      this->expect_status(listening, Status::invalid);
      const Op op = this->start_connect(Blob(std::string_view(text))).first;
      const auto connected = this->template answer<event::Connected>(client, op);
      this->expect_status(connected, Status::invalid);
    }
    expect_quiet();
  }
  void it_listens_on_that_address_only() {
    const Stand stand = listen();
    const Op op = this->start_connect(world.elsewhere(port_of(stand.address))).first;
    const auto connected = this->template answer<event::Connected>(client, op);
    this->expect_status(connected, Status::peer_lost);
  }
  void a_connect_to_nobody_is_refused() {
    const Stand stand = listen();
    perform(server, action::CloseListener{stand.name});
    const Op op = this->start_connect(stand.address).first;
    const auto connected = this->template answer<event::Connected>(client, op);
    this->expect_status(connected, Status::peer_lost);
    EXPECT_TRUE(!connected || !connected->text.empty());
  }
  void both_sides_are_told_of_each_other() {
    const Stand stand = listen();
    const auto [connecting, mine] = this->start_connect(stand.address);
    const auto [accepting, served] = this->start_accept(stand.name);
    EXPECT_TRUE(this->expect_connected(client, connecting) == stand.address);
    const Blob peer = this->expect_connected(server, accepting);
    EXPECT_NE(port_of(peer), 0) << peer.text();
    EXPECT_FALSE(peer == stand.address);
  }
  void what_failed_to_open_may_be_closed() {
    const Stand stand = listen();
    (void)this->try_listen(server, Listener{91}, stand.address);
    perform(server, action::CloseListener{Listener{91}});
    const auto [op, connection] = this->start_connect(Blob("nowhere"));
    (void)this->template answer<event::Connected>(client, op);
    perform(client, action::CloseStream{connection, false});
    expect_quiet();
    (void)this->pair_at(stand);
  }
  void an_address_is_free_again_after_its_listener() {
    const Stand stand = listen();
    const Pair old = this->pair_at(stand);
    this->close(server, old);  // its remains keep the address on some systems
    perform(server, action::CloseListener{stand.name});
    world.settle();
    const auto again = this->try_listen(server, Listener{92}, stand.address);
    this->expect_status(again, Status::ok);
    if (again && again->status == Status::ok) (void)this->pair_at({Listener{92}, stand.address});
  }

  // --- who waits for whom -----------------------------------------------------------------------------------------------------

  static std::vector<Case<Self>> waiting_cases() {
    return {
        {"an_accept_waits_for_its_peer", &Self::an_accept_waits_for_its_peer},
        {"one_accept_takes_one_peer", &Self::one_accept_takes_one_peer},
        {"who_is_not_accepted_waits_with_what_it_wrote", &Self::who_is_not_accepted_waits_with_what_it_wrote},
        {"the_backlog_is_bounded", &Self::the_backlog_is_bounded},
        {"a_closed_listener_answers_no_accept", &Self::a_closed_listener_answers_no_accept},
        {"a_closed_listener_refuses_who_waited", &Self::a_closed_listener_refuses_who_waited},
        {"accepted_connections_outlive_their_listener", &Self::accepted_connections_outlive_their_listener},
        {"a_connect_that_is_closed_is_answered_no_more", &Self::a_connect_that_is_closed_is_answered_no_more},
    };
  }

  void an_accept_waits_for_its_peer() {
    const Stand stand = listen();
    const auto [accepting, served] = this->start_accept(stand.name);
    world.settle();
    expect_quiet();
    const Connection mine = this->connect(stand);
    (void)this->expect_connected(server, accepting);
    const Op op = write(server, {served, mine}, stream_content(1, 5));
    this->expect_bytes(client, {served, mine}, stream_content(1, 5));
    expect_written(server, op);
  }
  void one_accept_takes_one_peer() {
    const Stand stand = listen();
    for (int i = 0; i < 3; ++i) (void)this->connect(stand);
    (void)this->accept(stand);
    world.settle();
    expect_quiet();
    (void)this->accept(stand);
    expect_quiet();
    (void)this->accept(stand);
    expect_quiet();
  }
  void who_is_not_accepted_waits_with_what_it_wrote() {
    const Stand stand = listen();
    const Connection first = this->connect(stand), second = this->connect(stand);
    const Op one = write(client, {{}, first}, stream_content(1, 100)), two = write(client, {{}, second}, stream_content(2, 100));
    world.settle();
    expect_quiet(server);
    const Pair a{this->accept(stand), first}, b{this->accept(stand), second};
    this->expect_bytes(server, a, stream_content(1, 100));
    this->expect_bytes(server, b, stream_content(2, 100));
    expect_written(client, one);
    expect_written(client, two);
  }
  void the_backlog_is_bounded() {
    const Stand stand = listen(2);
    std::vector<std::pair<Op, Connection>> started;
    for (int i = 0; i < 8; ++i) started.push_back(this->start_connect(stand.address));
    world.settle();
    int connected = 0;
    for (const auto& [op, connection] : started) connected += this->is_answered(client, op) ? 1 : 0;
    EXPECT_GE(connected, 1);
    EXPECT_LE(connected, 3) << "of 8, with a backlog of 2";  // listen(2): some systems hold one more
    for (const auto& [op, connection] : started) perform(client, action::CloseStream{connection, true});
    perform(server, action::CloseListener{stand.name});
  }
  void a_closed_listener_answers_no_accept() {
    const Stand waits = listen(), answered = listen();
    (void)this->start_accept(waits.name);
    world.settle();
    perform(server, action::CloseListener{waits.name});
    (void)this->start_connect(waits.address);
    const Connection mine = this->connect(answered);
    world.settle();
    const Op op = this->start_accept(answered.name).first;  // there is somebody: it may have been answered
    perform(server, action::CloseListener{answered.name});
    expect_quiet(server);
    EXPECT_FALSE(this->is_answered(server, op));
    EXPECT_NE(this->read_to_end(client, {{}, mine}).status, Status::ok);
  }
  void a_closed_listener_refuses_who_waited() {
    const Stand stand = listen();
    const Connection mine = this->connect(stand);
    world.settle();
    perform(server, action::CloseListener{stand.name});
    EXPECT_EQ(this->read_to_end(client, {{}, mine}).status, Status::peer_lost);
  }
  void accepted_connections_outlive_their_listener() {
    const Stand stand = listen();
    const Pair pair = this->pair_at(stand);
    perform(server, action::CloseListener{stand.name});
    world.settle();
    const Op there = write(client, pair, stream_content(1, 1'000)), back = write(server, pair, stream_content(2, 1'000));
    this->expect_bytes(server, pair, stream_content(1, 1'000));
    this->expect_bytes(client, pair, stream_content(2, 1'000));
    expect_written(client, there);
    expect_written(server, back);
  }
  void a_connect_that_is_closed_is_answered_no_more() {
    const Stand stand = listen();
    const auto [op, connection] = this->start_connect(stand.address);
    perform(client, action::CloseStream{connection, false});
    world.settle();
    expect_quiet(client);
    perform(server, action::CloseListener{stand.name});
    expect_quiet();
  }

  // --- bytes ------------------------------------------------------------------------------------------------------------------

  static std::vector<Case<Self>> byte_cases() {
    return {
        {"bytes_arrive_whole_in_order_and_once", &Self::bytes_arrive_whole_in_order_and_once},
        {"writes_are_read_in_their_order", &Self::writes_are_read_in_their_order},
        {"a_read_gives_no_more_than_its_limit", &Self::a_read_gives_no_more_than_its_limit},
        {"a_read_waits_for_bytes_and_not_for_its_limit", &Self::a_read_waits_for_bytes_and_not_for_its_limit},
        {"both_directions_flow_at_once", &Self::both_directions_flow_at_once},
        {"connections_do_not_mix", &Self::connections_do_not_mix},
        {"each_write_is_answered_once", &Self::each_write_is_answered_once},
        {"a_write_of_nothing_is_no_end", &Self::a_write_of_nothing_is_no_end},
        {"a_write_to_one_who_does_not_read_waits", &Self::a_write_to_one_who_does_not_read_waits},
        {"a_stopped_process_is_silent_and_loses_nothing", &Self::a_stopped_process_is_silent_and_loses_nothing},
    };
  }

  void bytes_arrive_whole_in_order_and_once() {
    const Pair pair = this->pair();
    for (const std::size_t bytes : {1u, 2u, 100u, 4'097u, 70'000u, 1'000'003u}) {
      const Blob content = stream_content(bytes, bytes);
      const Op op = write(client, pair, content);
      this->expect_bytes(server, pair, content);
      expect_written(client, op);
    }
    expect_quiet();
    const Op more = this->read(server, pair);
    world.settle();
    EXPECT_FALSE(this->is_answered(server, more)) << "bytes that nobody wrote";
  }
  void writes_are_read_in_their_order() {
    const Pair pair = this->pair();
    std::vector<Blob> parts;
    std::vector<Op> ops;
    for (std::size_t i = 0; i < 60; ++i) {
      parts.push_back(stream_content(i, i * i * 7 % 1'000 + 1));
      ops.push_back(write(client, pair, parts.back()));
    }
    this->expect_bytes(server, pair, joined(parts));
    for (const Op op : ops) expect_written(client, op);
  }
  void a_read_gives_no_more_than_its_limit() {
    const Pair pair = this->pair();
    const Op op = write(client, pair, stream_content(1, 500));
    expect_written(client, op);
    world.settle();
    this->expect_bytes(server, pair, stream_content(1, 500), 3);
    expect_quiet(server);
  }
  void a_read_waits_for_bytes_and_not_for_its_limit() {
    const Pair pair = this->pair();
    for (std::size_t i = 0; i < 3; ++i) {
      const Op reading = this->read(server, pair, 1'000);
      world.settle();
      EXPECT_FALSE(this->is_answered(server, reading));
      const Op op = write(client, pair, stream_content(i, 1));
      this->expect_read(server, reading, stream_content(i, 1));
      expect_written(client, op);
    }
  }
  void both_directions_flow_at_once() {
    const Pair pair = this->pair();
    const Blob one = stream_content(1, 3'000'000), two = stream_content(2, 2'000'000);
    const Op there = write(client, pair, one), back = write(server, pair, two);
    this->expect_bytes(server, pair, one);
    this->expect_bytes(client, pair, two);
    expect_written(client, there);
    expect_written(server, back);
    expect_quiet();
  }
  void connections_do_not_mix() {
    const Stand stand = listen();
    std::vector<Pair> pairs;
    std::vector<Op> ops;
    for (int i = 0; i < 4; ++i) pairs.push_back(this->pair_at(stand));
    for (std::size_t i = 0; i < 4; ++i) ops.push_back(write(client, pairs[i], stream_content(i, 5'000)));
    for (std::size_t i = 0; i < 4; ++i) ops.push_back(write(server, pairs[i], stream_content(10 + i, 5'000)));
    for (std::size_t i = 4; i-- > 0;) this->expect_bytes(server, pairs[i], stream_content(i, 5'000));
    for (std::size_t i = 4; i-- > 0;) this->expect_bytes(client, pairs[i], stream_content(10 + i, 5'000));
    for (std::size_t i = 0; i < 8; ++i) expect_written(i < 4 ? client : server, ops[i]);
  }
  void each_write_is_answered_once() {
    const Pair pair = this->pair();
    std::vector<Op> ops;
    for (const std::size_t bytes : {10u, 0u, 100'000u, 1u, 1'000'000u})
      ops.push_back(write(client, pair, stream_content(1, bytes)));
    (void)this->read_bytes(server, pair, 1'100'011);
    for (const Op op : ops) expect_written(client, op);
    expect_quiet();
  }
  void a_write_of_nothing_is_no_end() {
    const Pair pair = this->pair();
    expect_written(client, write(client, pair, Blob()));
    const Op reading = this->read(server, pair);
    world.settle();
    EXPECT_FALSE(this->is_answered(server, reading));
    const Op op = write(client, pair, stream_content(1, 1));
    this->expect_read(server, reading, stream_content(1, 1));
    expect_written(client, op);
  }
  void a_write_to_one_who_does_not_read_waits() {
    const Pair pair = this->pair();
    const Blob much = stream_content(1, 40'000'000);
    const Op op = write(client, pair, much);
    const Op behind = write(client, pair, stream_content(2, 10));
    world.settle();
    EXPECT_FALSE(this->is_answered(client, op)) << "the systems hold all that nobody reads";
    EXPECT_FALSE(this->is_answered(client, behind));
    this->expect_bytes(server, pair, much, 4u << 20);
    this->expect_bytes(server, pair, stream_content(2, 10));
    expect_written(client, op);
    expect_written(client, behind);
  }
  void a_stopped_process_is_silent_and_loses_nothing() {
    const Pair pair = this->pair();
    const Op asked = this->read(server, pair);
    world.settle();
    world.stop(server);
    const Op op = write(client, pair, stream_content(1, 1'000));
    expect_written(client, op);
    const Op reading = this->read(client, pair);
    world.settle();
    EXPECT_FALSE(this->is_answered(client, reading));
    world.resume(server);
    const auto first = this->template answer<event::StreamRead>(server, asked);
    if (!first) return;
    EXPECT_EQ(first->status, Status::ok);
    const Blob rest = this->read_bytes(server, pair, 1'000 - first->content.size());
    EXPECT_TRUE(joined({first->content, rest}) == stream_content(1, 1'000));
  }

 protected:
  using User = StreamUser<Fixture>;
  using typename User::Pair;
  using typename User::Stand;
  using User::client;
  using User::expect_quiet;
  using User::expect_written;
  using User::listen;
  using User::perform;
  using User::port_of;
  using User::server;
  using User::world;
  using User::write;
};

}  // namespace tenter::conformance
