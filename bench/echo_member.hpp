// Stands in for the members of a world of one: answers every round at once with a record of a fixed reply, so that a round trip
// is the lane's cost and nothing else. And the parent's stand-in for Launch: makes the page and says when the group is ready.
#pragma once
#include <string_view>
#include <utility>

#include "core/machine.hpp"
#include "core/mailbox/envelope.hpp"
#include "core/mailbox/launch_values.hpp"
#include "core/mailbox/layout.hpp"
#include "core/mailbox/notes.hpp"
#include "core/port.hpp"

namespace tenter::bench {

class EchoMember {
 public:
  enum class State : std::uint8_t { attaching, serving, left };

  EchoMember() = default;
  EchoMember(Blob page, Blob reply) : page_(std::move(page)), reply_(std::move(reply)) {}

  template <Local O>
  void on(const event::Started&, O& out) {
    out.tell(mailbox::dispatcher_role, mailbox::attach_note({page_, 1, {}}));
  }
  template <Local O>
  void on(const event::Told& e, O& out) {
    if (mailbox::is(e.note, mailbox::NoteKind::attached))
      state_ = e.note.text.empty() ? State::serving : State::left;
    else if (mailbox::is(e.note, mailbox::NoteKind::leave))
      state_ = State::left;
    else if (mailbox::is(e.note, mailbox::NoteKind::round))
      out.tell(mailbox::dispatcher_role,
               mailbox::gathered_note(Parts{mailbox::write_record(
                   {.rank = 0, .outcome = mailbox::Outcome::done, .error_type = {}, .message = {}, .reply = reply_.bytes()})}));
  }

  bool left() const { return state_ == State::left; }
  std::string_view state_name() const {
    return state_ == State::attaching ? "attaching" : state_ == State::serving ? "serving" : "left";
  }

 private:
  State state_ = State::attaching;
  Blob page_, reply_;

 public:
  TENTER_DESCRIBE(echo_member, state_, page_, reply_)
};

class PageMaker {
 public:
  enum class State : std::uint8_t { creating, waiting, ready, failed };

  PageMaker() = default;
  explicit PageMaker(Blob page) : page_(std::move(page)) {}

  template <class O>
  requires SharedPage<O>
  void on(const event::Started&, O& out) { out.create_page(Op{1}, page_, mailbox::layout::page_bytes); }
  template <class O>
  requires SharedPage<O>
  void on(const event::PageOpened& e, O& out) {  // creating --created--> waiting
    if (e.status != Status::ok) {
      state_ = State::failed;
      page_ = e.text;
      return;
    }
    state_ = State::waiting;
    out.write_region(0, mailbox::header_of_page(1));
    out.watch(Op{2}, mailbox::group_word, 0);
  }
  template <class O>
  requires SharedPage<O> && Local<O>
  void on(const event::WordChanged& e, O& out) {  // waiting --READY--> ready
    state_ = mailbox::GroupState{e.value} == mailbox::GroupState::ready ? State::ready : State::failed;
    out.unlink_page(page_);
    out.tell(mailbox::channel_role, mailbox::plain_note(mailbox::NoteKind::group_ready));
  }

  bool settled() const { return state_ == State::ready || state_ == State::failed; }
  bool created() const { return state_ != State::creating; }
  bool ready() const { return state_ == State::ready; }
  std::string_view text() const { return page_.text(); }
  std::string_view state_name() const {
    constexpr std::string_view names[] = {"creating", "waiting", "ready", "failed"};
    return names[static_cast<std::size_t>(state_)];
  }

 private:
  State state_ = State::creating;
  Blob page_;

 public:
  TENTER_DESCRIBE(page_maker, state_, page_)
};

}  // namespace tenter::bench
