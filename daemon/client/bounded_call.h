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

// Allocate calls that are waited for until their deadline and no longer, even
// where gRPC itself would come back late: each has a completion queue of its
// own, polled by the caller with that deadline, and a call that is still under
// way then is left behind for somebody with more time. Thread-safe.
class BoundedCalls {
 public:
  BoundedCalls();
  ~BoundedCalls();  // as Bury
  BoundedCalls(const BoundedCalls&) = delete;
  BoundedCalls& operator=(const BoundedCalls&) = delete;

  absl::StatusOr<v1::AllocateReply> Allocate(
      v1::Allocator::Stub& stub, const v1::AllocateRequest& request,
      std::chrono::steady_clock::time_point deadline);
  // Frees the calls left behind; may wait for gRPC. Not for a caller in a
  // hurry.
  void Bury();

 private:
  struct Call;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Call>> left_behind_;
};

}  // namespace coolspan

#endif  // COOLSPAN_CLIENT_BOUNDED_CALL_H_
