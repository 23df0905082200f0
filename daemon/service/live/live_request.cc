// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/live/live_request.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace coolspan {
namespace {

std::string_view Trimmed(std::string_view text) {
  const std::size_t begin =
      std::min(text.find_first_not_of(" \t"), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

bool IsDigits(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return absl::ascii_isdigit(c); });
}

// "[::1]:80" and "[::1]" to "::1", "a:80" to "a".
std::string_view WithoutPort(std::string_view host) {
  if (host.starts_with('[')) {
    const std::size_t close = host.find(']');
    if (close == std::string_view::npos) return "";
    const std::string_view rest = host.substr(close + 1);
    const bool is_port =
        rest.empty() || (rest.front() == ':' && IsDigits(rest.substr(1)));
    return is_port ? host.substr(1, close - 1) : "";
  }
  const std::size_t colon = host.find(':');
  if (colon == std::string_view::npos) return host;
  return IsDigits(host.substr(colon + 1)) ? host.substr(0, colon) : "";
}

}  // namespace

bool IsAddressOrLocalhost(std::string_view host) {
  const std::string name(WithoutPort(host));
  if (name.empty() || name.find('\0') != std::string::npos) return false;
  in_addr four{};
  in6_addr six{};
  return inet_pton(AF_INET, name.c_str(), &four) == 1 ||
         inet_pton(AF_INET6, name.c_str(), &six) == 1 ||
         absl::EqualsIgnoreCase(name, "localhost") ||
         absl::EndsWithIgnoreCase(name, ".localhost");
}

std::string WhyRefused(const HttpRequest& request, bool allow_remote) {
  const std::string& host = request.header("host");
  if (!allow_remote && !IsAddressOrLocalhost(host)) {
    return "Host: expected a numeric address or localhost";
  }
  const std::string& site = request.header("sec-fetch-site");
  const bool is_own = site.empty() || site == "same-origin" || site == "none";
  // A link to the page is followed, the data are not for other pages.
  if (!is_own && request.path.starts_with("/api/")) {
    return "Sec-Fetch-Site: expected a request of the live page";
  }
  return "";
}

std::optional<std::uint64_t> ParseEventId(std::string_view id,
                                          std::string_view start) {
  if (!id.starts_with(start)) return std::nullopt;
  id.remove_prefix(start.size());
  if (!id.starts_with('-')) return std::nullopt;
  id.remove_prefix(1);
  std::uint64_t number = 0;
  const char* const end = id.data() + id.size();
  const auto [stop, error] = std::from_chars(id.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

bool Matches(std::string_view if_none_match, std::string_view tag) {
  while (!if_none_match.empty()) {
    const std::size_t comma = if_none_match.find(',');
    std::string_view one = Trimmed(if_none_match.substr(0, comma));
    if (one == "*") return true;
    if (one.starts_with("W/")) one.remove_prefix(2);
    if (one == tag) return true;
    if (comma == std::string_view::npos) break;
    if_none_match.remove_prefix(comma + 1);
  }
  return false;
}

}  // namespace coolspan
