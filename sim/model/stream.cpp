// Names, listening and connecting. Bytes: stream_bytes.cpp.
#include "sim/model/stream.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "sim/world.hpp"

namespace tenter::sim {

namespace {

constexpr std::uint32_t first_free_port = 49'152, free_ports = 65'536 - first_free_port;
constexpr Duration system_gives_up = seconds(10);

Blob blob_of(const SocketAddress& address) { return Blob(std::string_view(to_string(address))); }

}  // namespace

// ---------------------------------------------------------------- names and ops

void StreamsModel::misuse(const Process& p, const std::string& text) {
  world_.fail(FindingKind::safety, "a machine keeps the Stream's contract", p.name + ": " + text);
}

bool StreamsModel::begin(const Process& p, Role role, Op op, Use use) {
  if (uses_.try_emplace({p.index, role, op}, use).second) return true;
  misuse(p, "uses op " + text_of(op) + " while it is open");
  return false;
}

StreamsModel::Use* StreamsModel::open_use(ProcessIndex process, const Asker& asker) {
  const auto use = uses_.find({process, asker.role, asker.op});
  return use == uses_.end() || use->second.answering ? nullptr : &use->second;
}

// Of an operation that nobody waits for any more: nothing.
void StreamsModel::answer(ProcessIndex process, const Asker& asker, Event event, Duration after) {
  Use* use = open_use(process, asker);
  if (!use) return;
  use->answering = true;
  world_.post(process, asker.role, std::move(event), after, 1);
}

void StreamsModel::forget_uses(std::size_t link, std::size_t end) {
  std::erase_if(uses_, [&](const auto& one) {
    const Use& use = one.second;
    const bool of_streams = use.kind != Use::Kind::listen && use.kind != Use::Kind::accept;
    return of_streams && use.of == link && use.end == end;
  });
}

bool StreamsModel::take(ProcessIndex process, Role role, Op op) {
  const auto found = uses_.find({process, role, op});
  if (found == uses_.end() || !found->second.answering) return false;
  const Use use = found->second;
  uses_.erase(found);
  if (use.kind == Use::Kind::accept) {
    listeners_[use.of].untold.reset();
    const Link& link = links_[*use.accepted];
    names_[{process, link.ends[1].name}].stage = Stage::open;
  }
  if (use.kind == Use::Kind::connect && !use.refused) names_[{process, links_[use.of].ends[0].name}].stage = Stage::open;
  return true;
}

bool StreamsModel::take_listening(ProcessIndex process, Role role, Op op) {
  const auto found = uses_.find({process, role, op});
  if (found == uses_.end() || !found->second.answering) return false;
  if (!found->second.refused) {
    Listening& listener = listeners_[found->second.of];
    if (listener.stage == Stage::opening) listener.stage = Stage::open;
  }
  uses_.erase(found);
  return true;
}

bool StreamsModel::new_name(const Process& p, Connection name, Stage stage) {
  if (names_.try_emplace({p.index, name}, Name{stage, 0, 0}).second) return true;
  misuse(p, "uses the name of connection " + text_of(name) + " a second time");
  return false;
}

stream::Name* StreamsModel::opened(const Process& p, Connection name, const char* verb) {
  const auto found = names_.find({p.index, name});
  if (found != names_.end() && found->second.stage == Stage::open) return &found->second;
  misuse(p, std::string(verb) + " connection " + text_of(name) + ", which is not open");
  return nullptr;
}

stream::Listening* StreamsModel::listener_of(const Process& p, Listener name) {
  const auto found = listener_names_.find({p.index, name});
  return found == listener_names_.end() ? nullptr : &listeners_[found->second];
}

// ---------------------------------------------------------------- addresses

// Two sockets of a host on one port, where one of them is for every address of it, exclude each other.
bool StreamsModel::taken(const Process& p, const SocketAddress& address) const {
  return std::any_of(listeners_.begin(), listeners_.end(), [&](const Listening& other) {
    const bool there = other.stage == Stage::open || other.stage == Stage::opening;
    if (!there || other.address.family != address.family || other.address.port != address.port) return false;
    const bool one_host = world_.process(other.process).host == p.host;
    if (other.address.host == address.host) return one_host || !(address.loopback() || address.any_host());
    return one_host && (other.address.any_host() || address.any_host());
  });
}

SocketAddress StreamsModel::with_free_port(const Process& p, SocketAddress address) {
  do {
    address.port = static_cast<std::uint16_t>(first_free_port + ports_given_++ % free_ports);
  } while (taken(p, address));
  return address;
}

// The own host is meant by a loopback address and by none; every other address is of one host, unless somebody listens there on
// all that it has.
std::optional<std::size_t> StreamsModel::listening_at(ProcessIndex from, const SocketAddress& address) const {
  std::optional<std::size_t> on_all;
  for (std::size_t i = 0; i < listeners_.size(); ++i) {
    const Listening& one = listeners_[i];
    const bool there = one.stage == Stage::open || one.stage == Stage::opening;
    if (!there || one.address.family != address.family || one.address.port != address.port) continue;
    const bool own = address.loopback() || address.any_host();
    if (own && world_.process(one.process).host != world_.process(from).host) continue;
    if (one.address.host == address.host || (address.any_host() && one.address.loopback())) return i;
    if (one.address.any_host() && !on_all) on_all = i;
  }
  return on_all;
}

// ---------------------------------------------------------------- listening

void StreamsModel::perform(Process& p, Role role, const action::Listen& a) {
  const auto [place, fresh] = listener_names_.try_emplace({p.index, a.listener}, listeners_.size());
  if (!fresh) return misuse(p, "uses the name of listener " + text_of(a.listener) + " a second time");
  if (!begin(p, role, a.op, {Use::Kind::listen, false, listeners_.size(), 0, {}, true})) return;
  Listening& listener = listeners_.emplace_back();
  listener.process = p.index;
  listener.name = a.listener;
  listener.stage = Stage::refused;
  listener.backlog = a.backlog;
  const auto tell = [&](Status status, Blob address, Blob text) {
    answer(p.index, {role, a.op}, event::Listening{Time{}, a.op, status, std::move(address), std::move(text)});
  };
  auto address = socket_address_of(a.address.text());
  if (!address) return tell(Status::invalid, {}, Blob("simulated streams: no numeric address with a port"));
  if (address->port == 0) address = with_free_port(p, *address);
  if (taken(p, *address)) return tell(Status::exists, {}, Blob("simulated streams: " + to_string(*address) + " is taken"));
  listener.address = *address;
  listener.stage = Stage::opening;
  uses_[{p.index, role, a.op}].refused = false;
  tell(Status::ok, blob_of(*address), {});
}

void StreamsModel::perform(Process& p, Role role, const action::Accept& a) {
  Listening* listener = listener_of(p, a.listener);
  if (!listener || listener->stage != Stage::open)
    return misuse(p, "accepts from listener " + text_of(a.listener) + ", which is not open");
  if (listener->accept || listener->untold) return misuse(p, "accepts a second time from listener " + text_of(a.listener));
  if (!new_name(p, a.connection, Stage::reserved)) return;
  const auto index = static_cast<std::size_t>(listener - listeners_.data());
  if (!begin(p, role, a.op, {Use::Kind::accept, false, index, 1, {}, false})) return;
  listener->accept = stream::Accepting{{role, a.op}, a.connection};
  match(index);
}

void StreamsModel::perform(Process& p, Role, const action::CloseListener& a) {
  Listening* listener = listener_of(p, a.listener);
  if (!listener || listener->stage == Stage::closed)
    return misuse(p, "closes listener " + text_of(a.listener) + ", which is not open");
  if (listener->stage != Stage::refused) return stop_listening(static_cast<std::size_t>(listener - listeners_.data()));
  listener->stage = Stage::closed;
}

// Whom its last accept was given and nobody was told of is refused as those are who wait.
void StreamsModel::stop_listening(std::size_t index) {
  std::erase_if(uses_, [&](const auto& one) { return one.second.kind == Use::Kind::accept && one.second.of == index; });
  Listening& listener = listeners_[index];
  listener.stage = Stage::closed;
  listener.accept.reset();
  for (const std::size_t link : std::exchange(listener.waiting, {})) {
    links_[link].place = Place::nowhere;
    close_end(link, 1, true);
  }
  for (const std::size_t link : std::exchange(listeners_[index].knocking, {})) refuse(link, Status::peer_lost, "is refused");
  if (const auto link = std::exchange(listeners_[index].untold, std::nullopt)) {
    names_[{links_[*link].ends[1].process, links_[*link].ends[1].name}].stage = Stage::closed;
    close_end(*link, 1, true);
  }
}

// ---------------------------------------------------------------- connecting

void StreamsModel::schedule(std::size_t link, std::uint64_t what, Duration after) {
  Item item;
  item.kind = Item::Kind::stream;
  item.process = links_[link].ends[0].process;
  item.a = link;
  item.b = what;
  world_.schedule(after, std::move(item));
}

void StreamsModel::perform(Process& p, Role role, const action::Connect& a) {
  if (!new_name(p, a.connection, Stage::opening)) return;
  const std::size_t index = links_.size();
  if (!begin(p, role, a.op, {Use::Kind::connect, false, index, 0, {}, false})) return;
  Link& link = links_.emplace_back();
  link.ends[0].process = p.index;
  link.ends[0].name = a.connection;
  link.ends[0].opener = {role, a.op};
  names_[{p.index, a.connection}].link = index;
  const auto to = socket_address_of(a.address.text());
  if (!to || to->port == 0) return refuse(index, Status::invalid, "is no numeric address with a port");
  link.to = *to;
  link.from = with_free_port(p, *to);
  if (world_.allowed(Tag::connect_failure)) {
    const std::uint32_t how = world_.choices().choose(Tag::connect_failure, p.index, 4);
    if (how != 0) world_.spend(Tag::connect_failure);
    if (how == 1) return refuse(index, Status::peer_lost, "is refused on purpose");
    if (how == 2) return refuse(index, Status::timed_out, "does not answer: the system gave up", system_gives_up);
    if (how == 3) return;  // nobody ever hears of it
  }
  schedule(index, stream::knock, stream::hop + world_.chosen_delay(Tag::stream_delay, p.index));
}

void StreamsModel::refuse(std::size_t index, Status status, const char* why, Duration after) {
  Link& link = links_[index];
  link.place = Place::nowhere;
  const Asker opener = link.ends[0].opener;
  Use* use = open_use(link.ends[0].process, opener);
  if (!use) return;
  use->refused = true;
  names_[{link.ends[0].process, link.ends[0].name}].stage = Stage::refused;
  Blob text("simulated streams: connect to " + to_string(link.to) + ": it " + why);
  answer(link.ends[0].process, opener, event::Connected{Time{}, opener.op, status, {}, std::move(text)}, after);
}

void StreamsModel::knock(std::size_t index) {
  Link& link = links_[index];
  if (link.ends[0].deaf || link.place != Place::knocking) return;
  const auto found = listening_at(link.ends[0].process, link.to);
  if (!found) return refuse(index, Status::peer_lost, "is refused: nobody listens there");
  Listening& listener = listeners_[*found];
  const std::size_t room = std::max<std::uint32_t>(listener.backlog, 1);
  if (listener.waiting.size() >= room) return listener.knocking.push_back(index);
  admit(*found, index);
}

void StreamsModel::admit(std::size_t listener, std::size_t index) {
  Link& link = links_[index];
  link.place = Place::waiting;
  const Asker opener = link.ends[0].opener;
  answer(link.ends[0].process, opener, event::Connected{Time{}, opener.op, Status::ok, blob_of(link.to), {}},
         stream::hop + world_.chosen_delay(Tag::stream_delay, link.ends[0].process));
  listeners_[listener].waiting.push_back(index);
  match(listener);
}

// Who comes first is accepted first; there is room for one more then.
void StreamsModel::match(std::size_t index) {
  Listening& listener = listeners_[index];
  if (!listener.accept || listener.waiting.empty()) return;
  const auto [asker, connection] = *std::exchange(listener.accept, std::nullopt);
  const std::size_t at = listener.waiting.front();
  listener.waiting.pop_front();
  Link& link = links_[at];
  link.place = Place::accepted;
  link.ends[1].process = listener.process;
  link.ends[1].name = connection;
  link.ends[1].opener = asker;
  names_[{listener.process, connection}] = Name{Stage::opening, at, 1};
  listener.untold = at;
  open_use(listener.process, asker)->accepted = at;
  answer(listener.process, asker, event::Connected{Time{}, asker.op, Status::ok, blob_of(link.from), {}});
  while (!listeners_[index].knocking.empty()) {
    const std::size_t next = listeners_[index].knocking.front();
    listeners_[index].knocking.pop_front();
    if (!links_[next].ends[0].deaf) return admit(index, next);
  }
}

// ---------------------------------------------------------------- ends

void StreamsModel::perform(Process& p, Role, const action::CloseStream& a) {
  const auto found = names_.find({p.index, a.connection});
  const bool closable = found != names_.end() && found->second.stage != Stage::closed && found->second.stage != Stage::reserved &&
                        !(found->second.stage == Stage::opening && found->second.end == 1);
  if (!closable) return misuse(p, "closes connection " + text_of(a.connection) + ", which is not open");
  const Name name = found->second;
  found->second.stage = Stage::closed;
  forget_uses(name.link, name.end);
  if (name.stage != Stage::refused) close_end(name.link, name.end, a.abort);
}

// Its system closes for it: cleanly when nothing is left undone, and even that may be a reset.
void StreamsModel::process_ended(ProcessIndex process) {
  for (std::size_t i = 0; i < listeners_.size(); ++i)
    if (listeners_[i].process == process && listeners_[i].stage != Stage::closed) stop_listening(i);
  std::erase_if(uses_, [&](const auto& one) { return std::get<0>(one.first) == process; });
  for (auto& [key, name] : names_)
    if (key.first == process) name.stage = Stage::closed;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    for (std::size_t end = 0; end < 2; ++end) {
      if (links_[i].ends[end].process != process) continue;
      Way& out = links_[i].ways[end];
      const bool undone = !out.unsent.empty() || links_[i].ways[1 - end].unread > 0;
      const bool gone = links_[i].ends[end].deaf && out.unsent.empty();
      drop_unsent(out);
      if (gone || links_[i].place == Place::nowhere) continue;
      const bool otherwise = world_.choices().choose(Tag::stream_death, process, 2) != 0;
      close_end(i, end, undone != otherwise);
    }
  }
}

// ---------------------------------------------------------------- for properties and people

StreamsModel::Counts StreamsModel::counts() const {
  Counts all = counts_;
  for (const Link& link : links_) {
    for (const Way& way : link.ways) {
      all.under_way += way.held;
      for (const Write& write : way.unsent) all.under_way += write.content.size() - write.sent;
    }
  }
  return all;
}

std::size_t StreamsModel::open_streams(ProcessIndex process) const {
  return static_cast<std::size_t>(std::count_if(names_.begin(), names_.end(), [&](const auto& one) {
    return one.first.first == process && (one.second.stage == Stage::open || one.second.stage == Stage::opening);
  }));
}

std::size_t StreamsModel::open_listeners(ProcessIndex process) const {
  return static_cast<std::size_t>(std::count_if(listeners_.begin(), listeners_.end(), [&](const Listening& one) {
    return one.process == process && (one.stage == Stage::open || one.stage == Stage::opening);
  }));
}

std::string StreamsModel::first_left(ProcessIndex process) const {
  const std::size_t streams = open_streams(process), listeners = open_listeners(process);
  if (streams == 0 && listeners == 0) return {};
  return world_.process(process).name + " still has " + text_of(streams) + " connections and " + text_of(listeners) +
         " listeners";
}

std::string StreamsModel::waits() const {
  std::string text;
  for (const Link& link : links_) {
    const auto who = [&](std::size_t end) {
      return link.ends[end].process == no_process ? to_string(link.to) : world_.process(link.ends[end].process).name;
    };
    if (link.place == Place::knocking && !link.ends[0].deaf) text += who(0) + " connects to " + to_string(link.to) + "\n";
    for (std::size_t way = 0; way < 2; ++way) {
      const Way& w = link.ways[way];
      if (!w.read && w.held == 0 && w.unsent.empty()) continue;
      text += "stream from " + who(way) + " to " + who(1 - way) + ": " + text_of(w.held) + " bytes on their way or unread, " +
              text_of(w.unsent.size()) + " writes that wait" + (w.read ? ", a read" : "") +
              (link.silent_until > world_.now() ? ", the network is cut" : "") + "\n";
    }
  }
  return text;
}

}  // namespace tenter::sim
