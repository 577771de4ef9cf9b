// Reading, writing, and the last bytes of what is closed.
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "core/check.hpp"
#include "hw/posix/socket.hpp"
#include "hw/posix/stream_part.hpp"

namespace tenter::hw {
namespace {

constexpr std::size_t pieces_most = 16;              // blobs of one system call
constexpr Duration patience = seconds(60);           // for a closed one of which nothing moves
constexpr std::uint64_t discarded_most = 16u << 20;  // of a peer that sends to a closed one, a look

// Bytes, 0 at the end, or -errno; never a wait.
ssize_t receive(int socket, std::byte* to, std::size_t most) {
  while (true) {
    const ssize_t got = recv(socket, to, most, MSG_DONTWAIT);
    if (got >= 0) return got;
    if (errno != EINTR) return -errno;
  }
}

}  // namespace

// ---------------------------------------------------------------- reads

void StreamPart::perform(const action::ReadStream& a) {
  Stream& stream = opened(a.connection);
  TENTER_CHECK(!stream.reader && a.limit > 0);
  stream.reader = asker(a.op);
  stream.limit = a.limit;
  if (!try_read(a.connection, stream)) watch(a.connection, stream);
}

// True when the read was answered. A reset is told once by the system, perhaps to a write: `lost` is what tells the end that
// comes after it from a peer's.
bool StreamPart::try_read(Connection name, Stream& stream) {
  const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(stream.limit, scratch_.size()));
  const ssize_t got = receive(stream.socket.get(), scratch_.data(), most);
  if (got == -EAGAIN && !stream.lost) return false;
  const Asker to = *std::exchange(stream.reader, std::nullopt);
  if (got > 0) {
    const Bytes bytes(scratch_.data(), static_cast<std::size_t>(got));
    answer(to, name, event::StreamRead{now(), to.op, Status::ok, Blob(bytes)});
    return true;
  }
  const bool broken = got < 0 && got != -EAGAIN;
  const Status status = broken ? status_of_stream(static_cast<int>(-got)) : stream.lost ? Status::peer_lost : Status::ok;
  stream.lost = stream.lost || broken;
  answer(to, name, event::StreamRead{now(), to.op, status, {}});
  return true;
}

// ---------------------------------------------------------------- writes

void StreamPart::perform(const action::WriteStream& a) {
  Stream& stream = opened(a.connection);
  TENTER_CHECK(!stream.finishing);
  if (stream.lost) return answer(asker(a.op), a.connection, event::StreamWritten{now(), a.op, Status::peer_lost});
  stream.writes.push_back({asker(a.op), a.content});
  if (stream.writes.size() > 1) return;  // not before those that wait
  send(a.connection, stream);
  watch(a.connection, stream);
}

// As much as the system takes; the end behind the last of it, when it was asked for.
void StreamPart::send(Connection name, Stream& stream) {
  while (!stream.writes.empty()) {
    std::array<iovec, pieces_most> pieces{};
    std::size_t count = 0, asked = 0;
    for (std::size_t i = 0; i < stream.writes.size() && count < pieces.size(); ++i) {
      const Bytes rest = stream.writes[i].content.bytes().subspan(i == 0 ? stream.sent : 0);
      pieces[count++] = {const_cast<std::byte*>(rest.data()), rest.size()};  // only read (sendmsg(2))
      asked += rest.size();
    }
    msghdr message{};
    message.msg_iov = pieces.data();
    message.msg_iovlen = count;
    const ssize_t taken = asked == 0 ? 0 : sendmsg(stream.socket.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (taken < 0 && errno == EINTR) continue;
    if (taken < 0 && errno == EAGAIN) return;
    if (taken < 0) return lose(name, stream, status_of_stream(errno));
    sent(name, stream, static_cast<std::uint64_t>(taken));
  }
  if (stream.finishing && !std::exchange(stream.finished, true)) shutdown(stream.socket.get(), SHUT_WR);
}

// The system has that many bytes more; every write of which it has all is answered, also one of nothing.
void StreamPart::sent(Connection name, Stream& stream, std::uint64_t bytes) {
  stream.sent += bytes;
  while (!stream.writes.empty() && stream.sent >= stream.writes.front().content.size()) {
    stream.sent -= stream.writes.front().content.size();
    const Asker to = stream.writes.front().asker;
    stream.writes.pop_front();
    if (!stream.deaf) answer(to, name, event::StreamWritten{now(), to.op, Status::ok});
  }
}

// What is still to be read stays; what waits to be written is answered.
void StreamPart::lose(Connection name, Stream& stream, Status status) {
  stream.lost = true;
  stream.sent = 0;
  for (const Write& write : std::exchange(stream.writes, {}))
    if (!stream.deaf) answer(write.asker, name, event::StreamWritten{now(), write.asker.op, status});
  if (stream.reader) (void)try_read(name, stream);
}

void StreamPart::perform(const action::FinishStream& a) {
  Stream& stream = opened(a.connection);
  stream.finishing = true;
  if (stream.writes.empty() && !stream.lost) send(a.connection, stream);
}

// ---------------------------------------------------------------- what is closed and not sent

// A socket that is closed with bytes unread, or that is sent some afterwards, resets the connection, and what it had to send is
// lost: so what comes is thrown away until the peer's system has all. True: it may be closed.
bool StreamPart::settled(Stream& stream) {
  stream.deaf = stream.finishing = true;
  stream.reader.reset();
  std::uint64_t discarded = 0;
  ssize_t got = stream.peer_ended ? 0 : 1;
  while (got > 0 && discarded < discarded_most) {
    got = receive(stream.socket.get(), scratch_.data(), scratch_.size());
    if (got > 0) discarded += static_cast<std::uint64_t>(got);
  }
  if (got < 0 && got != -EAGAIN) return true;  // lost: nobody is left to be sent anything
  stream.peer_ended = got == 0;
  send(Connection{}, stream);
  if (stream.lost) return true;
  const bool only_the_end_is_unacknowledged = unacknowledged(stream.socket.get()) <= 1;
  return stream.writes.empty() && (stream.peer_ended || (got == -EAGAIN && only_the_end_is_unacknowledged));
}

// Those that are settled are closed, those of which nothing moves for too long are given up.
void StreamPart::look_at_leaving() {
  const Time at = now();
  for (auto one = leaving_.begin(); one != leaving_.end();) {
    if (settled(one->second) || gives_up(one->second, at)) {
      one = leaving_.erase(one);
    } else {
      watch_leaving(one->second);
      ++one;
    }
  }
}

bool StreamPart::gives_up(Stream& stream, Time at) {
  std::uint64_t on_their_way = unacknowledged(stream.socket.get()) - stream.sent;
  for (const Write& write : stream.writes) on_their_way += write.content.size();
  if (on_their_way < stream.unsettled || stream.unsettled == 0) stream.moved = at;
  stream.unsettled = on_their_way;
  if (at < stream.moved + patience) return false;
  if (!stream.writes.empty()) make_abortive(stream.socket.get());  // half of it and an end would look like all of it
  return true;
}

void StreamPart::watch_leaving(Stream& stream) {
  const std::uint32_t wanted = (stream.peer_ended ? 0u : EPOLLIN) | (stream.writes.empty() ? 0u : EPOLLOUT);
  (void)watch(stream.socket.get(), stream.key, stream.watched, wanted);  // where it fails, the looks by time are left
}

}  // namespace tenter::hw
