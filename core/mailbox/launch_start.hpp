// Launch, the start: one step after the other, each answered before the next, one deadline over all. Whatever fails, what was
// made until then is taken back in reverse order (launch_end.hpp).
#pragma once
#include "core/mailbox/launch.hpp"

namespace tenter::mailbox {

template <LaunchPorts O>
void Launch::on(const event::Submitted& e, O& out) {
  if (is(e.call, NoteKind::stop)) return stop(e.ticket, e.call, e.now, out);
  start(e.ticket, e.call, e.now, out);
}

// idle --start call--> drawing; elsewhere it is refused and changes nothing
template <class O>
void Launch::start(Ticket ticket, const Note& call, Time now, O& out) {
  auto spec = read_start(call);
  if (!spec) return out.complete(ticket, answer_error(spec.error().status, "StartError", spec.error().what));
  if (spec->world != config_.world)
    return out.complete(ticket, answer_error(Status::mismatch, "StartError",
                                             "start: the spec asks for " + text_of(spec->world) +
                                                 " ranks, this parent was set up for " + text_of(config_.world)));
  if (state_ != LaunchState::idle)
    return out.complete(ticket,
                        answer_error(Status::unavailable, "StartError",
                                     std::string("start: the group is ") + to_string(state_) + " already; one group a parent"));
  begin(std::move(*spec), ticket, now, out);
}

template <class O>
void Launch::begin(StartSpec spec, Ticket ticket, Time now, O& out) {
  spec_ = std::move(spec);
  if (number(spec_.patience) == 0) spec_.patience = config_.start_patience;
  start_call_ = ticket;
  ++attempt_;
  processes_ = {};
  processes_.ranks.resize(config_.world);
  state_ = LaunchState::drawing;
  out.arm(op(LaunchOperation::start_deadline), now + spec_.patience);
  out.draw_random(op(LaunchOperation::draw), 16);
}

// drawing --16 random bytes--> describing
template <LaunchPorts O>
void Launch::on(const event::RandomBytes& e, O& out) {
  if (state_ != LaunchState::drawing || e.op != op(LaunchOperation::draw)) return;
  if (e.content.size() != 16)  // a shorter name could be guessed
    return fail(Status::failed, "StartError",
                "start: " + text_of(std::uint64_t{e.content.size()}) + " random bytes came, 16 were asked for", e.now, out);
  const std::string hex = hex_of(e.content.bytes());
  page_ = Blob("tenter-mailbox-" + hex);
  directory_ = Blob("group-" + hex);
  state_ = LaunchState::describing;
  out.describe_host(op(LaunchOperation::describe));
}

// describing --host--> making_directory
template <LaunchPorts O>
void Launch::on(const event::HostDescribed& e, O& out) {
  if (state_ != LaunchState::describing || e.op != op(LaunchOperation::describe)) return;
  host_ = e.host;
  owner_ = e.self;
  made_directory_ = true;
  state_ = LaunchState::making_directory;
  out.make_directory(op(LaunchOperation::make_directory), directory_);
}

template <LaunchPorts O>
void Launch::on(const event::FileDone& e, O& out) {
  switch (kind_of<LaunchOperation>(e.op)) {
    case LaunchOperation::make_directory:
      return directory_made(e, out);
    case LaunchOperation::publish_manifest:
      return manifest_published(e, out);
    case LaunchOperation::read_report:
      return report_read(e, out);
    case LaunchOperation::read_reason:
      return reason_read(e, out);
    case LaunchOperation::remove_manifest:
    case LaunchOperation::remove_directory:
      return removed(e, out);
    default:
      return;
  }
}

// making_directory --made--> creating_page
template <class O>
void Launch::directory_made(const event::FileDone& e, O& out) {
  if (state_ != LaunchState::making_directory || e.op != op(LaunchOperation::make_directory)) return;
  if (e.status != Status::ok) {
    made_directory_ = false;
    return fail(e.status, "StartError",
                "start: directory " + std::string(directory_.text()) + " could not be made: " + std::string(e.content.text()),
                e.now, out);
  }
  made_page_ = true;
  state_ = LaunchState::creating_page;
  out.create_page(op(LaunchOperation::create_page), page_, layout::page_bytes);
}

// creating_page --created, every byte backed--> publishing_manifest
template <LaunchPorts O>
void Launch::on(const event::PageOpened& e, O& out) {
  if (state_ != LaunchState::creating_page || e.op != op(LaunchOperation::create_page)) return;
  if (e.status != Status::ok) {
    made_page_ = false;
    return fail(e.status, "StartError",
                "start: page " + std::string(page_.text()) + " could not be created: " + std::string(e.text.text()), e.now, out);
  }
  if (e.bytes != layout::page_bytes)
    return fail(
        Status::mismatch, "StartError",
        "start: page " + std::string(page_.text()) + " has " + text_of(e.bytes) + " bytes, not " + text_of(layout::page_bytes),
        e.now, out);
  out.write_region(0, header_of_page(config_.world));
  out.publish_quiet(request_word, number(RequestState::idle));
  out.publish_quiet(group_word, number(GroupState::initializing));  // releases the header
  made_manifest_ = true;
  state_ = LaunchState::publishing_manifest;
  Manifest manifest;
  manifest.page = std::string(page_.text());
  manifest.page_version = layout::protocol_version;
  manifest.page_bytes = layout::page_bytes;
  manifest.world = config_.world;
  manifest.owner = owner_;
  manifest.host = std::string(host_.text());
  manifest.start_patience = spec_.patience;
  manifest.stop_patience = config_.stop_patience;
  out.publish_file(op(LaunchOperation::publish_manifest), path(manifest_path().text()), write_manifest(manifest));
}

// publishing_manifest --published--> spawning
template <class O>
void Launch::manifest_published(const event::FileDone& e, O& out) {
  if (state_ != LaunchState::publishing_manifest || e.op != op(LaunchOperation::publish_manifest)) return;
  if (e.status != Status::ok) {
    made_manifest_ = false;
    return fail(e.status, "StartError",
                "start: manifest " + std::string(path(manifest_path().text()).text()) +
                    " could not be published: " + std::string(e.content.text()),
                e.now, out);
  }
  state_ = LaunchState::spawning;
  out.watch_files(op(LaunchOperation::watch_directory), directory_);
  std::vector<Blob> environment(spec_.environment.begin(), spec_.environment.end());
  environment.emplace_back("TENTER_MAILBOX_DIRECTORY=" + std::string(spec_.root.text()) + "/" + std::string(directory_.text()));
  out.spawn(op(LaunchOperation::spawn), spec_.arguments, Parts(std::move(environment)));
}

// spawning --spawned--> awaiting_ready. If the deadline passed meanwhile, only now it is known whom to end.
template <LaunchPorts O>
void Launch::on(const event::Spawned& e, O& out) {
  if (state_ != LaunchState::spawning || e.op != op(LaunchOperation::spawn)) return;
  if (e.status == Status::ok) {
    processes_.launcher.spawned = true;
    processes_.launcher.process = e.process;
  } else {
    fail_later(e.status, "StartError",
               "start: " + std::string(spec_.arguments[0].text()) + " could not be started: " + std::string(e.text.text()));
  }
  if (!failure_.empty()) return retreat(e.now, out);
  state_ = LaunchState::awaiting_ready;
  out.watch(op(LaunchOperation::watch_group), group_word, number(GroupState::initializing));
}

template <LaunchPorts O>
void Launch::on(const event::WordChanged& e, O& out) {
  if (!starting()) return;  // later the group word is the channel's
  if (e.op == op(LaunchOperation::watch_group)) return group_changed(e, out);
  if (e.op != op(LaunchOperation::error_length) || state_ != LaunchState::explaining) return;
  if (e.value <= layout::error_bytes_max) return out.copy_in(op(LaunchOperation::copy_reason), layout::error_area, e.value);
  fail(Status::invalid, "TerminalReason",
       "start: the group is TERMINAL; its reason claims " + text_of(e.value) + " bytes, the area has " +
           text_of(layout::error_bytes_max),
       e.now, out);
}

// awaiting_ready --READY--> running; awaiting_ready, suspecting, inspecting --TERMINAL--> explaining
template <class O>
void Launch::group_changed(const event::WordChanged& e, O& out) {
  if (state_ != LaunchState::awaiting_ready && state_ != LaunchState::suspecting && state_ != LaunchState::inspecting) return;
  switch (GroupState{e.value}) {
    case GroupState::ready:
      if (state_ == LaunchState::awaiting_ready) ready(out);
      return;  // else a process is gone already, or it is too late: the start fails all the same
    case GroupState::terminal:
      state_ = LaunchState::explaining;
      out.cancel(op(LaunchOperation::grace));
      out.watch(op(LaunchOperation::error_length), error_length_word, 0);
      return out.arm(op(LaunchOperation::patience), e.now + config_.reason_wait);
    default:
      return fail(Status::invalid, "StartError",
                  "start: the group word at offset 28 holds " + text_of(e.value) + ", neither READY nor TERMINAL", e.now, out);
  }
}

// awaiting_ready --READY--> awaiting_ready, the header is looked at: both sides attach to a page that is as it was made (spec B2)
template <class O>
void Launch::ready(O& out) {
  head_ = {};
  out.watch(op(LaunchOperation::watch_group), group_word, number(GroupState::ready));
  out.copy_in(op(LaunchOperation::copy_identity), 0, layout::group_state.offset);
  out.copy_in(op(LaunchOperation::copy_fields), layout::gap.offset, layout::error_length.offset - layout::gap.offset);
  out.copy_in(op(LaunchOperation::copy_reserved), layout::reserved.offset, layout::reserved.bytes);
}

// awaiting_ready --the header, whole--> running; --not as it was made--> the start fails
template <class O>
void Launch::attach(Time now, O& out) {
  const auto checked = check_head(head_, GroupState::ready, number(RequestState::idle), spec_.world, AttachAs::parent);
  head_ = {};
  if (!checked) return fail(checked.error().status, "PageRefused", "start: " + checked.error().what, now, out);
  attached_ = true;
  state_ = LaunchState::running;
  out.unwatch(op(LaunchOperation::watch_group));
  out.cancel(op(LaunchOperation::start_deadline));
  out.tell(config_.channel, plain_note(NoteKind::group_ready));
  out.complete(*std::exchange(start_call_, std::nullopt), started_answer({page_, directory_, processes_.launcher.process}));
}

// explaining --reason--> the start fails with it; awaiting_ready --the last part of the header--> running
template <LaunchPorts O>
void Launch::on(const event::Copied& e, O& out) {
  if (state_ == LaunchState::explaining && e.op == op(LaunchOperation::copy_reason))
    return fail(Status::failed, decode_error_list(e.content.bytes()), e.now, out);
  if (state_ != LaunchState::awaiting_ready || head_.complete()) return;
  if (e.op == op(LaunchOperation::copy_identity)) head_.identity = e.content;
  if (e.op == op(LaunchOperation::copy_fields)) head_.middle = e.content;
  if (e.op == op(LaunchOperation::copy_reserved)) head_.reserved = e.content;
  if (head_.complete()) attach(e.now, out);
}

// start-failure: rank 0 could not say it in the page
template <class O>
void Launch::reason_read(const event::FileDone& e, O& out) {
  if (e.op != op(LaunchOperation::read_reason) || !starting() || e.status != Status::ok || e.content.empty()) return;
  fail(Status::failed, decode_error_list(e.content.bytes()), e.now, out);
}

// any step of the start --deadline--> it fails; once the launcher runs, with the names of those who are stopped, gone or silent
template <class O>
void Launch::start_deadline(Time now, O& out) {
  const std::string late = "start: not READY after " + text_of(number(spec_.patience) / 1'000'000) + " ms, ";
  switch (state_) {
    case LaunchState::awaiting_ready:
      fail_later(Status::timed_out, "DeadlineExceeded", late + "awaiting READY on host " + std::string(host_.text()));
      state_ = LaunchState::inspecting;
      out.arm(op(LaunchOperation::patience), now + config_.answer_wait);
      return inspect(LaunchOperation::inspect_start, out);
    case LaunchState::suspecting:
      return suspicion_is_due(now, out);
    case LaunchState::spawning:  // whom to end is known with the answer only
      fail_later(Status::timed_out, "DeadlineExceeded", late + to_string(state_));
      return out.arm(op(LaunchOperation::patience), now + config_.answer_wait);
    case LaunchState::explaining:
    case LaunchState::inspecting:
      return;  // bounded by their own patience
    default:
      return fail(Status::timed_out, "DeadlineExceeded", late + to_string(state_), now, out);
  }
}

template <class O>
void Launch::fail(Status status, std::string_view type, std::string message, Time now, O& out) {
  fail(status, {RankError{no_culprit, std::string(type), std::move(message)}}, now, out);
}

// --> the way back
template <class O>
void Launch::fail(Status status, std::vector<RankError> errors, Time now, O& out) {
  fail_later(status, std::move(errors));
  retreat(now, out);
}

}  // namespace tenter::mailbox
