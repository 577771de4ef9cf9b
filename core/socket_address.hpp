// Addresses of byte streams as text: "127.0.0.1:80", "[::1]:80". Numeric only: a name needs a resolver, which is not here. One
// reader for the simulator and for hardware, so that both refuse the same.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tenter {

struct SocketAddress {
  enum class Family : std::uint8_t { v4, v6 };
  Family family = Family::v4;
  std::array<std::uint8_t, 16> host{};  // in the order of the network; v4: the first four
  std::uint16_t port = 0;

  bool any_host() const { return host == std::array<std::uint8_t, 16>{}; }
  bool loopback() const;  // 127.0.0.0/8, ::1
  friend bool operator==(const SocketAddress&, const SocketAddress&) = default;
  friend auto operator<=>(const SocketAddress&, const SocketAddress&) = default;
};

// None when it is no address: a name, no port, a port above 65535, a v6 host without brackets or with a zone.
std::optional<SocketAddress> socket_address_of(std::string_view text);

// The shortest form (RFC 5952).
std::string to_string(const SocketAddress& address);

}  // namespace tenter
