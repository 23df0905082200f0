// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLIENT_BOUNDED_CALL_H_
#define COOLSPAN_CLIENT_BOUNDED_CALL_H_

#include <chrono>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/status/statusor.h"
#include "coolspan/v1/allocator.grpc.pb.h"

namespace coolspan {

// Allocate calls that return no later than their deadline, even if gRPC would
// return late: each call has a completion queue of its own, which the caller
// polls with the deadline. A call that is not finished by then is abandoned, to
// be freed by FreeAbandoned. Thread-safe.
class BoundedCalls {
 public:
  BoundedCalls();
  ~BoundedCalls();  // as FreeAbandoned
  BoundedCalls(const BoundedCalls&) = delete;
  BoundedCalls& operator=(const BoundedCalls&) = delete;

  absl::StatusOr<v1::AllocateReply> Allocate(
      v1::Allocator::Stub& stub, const v1::AllocateRequest& request,
      std::chrono::steady_clock::time_point deadline);
  // Cancels and frees abandoned calls. May block in gRPC: not for callers with
  // a deadline.
  void FreeAbandoned();

 private:
  struct Call;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Call>> abandoned_;
};

}  // namespace coolspan

#endif  // COOLSPAN_CLIENT_BOUNDED_CALL_H_
