// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLIENT_EVENT_CALLS_H_
#define COOLSPAN_CLIENT_EVENT_CALLS_H_

#include <grpcpp/grpcpp.h>

#include "coolspan/v1/allocator.grpc.pb.h"

namespace coolspan {

// Events are stored as SessionRequests, whose oneof case is the kind of event;
// for unary calls the kind selects the method. Both functions REQUIRE a request
// that holds an event.
v1::Event* MutableEvent(v1::SessionRequest& request);

grpc::Status CallForEvent(v1::Allocator::Stub& stub,
                          grpc::ClientContext& context,
                          const v1::SessionRequest& request,
                          v1::EventReply& reply);

}  // namespace coolspan

#endif  // COOLSPAN_CLIENT_EVENT_CALLS_H_
