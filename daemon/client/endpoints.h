// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLIENT_ENDPOINTS_H_
#define COOLSPAN_CLIENT_ENDPOINTS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "tls/certificates.h"

namespace coolspan {

// Where a daemon is, as the user specifies it.
struct DaemonAddress {
  DaemonAddress() = default;
  // Without TLS, endpoints are the whole address. NOLINTBEGIN(*-explicit-*)
  DaemonAddress(std::string its_endpoints, CertificateFiles its_tls = {})
      : endpoints(std::move(its_endpoints)), tls(std::move(its_tls)) {}
  DaemonAddress(const char* its_endpoints) : endpoints(its_endpoints) {}
  // NOLINTEND(*-explicit-*)

  std::string endpoints;  // ParseEndpoints' syntax
  CertificateFiles tls;   // for endpoints on TCP; empty: plaintext
};

// An endpoint of a daemon, as specified by the user and in gRPC's syntax.
struct Endpoint {
  std::string text;      // "unix:///run/coolspand.sock", "ipv4:ctl:7070"
  std::string target;    // gRPC name syntax; a host name becomes dns:///
  CertificateFiles tls;  // empty: plaintext, or a Unix socket
};

// Parses `unix:///PATH` or `ipv4:HOST:PORT` (HOST an IPv4 address or a host
// name), several separated by commas, in order of preference. INVALID_ARGUMENT
// names the invalid endpoint, or the invalid file of tls, and what was
// expected.
absl::StatusOr<std::vector<Endpoint>> ParseEndpoints(
    const DaemonAddress& address);

}  // namespace coolspan

#endif  // COOLSPAN_CLIENT_ENDPOINTS_H_
