// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_RPC_CALL_GUARD_H_
#define COOLSPAN_SERVICE_RPC_CALL_GUARD_H_

#include <grpcpp/security/auth_metadata_processor.h>

#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "service/rpc/access_log.h"
#include "service/rpc/call_counts.h"
#include "service/rpc/peer.h"

namespace coolspan {

// Where a guard records calls.
struct AccessRecords {
  AccessLog& log;
  CallCounts& counts;
};

// Refuses calls that the client has no role for (PERMISSION_DENIED) or that
// exceed its rate (RESOURCE_EXHAUSTED), before their messages are read. Logs
// the calls of operators, and counts refused calls, which the interceptor of
// the server does not see. Thread-safe.
class CallGuard final : public grpc::AuthMetadataProcessor {
 public:
  // Of a connection; never nullptr.
  using PeerOf =
      std::function<std::shared_ptr<Peer>(const grpc::AuthContext& context)>;

  // What records must outlive the guard.
  CallGuard(PeerOf peer_of, const AccessRecords& records)
      : peer_of_(std::move(peer_of)), records_(records) {}

  // It runs in gRPC's threads, and never waits.
  bool IsBlocking() const override { return false; }
  grpc::Status Process(const InputMetadata& metadata,
                       grpc::AuthContext* context,
                       OutputMetadata* consumed_metadata,
                       OutputMetadata* response_metadata) override;

 private:
  grpc::Status Judge(std::string_view path, Peer& peer) const;

  const PeerOf peer_of_;
  const AccessRecords records_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_RPC_CALL_GUARD_H_
