// The window of one-sided reads of a process: variables that were attached, calls, at most so many reads in flight over all of
// them, one endpoint for all. docs/protocols/store.md, spec A1, A3, B5; D11–D14, S1, S5, L1.
//
// An endpoint on which a read failed or was given up is closed, and every rank is probed again on the next one before its rows
// are read: its keys and addresses may be another process's by now. A call that ends while reads of it are in flight is answered
// after the close, so nothing lands in its buffer afterwards. Answers are matched by a number that is used once.
//
// Steps are named "reader.<state>.<event>", for example reader.serving.read_done.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/machine.hpp"
#include "core/port.hpp"
#include "core/store/calls.hpp"
#include "core/store/notes.hpp"
#include "core/store/operation.hpp"
#include "core/store/reader_state.hpp"

namespace tenter::store {

template <class O>
concept ReaderPorts = Fabric<O> && Timers<O> && Client<O> && Local<O>;

enum class ReaderOperation : std::uint8_t { open = 1, close = 2, insert = 3, read = 4, deadline = 5, again = 6 };

enum class ReaderState : std::uint8_t {
  closed,   // no endpoint
  opening,  // the endpoint is being opened
  serving,  // reads are posted as they are wanted
  closing,  // the endpoint is being closed; nothing is posted, nothing is answered
};

struct ReaderConfig {
  Role owner{};                      // who attaches: Joiner or Publisher
  Blob provider, domain;             // domain: empty for any
  std::uint32_t first_endpoint = 1;  // endpoints of this process from here on are the Reader's
  std::uint32_t reads_in_flight = 16;
  std::uint64_t span_bytes_max = 1u << 20;
  std::uint32_t tears_at_once = 3;         // a torn row is read again at once so often, then
  Duration first_rest = microseconds(50);  // after this time, doubled up to
  Duration last_rest = milliseconds(10);   // this
  std::uint32_t repeats_max = 8;           // of one span, because of other reads' failures
  friend bool operator==(const ReaderConfig&, const ReaderConfig&) = default;
  TENTER_DESCRIBE(reader_config, owner, provider, domain, first_endpoint, reads_in_flight, span_bytes_max, tears_at_once,
                  first_rest, last_rest, repeats_max)
};

class Reader {
 public:
  Reader() = default;
  explicit Reader(ReaderConfig config) : config_(std::move(config)), endpoint_(config_.first_endpoint) {}

  template <ReaderPorts O>
  void on(const event::Started&, O&) {}
  template <ReaderPorts O>
  void on(const event::Told& e, O& out);  // attach, detach
  template <ReaderPorts O>
  void on(const event::Submitted& e, O& out);  // get
  template <ReaderPorts O>
  void on(const event::FabricOpened& e, O& out);
  template <ReaderPorts O>
  void on(const event::FabricDone& e, O& out);
  template <ReaderPorts O>
  void on(const event::RegionRegistered&, O&) {}
  template <ReaderPorts O>
  void on(const event::ReadDone& e, O& out);
  template <ReaderPorts O>
  void on(const event::TimerFired& e, O& out);

  std::string_view state_name() const {
    constexpr std::string_view names[] = {"closed", "opening", "serving", "closing"};
    return names[static_cast<std::size_t>(state_)];
  }
  std::size_t reads_in_flight() const { return posted_.size(); }
  std::size_t calls() const { return gets_.size(); }
  std::size_t attachments() const { return attachments_.size(); }

 private:
  // reader_attach.hpp
  template <class O>
  void attach(const Note& note, O& out);
  void refuse(Attachment& variable, Status status, std::string why);
  void lose(Attachment& variable, Status status, const std::string& why);
  void target_failed(Attachment& variable, std::uint32_t rank, Status status, const std::string& text);
  void probed(Attachment& variable, std::uint32_t rank, const event::ReadDone& e);
  // reader_link.hpp
  template <class O>
  void settle(O& out);
  template <class O>
  void close_link(O& out);
  template <class O>
  void post(O& out);
  template <class O>
  void verify(Attachment& variable, std::uint32_t rank, O& out);
  template <class O>
  bool post_next(GetUnderWay& get, O& out);
  bool nothing_is_wanted() const;
  bool must_close() const;
  bool wants_link() const;
  // reader_get.hpp
  template <class O>
  void answer(const GetUnderWay& get, O& out);
  template <class O>
  void land(GetUnderWay& get, std::uint32_t span, const Attachment& variable, const event::ReadDone& e, O& out);
  template <class O>
  void land_rows(GetUnderWay& get, const SpanWork& work, const RowFormat& format, const event::ReadDone& e, O& out);
  template <class O>
  void copy_pieces(Buffer buffer, const Span& span, std::uint64_t from, std::uint64_t to, const Blob& content, O& out);
  Result<std::vector<Span>> plan(const Attachment* variable, const GetCall& call) const;
  void end(GetUnderWay& get, Status status, std::string text);

  Attachment* find(std::uint64_t number);
  const Attachment* named(const Blob& variable_name) const;
  GetUnderWay* find_get(std::uint64_t number);
  static bool lands_directly(const Attachment& variable, const Span& span) {
    return !variable.format.versioned && span.lands_as_it_is();
  }
  std::uint64_t span_bytes() const { return std::min(config_.span_bytes_max, read_bytes_max_); }

  ReaderConfig config_;
  ReaderState state_ = ReaderState::closed;
  std::uint32_t endpoint_ = 1;  // the present one, or the next one to be opened
  std::uint64_t link_op_ = 0;   // opening, closing: the sequence that is awaited
  bool broken_ = false;         // serving: a read failed
  std::uint64_t read_bytes_max_ = 1u << 20;
  std::uint32_t address_format_ = 0;
  std::vector<Attachment> attachments_;
  std::vector<GetUnderWay> gets_;  // in the order of arrival
  std::vector<PostedRead> posted_;
  std::uint32_t turn_ = 0;      // whose span is posted next
  std::uint64_t sequence_ = 0;  // over all operations
  std::uint64_t calls_ = 0;
  std::uint32_t peers_ = 0;

 public:
  friend bool operator==(const Reader&, const Reader&) = default;
  TENTER_DESCRIBE(reader, config_, state_, endpoint_, link_op_, broken_, read_bytes_max_, address_format_, attachments_, gets_,
                  posted_, turn_, sequence_, calls_, peers_)
};

inline Attachment* Reader::find(std::uint64_t number) {
  for (Attachment& variable : attachments_)
    if (variable.number == number) return &variable;
  return nullptr;
}
inline const Attachment* Reader::named(const Blob& variable_name) const {
  for (const Attachment& variable : attachments_)
    if (variable.variable == variable_name && !variable.leaving) return &variable;
  return nullptr;
}
inline GetUnderWay* Reader::find_get(std::uint64_t number) {
  for (GetUnderWay& get : gets_)
    if (get.number == number) return &get;
  return nullptr;
}

}  // namespace tenter::store

#include "core/store/reader_attach.hpp"
#include "core/store/reader_get.hpp"
#include "core/store/reader_link.hpp"
