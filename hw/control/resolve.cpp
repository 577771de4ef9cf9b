#include "hw/control/resolve.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <memory>

namespace tenter::hw {
namespace {

bool is_loopback_address(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof v4);
    return (ntohl(v4.sin_addr.s_addr) >> 24) == 127;
  }
  sockaddr_in6 v6{};
  std::memcpy(&v6, &address, sizeof v6);
  return IN6_IS_ADDR_LOOPBACK(&v6.sin6_addr);
}

std::string text_of_address(const addrinfo& found) {
  std::array<char, NI_MAXHOST> text{};
  if (getnameinfo(found.ai_addr, found.ai_addrlen, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0) return {};
  return found.ai_family == AF_INET6 ? "[" + std::string(text.data()) + "]" : std::string(text.data());
}

}  // namespace

Result<std::string> numeric_address(const std::string& host, bool from_elsewhere) {
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int failure = getaddrinfo(host.c_str(), nullptr, &wanted, &found);
  if (failure != 0) return error(Status::not_found, "host " + host + " has no address: " + gai_strerror(failure));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> all(found, &freeaddrinfo);
  for (const int family : {AF_INET, AF_INET6}) {
    for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
      if (one->ai_family != family || (from_elsewhere && is_loopback_address(*one->ai_addr))) continue;
      if (std::string text = text_of_address(*one); !text.empty()) return text;
    }
  }
  return error(Status::not_found, "host " + host + " has no address" + (from_elsewhere ? " that other hosts could reach" : ""));
}

}  // namespace tenter::hw
