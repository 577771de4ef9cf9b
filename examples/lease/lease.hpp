// A protocol of a user's own: one word of shared memory is a lease. 0 is free, 1 and 2 are the holders. Whoever holds it gives it
// back after its work; whoever wants it waits for it. Two machines of one kind play it; the first makes the page and takes it
// away when the second has said goodbye.
#pragma once
#include "core/machine.hpp"
#include "core/port.hpp"

namespace lease {

using namespace tenter;

inline constexpr Word lease_word{64}, goodbye_word{128};

template <class O>
concept Ports = SharedPage<O> && Timers<O>;

class Party {
 public:
  enum class State : std::uint8_t { opening, wanting, trying, holding, waiting_for_goodbye, content };

  Party() = default;
  // number: 1 or 2. The first creates the page, the other opens it. rounds: how often it wants the lease.
  Party(std::uint32_t number, std::uint32_t rounds) : number_(number), rounds_(rounds) {}

  template <Ports O>
  void on(const event::Started& e, O& out) {
    if (number_ == 1)
      out.create_page(Op{1}, Blob("lease"), 4096);
    else
      out.arm(Op{4}, e.now + milliseconds(1));
  }
  template <Ports O>
  void on(const event::PageOpened& e, O& out) {  // opening --ok--> wanting; a page that is not there yet is looked for again
    if (e.status == Status::ok) return want(out);
    out.arm(Op{4}, e.now + milliseconds(1));
  }
  template <Ports O>
  void on(const event::TimerFired& e, O& out) {
    if (e.op == Op{4}) return out.open_page(Op{1}, Blob("lease"));
    // holding --done--> wanting, waiting_for_goodbye or content
    out.publish(lease_word, 0);
    if (++held_ < rounds_) return want(out);
    if (number_ == 1) {
      state_ = State::waiting_for_goodbye;
      return out.watch(Op{6}, goodbye_word, 0);
    }
    state_ = State::content;
    out.publish(goodbye_word, 1);
    out.close_page();
  }
  template <Ports O>
  void on(const event::WordChanged& e, O& out) {  // wanting --free--> trying; waiting_for_goodbye --goodbye--> content
    if (e.word == goodbye_word) {
      state_ = State::content;
      out.close_page();
      return out.unlink_page(Blob("lease"));
    }
    if (e.value != 0) return out.watch(Op{2}, lease_word, e.value);
    state_ = State::trying;
    out.publish_if(Op{3}, lease_word, 0, number_);
  }
  template <Ports O>
  void on(const event::Swapped& e, O& out) {  // trying --won--> holding; lost: wait again
    if (e.seen != 0) return want(out);
    state_ = State::holding;
    out.arm(Op{5}, e.now + microseconds(200));
  }
  template <Ports O>
  void on(const event::Copied&, O&) {}

  bool holds() const { return state_ == State::holding; }
  bool content() const { return state_ == State::content; }
  std::string_view state_name() const {
    constexpr std::string_view names[] = {"opening", "wanting", "trying", "holding", "waiting_for_goodbye", "content"};
    return names[static_cast<std::size_t>(state_)];
  }
  TENTER_DESCRIBE(party, state_, number_, rounds_, held_)

 private:
  template <Ports O>
  void want(O& out) {
    state_ = State::wanting;
    out.watch(Op{2}, lease_word, never);
  }
  static constexpr std::uint32_t never = 0xFFFFFFFF;  // no value of the word: the watch answers at once

  State state_ = State::opening;
  std::uint32_t number_ = 1, rounds_ = 1, held_ = 0;
};

}  // namespace lease
