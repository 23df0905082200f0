// SPDX-License-Identifier: GPL-3.0-or-later
#include "client/bounded_call.h"

#include <grpcpp/grpcpp.h>

#include <utility>

#include "absl/status/status.h"
#include "client/channels.h"

namespace coolspan {

struct BoundedCalls::Call {
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  std::unique_ptr<grpc::ClientAsyncResponseReader<v1::AllocateReply>> reader;
  v1::AllocateReply reply;
  grpc::Status status;

  ~Call() {
    queue.Shutdown();
    void* tag = nullptr;
    bool ok = false;
    while (queue.Next(&tag, &ok)) {
    }
  }
};

BoundedCalls::BoundedCalls() = default;
BoundedCalls::~BoundedCalls() { FreeAbandoned(); }

absl::StatusOr<v1::AllocateReply> BoundedCalls::Allocate(
    v1::Allocator::Stub& stub, const v1::AllocateRequest& request,
    std::chrono::steady_clock::time_point deadline) {
  const auto remaining = deadline - std::chrono::steady_clock::now();
  if (remaining <= std::chrono::steady_clock::duration::zero()) {
    return absl::DeadlineExceededError(
        "deadline exceeded before the request was sent");
  }
  const auto wall_deadline =
      std::chrono::system_clock::now() +
      std::chrono::duration_cast<std::chrono::system_clock::duration>(
          remaining);
  auto call = std::make_unique<Call>();
  call->context.set_deadline(wall_deadline);
  call->reader = stub.AsyncAllocate(&call->context, request, &call->queue);
  call->reader->Finish(&call->reply, &call->status, call.get());

  void* tag = nullptr;
  bool ok = false;
  if (call->queue.AsyncNext(&tag, &ok, wall_deadline) !=
      grpc::CompletionQueue::GOT_EVENT) {
    const std::lock_guard lock(mutex_);
    abandoned_.push_back(std::move(call));
    return absl::DeadlineExceededError("no response within the deadline");
  }
  if (!call->status.ok()) return ToAbsl(call->status);
  return std::move(call->reply);
}

void BoundedCalls::FreeAbandoned() {
  std::vector<std::unique_ptr<Call>> freed;
  {
    const std::lock_guard lock(mutex_);
    freed.swap(abandoned_);
  }
  for (const std::unique_ptr<Call>& call : freed) call->context.TryCancel();
}

}  // namespace coolspan
