// What is true of a right hub and right executors, as questions to ask of planted variants of either.
#pragma once
#include "world.hpp"

namespace tenter::control::test {

// Probe A, P-X2: with the pool in the hands of a stuck frame, others are served.
template <class H, class E>
bool a_stuck_frame_stops_nobody(HubConfig config = hub_config(2)) {
  config.credit.pool_bytes = frame_bytes_max;
  WorldOf<H, E> world(config);
  world.start();
  world.stopped = {1};
  world.control(0, ControlName::copy_to_remote, sized(payload_bytes_max - control_head_bytes));
  const auto small = world.submit(1);
  world.run();
  return world.answered(small) && world.answer(small).status == Status::ok;
}

// Probe B, P-A6.
template <class H, class E>
bool garbage_ends_one_route_only() {
  WorldOf<H, E> world(hub_config(2));
  world.start();
  world.say(1, reply_tag, sized(64));
  world.run();
  const auto task = world.submit(0);
  world.run();
  return world.answered(task) && world.answer(task).status == Status::ok;
}

// Probe C, P-X6.
template <class H, class E>
bool a_repeated_reply_is_dropped_and_the_next_command_succeeds() {
  WorldOf<H, E> world(hub_config(1));
  world.start();
  world.submit(0);
  world.run();
  world.complete(0, 1);
  world.run();
  const auto next = world.submit(0);
  world.run();
  return world.answered(next) && world.answer(next).status == Status::ok && world.breaches.empty() &&
         hub_of(world.hub).routes()[0].counts.repeated == 1;
}

// Probe D, P-X5.
template <class H, class E>
bool an_unsolicited_reply_ends_its_route() {
  WorldOf<H, E> world(hub_config(1));
  world.start();
  world.complete(0, 7);
  world.run();
  return hub_of(world.hub).routes()[0].phase == RoutePhase::failed;
}

// Probe E, P-X11: also of a route that was cancelled.
template <class H, class E>
bool an_executor_of_a_cancelled_route_is_told_to_leave() {
  WorldOf<H, E> world(hub_config(1));
  world.start();
  world.call(cancel_route_note(0));
  world.run();
  return world.exits.contains(1);
}

// Probe F: slow is not dead, and late is not wrong.
template <class H, class E>
bool a_slow_task_ends_at_its_deadline_alone_and_its_late_reply_harms_nobody() {
  WorldOf<H, E> world(hub_config(2));
  world.hanging = {1, 2};
  world.start();
  const auto slow = world.submit(0, 8, seconds(1));
  const auto other = world.submit(1);
  world.run();
  world.advance(seconds(20));
  world.release(0);
  world.release(1);
  world.hanging.clear();
  const auto next = world.submit(0);
  world.run();
  return world.answered(slow) && world.answer(slow).status == Status::timed_out && world.answered(other) &&
         world.answer(other).status == Status::ok && world.answered(next) && world.answer(next).status == Status::ok;
}

// Probe G, P-X11, P-X12.
template <class H, class E>
bool a_session_with_a_task_in_flight_ends_in_order() {
  WorldOf<H, E> world(hub_config(2));
  world.hanging = {1};
  world.start();
  const auto task = world.submit(0);
  world.run();
  const auto end = world.call(shutdown_note(seconds(30)));
  world.run();
  world.advance(seconds(6));
  world.release(0);
  return world.answered(task) && world.answer(task).status == Status::ok && world.answered(end) &&
         world.answer(end).status == Status::ok && world.breaches.empty();
}

// Probe H, X06.
template <class H, class E>
bool nothing_is_sent_before_hello() {
  WorldOf<H, E> world(hub_config(1));
  world.puppets = {1};
  world.start();
  world.say(0, FrameType::health, 1);
  world.run();
  const auto task = world.submit(0);
  return world.answered(task) && world.answer(task).status == Status::unavailable;
}

// P-A5, P-B3.
template <class H, class E>
bool silence_is_noticed() {
  WorldOf<H, E> world(hub_config(2));
  world.start();
  world.stopped = {1};
  world.advance(seconds(6));
  return hub_of(world.hub).routes()[0].phase == RoutePhase::failed && hub_of(world.hub).routes()[1].phase == RoutePhase::serving;
}

// B26.
template <class H, class E>
bool a_hub_that_was_stopped_blames_nobody() {
  WorldOf<H, E> world(hub_config(2));
  world.start();
  world.stopped = {0};
  world.advance(milliseconds(3'900));
  world.stopped.clear();
  world.now = world.now + seconds(3);
  world.advance(seconds(3));
  return hub_of(world.hub).routes()[0].phase == RoutePhase::serving && hub_of(world.hub).routes()[1].phase == RoutePhase::serving;
}

// P-A5 from the other side, P-X18.
template <class H, class E>
bool a_lost_controller_is_noticed() {
  WorldOf<H, E> world(hub_config(1));
  world.start();
  world.advance(seconds(2));
  world.kill(0);
  world.advance(seconds(7));
  return world.exits.contains(1);
}

// P-X12: a route that failed while its executor lives is heard to its last word.
template <class H, class E>
bool what_a_failed_route_still_says_is_taken() {
  WorldOf<H, E> world(hub_config(1));
  world.hanging = {1};
  world.start();
  world.submit(0);
  world.run();
  world.call(cancel_route_note(0));
  world.run();
  world.release(0);
  const auto end = world.call(shutdown_note(seconds(30)));
  world.run();
  return world.answered(end) && world.exits.contains(0) && world.exits.at(0).orderly && world.breaches.empty();
}

// S3.
template <class H, class E>
bool each_task_is_executed_and_answered_once() {
  WorldOf<H, E> world(hub_config(1, 4));
  world.start();
  for (int i = 0; i < 4; ++i) world.submit(0);
  world.run();
  return world.executed[1].size() == 4 && world.answers.size() == 4 && world.breaches.empty() &&
         hub_of(world.hub).routes()[0].dropped() == 0;
}

}  // namespace tenter::control::test
