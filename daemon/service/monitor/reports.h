// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_MONITOR_REPORTS_H_
#define COOLSPAN_SERVICE_MONITOR_REPORTS_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "coolspan/v1/allocator.pb.h"
#include "service/clusters/decision_times.h"
#include "service/clusters/live_clusters.h"
#include "service/journal/journal.h"
#include "service/monitor/thermal_monitor.h"
#include "setup/daemon_setup.h"
#include "state/decision_archive.h"

namespace coolspan {

// Called between portions of work; lets others work. An error ends the report
// with it.
using Pause = std::function<absl::Status()>;

// Answers of the daemon to status, jobs and explain. Thread-safe.
class Reports {
 public:
  struct Started {
    std::string version;
    TimeMs at_ms;  // the daemon's clock
    // About the state; must outlive the reports. Constant once they are used.
    const std::vector<std::string>* warnings;
  };
  // The references must outlive the reports. monitor: nullptr without a room.
  Reports(const DaemonSetup& setup, const CurrentConfig& config,
          const LiveClusters& clusters, ThermalMonitor* monitor,
          DecisionArchive& archive, Journal& journal,
          const DecisionTimes& times, Started started);

  v1::StatusReply Status(std::uint32_t sessions) const;
  // Errors: LiveClusters::Find's; of this and the next ones also the pause's.
  absl::StatusOr<v1::JobsReply> Jobs(const v1::JobsRequest& request,
                                     const Pause& pause) const;
  // Errors: LiveClusters::Find's; the archive's.
  absl::StatusOr<v1::HistoryReply> History(const v1::HistoryRequest& request,
                                           const Pause& pause) const;
  // Errors: LiveClusters::Find's; the archive's; NOT_FOUND (no decision about
  // the job and no start of it is stored).
  absl::StatusOr<v1::ExplainReply> Explain(const v1::ExplainRequest& request,
                                           const Pause& pause) const;

 private:
  absl::Status AddDecisions(const LiveCluster& cluster, std::uint32_t job_id,
                            const Pause& pause, v1::ExplainReply& reply) const;
  v1::StateStatus StateOfFiles() const;
  // Whether no cluster has connected, and none was asked for. Error:
  // UNAVAILABLE, it is not known.
  absl::StatusOr<bool> HasNoCluster(const std::string& asked) const;
  void Measure(v1::DecisionRecord& record, class LocalityMeter& meter) const;

  const std::shared_ptr<const Machine> machine_;
  const std::uint64_t machine_fingerprint_;
  const std::string node_names_;  // of the machine, as a hostlist
  const CurrentConfig& config_;
  const std::string ledger_path_;
  const std::string archive_path_;
  const LiveClusters& clusters_;
  ThermalMonitor* const monitor_;
  DecisionArchive& archive_;
  Journal& journal_;
  const DecisionTimes& times_;
  const Started started_;
};

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_MONITOR_REPORTS_H_
