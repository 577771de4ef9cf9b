// An executor that says, once, what no executor may say: the storm of a run. Its own route may fail for it, no other may.
#pragma once
#include <cstdint>
#include <string_view>
#include <utility>

#include "core/control/executor.hpp"

namespace tenter::protocols {

enum class Hostility : std::uint32_t {
  repeats,        // answers its newest command once more; short, so that its goodbye overtakes nothing of it
  garbage,        // bytes that are no frame
  other_worker,   // a frame in another worker's name
  other_session,  // of a session that was
  unknown_tag,
  answers_nothing,  // a reply to what was never sent
  greets_again,     // a second HELLO
  beats_backwards,  // an old HEALTH
  commands,         // SHUTDOWN, which only the controller sends
  two_sequences,    // header and payload of a reply disagree
};
inline constexpr std::uint32_t hostilities = 10;
constexpr std::string_view to_string(Hostility hostility) {
  constexpr std::string_view names[] = {"repeats",         "garbage",      "other_worker",    "other_session", "unknown_tag",
                                        "answers_nothing", "greets_again", "beats_backwards", "commands",      "two_sequences"};
  return names[static_cast<std::size_t>(hostility)];
}

struct HostileConfig {
  Hostility says = Hostility::repeats;
  std::uint32_t before = 1;  // its frame of this number, from 1
  std::uint64_t session = 1;
  std::uint32_t worker = 0;
  friend bool operator==(const HostileConfig&, const HostileConfig&) = default;
  TENTER_DESCRIBE(hostile_config, says, before, session, worker)
};

class HostileExecutor {
 public:
  HostileExecutor() = default;
  HostileExecutor(control::Executor executor, HostileConfig config) : executor_(std::move(executor)), config_(config) {}

  template <class E, class O>
  requires Handles<control::Executor, E>
  void on(const E& e, O& out) {
    Outbox box;
    executor_.on(e, box);
    Outbox with_more;
    for (Action& action : box.actions()) {
      if (const auto* send = std::get_if<action::SendMessage>(&action)) {
        speak(*send, with_more);
        if (send->tag == control::reply_tag) reply_ = control::read_frame(send->content.bytes())->identity.sequence;
      }
      with_more.actions().push_back(std::move(action));
    }
    perform_all(std::move(with_more.actions()), out);
  }
  std::string_view state_name() const { return executor_.state_name(); }

 private:
  // Before a frame, so that its last word stays the last.
  void speak(const action::SendMessage& send, Outbox& out) {
    if (++sent_ < config_.before || said_ || (config_.says == Hostility::repeats && reply_ == 0)) return;
    said_ = true;
    const auto [tag, content] = hostile();
    out.send_message(Op{~std::uint64_t{0} >> 1}, send.communicator, Rank{0}, tag, content);
  }
  std::pair<MessageTag, Blob> hostile() const {
    using namespace control;
    const auto worker = static_cast<std::int32_t>(config_.worker);
    const FrameIdentity mine{config_.session, worker, 0};
    const auto frame = [](FrameType type, FrameIdentity identity, Bytes payload = {}) {
      return std::pair{tag_of(type), write_frame(type, identity, payload).value()};
    };
    const Blob unasked = write_completion({1'000'000, 0, {}});
    switch (config_.says) {
      case Hostility::repeats:
        return frame(FrameType::completion, {config_.session, worker, reply_}, write_completion({reply_, 0, {}}).bytes());
      case Hostility::garbage:
        return {reply_tag, Blob("these bytes are no frame, however long one looks at them")};
      case Hostility::other_worker:
        return frame(FrameType::health, {config_.session, worker + 1, 1});
      case Hostility::other_session:
        return frame(FrameType::completion, {config_.session + 1, worker, 1}, write_completion({1, 0, {}}).bytes());
      case Hostility::unknown_tag:
        return {MessageTag{9}, Blob("who")};
      case Hostility::answers_nothing:
        return frame(FrameType::completion, {config_.session, worker, 1'000'000}, unasked.bytes());
      case Hostility::greets_again:
        return frame(FrameType::hello, mine,
                     write_hello({config_.session, worker, "sim", all_features, ReadyState::ready}).bytes());
      case Hostility::beats_backwards:
        return frame(FrameType::health, mine);
      case Hostility::commands:
        return frame(FrameType::shutdown, {config_.session, worker, 1});
      case Hostility::two_sequences:
        break;
    }
    return frame(FrameType::completion, {config_.session, worker, 1}, unasked.bytes());
  }

  control::Executor executor_;
  HostileConfig config_;
  std::uint32_t sent_ = 0;
  bool said_ = false;
  std::uint64_t reply_ = 0;  // sequence of its newest reply

 public:
  friend bool operator==(const HostileExecutor&, const HostileExecutor&) = default;
  TENTER_DESCRIBE(hostile_executor, executor_, config_, sent_, said_, reply_)
};

}  // namespace tenter::protocols
