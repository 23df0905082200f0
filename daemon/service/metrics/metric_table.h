// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_METRICS_METRIC_TABLE_H_
#define COOLSPAN_SERVICE_METRICS_METRIC_TABLE_H_

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace coolspan {

enum class MetricKind : std::uint8_t {
  kCounter,
  kGauge,
  kHistogram,
  kSummary,  // sum and count only
};

// One row of the table of metrics. A metric exists only as a row of it: the
// page, docs/monitoring.md and the checks of dashboard and alerts follow it.
struct MetricInfo {
  std::string_view name;
  MetricKind kind;
  std::array<std::string_view, 3> labels;  // unused ones are empty, at the end
  std::string_view help;                   // one sentence, with the unit
};

// In the order of the documentation.
enum class Metric : std::uint8_t {
  kDecisionSeconds,
  kDecisions,
  kDecisionsStoppedEarly,
  kDecisionPairwiseHops,
  kDecisionDeadlineSeconds,
  kDecisionsGuarded,
  kDecisionsOverRedline,
  kAllocateSeconds,
  kCalls,
  kCallsWaiting,
  kSessions,
  kJobStarts,
  kJobReasons,
  kAdvisedJobs,
  kAdvisedPairwiseHops,
  kClusterMode,
  kClusterSynced,
  kClusterIncomplete,
  kClusterContactAgeSeconds,
  kClusterLastSyncSeconds,
  kNodes,
  kNodesFree,
  kFreeIntervals,
  kLargestFreeNodes,
  kIdleSwitches,
  kIdleBlocks,
  kIdleSegments,
  kLargestJobNodes,
  kNodesHeld,
  kNodesTentative,
  kNodesUnavailable,
  kNodesUnknown,
  kJobs,
  kEvents,
  kClientRequests,
  kClientAnswers,
  kClientDeadlinesExceeded,
  kClientRejectedByBreaker,
  kClientOutages,
  kClientQueueOverflows,
  kClientBreakerOpen,
  kStoreWritable,
  kStoreFailures,
  kStoreWriteSeconds,
  kStoreBusySeconds,
  kQueueLength,
  kQueueLimit,
  kArchiveDropped,
  kWatchers,
  kWatchMessagesDropped,
  kRoomInletCelsius,
  kRoomPeakInletCelsius,
  kRoomSteadyPeakInletCelsius,
  kRoomRedlineCelsius,
  kRoomSupplyCelsius,
  kRoomSupplyMaxCelsius,
  kRoomItWatts,
  kRoomCoolingWatts,
  kRoomCopValid,
  kSensors,
  kSensorNewestAgeSeconds,
  kSensorOldestAgeSeconds,
  kReady,
  kDrained,
  kConfigLastReloadSuccessful,
  kConfigLastReloadSuccessTimestampSeconds,
  kBuildInfo,
  kProcessStartTimeSeconds,
  kProcessCpuSeconds,
  kProcessResidentMemoryBytes,
  kProcessThreads,
  kProcessOpenFds,
  kProcessMaxFds,
  kCount,  // of the others
};

const MetricInfo& InfoOf(Metric metric);
// All rows, in the order of Metric.
std::span<const MetricInfo> MetricTable();
// "counter", "gauge", "histogram", "summary".
std::string_view NameOf(MetricKind kind);

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_METRICS_METRIC_TABLE_H_
