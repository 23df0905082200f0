// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_RPC_CALL_COUNTS_H_
#define COOLSPAN_SERVICE_RPC_CALL_COUNTS_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "service/metrics/latency_histogram.h"
#include "service/rpc/method_roles.h"

namespace coolspan {

// The methods of kMethodRoles by their index, then "other".
inline constexpr std::size_t kCountedCalls = std::size(kMethodRoles) + 1;

// "Sync"; call: an index.
constexpr std::string_view CountedCallName(std::size_t call) {
  if (call == kCountedCalls - 1) return "other";
  const std::string_view path = kMethodRoles[call].path;
  return path.substr(path.rfind('/') + 1);
}

// By their number.
inline constexpr std::string_view kCallCodes[] = {"OK",
                                                  "CANCELLED",
                                                  "UNKNOWN",
                                                  "INVALID_ARGUMENT",
                                                  "DEADLINE_EXCEEDED",
                                                  "NOT_FOUND",
                                                  "ALREADY_EXISTS",
                                                  "PERMISSION_DENIED",
                                                  "RESOURCE_EXHAUSTED",
                                                  "FAILED_PRECONDITION",
                                                  "ABORTED",
                                                  "OUT_OF_RANGE",
                                                  "UNIMPLEMENTED",
                                                  "INTERNAL",
                                                  "UNAVAILABLE",
                                                  "DATA_LOSS",
                                                  "UNAUTHENTICATED"};

// Numbers of calls in progress and of ended ones by method and status code, and
// the durations of Allocate. Thread-safe, without locks.
class CallCounts {
 public:
  // A call is in progress until its status has been sent.
  void Begin() { in_progress_.fetch_add(1); }
  void End() { in_progress_.fetch_sub(1); }
  std::int64_t in_progress() const { return in_progress_.load(); }

  // Index of a method. path: "/coolspan.v1.Allocator/Sync".
  static std::size_t IndexOf(std::string_view path) {
    const MethodRole* const method = FindMethodRole(path);
    return method == nullptr
               ? kCountedCalls - 1
               : static_cast<std::size_t>(method - std::begin(kMethodRoles));
  }

  // code: the number of a gRPC status code.
  void Add(std::size_t call, int code, double elapsed_s) {
    const auto index = static_cast<std::size_t>(code);
    if (index >= std::size(kCallCodes)) return;
    counts_[call][index].fetch_add(1, std::memory_order_relaxed);
    if (call == kAllocate) allocate_times_.Add(elapsed_s);
  }

  std::uint64_t Of(std::size_t call, std::size_t code) const {
    return counts_[call][code].load(std::memory_order_relaxed);
  }
  LatencyHistogram::Reading AllocateTimes() const {
    return allocate_times_.Read();
  }

 private:
  using Codes = std::array<std::atomic<std::uint64_t>, std::size(kCallCodes)>;

  static inline const std::size_t kAllocate =
      IndexOf("/coolspan.v1.Allocator/Allocate");

  std::atomic<std::int64_t> in_progress_ = 0;
  std::array<Codes, kCountedCalls> counts_{};
  LatencyHistogram allocate_times_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_RPC_CALL_COUNTS_H_
