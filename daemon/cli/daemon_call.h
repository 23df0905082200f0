// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_CLI_DAEMON_CALL_H_
#define COOLSPAN_CLI_DAEMON_CALL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "client/endpoints.h"
#include "coolspan/v1/allocator.pb.h"

namespace CLI {
class App;
}  // namespace CLI

namespace coolspan {

// The daemon to query, and which of its clusters.
struct DaemonOptions {
  // Without endpoints: those of COOLSPAN_ENDPOINT, else kDefaultEndpoint.
  DaemonAddress address;
  std::string cluster;  // empty: the only one
};
// Where coolspand listens by default.
inline constexpr std::string_view kDefaultEndpoint =
    "unix:///run/coolspan/coolspand.sock";
void AddDaemonOptions(CLI::App& app, DaemonOptions& options);
void AddClusterOption(CLI::App& app, DaemonOptions& options);

// One call each. Errors: UNAVAILABLE if no daemon answers, INVALID_ARGUMENT
// for bad endpoints, and the errors of the daemon.
absl::StatusOr<v1::StatusReply> AskStatus(const DaemonOptions& options);
absl::StatusOr<v1::JobsReply> AskJobs(const DaemonOptions& options);
// All pages. request: since_ms and until_ms set.
absl::StatusOr<v1::HistoryReply> AskHistory(const DaemonOptions& options,
                                            v1::HistoryRequest request);
// mode: as SetModeRequest's.
absl::StatusOr<v1::SetModeReply> AskSetMode(const DaemonOptions& options,
                                            const std::string& mode);
// Waits up to ten minutes: orderings of large machines take that long.
absl::StatusOr<v1::ReloadReply> AskReload(const DaemonOptions& options);
absl::StatusOr<v1::DrainReply> AskDrain(const DaemonOptions& options,
                                        const v1::DrainRequest& request);
absl::StatusOr<v1::RemoveClusterReply> AskRemoveCluster(
    const DaemonOptions& options, const v1::RemoveClusterRequest& request);
// The mapping takes up to ten seconds.
absl::StatusOr<v1::MapReply> AskMap(const DaemonOptions& options,
                                    v1::MapRequest request);
// job: job_id, array_task_id and het_job_offset set.
absl::StatusOr<v1::ExplainReply> AskExplain(const DaemonOptions& options,
                                            v1::ExplainRequest job);

// The mode in effect, and where it was set: "enforce (coolspan.conf)", "advise
// (coolspan mode)".
std::string DescribeMode(const v1::ClusterStatus& cluster);
// Members of the etcd that has the allocations; 0: they are in a file.
std::size_t EtcdMembers(const v1::StateStatus& state);
// A line about a cluster without contact for a minute, which nothing else would
// show: slurmctld also runs without Coolspan.
std::optional<std::string> LostContact(const v1::ClusterStatus& cluster);

// Local time, as in "2026-02-03 14:05:06"; "-" for 0.
std::string FormatTime(std::int64_t since_epoch_ms);

}  // namespace coolspan

#endif  // COOLSPAN_CLI_DAEMON_CALL_H_
