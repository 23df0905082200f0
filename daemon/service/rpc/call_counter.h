// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_RPC_CALL_COUNTER_H_
#define COOLSPAN_SERVICE_RPC_CALL_COUNTER_H_

#include <grpcpp/support/server_interceptor.h>

#include <memory>

#include "service/rpc/call_counts.h"

namespace coolspan {

// An interceptor of gRPC's server that counts each call when its status is
// sent, whoever made the status. counts: must outlive the server.
std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>
MakeCallCounter(CallCounts& counts);

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_RPC_CALL_COUNTER_H_
