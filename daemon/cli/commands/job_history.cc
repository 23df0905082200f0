// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands/job_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/render/json.h"
#include "core/hostlist.h"
#include "replay/input/sacct_fields.h"
#include "replay/input/trace_time.h"
#include "replies/job_name.h"

namespace coolspan {
namespace {

using RunId = std::pair<std::uint32_t, std::uint32_t>;

constexpr std::string_view kHistoryColumns =
    "JobID|JobIDRaw|Submit|Start|End|TimelimitRaw|NNodes|NodeList|State";

absl::StatusOr<TimeMs> ReadLimit(std::string_view option,
                                 const std::string& text) {
  if (text.empty()) return 0;
  const std::optional<std::int64_t> time_s = ParseSacctTimeS(text);
  if (time_s.has_value()) return *time_s * kMsPerSecond;
  return absl::InvalidArgumentError(
      fmt::format("{}: '{}' is not valid (expected 2026-11-23T10:00:00, in "
                  "UTC, or seconds since 1970)",
                  option, text));
}

std::string NameOf(const v1::StartRecord& record) {
  return JobName(record.job().job_id(), record.start());
}

std::uint64_t NodesIn(const std::string& hostlist) {
  if (hostlist.empty()) return 0;
  const auto names = ExpandHostlist(hostlist);
  return names.ok() ? names->size() : 0;
}

// A job without an end that does not run ended while the daemon was down.
std::string_view StateText(const v1::StartRecord& record,
                           const std::set<RunId>& running) {
  if (record.ended_ms() != 0) return "ENDED";
  return running.count({record.job().job_id(), record.job().restart()}) > 0
             ? "RUNNING"
             : "UNKNOWN";
}

// Whole seconds, as sacct has them.
std::int64_t StartS(const v1::StartRecord& record) {
  return record.started_ms() / kMsPerSecond;
}
std::optional<std::int64_t> EndS(const v1::StartRecord& record) {
  if (record.ended_ms() == 0) return std::nullopt;
  return std::max(record.ended_ms() / kMsPerSecond, StartS(record));
}
std::int64_t SubmitS(const v1::StartRecord& record) {
  const std::int64_t submitted_s = record.start().submitted_s();
  return submitted_s == 0 ? StartS(record) : submitted_s;
}

std::string LineOf(const v1::StartRecord& record, std::string_view state) {
  constexpr std::int64_t kSecondsPerMinute = 60;
  const std::optional<std::int64_t> end_s = EndS(record);
  const std::int64_t limit_s = record.start().time_limit_s();
  return fmt::format(
      "{}|{}|{}|{}|{}|{}|{}|{}|{}\n", NameOf(record), record.job().job_id(),
      SubmitS(record), StartS(record),
      end_s.has_value() ? std::to_string(*end_s) : "Unknown",
      limit_s == 0 ? "" : std::to_string(limit_s / kSecondsPerMinute),
      NodesIn(record.hostlist()), record.hostlist(), state);
}

Json RecordJson(const v1::StartRecord& record, std::string_view state) {
  const std::optional<std::int64_t> end_s = EndS(record);
  return {{"job", NameOf(record)},
          {"job_id", record.job().job_id()},
          {"restart", record.job().restart()},
          {"submit_s", SubmitS(record)},
          {"start_s", StartS(record)},
          {"end_s", end_s.has_value() ? Json(*end_s) : Json(nullptr)},
          {"time_limit_s", record.start().time_limit_s()},
          {"nodes", record.hostlist()},
          {"state", state},
          {"verdict", record.start().verdict()},
          {"decision_id", record.start().decision_id()}};
}

// Each of several daemons has the starts of the time in which it led.
void WarnOfOtherDaemons(const DaemonOptions& daemon, const Console& console) {
  const auto status = AskStatus(daemon);
  if (!status.ok() || EtcdMembers(status->state()) == 0) return;
  std::vector<std::string> warnings;
  for (const v1::ClusterStatus& cluster : status->clusters()) {
    if (!daemon.cluster.empty() && cluster.name() != daemon.cluster) continue;
    std::string leader = "this daemon";
    if (cluster.has_leader()) {
      leader = cluster.leader().empty() ? "none" : cluster.leader();
    }
    warnings.push_back(
        fmt::format("{}: only starts that this daemon recorded are listed, "
                    "other daemons have theirs (leader: {})",
                    cluster.name(), leader));
  }
  PrintWarnings(console.err, warnings);
}

}  // namespace

absl::StatusOr<Exit> PrintHistory(const DaemonOptions& daemon,
                                  const HistoryOptions& options,
                                  const Console& console) {
  const absl::StatusOr<TimeMs> since = ReadLimit("--since", options.since);
  if (!since.ok()) return since.status();
  const absl::StatusOr<TimeMs> until = ReadLimit("--until", options.until);
  if (!until.ok()) return until.status();
  if (!options.until.empty() && *until <= *since) {
    return absl::InvalidArgumentError(
        fmt::format("--until: {} is not after --since {}", options.until,
                    options.since.empty() ? "0" : options.since));
  }
  v1::HistoryRequest request;
  request.set_since_ms(*since);
  request.set_until_ms(*until);
  const auto reply = AskHistory(daemon, std::move(request));
  if (!reply.ok()) return reply.status();
  WarnOfOtherDaemons(daemon, console);
  std::set<RunId> running;
  for (const v1::Job& job : reply->running()) {
    running.emplace(job.job_id(), job.restart());
  }
  if (!console.json) console.out << kHistoryColumns << "\n";
  Json jobs = Json::array();
  for (const v1::StartRecord& record : reply->starts()) {
    const std::string_view state = StateText(record, running);
    if (console.json) {
      jobs.push_back(RecordJson(record, state));
    } else {
      console.out << LineOf(record, state);
    }
  }
  if (console.json) PrintJsonLine({{"jobs", std::move(jobs)}}, console.out);
  return Exit::kSuccess;
}

}  // namespace coolspan
