#include "cli/control_results.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "cli/report/json_writer.hpp"

namespace tenter::cli {
namespace {

using Json = nlohmann::json;

template <class Write>
std::string line_of(Write&& write) {
  std::ostringstream text;
  {
    report::JsonWriter json(text, report::JsonStyle::compact);
    write(json);
  }
  return text.str();  // a compact document ends its line itself
}

std::optional<Status> status_of(const std::string& name) {
  for (std::uint8_t i = 0; i <= number(Status::unavailable); ++i)
    if (name == to_string(Status{i})) return Status{i};
  return std::nullopt;
}

hw::Descriptor checked(int descriptor, const char* what) {
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), what);
  return hw::Descriptor(descriptor);
}

}  // namespace

std::string shown_result(const Blob& result) {
  const Bytes bytes = result.bytes().first(std::min(result.size(), shown_bytes_max));
  const auto printable = [](std::byte byte) {
    return std::to_integer<unsigned>(byte) >= 0x20 && std::to_integer<unsigned>(byte) < 0x7F;
  };
  std::string shown;
  if (std::all_of(bytes.begin(), bytes.end(), printable)) {
    shown.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  } else {
    shown = "0x";
    for (const std::byte byte : bytes) shown += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  }
  return shown + (bytes.size() < result.size() ? "..." : "");
}

std::string write_control_result(const ControlResult& result) {
  return line_of([&](report::JsonWriter& json) {
    json.begin_object().member("index", result.index).member("number", result.number).member("callable", result.callable);
    json.member("worker", result.worker).member("status", to_string(result.status)).member("error", result.error);
    json.member("result", result.result).member("bytes", result.bytes).end_object();
  });
}
std::string write_control_note(std::string_view text) {
  return line_of([&](report::JsonWriter& json) { json.begin_object().member("note", text).end_object(); });
}

std::optional<ControlResult> read_control_result(std::string_view line) {
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object() || !json.contains("index")) return std::nullopt;
  try {
    ControlResult result;
    result.index = json.at("index");
    result.number = json.at("number");
    result.callable = json.at("callable");
    result.worker = json.at("worker");
    const auto status = status_of(json.at("status"));
    if (!status) return std::nullopt;
    result.status = *status;
    result.error = json.at("error");
    result.result = json.at("result");
    result.bytes = json.at("bytes");
    return result;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}
std::optional<std::string> read_control_note(std::string_view line) {
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object() || !json.contains("note") || !json["note"].is_string()) return std::nullopt;
  return json["note"].get<std::string>();
}

LineFollower::LineFollower(const std::string& file, std::function<void(std::string_view line)> take)
    : take_(std::move(take)),
      file_(checked(open(file.c_str(), O_RDONLY | O_CLOEXEC), "open")),
      watch_(checked(inotify_init1(IN_CLOEXEC | IN_NONBLOCK), "inotify_init1")),
      over_(checked(eventfd(0, EFD_CLOEXEC), "eventfd")) {
  if (inotify_add_watch(watch_.get(), file.c_str(), IN_MODIFY) < 0)
    throw std::system_error(errno, std::generic_category(), "inotify_add_watch");
  thread_ = std::thread([this] { follow(); });
}
LineFollower::~LineFollower() { finish(); }

void LineFollower::finish() {
  if (!thread_.joinable()) return;
  eventfd_write(over_.get(), 1);
  thread_.join();
}

void LineFollower::follow() {
  std::array<char, 4096> told{};
  for (;;) {
    pollfd either[] = {{watch_.get(), POLLIN, 0}, {over_.get(), POLLIN, 0}};
    while (poll(either, 2, -1) < 0 && errno == EINTR) {
    }
    while (read(watch_.get(), told.data(), told.size()) > 0) {
    }
    read_on();
    if ((either[1].revents & POLLIN) != 0) return;
  }
}

void LineFollower::read_on() {
  std::array<char, 65'536> bytes{};
  ssize_t got = 0;
  while ((got = read(file_.get(), bytes.data(), bytes.size())) > 0) {
    pending_.append(bytes.data(), static_cast<std::size_t>(got));
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = pending_.find('\n', begin)) != std::string::npos; begin = end + 1)
      take_(std::string_view(pending_).substr(begin, end - begin));
    pending_.erase(0, begin);
  }
}

}  // namespace tenter::cli
