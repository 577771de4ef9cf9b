// Member, start-up: every rank reports itself before it joins a collective, so that whoever dies is known by name; what goes
// wrong on one rank before the readiness exchange is carried there and told to all.
#pragma once
#include "core/mailbox/member.hpp"
#include "core/mailbox/operation.hpp"

namespace tenter::mailbox {

// describing --started--> describing
template <MemberPorts O>
void Member::on(const event::Started&, O& out) {
  if (state_ != MemberState::describing || round_ != 0) return;
  out.describe_host(operation(MemberOperation::describe));
}

// describing --who I am--> reporting
template <MemberPorts O>
void Member::on(const event::HostDescribed& e, O& out) {
  if (state_ != MemberState::describing || e.op != operation(MemberOperation::describe)) return;
  self_ = e.self;
  state_ = MemberState::reporting;
  out.publish_file(operation(MemberOperation::report), report_path(config_.rank), write_report({config_.rank, self_}));
}

// reporting --published--> loading (rank 0) | distributing; loading --read--> distributing
template <MemberPorts O>
void Member::on(const event::FileDone& e, O& out) {
  if (state_ == MemberState::reporting && e.op == operation(MemberOperation::report)) {
    if (e.status != Status::ok) trouble_ = report_trouble(e.content);
    if (!root()) return distribute({}, out);
    state_ = MemberState::loading;
    return out.read_file(operation(MemberOperation::load), manifest_path(), manifest_bytes_max);
  }
  if (state_ == MemberState::loading && e.op == operation(MemberOperation::load))
    distribute(e.status == Status::ok ? e.content : unreadable_manifest(e.content), out);
}

// --> distributing: without a manifest the others are told so, in the same bcast
template <class O>
void Member::distribute(Blob manifest, O& out) {
  state_ = MemberState::distributing;
  out.bcast(operation(MemberOperation::distribute), world_communicator, Rank{0}, std::move(manifest));
}

// distributing --manifest--> duplicating --twice--> agreeing --readiness--> attaching | announcing --outcome--> the rounds.
// A start-up collective that fails leaves no way to agree on anything: Launch sees the exit, and whose it was.
template <class O>
void Member::start_collective_done(const event::CollectiveDone& e, O& out) {
  const auto awaited = [&](MemberState state, MemberOperation what) { return state_ == state && e.op == operation(what); };
  const bool failed = e.status != Status::ok;
  if (awaited(MemberState::distributing, MemberOperation::distribute)) {
    if (failed) return leave(1, false, out);
    auto manifest = check_manifest(e.content, config_.world);
    if (manifest)
      page_ = Blob(std::string_view(manifest->page));
    else if (trouble_.empty())
      trouble_ = Blob(std::string_view(manifest.error().what));
    state_ = MemberState::duplicating;
    out.duplicate(operation(MemberOperation::duplicate_dispatch), world_communicator, dispatch_communicator);
  } else if (awaited(MemberState::duplicating, MemberOperation::duplicate_dispatch)) {
    if (failed) return leave(1, false, out);
    out.duplicate(operation(MemberOperation::duplicate_domain), world_communicator, domain_communicator);
  } else if (awaited(MemberState::duplicating, MemberOperation::duplicate_domain)) {
    if (failed) return leave(1, false, out);
    state_ = MemberState::agreeing;
    out.allgather(operation(MemberOperation::agree), dispatch_communicator, readiness_of(config_.rank, self_, trouble_));
  } else if (awaited(MemberState::agreeing, MemberOperation::agree)) {
    if (failed) return leave(1, false, out);
    agreed(e, out);
  } else if (awaited(MemberState::announcing, MemberOperation::announce)) {
    if (failed) return leave(1, false, out);
    if (!e.content.empty()) {  // all were told, so all can end in order
      exit_code_ = 1;
      return free_communicators(out);
    }
    await_round(out);
  }
}

// agreeing --all ranks' readiness--> attaching (rank 0) | announcing. Every rank sees the same list, so all take the same way.
template <class O>
void Member::agreed(const event::CollectiveDone& e, O& out) {
  if (!root()) return announce({}, out);
  Blob reasons = readiness_reasons(e.parts, config_.world);
  if (page_.empty()) return announce(reasons, out);  // no manifest, so no page to say it in
  state_ = MemberState::attaching;
  out.tell(config_.dispatcher, attach_note({page_, config_.world, std::move(reasons)}));
}

// --> announcing; reasons count at the root only, and are empty when the group is ready
template <class O>
void Member::announce(Blob reasons, O& out) {
  if (!reasons.empty()) out.publish_file(operation(MemberOperation::explain), start_failure_path(), reasons);
  state_ = MemberState::announcing;
  out.bcast(operation(MemberOperation::announce), dispatch_communicator, Rank{0}, std::move(reasons));
}

}  // namespace tenter::mailbox
