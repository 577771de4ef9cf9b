// Reader: the one endpoint; opened when it is wanted, closed after a failure or when something has to end; the window of reads.
#pragma once
#include "core/store/reader.hpp"
#include "core/text.hpp"

namespace tenter::store {

// Brings everything to where it belongs now: ends what ends, closes, opens, posts.
template <class O>
void Reader::settle(O& out) {
  if (state_ == ReaderState::closing) return;
  if (state_ == ReaderState::serving && must_close()) return close_link(out);
  for (std::size_t i = 0; i < gets_.size();) {
    if (!gets_[i].ending) {
      ++i;
      continue;
    }
    answer(gets_[i], out);
    gets_.erase(gets_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (state_ == ReaderState::closed || !nothing_is_wanted()) {
    for (const Attachment& variable : attachments_) {
      if (!variable.leaving) continue;
      out.tell(config_.owner, variable.announced ? number_note(NoteKind::detached, variable.number)
                                                 : number_note(NoteKind::attached, variable.number, variable.refusal,
                                                               Blob(std::string_view(variable.why))));
    }
    std::erase_if(attachments_, [](const Attachment& variable) { return variable.leaving; });
  }
  if (state_ == ReaderState::closed && wants_link()) {
    state_ = ReaderState::opening;
    link_op_ = ++sequence_;
    return out.open_fabric(operation(ReaderOperation::open, link_op_), Endpoint{endpoint_}, config_.provider, config_.domain,
                           false);
  }
  if (state_ == ReaderState::serving) post(out);
}

inline bool Reader::nothing_is_wanted() const {
  return std::all_of(attachments_.begin(), attachments_.end(), [](const Attachment& variable) { return variable.leaving; });
}

// A call that ends, or a variable that leaves, with reads in flight; a failure; nobody left to read for.
inline bool Reader::must_close() const {
  if (broken_ || nothing_is_wanted()) return true;
  return std::any_of(posted_.begin(), posted_.end(), [&](const PostedRead& read) {
    for (const GetUnderWay& get : gets_)
      if (get.number == read.get) return get.ending;
    for (const Attachment& variable : attachments_)
      if (variable.number == read.attachment) return variable.leaving;
    return true;
  });
}

inline bool Reader::wants_link() const {
  if (!gets_.empty()) return true;
  return std::any_of(attachments_.begin(), attachments_.end(), [](const Attachment& variable) { return !variable.announced; });
}

// serving --close--> closing. What is in flight is given up; what is still wanted of it is posted again on the next endpoint.
template <class O>
void Reader::close_link(O& out) {
  state_ = ReaderState::closing;
  link_op_ = ++sequence_;
  broken_ = false;
  out.close_fabric(operation(ReaderOperation::close, link_op_), Endpoint{endpoint_});
  ++endpoint_;
  for (const PostedRead& read : posted_) {
    GetUnderWay* get = find_get(read.get);
    if (!get) continue;
    get->spans[read.span].posted = false;
    get->next = std::min(get->next, read.span);
    if (++get->spans[read.span].repeats > config_.repeats_max)
      end(*get, Status::unavailable,
          "rank " + text_of(read.rank) + ": a read was given up " + text_of(config_.repeats_max) +
              " times because of other reads' failures");
  }
  posted_.clear();
  for (Attachment& variable : attachments_)
    for (Target& target : variable.targets) target.standing = Standing::unknown;
}

// opening --ok--> serving; not ok: whoever waited for it is told
template <ReaderPorts O>
void Reader::on(const event::FabricOpened& e, O& out) {
  if (state_ != ReaderState::opening || e.op != operation(ReaderOperation::open, link_op_)) return;
  if (e.status == Status::ok) {
    state_ = ReaderState::serving;
    read_bytes_max_ = e.read_bytes_max;
    address_format_ = e.address_format;
    return settle(out);
  }
  state_ = ReaderState::closed;
  ++endpoint_;
  const std::string why = "opening an endpoint of " + std::string(config_.provider.text()) + ": " + std::string(e.text.text());
  for (GetUnderWay& get : gets_) end(get, e.status, why);
  for (Attachment& variable : attachments_)
    if (!variable.announced) refuse(variable, e.status, why);
  settle(out);
}

template <ReaderPorts O>
void Reader::on(const event::FabricDone& e, O& out) {
  if (state_ == ReaderState::closing && e.op == operation(ReaderOperation::close, link_op_)) {  // nothing lands any more
    state_ = ReaderState::closed;
    return settle(out);
  }
  if (state_ != ReaderState::serving) return;
  for (Attachment& variable : attachments_) {
    for (std::uint32_t rank = 0; rank < variable.targets.size(); ++rank) {
      Target& target = variable.targets[rank];
      if (target.standing != Standing::inserting || e.op != operation(ReaderOperation::insert, target.awaited)) continue;
      if (e.status == Status::ok)
        target.standing = Standing::inserted;
      else
        target_failed(variable, rank, e.status, "its address was refused: " + std::string(e.text.text()));
      return settle(out);
    }
  }
}

// First what is to be probed, then spans, one a call in turn.
template <class O>
void Reader::post(O& out) {
  for (Attachment& variable : attachments_) {
    if (variable.announced) continue;
    if (variable.address_format != address_format_) {
      refuse(variable, Status::mismatch,
             "variable \"" + std::string(variable.variable.text()) + "\" has addresses of format " +
                 text_of(variable.address_format) + ", this endpoint's are of format " + text_of(address_format_));
      return settle(out);
    }
    bool all = true;
    for (std::uint32_t rank = 0; rank < variable.targets.size(); ++rank) {
      verify(variable, rank, out);
      all = all && variable.targets[rank].standing == Standing::believed;
    }
    if (!all) continue;
    variable.announced = true;
    out.tell(config_.owner, number_note(NoteKind::attached, variable.number));
  }
  for (std::size_t idle = 0; idle < gets_.size() && posted_.size() < config_.reads_in_flight;) {
    turn_ = turn_ + 1 < gets_.size() ? turn_ + 1 : 0;
    idle = post_next(gets_[turn_], out) ? 0 : idle + 1;
  }
}

// One step nearer to believing a rank.
template <class O>
void Reader::verify(Attachment& variable, std::uint32_t rank, O& out) {
  Target& target = variable.targets[rank];
  if (target.standing == Standing::unknown) {
    target.standing = Standing::inserting;
    target.awaited = ++sequence_;
    target.peer = Peer{++peers_};
    out.insert_peer(operation(ReaderOperation::insert, target.awaited), Endpoint{endpoint_}, target.peer, target.shard.address);
  } else if (target.standing == Standing::inserted && posted_.size() < config_.reads_in_flight) {
    target.standing = Standing::probing;
    posted_.push_back({++sequence_, variable.number, rank, 0, 0});
    out.read_remote({operation(ReaderOperation::read, sequence_), Endpoint{endpoint_}, target.peer, target.shard.key,
                     target.shard.base, 0, identity_bytes, no_buffer, 0});
  }
}

// false: nothing of it can be posted now.
template <class O>
bool Reader::post_next(GetUnderWay& get, O& out) {
  Attachment& variable = *find(get.attachment);
  bool all_before = true;
  for (std::uint32_t i = get.next; i < get.spans.size(); ++i) {
    SpanWork& work = get.spans[i];
    if (work.posted || work.landed) {
      if (all_before) get.next = i + 1;
      continue;
    }
    all_before = false;
    if (work.resting) continue;
    Target& target = variable.targets[number(work.span.rank)];
    if (target.standing != Standing::believed) {
      verify(variable, number(work.span.rank), out);
      if (posted_.size() == config_.reads_in_flight) return false;  // with the probe
      continue;
    }
    work.posted = true;
    posted_.push_back({++sequence_, get.attachment, number(work.span.rank), get.number, i});
    const bool direct = lands_directly(variable, work.span);
    out.read_remote({operation(ReaderOperation::read, sequence_), Endpoint{endpoint_}, target.peer, target.shard.key,
                     target.shard.base, work.span.offset, work.span.bytes, direct ? get.buffer : no_buffer,
                     direct ? work.span.pieces.front().to : 0});
    return true;
  }
  return false;
}

template <ReaderPorts O>
void Reader::on(const event::ReadDone& e, O& out) {
  const auto read = std::find_if(posted_.begin(), posted_.end(), [&](const PostedRead& posted) {
    return e.op == operation(ReaderOperation::read, posted.sequence);
  });
  if (state_ != ReaderState::serving || read == posted_.end()) return;  // of an endpoint that was given up
  const PostedRead done = *read;
  posted_.erase(read);
  Attachment& variable = *find(done.attachment);
  if (done.get == 0) {
    probed(variable, done.rank, e);
  } else {
    GetUnderWay& get = *find_get(done.get);
    const Span& span = get.spans[done.span].span;
    const std::uint64_t awaited = lands_directly(variable, span) ? 0 : span.bytes;  // what went into the buffer is not here
    if (e.status == Status::ok && e.content.size() == awaited) {
      variable.targets[done.rank].failures = 0;
      land(get, done.span, variable, e, out);
    } else {
      const std::string why =
          e.status == Status::ok ? "answered with " + text_of(std::uint64_t{e.content.size()}) : std::string(e.text.text());
      get.spans[done.span].posted = false;
      get.next = std::min(get.next, done.span);
      target_failed(variable, done.rank, e.status == Status::ok ? Status::failed : e.status,
                    "a read of " + text_of(span.bytes) + " bytes at offset " + text_of(span.offset) + " failed: " + why);
    }
  }
  settle(out);
}

}  // namespace tenter::store
