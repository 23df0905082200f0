// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/daemon_etcd.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "config/daemon_file.h"
#include "config/options/relative_path.h"

namespace coolspan {
namespace {

// An IPv6 address has brackets.
bool IsHost(std::string_view host) {
  const bool in_brackets = host.starts_with('[') && host.ends_with(']');
  return !host.empty() &&
         (in_brackets || host.find(':') == std::string_view::npos);
}

// Empty if it is HOST:PORT, else what is wrong.
std::string MemberProblem(std::string_view endpoint) {
  constexpr std::string_view kExpected =
      "(expected HOST:PORT, as in etcd1:2379 or [::1]:2379)";
  const bool is_printable =
      std::all_of(endpoint.begin(), endpoint.end(), absl::ascii_isgraph);
  const std::size_t colon = endpoint.rfind(':');
  if (!is_printable || colon == std::string_view::npos ||
      !IsHost(endpoint.substr(0, colon)) ||
      endpoint.find('/') != std::string_view::npos ||
      endpoint.find(',') != std::string_view::npos) {
    return fmt::format("{} is not an endpoint of etcd {}", Quoted(endpoint),
                       kExpected);
  }
  const std::string_view digits = endpoint.substr(colon + 1);
  const char* const end = digits.data() + digits.size();
  std::uint16_t port = 0;
  const auto [stop, error] = std::from_chars(digits.data(), end, port);
  if (error == std::errc() && stop == end && port > 0) return "";
  return fmt::format("{}: {} is not a port from 1 to 65535 {}",
                     Quoted(endpoint), Quoted(digits), kExpected);
}

absl::Status CheckMembers(const DaemonEtcd& etcd, const std::string& path) {
  std::set<std::string> seen;
  for (const std::string& endpoint : etcd.endpoints.value) {
    std::string problem = MemberProblem(endpoint);
    if (problem.empty() && !seen.insert(endpoint).second) {
      problem = fmt::format("{} specified more than once", endpoint);
    }
    if (!problem.empty()) {
      return ErrorAt(path, etcd.endpoints.place,
                     fmt::format("state.etcd: {}", problem));
    }
  }
  return absl::OkStatus();
}

// Else a daemon that was meant to share its allocations would keep its own.
absl::Status CheckUnused(const DaemonEtcd& etcd, const std::string& path) {
  if (etcd.is_used()) return absl::OkStatus();
  // Defaults have no place.
  for (const auto& [option, place] :
       {std::pair{"etcd_prefix", etcd.prefix.place},
        std::pair{"etcd_ca", etcd.ca.place},
        std::pair{"etcd_cert", etcd.cert.place},
        std::pair{"etcd_key", etcd.key.place},
        std::pair{"lease_s", etcd.lease_place},
        std::pair{"advertise", etcd.advertise.place}}) {
    if (place.line == 0) continue;
    return ErrorAt(path, place,
                   fmt::format("state.{} without state.etcd (expected the "
                               "endpoints of etcd)",
                               option));
  }
  return absl::OkStatus();
}

absl::Status CheckFiles(DaemonEtcd& etcd, const std::string& path) {
  if (etcd.cert.value.empty() != etcd.key.value.empty()) {
    const bool has_cert = !etcd.cert.value.empty();
    return ErrorAt(path, has_cert ? etcd.cert.place : etcd.key.place,
                   has_cert ? "state.etcd_cert without state.etcd_key "
                              "(expected both)"
                            : "state.etcd_key without state.etcd_cert "
                              "(expected both)");
  }
  if (!etcd.cert.value.empty() && etcd.ca.value.empty()) {
    return ErrorAt(path, etcd.cert.place,
                   "state.etcd_cert without state.etcd_ca (expected the file "
                   "of the authorities of etcd)");
  }
  for (Placed<std::string>* const name : {&etcd.ca, &etcd.cert, &etcd.key}) {
    if (!name->value.empty()) name->value = ResolvePath(path, name->value);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadEtcd(DaemonFile& file, const std::string& path) {
  DaemonEtcd& etcd = file.etcd;
  if (absl::Status status = CheckMembers(etcd, path); !status.ok()) {
    return status;
  }
  if (absl::Status status = CheckUnused(etcd, path); !status.ok()) {
    return status;
  }
  const std::string& prefix = etcd.prefix.value;
  if (prefix.empty() || prefix.back() != '/' ||
      !std::all_of(prefix.begin(), prefix.end(), absl::ascii_isgraph)) {
    return ErrorAt(path, etcd.prefix.place,
                   fmt::format("state.etcd_prefix: {} (expected printable "
                               "characters that end with a slash)",
                               Quoted(prefix)));
  }
  if (absl::Status status = CheckFiles(etcd, path); !status.ok()) {
    return status;
  }
  if (etcd.advertise.value.empty()) {
    const std::vector<std::string>& listen = file.listen.value;
    const auto tcp = std::find_if(listen.begin(), listen.end(), &IsTcp);
    etcd.advertise.place = file.listen.place;
    if (!listen.empty()) {
      etcd.advertise.value = tcp == listen.end() ? listen.front() : *tcp;
    }
  }
  if (!etcd.is_used()) return absl::OkStatus();
  const std::string& endpoint = etcd.advertise.value;
  const std::string problem = EndpointProblem(endpoint);
  const bool has_port = !endpoint.ends_with(":0") &&
                        !endpoint.starts_with("ipv4:0.0.0.0:") &&
                        !endpoint.starts_with("ipv4::");
  if (problem.empty() && has_port) return absl::OkStatus();
  return ErrorAt(path, etcd.advertise.place,
                 problem.empty()
                     ? fmt::format("state.advertise: clients cannot connect to "
                                   "{} (expected ipv4:HOST:PORT)",
                                   endpoint)
                     : fmt::format("state.advertise: {}", problem));
}

}  // namespace coolspan
