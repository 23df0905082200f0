// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/daemon_access.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "config/daemon_file.h"
#include "config/options/relative_path.h"

namespace coolspan {
namespace {

constexpr std::string_view kTcp = "ipv4:";

absl::Status CheckEntry(const std::string& entry, const std::string& option,
                        Place place, const std::string& path) {
  const std::string_view text = entry;
  for (const std::string_view prefix : {"group:", "cert:"}) {
    if (text.substr(0, prefix.size()) == prefix && text.size() > prefix.size())
      return absl::OkStatus();
  }
  // A colon separates the fields of passwd(5): no user name has one.
  if (!text.empty() && text.find(':') == std::string_view::npos &&
      (text == "*" || text.find('*') == std::string_view::npos)) {
    return absl::OkStatus();
  }
  return ErrorAt(path, place,
                 fmt::format("{}: {} is not a client (expected a user, "
                             "group:NAME, cert:NAME or \"*\")",
                             option, Quoted(entry)));
}

absl::Status CheckRoles(const DaemonAccess& access, const std::string& path) {
  for (const auto& [role, entries] : access.roles) {
    const std::string option = fmt::format("access.{}", TextOf(role));
    for (const std::string& entry : entries.value) {
      absl::Status status = CheckEntry(entry, option, entries.place, path);
      if (!status.ok()) return status;
    }
    const bool has_everyone =
        std::find(entries.value.begin(), entries.value.end(), "*") !=
        entries.value.end();
    if (role != Role::kReader && has_everyone) {
      return ErrorAt(path, entries.place,
                     fmt::format("{}: \"*\" stands for everyone (expected the "
                                 "clients that may act as {})",
                                 option, TextOf(role)));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckListen(const DaemonFile& file, const std::string& path) {
  std::set<std::string> seen;
  for (const std::string& endpoint : file.listen.value) {
    // Port 0 is another port each time.
    if (!seen.insert(endpoint).second && !endpoint.ends_with(":0")) {
      return ErrorAt(
          path, file.listen.place,
          fmt::format("listen: {} specified more than once", endpoint));
    }
    if (file.tls.has_value() || IsOfThisHost(endpoint) ||
        file.access.allows_plaintext_on_any_network) {
      continue;
    }
    return ErrorAt(
        path, file.listen.place,
        fmt::format("listen: {} can be reached from other hosts without "
                    "authentication (expected a tls section; or, on a network "
                    "where every host is trusted, access.plaintext_tcp: "
                    "any-network)",
                    endpoint));
  }
  return absl::OkStatus();
}

}  // namespace

bool IsTcp(const std::string& endpoint) {
  return endpoint.compare(0, kTcp.size(), kTcp) == 0;
}

bool IsOfThisHost(const std::string& endpoint) {
  if (!IsTcp(endpoint)) return true;
  const std::string host =
      endpoint.substr(kTcp.size(), endpoint.rfind(':') - kTcp.size());
  if (host == "localhost") return true;
  in_addr address{};
  constexpr std::uint32_t kLoopbackNet = 127;
  return inet_pton(AF_INET, host.c_str(), &address) == 1 &&
         (ntohl(address.s_addr) >> 24) == kLoopbackNet;
}

absl::Status ReadAccess(DaemonFile& file, const std::string& path) {
  if (file.tls.has_value()) {
    for (Placed<std::string>* const name :
         {&file.tls->cert, &file.tls->key, &file.tls->client_ca}) {
      name->value = ResolvePath(path, name->value);
    }
  }
  absl::Status status = CheckRoles(file.access, path);
  return status.ok() ? CheckListen(file, path) : status;
}

}  // namespace coolspan
