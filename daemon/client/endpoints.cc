// SPDX-License-Identifier: GPL-3.0-or-later
#include "client/endpoints.h"

#include <arpa/inet.h>
#include <sys/un.h>

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace coolspan {
namespace {

constexpr absl::string_view kUnixScheme = "unix://";

absl::Status Invalid(absl::string_view endpoint, absl::string_view what) {
  std::string message = absl::StrCat(
      "endpoint '", endpoint, "': ", what,
      " (expected unix:///PATH or ipv4:HOST:PORT, several separated by "
      "commas)");
  // It becomes one line of a log.
  for (char& c : message) {
    if (absl::ascii_iscntrl(static_cast<unsigned char>(c))) c = '?';
  }
  return absl::InvalidArgumentError(message);
}

absl::StatusOr<Endpoint> ParseUnix(absl::string_view text,
                                   absl::string_view path) {
  if (!absl::StartsWith(path, "/") || path.size() < 2) {
    return Invalid(text, "the socket path must be absolute");
  }
  if (path.size() >= sizeof(sockaddr_un::sun_path)) {
    return Invalid(text,
                   absl::StrCat("the socket path must have at most ",
                                sizeof(sockaddr_un::sun_path) - 1, " bytes"));
  }
  return Endpoint{std::string(text), std::string(text), {}};
}

bool IsHostCharacter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z') || c == '.' || c == '-';
}

absl::StatusOr<Endpoint> ParseIpv4(absl::string_view text,
                                   absl::string_view address) {
  const std::size_t colon = address.rfind(':');
  if (colon == absl::string_view::npos)
    return Invalid(text, "the port is missing");
  const std::string host(address.substr(0, colon));
  const absl::string_view port_text = address.substr(colon + 1);
  int port = 0;
  if (!absl::SimpleAtoi(port_text, &port) || port < 1 || port > 65535) {
    return Invalid(
        text, absl::StrCat("'", port_text, "' is not a port (1 to 65535)"));
  }
  if (host.empty()) return Invalid(text, "the host is missing");
  if (!std::all_of(host.begin(), host.end(), IsHostCharacter)) {
    return Invalid(
        text,
        absl::StrCat("'", host, "' is not an IPv4 address or a host name"));
  }
  in_addr numeric;
  const bool is_numeric = inet_pton(AF_INET, host.c_str(), &numeric) == 1;
  const bool looks_numeric =
      host.find_first_not_of("0123456789.") == std::string::npos;
  if (looks_numeric && !is_numeric) {
    return Invalid(text, absl::StrCat("'", host, "' is not an IPv4 address"));
  }
  const std::string target =
      absl::StrCat(is_numeric ? "ipv4:" : "dns:///", host, ":", port);
  return Endpoint{std::string(text), target, {}};
}

absl::StatusOr<Endpoint> ParseOne(absl::string_view text) {
  const auto is_graphic = [](char c) {
    return !absl::ascii_isspace(static_cast<unsigned char>(c)) &&
           !absl::ascii_iscntrl(static_cast<unsigned char>(c));
  };
  if (!std::all_of(text.begin(), text.end(), is_graphic)) {
    return Invalid(text, "must not contain a blank or a control character");
  }
  absl::string_view rest = text;
  if (absl::ConsumePrefix(&rest, kUnixScheme)) return ParseUnix(text, rest);
  if (absl::ConsumePrefix(&rest, "ipv4:")) return ParseIpv4(text, rest);
  return Invalid(
      text, text.empty() ? "is empty" : "must start with unix:// or ipv4:");
}

}  // namespace

absl::StatusOr<std::vector<Endpoint>> ParseEndpoints(
    const DaemonAddress& address) {
  if (!address.tls.is_empty()) {
    const absl::Status status = CheckCertificates(address.tls);
    if (!status.ok()) return status;
  }
  std::vector<Endpoint> endpoints;
  for (const absl::string_view part : absl::StrSplit(address.endpoints, ',')) {
    absl::StatusOr<Endpoint> endpoint =
        ParseOne(absl::StripAsciiWhitespace(part));
    if (!endpoint.ok()) return endpoint.status();
    const bool repeated = std::any_of(
        endpoints.begin(), endpoints.end(),
        [&](const Endpoint& e) { return e.target == endpoint->target; });
    if (repeated) return Invalid(endpoint->text, "specified more than once");
    if (!absl::StartsWith(endpoint->target, kUnixScheme))
      endpoint->tls = address.tls;
    endpoints.push_back(*std::move(endpoint));
  }
  return endpoints;
}

}  // namespace coolspan
