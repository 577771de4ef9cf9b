#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>

#include "core/wire.hpp"
#include "hw/group/callables.hpp"
#include "hw/os/status.hpp"
#include "hw/posix/descriptor.hpp"

namespace tenter::hw {
namespace {

Result<Blob> echo(const TaskArgument& argument) { return Blob(argument.data); }

Result<Blob> fail(const TaskArgument& argument) {
  const std::string text(reinterpret_cast<const char*>(argument.data.data()), argument.data.size());
  return error(Status::failed, text.empty() ? "asked to fail" : text);
}

Result<Blob> sleep_ms(const TaskArgument& argument) {
  constexpr std::uint64_t longest = 86'400'000;  // a day
  if (argument.scalars.size() != 1 || argument.scalars[0] > longest)
    return error(Status::invalid, "one scalar is wanted, the milliseconds, at most 86400000");
  const Descriptor timer(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
  if (!timer) return os::system_error("timerfd_create", errno);
  if (argument.scalars[0] == 0) return Blob();  // a timer of 0 would never fire
  itimerspec once{};
  once.it_value.tv_sec = static_cast<time_t>(argument.scalars[0] / 1000);
  once.it_value.tv_nsec = static_cast<long>(argument.scalars[0] % 1000) * 1'000'000;
  if (timerfd_settime(timer.get(), 0, &once, nullptr) != 0) return os::system_error("timerfd_settime", errno);
  std::uint64_t fired = 0;
  while (read(timer.get(), &fired, sizeof fired) < 0) {  // a signal does not end the task early
    if (errno != EINTR) return os::system_error("read of a timer", errno);
  }
  return Blob();
}

double float64_at(Bytes data, std::size_t index) {
  const auto bits = wire::load<std::uint64_t>(data.data() + index * 8);
  double value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

Result<Blob> vector_add(const TaskArgument& argument) {
  if (argument.data.size() % 16 != 0)
    return error(Status::invalid, std::to_string(argument.data.size()) + " bytes are not two vectors of float64 of one length");
  const std::size_t length = argument.data.size() / 16;
  return Blob(length * 8, [&](MutableBytes to) {
    for (std::size_t i = 0; i < length; ++i) {
      const double sum = float64_at(argument.data, i) + float64_at(argument.data, length + i);
      std::uint64_t bits = 0;
      std::memcpy(&bits, &sum, sizeof bits);
      wire::store(to.data() + i * 8, bits);
    }
  });
}

// One stream a rank: a second begin drops the first stream.
class Checksum {
 public:
  Result<Blob> operator()(const TaskArgument& argument) {
    if (argument.data.empty()) return error(Status::invalid, "no command byte");
    const auto command = std::to_integer<std::uint8_t>(argument.data[0]);
    if (command == 0 || command > (checksum_begin | checksum_update | checksum_finish))
      return error(Status::invalid, "command byte " + std::to_string(command) + " is not 1..7");
    if ((command & checksum_begin) != 0) stream_->emplace();
    if (!stream_->has_value()) return error(Status::unavailable, "no stream was begun on this rank");
    if ((command & checksum_update) != 0) {
      if (auto fed = (*stream_)->update(argument.data.subspan(1)); !fed) return tl::unexpected(fed.error());
    }
    if ((command & checksum_finish) == 0) return Blob();
    auto digest = (*stream_)->finish();
    stream_->reset();
    if (!digest) return tl::unexpected(digest.error());
    return Blob(Bytes(*digest));
  }

 private:
  std::shared_ptr<std::optional<Sha256>> stream_ = std::make_shared<std::optional<Sha256>>();
};

template <class Work>
Callable on_argument(Work work) {
  return [work](const Blob& argument) mutable -> Result<Blob> {
    auto read = read_argument(argument);
    if (!read) return tl::unexpected(read.error());
    return work(*read);
  };
}

}  // namespace

Callables builtin_callables() {
  Callables all;
  all.add("echo", on_argument(echo), RunsOn::loop).add("fail", on_argument(fail), RunsOn::loop);
  all.add("sleep_ms", on_argument(sleep_ms));
  all.add("vector_add", on_argument(vector_add)).add("checksum", on_argument(Checksum{}));
  return all;
}

}  // namespace tenter::hw
