// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/metrics/cluster_metrics.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "service/codec/job_start.h"

namespace coolspan {
namespace {

double Number(std::uint64_t count) { return static_cast<double>(count); }

// A verdict has its total from the start: a rate needs a first value.
void AddReasonMetrics(
    const std::string& cluster, std::string_view verdict,
    const google::protobuf::RepeatedPtrField<v1::ReasonCount>& reasons,
    MetricsPage& page) {
  std::uint64_t total = 0;
  for (const v1::ReasonCount& reason : reasons) {
    total += reason.jobs();
    page.Add(Metric::kJobReasons, {cluster, verdict, reason.reason()},
             Number(reason.jobs()));
  }
  page.Add(Metric::kJobStarts, {cluster, verdict}, Number(total));
}

void AddStarts(const std::string& cluster, const v1::StartCounts& starts,
               MetricsPage& page) {
  page.Add(Metric::kJobStarts, {cluster, kEnforced}, Number(starts.enforced()));
  page.Add(Metric::kJobStarts, {cluster, kAdvised}, Number(starts.advised()));
  AddReasonMetrics(cluster, kLeft, starts.left(), page);
  AddReasonMetrics(cluster, kFallback, starts.fallback(), page);
  const v1::AdviceTotals& advice = starts.advice();
  page.Add(Metric::kAdvisedJobs, {cluster}, Number(advice.jobs_n2()));
  page.Add(Metric::kAdvisedPairwiseHops, {cluster, "coolspan"},
           advice.decided().pairwise_mean());
  page.Add(Metric::kAdvisedPairwiseHops, {cluster, "slurm"},
           advice.actual().pairwise_mean());
}

void AddClient(const std::string& cluster, const v1::ClientCounts& client,
               MetricsPage& page) {
  page.Add(Metric::kClientRequests, {cluster}, Number(client.allocates()));
  page.Add(Metric::kClientAnswers, {cluster}, Number(client.answered()));
  page.Add(Metric::kClientDeadlinesExceeded, {cluster},
           Number(client.deadlines_exceeded()));
  page.Add(Metric::kClientRejectedByBreaker, {cluster},
           Number(client.rejected_by_breaker()));
  page.Add(Metric::kClientOutages, {cluster}, Number(client.outages()));
  page.Add(Metric::kClientQueueOverflows, {cluster},
           Number(client.overflows()));
  page.Add(Metric::kClientBreakerOpen, {cluster},
           client.breaker_open() ? 1 : 0);
}

// The mode of `coolspan mode`, else the client's.
std::string_view CurrentMode(const v1::ClusterStatus& status) {
  if (!status.mode().empty()) return status.mode();
  // Not "?:": its value would be a copy of the text, which ends here.
  if (!status.client_mode().empty()) return status.client_mode();
  return "unknown";
}

void AddFreeSpace(const std::string& cluster,
                  const v1::ClusterStatus::FreeSpace& space,
                  MetricsPage& page) {
  page.Add(Metric::kFreeIntervals, {cluster}, space.intervals());
  const auto add_largest = [&](std::string_view within, double nodes) {
    page.Add(Metric::kLargestFreeNodes, {cluster, within}, nodes);
  };
  add_largest("interval", space.largest_interval());
  if (space.has_largest_box() && space.one_node_per_vertex()) {
    add_largest("box", Number(space.largest_box()));
  }
  for (int i = 0; i < space.largest_switch_size(); ++i) {
    add_largest(fmt::format("switch_{}", i), space.largest_switch(i));
    page.Add(Metric::kIdleSwitches, {cluster, fmt::to_string(i)},
             space.idle_switches(i));
  }
}

}  // namespace

void AddClusterMetrics(const v1::ClusterStatus& status,
                       const v1::StartCounts& starts,
                       const EventCounts::Counts& events, MetricsPage& page) {
  const std::string& cluster = status.name();
  page.Add(Metric::kClusterMode, {cluster, CurrentMode(status)}, 1);
  page.Add(Metric::kClusterSynced, {cluster}, status.synced() ? 1 : 0);
  page.Add(Metric::kClusterIncomplete, {cluster}, status.incomplete() ? 1 : 0);
  constexpr double kMsPerS = 1000;
  if (status.has_contact_age_ms()) {
    page.Add(Metric::kClusterContactAgeSeconds, {cluster},
             static_cast<double>(status.contact_age_ms()) / kMsPerS);
  }
  page.Add(Metric::kClusterLastSyncSeconds, {cluster},
           static_cast<double>(status.last_sync_ms()) / kMsPerS);
  page.Add(Metric::kNodes, {cluster}, status.nodes());
  page.Add(Metric::kNodesFree, {cluster}, status.nodes_free());
  if (status.has_free_space()) {
    AddFreeSpace(cluster, status.free_space(), page);
  }
  if (status.has_block_space()) {
    const v1::ClusterStatus::BlockSpace& space = status.block_space();
    page.Add(Metric::kIdleBlocks, {cluster}, space.idle_blocks());
    page.Add(Metric::kLargestJobNodes, {cluster}, space.largest_job());
    for (int i = 0; i < space.segments_size(); ++i) {
      page.Add(Metric::kIdleSegments,
               {cluster, fmt::to_string(space.segment_nodes(i))},
               space.segments(i));
    }
  }
  page.Add(Metric::kNodesHeld, {cluster}, status.nodes_held());
  page.Add(Metric::kNodesTentative, {cluster}, status.nodes_tentative());
  page.Add(Metric::kNodesUnavailable, {cluster}, status.nodes_unavailable());
  page.Add(Metric::kNodesUnknown, {cluster}, status.nodes_unknown());
  page.Add(Metric::kJobs, {cluster, "committed"}, status.jobs_committed());
  page.Add(Metric::kJobs, {cluster, "disputed"}, status.jobs_disputed());
  page.Add(Metric::kJobs, {cluster, "suspended"}, status.jobs_suspended());
  page.Add(Metric::kJobs, {cluster, "tentative"}, status.jobs_tentative());
  for (std::size_t i = 0; i < events.size(); ++i) {
    page.Add(Metric::kEvents, {cluster, kCountedEvents[i]}, Number(events[i]));
  }
  AddStarts(cluster, starts, page);
  if (status.has_client()) AddClient(cluster, status.client(), page);
}

}  // namespace coolspan
