// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_RPC_TCP_CREDENTIALS_H_
#define COOLSPAN_SERVICE_RPC_TCP_CREDENTIALS_H_

#include <grpcpp/security/server_credentials.h>

#include <memory>
#include <optional>

#include "config/daemon_access.h"
#include "service/rpc/call_guard.h"
#include "setup/access_rules.h"

namespace coolspan {

// The credentials of TCP connections: mutual TLS, where the names of the
// client's certificate give its roles; without tls plaintext, where everyone
// has every role. What records must outlive them.
std::shared_ptr<grpc::ServerCredentials> TcpCredentials(
    const std::optional<DaemonTls>& tls, const AccessRules& rules,
    double calls_per_s, const AccessRecords& records);

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_RPC_TCP_CREDENTIALS_H_
