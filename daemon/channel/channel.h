// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CHANNEL_CHANNEL_H_
#define COOLSPAN_CHANNEL_CHANNEL_H_

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "tls/certificates.h"

namespace coolspan {

// A gRPC channel with a connection of its own, which is made again within about
// half a second after the other side is back; gRPC's default is up to two
// minutes. Connects on first use. Messages of any size are received.
// target: a name for gRPC, such as ipv4:127.0.0.1:2379. files: all empty,
// without TLS; cert and key may be empty without ca being so. Files that are
// replaced are read again.
std::shared_ptr<grpc::Channel> MakeChannel(const std::string& target,
                                           const CertificateFiles& files);

// The reason in gRPC's message: "Connection refused" of "failed to connect to
// all addresses; last error: UNKNOWN: ipv4:127.0.0.1:1: Failed to connect to
// remote host: Connection refused".
std::string ReasonIn(const std::string& message);

}  // namespace coolspan

#endif  // COOLSPAN_CHANNEL_CHANNEL_H_
