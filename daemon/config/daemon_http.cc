// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/daemon_http.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include <charconv>
#include <cstdint>
#include <system_error>

#include "formats/file_error.h"

namespace coolspan {
namespace {

constexpr std::string_view kExpected =
    "HOST:PORT with a numeric address or localhost, such as 127.0.0.1:9643 or "
    "[::1]:9643";

bool IsPort(std::string_view digits, std::uint16_t& port) {
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, port);
  return error == std::errc() && stop == end;
}

// Splits "HOST:PORT" and "[HOST]:PORT"; false if it is neither.
bool Split(std::string_view text, DaemonHttp& http) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return false;
  std::string_view host = text.substr(0, colon);
  const bool is_bracketed =
      host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (is_bracketed) host = host.substr(1, host.size() - 2);
  if (is_bracketed != (host.find(':') != std::string_view::npos)) return false;
  http.host = host == "localhost" ? "127.0.0.1" : std::string(host);
  return IsPort(text.substr(colon + 1), http.port);
}

enum class Reach { kNone, kThisHost, kOtherHosts };

// kNone: not a numeric address.
Reach ReachOf(const std::string& host) {
  in_addr four{};
  in6_addr six{};
  bool is_loopback = false;
  if (inet_pton(AF_INET, host.c_str(), &four) == 1) {
    constexpr std::uint32_t kFirstByte = 24;
    is_loopback = ntohl(four.s_addr) >> kFirstByte == IN_LOOPBACKNET;
  } else if (inet_pton(AF_INET6, host.c_str(), &six) == 1) {
    is_loopback = IN6_IS_ADDR_LOOPBACK(&six);
  } else {
    return Reach::kNone;
  }
  return is_loopback ? Reach::kThisHost : Reach::kOtherHosts;
}

}  // namespace

absl::Status ReadHttp(DaemonHttp& http, const std::string& path) {
  const std::string& text = http.listen.value;
  const Reach reach = Split(text, http) ? ReachOf(http.host) : Reach::kNone;
  if (reach == Reach::kNone) {
    return ErrorAt(
        path, http.listen.place,
        fmt::format("http.listen: {} is not an address (expected {})",
                    Quoted(text), kExpected));
  }
  if (reach == Reach::kThisHost || http.allow_remote) return absl::OkStatus();
  return ErrorAt(
      path, http.listen.place,
      fmt::format(
          "http.listen: other hosts can reach {}, without encryption or "
          "authentication (expected a loopback address, or "
          "allow_remote: true)",
          Quoted(text)));
}

}  // namespace coolspan
