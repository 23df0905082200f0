// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLIENT_EVENT_CALLS_H_
#define COOLSPAN_CLIENT_EVENT_CALLS_H_

#include <grpcpp/grpcpp.h>

#include "coolspan/v1/allocator.grpc.pb.h"

namespace coolspan {

// An event is kept as the SessionRequest that names its kind; on the unary
// calls that kind is the method. Only for requests that hold an event.
v1::Event* MutableEvent(v1::SessionRequest& request);

grpc::Status CallForEvent(v1::Allocator::Stub& stub,
                          grpc::ClientContext& context,
                          const v1::SessionRequest& request,
                          v1::EventReply& reply);

}  // namespace coolspan

#endif  // COOLSPAN_CLIENT_EVENT_CALLS_H_
