// Opening and closing, and the loop's side. Reading and writing: stream_bytes.cpp.
#include "hw/posix/stream_part.hpp"

#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <system_error>

#include "core/check.hpp"
#include "hw/posix/socket.hpp"

namespace tenter::hw {
namespace {

// A look at the set is a system call, and the loop spins over poll(): only after a nudge (whoever watches the set for a parked
// loop gives one) or after this long.
constexpr Duration set_interval = microseconds(20);
// How often those that leave are looked at: that a peer's system has taken all wakes nobody.
constexpr Duration leaving_interval = milliseconds(20);
constexpr std::size_t read_most = 256 * 1024;

enum class Kind : std::uint32_t { listener, connection, leaving };
constexpr std::uint64_t key_of(Kind kind, std::uint32_t name) { return std::uint64_t{number(kind)} << 32 | name; }

Blob text_of_error(const Error& problem) { return Blob(std::string_view(problem.what)); }

Error no_address(const Blob& text) {
  return {Status::invalid, "\"" + std::string(text.text()) + "\" is no numeric address with a port", 0};
}

}  // namespace

StreamPart::StreamPart(Context& context) : context_(context), set_(epoll_create1(EPOLL_CLOEXEC)), scratch_(read_most) {
  if (!set_) throw std::system_error(errno, std::generic_category(), "epoll_create1 for streams");
}

StreamPart::~StreamPart() {
  for (auto& [name, stream] : streams_)
    if (!stream.writes.empty()) make_abortive(stream.socket.get());
  for (auto& [name, stream] : leaving_)
    if (!stream.writes.empty()) make_abortive(stream.socket.get());
}

// ---------------------------------------------------------------- answers

void StreamPart::answer(const Asker& to, Connection name, Event event, std::optional<Listener> by) {
  trim_answered();
  answered_.push_back({to, name, by});
  context_.push(to.role, std::move(event));
}

// The inbox is first in, first out, so what is still in it is among the last answers, and there are no more than it holds.
void StreamPart::trim_answered() {
  while (answered_.size() > context_.inbox.size()) answered_.pop_front();
}

// Answers that were given but not delivered are no answers yet. An op may be used again once it is answered: the last one counts.
template <class Concerns>
std::vector<StreamPart::Answered> StreamPart::take_back(Concerns&& concerns) {
  trim_answered();
  std::vector<Answered> taken;
  context_.inbox.erase_if([&](const Delivery& delivery) {
    const Op* op = nullptr;
    if (const auto* connected = std::get_if<event::Connected>(&delivery.event)) op = &connected->op;
    if (const auto* read = std::get_if<event::StreamRead>(&delivery.event)) op = &read->op;
    if (const auto* written = std::get_if<event::StreamWritten>(&delivery.event)) op = &written->op;
    if (op == nullptr) return false;
    const auto last = std::find_if(answered_.rbegin(), answered_.rend(), [&](const Answered& one) {
      return one.asker == Asker{delivery.to, *op};
    });
    if (last == answered_.rend() || !concerns(*last)) return false;
    taken.push_back(*last);
    return true;
  });
  std::erase_if(answered_, concerns);
  return taken;
}

// ---------------------------------------------------------------- listening

void StreamPart::perform(const action::Listen& a) {
  TENTER_CHECK(!listeners_.contains(a.listener));
  const auto tell = [&](Status status, Blob address, Blob text) {
    context_.push(context_.current, event::Listening{now(), a.op, status, std::move(address), std::move(text)});
  };
  const auto address = socket_address_of(a.address.text());
  if (!address) return tell(Status::invalid, {}, text_of_error(no_address(a.address)));
  auto socket = listening_socket(*address, a.backlog);
  if (!socket) return tell(socket.error().status, {}, text_of_error(socket.error()));
  const auto real = own_address(socket->get());
  if (!real) return tell(Status::failed, {}, text_of_error(real.error()));
  Listening& listener = listeners_[a.listener];
  listener.socket = std::move(*socket);
  listener.key = key_of(Kind::listener, number(a.listener));
  tell(Status::ok, Blob(std::string_view(to_string(*real))), {});
}

void StreamPart::perform(const action::Accept& a) {
  const auto found = listeners_.find(a.listener);
  TENTER_CHECK(found != listeners_.end() && !found->second.accept && !known(a.connection));
  found->second.accept = Opening{asker(a.op), a.connection};
  serve(a.listener, found->second, EPOLLIN);
}

void StreamPart::serve(Listener name, Listening& listener, std::uint32_t events) {
  const bool asked = listener.accept.has_value();
  if (asked && events != 0 && try_accept(name, listener)) listener.accept.reset();
  const std::uint32_t wanted = listener.accept || (asked && listener.watched != 0) ? EPOLLIN : 0u;
  const int native = watch(listener.socket.get(), listener.key, listener.watched, wanted);
  if (native == 0 || !listener.accept) return;
  const Opening refused = *std::exchange(listener.accept, std::nullopt);
  answer(refused.asker, refused.connection,
         event::Connected{now(), refused.asker.op, Status::no_space, {}, Blob("accept: the socket cannot be watched")}, name);
}

// True when the accept was answered.
bool StreamPart::try_accept(Listener name, Listening& listener) {
  const auto [to, connection] = *listener.accept;
  auto accepted = accepted_socket(listener.socket.get());
  if (!accepted) {
    answer(to, connection, event::Connected{now(), to.op, accepted.error().status, {}, text_of_error(accepted.error())}, name);
    return true;
  }
  if (!*accepted) return false;
  Stream& stream = streams_[connection];
  stream.socket = std::move((*accepted)->socket);
  stream.peer = (*accepted)->peer;
  stream.key = key_of(Kind::connection, number(connection));
  answer(to, connection, event::Connected{now(), to.op, Status::ok, Blob(std::string_view(to_string(stream.peer))), {}}, name);
  return true;
}

// Whom its last accept was given and nobody was told of is refused as those are who wait.
void StreamPart::perform(const action::CloseListener& a) {
  for (const Answered& untold : take_back([&](const Answered& one) { return one.by == a.listener; })) {
    const auto stream = streams_.find(untold.connection);
    if (stream == streams_.end()) continue;
    make_abortive(stream->second.socket.get());
    streams_.erase(stream);
  }
  listeners_.erase(a.listener);
}

// ---------------------------------------------------------------- connections

StreamPart::Stream& StreamPart::opened(Connection name) {
  const auto found = streams_.find(name);
  TENTER_CHECK(found != streams_.end() && !found->second.opening);
  return found->second;
}

bool StreamPart::known(Connection name) const {
  return streams_.contains(name) || std::any_of(listeners_.begin(), listeners_.end(), [&](const auto& one) {
           return one.second.accept && one.second.accept->connection == name;
         });
}

void StreamPart::perform(const action::Connect& a) {
  TENTER_CHECK(!known(a.connection));
  const auto refuse = [&](const Error& problem) {
    answer(asker(a.op), a.connection, event::Connected{now(), a.op, problem.status, {}, text_of_error(problem)});
  };
  const auto address = socket_address_of(a.address.text());
  if (!address || address->port == 0) return refuse(no_address(a.address));
  auto socket = connecting_socket(*address);
  if (!socket) return refuse(socket.error());
  Stream& stream = streams_[a.connection];
  stream.socket = std::move(*socket);
  stream.peer = *address;
  stream.key = key_of(Kind::connection, number(a.connection));
  stream.opening = asker(a.op);
  watch(a.connection, stream);
}

void StreamPart::end_connect(Connection name, Stream& stream) {
  const Asker to = *std::exchange(stream.opening, std::nullopt);
  const auto result = connect_result(stream.socket.get(), stream.peer);
  if (result) {
    answer(to, name, event::Connected{now(), to.op, Status::ok, Blob(std::string_view(to_string(stream.peer))), {}});
    return watch(name, stream);
  }
  answer(to, name, event::Connected{now(), to.op, result.error().status, {}, text_of_error(result.error())});
  streams_.erase(name);
}

void StreamPart::perform(const action::CloseStream& a) {
  (void)take_back([&](const Answered& one) { return one.connection == a.connection; });
  const auto found = streams_.find(a.connection);
  if (found == streams_.end()) return;  // its opening failed
  Stream stream = std::move(found->second);
  streams_.erase(found);
  if (a.abort) make_abortive(stream.socket.get());
  if (a.abort || stream.opening || stream.lost) return;
  leave(std::move(stream));
}

// ---------------------------------------------------------------- the set

// What the set tells of a socket from now on. 0, or the errno of a set that takes no more.
int StreamPart::watch(int socket, std::uint64_t key, std::uint32_t& watched, std::uint32_t wanted) {
  if (watched == wanted) return 0;
  epoll_event event{};
  event.events = wanted;
  event.data.u64 = key;
  const int change = watched == 0 ? EPOLL_CTL_ADD : wanted == 0 ? EPOLL_CTL_DEL : EPOLL_CTL_MOD;
  if (epoll_ctl(set_.get(), change, socket, &event) != 0) return errno;
  watched = wanted;
  return 0;
}

// Bytes are watched for a little longer than somebody reads: most who have read read again. Once the set tells of them in vain
// (`events`), it forgets the socket, an error or end of which it would tell over and over.
void StreamPart::watch(Connection name, Stream& stream, std::uint32_t events) {
  std::uint32_t wanted = stream.reader ? EPOLLIN : 0u;
  if (stream.opening || !stream.writes.empty()) wanted |= EPOLLOUT;
  if (!stream.reader && events == 0) wanted |= stream.watched & EPOLLIN;
  if (watch(stream.socket.get(), stream.key, stream.watched, wanted) == 0) return;
  if (stream.opening) {
    const Asker to = *stream.opening;
    answer(to, name, event::Connected{now(), to.op, Status::no_space, {}, Blob("connect: the socket cannot be watched")});
    streams_.erase(name);
  } else {
    lose(name, stream, Status::no_space);
  }
}

void StreamPart::serve(Connection name, Stream& stream, std::uint32_t events) {
  if (stream.opening) return end_connect(name, stream);
  const bool in_vain = !stream.reader && (events & ~std::uint32_t{EPOLLOUT}) != 0;
  if ((events & ~std::uint32_t{EPOLLIN}) != 0 && !stream.writes.empty()) send(name, stream);
  if ((events & ~std::uint32_t{EPOLLOUT}) != 0 && stream.reader) (void)try_read(name, stream);
  watch(name, stream, in_vain ? events : 0);
}

void StreamPart::poll() {
  if (listeners_.empty() && streams_.empty() && leaving_.empty()) return;
  const std::uint32_t nudges = context_.nudges.load(std::memory_order_acquire);
  const Time at = context_.round();
  if (nudges == checked_nudges_ && at < next_check_) return;
  checked_nudges_ = nudges;
  next_check_ = at + set_interval;
  std::array<epoll_event, 64> ready{};
  const int count = epoll_wait(set_.get(), ready.data(), static_cast<int>(ready.size()), 0);
  for (int i = 0; i < count; ++i) {
    const epoll_event& one = ready[static_cast<std::size_t>(i)];
    const auto name = static_cast<std::uint32_t>(one.data.u64);
    if (one.data.u64 >> 32 == number(Kind::listener)) {
      const auto found = listeners_.find(Listener{name});
      if (found != listeners_.end()) serve(found->first, found->second, one.events);
    } else if (one.data.u64 >> 32 == number(Kind::connection)) {
      const auto found = streams_.find(Connection{name});
      if (found != streams_.end()) serve(found->first, found->second, one.events);
    } else {
      next_look_ = Time{};
    }
  }
  if (!leaving_.empty() && at >= next_look_) {
    look_at_leaving();
    next_look_ = at + leaving_interval;
  }
}

// From here on it has a name of its own in the set: its old one is nobody's any more.
void StreamPart::leave(Stream stream) {
  if (settled(stream)) return;
  const std::uint32_t name = left_++;
  Stream& leaving = leaving_[name] = std::move(stream);
  (void)watch(leaving.socket.get(), leaving.key, leaving.watched, 0);
  leaving.key = key_of(Kind::leaving, name);
  leaving.moved = now();
  next_look_ = leaving.moved + leaving_interval;
  watch_leaving(leaving);
}

bool StreamPart::wants_anything() const {
  return std::any_of(listeners_.begin(), listeners_.end(), [](const auto& one) { return one.second.accept.has_value(); }) ||
         std::any_of(streams_.begin(), streams_.end(),
                     [](const auto& one) { return one.second.opening || one.second.reader || !one.second.writes.empty(); });
}

void StreamPart::add_waits(WaitSet& waits) const {
  if (!leaving_.empty()) waits.until(next_look_);
  if (!leaving_.empty() || wants_anything()) waits.descriptors.push_back({set_.get(), POLLIN, 0});
}

}  // namespace tenter::hw
