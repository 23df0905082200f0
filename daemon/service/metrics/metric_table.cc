// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/metrics/metric_table.h"

#include <cstddef>
#include <iterator>

namespace coolspan {
namespace {

constexpr MetricKind kCounter = MetricKind::kCounter;
constexpr MetricKind kGauge = MetricKind::kGauge;

constexpr MetricInfo kMetrics[] = {
    {"coolspan_decision_seconds",
     MetricKind::kHistogram,
     {"policy"},
     "Duration of decisions, from the turn of the request to the hold on its "
     "nodes, in seconds."},
    {"coolspan_decisions_total",
     kCounter,
     {"policy", "mode", "result"},
     "Decisions by policy, mode (enforce, advise) and result (placed, "
     "not_placed)."},
    {"coolspan_decisions_stopped_early_total",
     kCounter,
     {"policy"},
     "Decisions whose search ended at the deadline."},
    {"coolspan_decision_pairwise_hops",
     MetricKind::kSummary,
     {"policy"},
     "Mean distance between the nodes of a decision, in hops, summed over the "
     "measured decisions: those of 2 to 2,048 nodes while at most 64 events "
     "are queued."},
    {"coolspan_decision_deadline_seconds",
     kGauge,
     {},
     "Maximum time of a decision: deadline_ms of the daemon file, in seconds."},
    {"coolspan_decisions_guarded_total",
     kCounter,
     {},
     "Decisions whose nodes were chosen by the redline guard."},
    {"coolspan_decisions_over_redline_total",
     kCounter,
     {},
     "Decisions that were predicted to exceed the redline."},
    {"coolspan_allocate_seconds",
     MetricKind::kHistogram,
     {},
     "Duration of Allocate calls in the daemon, with all waiting, in seconds."},
    {"coolspan_calls_total",
     kCounter,
     {"call", "code"},
     "Ended gRPC calls by name and status code; all but OK were refused, have "
     "failed or were cancelled."},
    {"coolspan_calls_waiting",
     kGauge,
     {"queue"},
     "Calls that wait for their turn: searches (previews, sessions) and "
     "reports."},
    {"coolspan_sessions", kGauge, {}, "Open sessions with virtual clusters."},
    {"coolspan_job_starts_total",
     kCounter,
     {"cluster", "verdict"},
     "Job starts by verdict: enforced, advised, fallback (no usable decision), "
     "left (no decision was requested)."},
    {"coolspan_job_reasons_total",
     kCounter,
     {"cluster", "verdict", "reason"},
     "Job starts with the verdicts fallback and left by reason, at most 32 "
     "each; further ones as \"other\"."},
    {"coolspan_advised_jobs_total",
     kCounter,
     {"cluster"},
     "Advised jobs of two nodes and more whose choices were compared."},
    {"coolspan_advised_pairwise_hops_total",
     kCounter,
     {"cluster", "choice"},
     "Mean distances of these jobs, in hops, summed: of the decisions (choice "
     "coolspan), and of the nodes that the jobs got (choice slurm)."},
    {"coolspan_cluster_mode",
     kGauge,
     {"cluster", "mode"},
     "1 for the current mode of the cluster: enforce, advise, off, or unknown "
     "before the first Sync."},
    {"coolspan_cluster_synced",
     kGauge,
     {"cluster"},
     "1 if the cluster has sent a Sync since the daemon started, else 0."},
    {"coolspan_cluster_incomplete",
     kGauge,
     {"cluster"},
     "1 if not all jobs of the cluster are known, and no decisions are made "
     "before the next Sync, else 0."},
    {"coolspan_cluster_contact_age_seconds",
     kGauge,
     {"cluster"},
     "Time since the last message of the cluster, in seconds; absent before "
     "the first since the daemon started."},
    {"coolspan_cluster_last_sync_timestamp_seconds",
     kGauge,
     {"cluster"},
     "Time of the last Sync by the clock of the cluster, in seconds since "
     "1970."},
    {"coolspan_nodes",
     kGauge,
     {"cluster"},
     "Nodes in the node table of the cluster."},
    {"coolspan_nodes_free",
     kGauge,
     {"cluster"},
     "Nodes that are available and held by no job."},
    {"coolspan_free_intervals",
     kGauge,
     {"cluster"},
     "Intervals of free nodes: maximal runs of free ranks in the ordering of "
     "the daemon file."},
    {"coolspan_largest_free_nodes",
     kGauge,
     {"cluster", "within"},
     "Nodes of the largest job that fits within one interval (interval), one "
     "box of the mesh (box; with one node per vertex, up to 16,384), and below "
     "one switch (switch_0: a leaf switch, switch_1: one above leaf switches, "
     "...)."},
    {"coolspan_idle_switches",
     kGauge,
     {"cluster", "level"},
     "Switches below which all nodes are free, by level (0: leaf switches; "
     "without that of the top switch); on machines with blocks, idle blocks "
     "by size; absent on other networks."},
    {"coolspan_idle_blocks",
     kGauge,
     {"cluster"},
     "Base blocks of which all nodes are free; absent without blocks."},
    {"coolspan_idle_segments",
     kGauge,
     {"cluster", "nodes"},
     "How many segments of that many nodes fit in the free nodes of the "
     "blocks; absent without blocks."},
    {"coolspan_largest_job_nodes",
     kGauge,
     {"cluster"},
     "Nodes of the largest job that fits in one block; absent without blocks."},
    {"coolspan_nodes_held",
     kGauge,
     {"cluster"},
     "Nodes held by committed jobs, suspended ones included."},
    {"coolspan_nodes_tentative",
     kGauge,
     {"cluster"},
     "Nodes of tentative allocations."},
    {"coolspan_nodes_unavailable",
     kGauge,
     {"cluster"},
     "Nodes that are down or drained, with or without jobs."},
    {"coolspan_nodes_unknown",
     kGauge,
     {"cluster"},
     "Nodes of the cluster that are not in the machine file."},
    {"coolspan_jobs",
     kGauge,
     {"cluster", "state"},
     "Jobs with nodes: committed, of these disputed and suspended, and "
     "tentative."},
    {"coolspan_events_total",
     kCounter,
     {"cluster", "event"},
     "Events of the cluster: commit, release, resize, suspend, expire, sync, "
     "dispute (jobs that became disputed), availability, mode."},
    {"coolspan_client_requests_total",
     kCounter,
     {"cluster"},
     "Requests for nodes by the resource manager since its start, as reported "
     "by the client."},
    {"coolspan_client_answers_total",
     kCounter,
     {"cluster"},
     "Of these, requests that were answered."},
    {"coolspan_client_deadlines_exceeded_total",
     kCounter,
     {"cluster"},
     "Of these, requests that waited the whole deadline without an answer."},
    {"coolspan_client_rejected_by_breaker_total",
     kCounter,
     {"cluster"},
     "Of these, requests that were not sent because the circuit breaker was "
     "open."},
    {"coolspan_client_outages_total",
     kCounter,
     {"cluster"},
     "Times that the daemon became unreachable for the client."},
    {"coolspan_client_queue_overflows_total",
     kCounter,
     {"cluster"},
     "Times that the event queue of the client was full."},
    {"coolspan_client_breaker_open",
     kGauge,
     {"cluster"},
     "1 if the circuit breaker of the client was open in its last report, else "
     "0."},
    {"coolspan_store_writable",
     kGauge,
     {"store", "operation"},
     "1 if the last write to the store succeeded, else 0. Stores: ledger, "
     "archive; operations: write, and sync to the disk."},
    {"coolspan_store_failures_total",
     kCounter,
     {"store", "operation"},
     "Failed writes to the store."},
    {"coolspan_store_write_seconds",
     MetricKind::kHistogram,
     {"store", "operation"},
     "Duration of writes to the store, in seconds."},
    {"coolspan_store_busy_seconds",
     kGauge,
     {"store"},
     "Duration of the write in progress, in seconds; a disk that does not "
     "answer makes it grow."},
    {"coolspan_queue_length",
     kGauge,
     {"queue"},
     "Changes that are not stored yet (ledger, archive), and messages in the "
     "longest queue of a watcher (watcher)."},
    {"coolspan_queue_limit",
     kGauge,
     {"queue"},
     "Length at which the daemon refuses changes (ledger) or drops the oldest "
     "(archive, watcher)."},
    {"coolspan_archive_dropped_total",
     kCounter,
     {},
     "Entries of the history that were dropped because the archive could not "
     "be written."},
    {"coolspan_watchers", kGauge, {}, "Clients that watch events."},
    {"coolspan_watch_messages_dropped_total",
     kCounter,
     {},
     "Messages that were dropped because a watcher read too slowly."},
    {"coolspan_room_inlet_celsius",
     kGauge,
     {"node"},
     "Current inlet temperature by zone, named by its first node, in degrees "
     "Celsius at the configured supply temperature. Rooms of more than 256 "
     "zones: the maximum of each group of consecutive zones."},
    {"coolspan_room_peak_inlet_celsius",
     kGauge,
     {},
     "Current maximum of all inlet temperatures, in degrees Celsius."},
    {"coolspan_room_steady_peak_inlet_celsius",
     kGauge,
     {},
     "Maximum of all inlet temperatures in the steady state of the current "
     "jobs, in degrees Celsius."},
    {"coolspan_room_redline_celsius",
     kGauge,
     {},
     "Maximum permitted inlet temperature, in degrees Celsius."},
    {"coolspan_room_supply_celsius",
     kGauge,
     {},
     "Configured supply temperature, in degrees Celsius."},
    {"coolspan_room_supply_max_celsius",
     kGauge,
     {},
     "Maximum supply temperature at which no inlet exceeds the redline, in "
     "degrees Celsius."},
    {"coolspan_room_it_watts",
     kGauge,
     {},
     "Power of all nodes by the model, in watts."},
    {"coolspan_room_cooling_watts",
     kGauge,
     {},
     "Cooling power at the maximum supply temperature, in watts; absent "
     "outside the valid range of the CoP model."},
    {"coolspan_room_cop_valid",
     kGauge,
     {},
     "1 if the maximum supply temperature is in the valid range of the CoP "
     "model, else 0."},
    {"coolspan_sensors",
     kGauge,
     {"kind", "state"},
     "Sensors of nodes by kind (inlet, power) and state (good, missing, "
     "out_of_range, outlier, unknown: no reading yet)."},
    {"coolspan_sensor_newest_age_seconds",
     kGauge,
     {"kind"},
     "Time since the latest reading of any sensor, in seconds; absent before "
     "the first reading."},
    {"coolspan_sensor_oldest_age_seconds",
     kGauge,
     {"kind"},
     "Time since the last reading of the sensor that has been silent longest, "
     "in seconds."},
    {"coolspan_ready", kGauge, {}, "1 if /readyz answers 200, else 0."},
    {"coolspan_drained",
     kGauge,
     {},
     "1 if decisions are refused (coolspan drain), else 0."},
    {"coolspan_config_last_reload_successful",
     kGauge,
     {},
     "1 if the last attempt to load the daemon file succeeded, else 0."},
    {"coolspan_config_last_reload_success_timestamp_seconds",
     kGauge,
     {},
     "Time at which the daemon file in use was loaded, in seconds since "
     "1970."},
    {"coolspan_build_info",
     kGauge,
     {"version", "machine", "policy"},
     "1; the labels name the version, the machine and the default policy."},
    {"process_start_time_seconds",
     kGauge,
     {},
     "Start of the process, in seconds since 1970."},
    {"process_cpu_seconds_total",
     kCounter,
     {},
     "User and system time of the process, in seconds."},
    {"process_resident_memory_bytes",
     kGauge,
     {},
     "Resident memory of the process, in bytes."},
    {"process_threads", kGauge, {}, "Threads of the process."},
    {"process_open_fds", kGauge, {}, "Open file descriptors."},
    {"process_max_fds", kGauge, {}, "Maximum number of file descriptors."},
};
static_assert(std::size(kMetrics) == static_cast<std::size_t>(Metric::kCount));

}  // namespace

const MetricInfo& InfoOf(Metric metric) {
  return kMetrics[static_cast<std::size_t>(metric)];
}

std::span<const MetricInfo> MetricTable() { return kMetrics; }

std::string_view NameOf(MetricKind kind) {
  constexpr std::string_view kNames[] = {"counter", "gauge", "histogram",
                                         "summary"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace coolspan
