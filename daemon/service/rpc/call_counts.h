// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_RPC_CALL_COUNTS_H_
#define COOLSPAN_SERVICE_RPC_CALL_COUNTS_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "service/metrics/latency_histogram.h"

namespace coolspan {

// The methods of all services, and "other".
inline constexpr std::string_view kCountedCalls[] = {
    "Allocate",  "Commit",  "Release", "Resize",  "Suspend", "Sync",
    "KeepAlive", "Preview", "Explain", "Status",  "SetMode", "RemoveCluster",
    "Jobs",      "History", "Watch",   "Session", "Report",  "other"};
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

// Numbers of ended calls by method and status code, and the durations of
// Allocate. Thread-safe, without locks.
class CallCounts {
 public:
  // Index of a method in kCountedCalls. path: "/coolspan.v1.Allocator/Sync".
  static std::size_t IndexOf(std::string_view path) {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    const auto* const last = std::end(kCountedCalls) - 1;
    return static_cast<std::size_t>(
        std::find(std::begin(kCountedCalls), last, name) -
        std::begin(kCountedCalls));
  }

  // code: the number of a gRPC status code.
  void Add(std::size_t call, int code, double elapsed_s) {
    const auto index = static_cast<std::size_t>(code);
    if (index >= std::size(kCallCodes)) return;
    counts_[call][index].fetch_add(1, std::memory_order_relaxed);
    if (kCountedCalls[call] == "Allocate") allocate_times_.Add(elapsed_s);
  }

  std::uint64_t Of(std::size_t call, std::size_t code) const {
    return counts_[call][code].load(std::memory_order_relaxed);
  }
  LatencyHistogram::Reading AllocateTimes() const {
    return allocate_times_.Read();
  }

 private:
  using Codes = std::array<std::atomic<std::uint64_t>, std::size(kCallCodes)>;

  std::array<Codes, std::size(kCountedCalls)> counts_{};
  LatencyHistogram allocate_times_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_RPC_CALL_COUNTS_H_
