// SPDX-License-Identifier: GPL-3.0-or-later
#include "client/event_calls.h"

namespace coolspan {

v1::Event* MutableEvent(v1::SessionRequest& request) {
  switch (request.what_case()) {
    case v1::SessionRequest::kCommit:
      return request.mutable_commit();
    case v1::SessionRequest::kRelease:
      return request.mutable_release();
    case v1::SessionRequest::kResize:
      return request.mutable_resize();
    default:
      return request.mutable_suspend();
  }
}

grpc::Status CallForEvent(v1::Allocator::Stub& stub,
                          grpc::ClientContext& context,
                          const v1::SessionRequest& request,
                          v1::EventReply& reply) {
  switch (request.what_case()) {
    case v1::SessionRequest::kCommit:
      return stub.Commit(&context, request.commit(), &reply);
    case v1::SessionRequest::kRelease:
      return stub.Release(&context, request.release(), &reply);
    case v1::SessionRequest::kResize:
      return stub.Resize(&context, request.resize(), &reply);
    default:
      return stub.Suspend(&context, request.suspend(), &reply);
  }
}

}  // namespace coolspan
