// What a Group owns, in the order in which it is made; given back in the reverse order.
#pragma once
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/mailbox/frame.hpp"
#include "core/mailbox/start_call.hpp"
#include "hw/group/group.hpp"
#include "hw/group/guardian.hpp"
#include "hw/group/loop_driver.hpp"
#include "hw/group/parent_process.hpp"
#include "hw/group/private_folder.hpp"
#include "hw/record/recorder.hpp"

namespace tenter::hw {

struct Group::Inside {
  struct Running {
    Running(const GroupSpec& spec, const std::string& root, Recorder* recorder, std::atomic<bool>& ended);
    Context context;
    ParentPort port;
    ParentProcess process;
    LoopDriver driver;
  };

  static Result<std::unique_ptr<Inside>> make(const GroupSpec& spec);
  Inside(const GroupSpec& asked, PrivateFolder made, Guardian started)
      : spec(asked), guardian(std::move(started)), folder(std::move(made)) {}
  ~Inside();

  mailbox::StartSpec start_spec() const;
  Result<void> start_group();
  // Submits and waits; every call is bounded by the machines' own deadlines, `budget` is for the loop that hangs.
  Note call(Role role, const Note& note, Duration budget);
  Result<Parts> request(std::string_view what, const mailbox::RequestCall& call);
  Result<Blob> control(mailbox::Target target, std::int32_t rank, mailbox::ControlName name, Bytes command, Duration budget);
  mailbox::FrameIdentity identity_for(std::uint32_t rank) { return {session, static_cast<std::int32_t>(rank), ++sequence}; }
  std::vector<ProcessId> rank_processes();
  Result<void> finish_recording();

  GroupSpec spec;
  std::string page;
  ProcessId launcher;
  std::uint64_t session = 0;  // this parent's, in the frames
  std::atomic<std::uint64_t> sequence{0};
  std::atomic<bool> ended{false};
  Guardian guardian;
  PrivateFolder folder;
  std::unique_ptr<Recorder> recorder;  // none without GroupSpec::record
  std::unique_ptr<Running> running;
};

}  // namespace tenter::hw
