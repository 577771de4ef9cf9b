// The bytes of a stream: from a write through the two systems to a read; ends and resets among them.
#include <algorithm>
#include <cstring>

#include "core/text.hpp"
#include "sim/model/stream.hpp"
#include "sim/world.hpp"

namespace tenter::sim {

namespace {

constexpr std::uint64_t windows[] = {262'144, 4'096, 512, 65'536, 4'000'000};
constexpr std::uint32_t cuts = 33;

// Answer 0: whole. Else so many bytes, or all but so many.
std::uint64_t part_of(std::uint32_t answer, std::uint64_t bytes) {
  if (answer == 0) return bytes;
  const std::uint64_t part = std::uint64_t{1} << ((answer - 1) % 16);
  if (answer <= 16) return std::min(bytes, part);
  return bytes > part ? bytes - part : bytes;
}

Blob piece(const Blob& content, std::uint64_t from, std::uint64_t bytes) {
  if (from == 0 && bytes == content.size()) return content;
  return Blob(content.bytes().subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(bytes)));
}

}  // namespace

std::uint64_t StreamsModel::window() {
  if (!window_) window_ = windows[world_.choices().choose(Tag::stream_window, 0, std::size(windows))];
  return *window_;
}

std::uint64_t StreamsModel::cut(ProcessIndex process, std::uint64_t bytes) {
  if (bytes <= 1) return bytes;
  return part_of(world_.choices().choose(Tag::stream_cut, process, cuts), bytes);
}

// ---------------------------------------------------------------- writes

void StreamsModel::perform(Process& p, Role role, const action::WriteStream& a) {
  const Name* name = opened(p, a.connection, "writes to");
  if (!name) return;
  Way& way = links_[name->link].ways[name->end];
  if (way.finish_asked) return misuse(p, "writes to connection " + text_of(a.connection) + ", which it has finished");
  if (!begin(p, role, a.op, {Use::Kind::write, false, name->link, name->end, {}, false})) return;
  if (links_[name->link].ends[name->end].lost)
    return answer(p.index, {role, a.op}, event::StreamWritten{Time{}, a.op, Status::peer_lost});
  counts_.written += a.content.size();
  way.unsent.push_back({{role, a.op}, a.content, 0});
  pump(name->link, name->end);
}

void StreamsModel::perform(Process& p, Role, const action::FinishStream& a) {
  const Name* name = opened(p, a.connection, "finishes");
  if (!name) return;
  links_[name->link].ways[name->end].finish_asked = true;
  pump(name->link, name->end);
}

// As much as there is room for; the end behind the last of it.
void StreamsModel::pump(std::size_t link, std::size_t way) {
  while (true) {
    Way& w = links_[link].ways[way];
    if (w.finished) return;
    if (w.unsent.empty()) break;
    Write& write = w.unsent.front();
    const std::uint64_t room = window() > w.held ? window() - w.held : 0;
    const std::uint64_t bytes = std::min<std::uint64_t>(write.content.size() - write.sent, room);
    if (bytes == 0 && write.sent < write.content.size()) return;
    const std::uint64_t from = write.sent;
    const Blob content = write.content;
    write.sent += bytes;
    w.held += bytes;
    const bool whole = write.sent == content.size();
    const Asker asker = write.asker;
    if (whole) w.unsent.pop_front();
    const bool passed = send_bytes(link, way, content, from, bytes);
    const Status status = passed ? Status::ok : Status::peer_lost;
    if (whole) answer(links_[link].ends[way].process, asker, event::StreamWritten{Time{}, asker.op, status});
    if (!passed) return;
  }
  Way& w = links_[link].ways[way];
  if (!w.finish_asked) return;
  w.finished = true;
  transmit(link, way, {Segment::Kind::end, {}});
}

// False: the connection was reset in the middle of them.
bool StreamsModel::send_bytes(std::size_t link, std::size_t way, const Blob& content, std::uint64_t from, std::uint64_t bytes) {
  const ProcessIndex process = links_[link].ends[way].process;
  while (bytes > 0) {
    if (world_.allowed(Tag::stream_reset)) {
      const std::uint32_t place = world_.choices().choose(Tag::stream_reset, process, cuts + 1);
      if (place != 0) {
        world_.spend(Tag::stream_reset);
        const std::uint64_t sent = place == cuts ? 0 : part_of(place, bytes);
        if (sent > 0) transmit(link, way, {Segment::Kind::bytes, piece(content, from, sent)});
        links_[link].ways[way].held -= bytes - sent;
        counts_.dropped += bytes - sent;
        reset_both(link);
        return false;
      }
    }
    const std::uint64_t next = cut(process, bytes);
    transmit(link, way, {Segment::Kind::bytes, piece(content, from, next)});
    from += next;
    bytes -= next;
  }
  return true;
}

void StreamsModel::transmit(std::size_t index, std::size_t way, Segment segment) {
  Link& link = links_[index];
  const ProcessIndex process = link.ends[way].process == no_process ? link.ends[0].process : link.ends[way].process;
  if (world_.allowed(Tag::network_cut)) {
    const std::uint32_t much = world_.choices().choose(Tag::network_cut, process, 19);
    if (much != 0) world_.spend(Tag::network_cut);
    Time until = link.silent_until;
    if (much == 18)
      until = end_of_time;
    else if (much == 17)
      until = world_.heals_at();
    else if (much != 0)
      until = world_.now() + milliseconds(std::int64_t{1} << (much - 1));
    link.silent_until = std::max(link.silent_until, until);
  }
  Way& w = link.ways[way];
  w.last = std::max({w.last, world_.now() + stream::hop + world_.chosen_delay(Tag::stream_delay, process), link.silent_until});
  w.travelling.push_back(std::move(segment));
  if (w.last != end_of_time) schedule(index, way, w.last - world_.now());
}

void StreamsModel::send_reset(std::size_t link, std::size_t way) {
  Way& w = links_[link].ways[way];
  drop_unsent(w);
  w.finished = true;
  transmit(link, way, {Segment::Kind::reset, {}});
}

// Something between the two has given the connection up, and tells both.
void StreamsModel::reset_both(std::size_t link) {
  for (std::size_t way = 0; way < 2; ++way) {
    links_[link].ways[way].finished = true;
    transmit(link, way, {Segment::Kind::reset, {}});
  }
}

// ---------------------------------------------------------------- on the other side

void StreamsModel::step(std::uint64_t link, std::uint64_t what) {
  if (what == stream::knock) return knock(static_cast<std::size_t>(link));
  arrive(static_cast<std::size_t>(link), static_cast<std::size_t>(what));
}

void StreamsModel::arrive(std::size_t link, std::size_t way) {
  Way& w = links_[link].ways[way];
  Segment segment = std::move(w.travelling.front());
  w.travelling.pop_front();
  switch (segment.kind) {
    case Segment::Kind::bytes:
      return bytes_arrive(link, way, std::move(segment.content));
    case Segment::Kind::end:
      w.ended = true;
      return serve_reader(link, way);
    case Segment::Kind::reset:
      return reset_arrives(link, way);
  }
}

// Bytes for one that is closed are thrown away; once all that it sent itself has arrived, it is no more, and they are answered
// by a reset.
void StreamsModel::bytes_arrive(std::size_t link, std::size_t way, Blob content) {
  Way& w = links_[link].ways[way];
  const End& to = links_[link].ends[1 - way];
  if (!to.deaf && !to.lost) {
    w.unread += content.size();
    w.arrived.push_back(std::move(content));
    return serve_reader(link, way);
  }
  w.held -= content.size();
  counts_.dropped += content.size();
  const Way& back = links_[link].ways[1 - way];
  const bool all_sent = back.finished && back.travelling.empty();
  if (to.deaf && all_sent && !w.finished && !links_[link].ends[way].lost)
    return transmit(link, 1 - way, {Segment::Kind::reset, {}});
  pump(link, way);
}

void StreamsModel::reset_arrives(std::size_t link, std::size_t way) {
  Way& in = links_[link].ways[way];
  End& to = links_[link].ends[1 - way];
  if (to.lost) return;
  to.lost = true;
  if (to.deaf || world_.choices().choose(Tag::stream_loss, to.process == no_process ? 0 : to.process, 2) == 0) drop_unread(in);
  Way& out = links_[link].ways[1 - way];
  out.finished = true;
  for (const Write& write : std::exchange(out.unsent, {})) {
    counts_.dropped += write.content.size() - write.sent;
    answer(to.process, write.asker, event::StreamWritten{Time{}, write.asker.op, Status::peer_lost});
  }
  serve_reader(link, way);
}

// ---------------------------------------------------------------- reads

void StreamsModel::perform(Process& p, Role role, const action::ReadStream& a) {
  const Name* name = opened(p, a.connection, "reads from");
  if (!name) return;
  Way& way = links_[name->link].ways[1 - name->end];
  if (way.read) return misuse(p, "reads from connection " + text_of(a.connection) + " a second time");
  if (a.limit == 0) return misuse(p, "reads nothing from connection " + text_of(a.connection));
  const auto other = std::find_if(uses_.begin(), uses_.end(), [&](const auto& one) {
    return one.second.kind == Use::Kind::read && one.second.of == name->link && one.second.end == name->end;
  });
  if (other != uses_.end()) return misuse(p, "reads from connection " + text_of(a.connection) + " a second time");
  if (!begin(p, role, a.op, {Use::Kind::read, false, name->link, name->end, {}, false})) return;
  way.read = Read{{role, a.op}, a.limit};
  serve_reader(name->link, 1 - name->end);
}

void StreamsModel::serve_reader(std::size_t link, std::size_t way) {
  Way& w = links_[link].ways[way];
  const End& reader = links_[link].ends[1 - way];
  if (!w.read || (w.unread == 0 && !reader.lost && !w.ended)) return;
  const Read read = *std::exchange(w.read, std::nullopt);
  event::StreamRead answered{Time{}, read.asker.op, Status::ok, {}};
  if (w.unread > 0)
    answered.content = take_bytes(w, cut(reader.process, std::min(read.limit, w.unread)));
  else if (reader.lost)
    answered.status = Status::peer_lost;
  counts_.read += answered.content.size();
  answer(reader.process, read.asker, std::move(answered));
  pump(link, way);
}

Blob StreamsModel::take_bytes(Way& way, std::uint64_t bytes) {
  way.held -= bytes;
  way.unread -= bytes;
  if (way.first_read == 0 && way.arrived.front().size() == bytes) {
    Blob whole = std::move(way.arrived.front());
    way.arrived.pop_front();
    return whole;
  }
  return Blob(static_cast<std::size_t>(bytes), [&](MutableBytes to) {
    while (!to.empty()) {
      const Bytes rest = way.arrived.front().bytes().subspan(static_cast<std::size_t>(way.first_read));
      const std::size_t next = std::min(rest.size(), to.size());
      std::memcpy(to.data(), rest.data(), next);
      to = to.subspan(next);
      way.first_read += next;
      if (way.first_read < way.arrived.front().size()) continue;
      way.arrived.pop_front();
      way.first_read = 0;
    }
  });
}

// ---------------------------------------------------------------- ends

void StreamsModel::drop_unread(Way& way) {
  counts_.dropped += way.unread;
  way.held -= way.unread;
  way.unread = way.first_read = 0;
  way.arrived.clear();
}

void StreamsModel::drop_unsent(Way& way) {
  for (const Write& write : way.unsent) counts_.dropped += write.content.size() - write.sent;
  way.unsent.clear();
}

// Nobody reads here any more. What was written is still sent, and the end behind it, unless it is aborted.
void StreamsModel::close_end(std::size_t link, std::size_t end, bool abort) {
  End& own = links_[link].ends[end];
  own.deaf = true;
  Way& in = links_[link].ways[1 - end];
  in.read.reset();
  drop_unread(in);
  if (own.lost) return;
  const bool nobody_knows = links_[link].place == Place::knocking;
  if (nobody_knows) {
    links_[link].place = Place::nowhere;
    return;
  }
  Way& out = links_[link].ways[end];
  if (abort) return send_reset(link, end);
  out.finish_asked = true;
  pump(link, end);
  pump(link, 1 - end);
}

}  // namespace tenter::sim
