// A peer of the gate that is no rank of the job, or says that it is one: a scanner of ports, a rank of another job, a second
// process for a rank. It comes again some times, and closes what it has opened. P-X9, B32; X10..X12.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "core/control/gate_message.hpp"
#include "core/control/hidden.hpp"
#include "core/control/slr3.hpp"
#include "core/control/start_notes.hpp"
#include "core/control/start_operation.hpp"
#include "core/machine.hpp"
#include "core/port.hpp"

namespace tenter::protocols {

enum class Manner : std::uint8_t {
  silent,
  trickles,   // a byte now and then, of a message that never ends
  oversized,  // announces more than a message may have
  no_json,
  other_token,  // of a rank of another job
  leaves,       // says a part, and is gone
  resets,
  // It was given the token.
  poses,         // as a rank that is another process, and stays a while
  leaves_ready,  // as a rank, and is gone
  no_rank,       // as one that the job does not have
  joins_early,   // as a rank that has joined before anybody was told to
  floods,        // as a rank that does not stop saying that it is ready
};
inline constexpr std::uint32_t strange_manners = 7, false_manners = 5;
constexpr bool has_token(Manner manner) { return manner >= Manner::poses; }

struct StrangerConfig {
  Manner manner = Manner::silent;
  std::string gate = {};  // of one with the token: told
  std::uint32_t rank = 0;
  std::uint32_t visits = 1;
  Duration rest = milliseconds(20);       // before each visit
  Duration stays = milliseconds(300);     // of one that leaves by itself
  Duration leaves_at_last = seconds(60);  // of one that waits to be turned away
  std::uint32_t first_connection = 1;
  friend bool operator==(const StrangerConfig&, const StrangerConfig&) = default;
  TENTER_DESCRIBE(stranger_config, manner, gate, rank, visits, rest, stays, leaves_at_last, first_connection)
};

class Stranger {
 public:
  Stranger() = default;
  explicit Stranger(StrangerConfig config) : config_(std::move(config)), connection_(config_.first_connection) {}

  template <class O>
  void on(const event::Started& e, O& out) {
    if (!has_token(config_.manner)) rest(e.now, out);
  }
  template <class O>
  void on(const event::Told& e, O& out) {
    const auto said = control::read_check_in(e.note);
    if (!said || !has_token(config_.manner) || step_ != Step::idle) return;
    token_ = control::Hidden(said->report.token.text());
    config_.gate = said->address;
    rest(e.now, out);
  }
  template <class O>
  void on(const event::TimerFired& e, O& out) {
    if (e.op == op(Kind::rest) && step_ == Step::resting) {
      step_ = Step::connecting;
      out.arm(op(Kind::leave), e.now + config_.leaves_at_last);
      return out.connect(op(Kind::connect), Connection{connection_}, Blob(std::string_view(config_.gate)));
    }
    if (e.op == op(Kind::leave) && (step_ == Step::there || step_ == Step::connecting)) return end_visit(e.now, out);
    if (e.op == op(Kind::next) && step_ == Step::there) say_more(e.now, out);
  }
  template <class O>
  void on(const event::Connected& e, O& out) {
    if (step_ != Step::connecting || e.op != op(Kind::connect)) return;
    if (e.status != Status::ok) {  // then there is nothing to close
      ++connection_;
      out.cancel(op(Kind::leave));
      return rest(e.now, out);
    }
    step_ = Step::there;
    out.read_stream(op(Kind::read), Connection{connection_}, 4'096);
    if (const Blob word = first_word(); !word.empty()) write(word, out);
    const bool by_itself = config_.manner == Manner::leaves || config_.manner == Manner::resets ||
                           config_.manner == Manner::poses || config_.manner == Manner::leaves_ready;
    const bool at_once = config_.manner == Manner::leaves_ready;
    if (by_itself) out.arm(op(Kind::leave), e.now + (at_once ? milliseconds(5) : config_.stays));
    if (config_.manner == Manner::trickles || config_.manner == Manner::floods) out.arm(op(Kind::next), e.now + beat);
  }
  template <class O>
  void on(const event::StreamRead& e, O& out) {
    if (step_ != Step::there || e.op != op(Kind::read)) return;
    if (e.status != Status::ok || e.content.empty()) return end_visit(e.now, out);
    out.read_stream(op(Kind::read), Connection{connection_}, 4'096);
  }
  // What becomes of its words is of no interest to it.
  template <class O>
  void on(const event::StreamWritten&, O&) {}
  template <class O>
  void on(const event::Listening&, O&) {}
  template <class O>
  void on(const event::ParentExited&, O&) {}

  std::string_view state_name() const {
    constexpr std::string_view names[] = {"idle", "resting", "connecting", "there", "over"};
    return names[static_cast<std::size_t>(step_)];
  }

 private:
  enum class Step : std::uint8_t { idle, resting, connecting, there, over };
  enum class Kind : std::uint8_t { rest = 1, connect, read, write, leave, next };
  static constexpr Duration beat = milliseconds(40);
  static Op op(Kind kind, std::uint64_t which = 0) { return control::start_operation(kind, which); }

  template <class O>
  void rest(Time now, O& out) {
    step_ = visits_ < config_.visits ? Step::resting : Step::over;
    if (step_ == Step::resting) out.arm(op(Kind::rest), now + config_.rest);
    ++visits_;
  }
  template <class O>
  void end_visit(Time now, O& out) {
    out.cancel(op(Kind::leave));
    out.cancel(op(Kind::next));
    out.close_stream(Connection{connection_++}, config_.manner == Manner::resets);
    rest(now, out);
  }
  template <class O>
  void write(const Blob& word, O& out) {
    out.write_stream(op(Kind::write, ++writes_), Connection{connection_}, word);
  }
  template <class O>
  void say_more(Time now, O& out) {
    write(config_.manner == Manner::floods ? first_word() : Blob("x"), out);
    out.arm(op(Kind::next), now + beat);
  }
  control::GateReport report() const {
    const bool joins = config_.manner == Manner::joins_early;
    control::GateReport said{Blob(std::string_view(token_.bytes)),
                             config_.rank,
                             joins ? control::GateState::joined : control::GateState::ready,
                             {},
                             {900'000, 1},
                             "elsewhere"};
    said.version = control::frame_version;
    if (config_.manner == Manner::other_token) said.token = Blob("the-token-of-another-job");
    if (config_.manner == Manner::no_rank) said.rank = 9'999;
    return said;
  }
  Blob first_word() const {
    constexpr std::string_view announced("\0\0\0\xc8{", 5), none("\0\0\0\x03GET", 7), large("\xff\xff\xff\xff", 4);
    switch (config_.manner) {
      case Manner::silent:
        return {};
      case Manner::trickles:
      case Manner::leaves:
      case Manner::resets:
        return Blob(announced);
      case Manner::oversized:
        return Blob(large);
      case Manner::no_json:
        return Blob(none);
      default:
        return control::write_gate_report(report());
    }
  }

  StrangerConfig config_;
  Step step_ = Step::idle;
  std::uint32_t connection_ = 1, visits_ = 0;
  std::uint64_t writes_ = 0;
  control::Hidden token_;

 public:
  friend bool operator==(const Stranger&, const Stranger&) = default;
  TENTER_DESCRIBE(stranger, config_, step_, connection_, visits_, writes_, token_)
};

}  // namespace tenter::protocols
