// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/live/happening_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "replies/job_name.h"

namespace coolspan {
namespace {

constexpr std::size_t kMaxListBytes = 400;

using NodeIds = google::protobuf::RepeatedField<std::uint32_t>;

std::string CutList(const std::string& hostlist) {
  if (hostlist.size() <= kMaxListBytes) return hostlist;
  const std::size_t comma = hostlist.rfind(',', kMaxListBytes);
  return hostlist.substr(
             0, comma == std::string::npos ? kMaxListBytes : comma + 1) +
         "...";
}

Json RunsOf(const NodeIds& ids) {
  std::vector<std::uint32_t> sorted(ids.begin(), ids.end());
  std::sort(sorted.begin(), sorted.end());
  Json runs = Json::array();
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t end = i + 1;
    while (end < sorted.size() && sorted[end] == sorted[end - 1] + 1) ++end;
    runs.push_back(sorted[i]);
    runs.push_back(end - i);
    i = end;
  }
  return runs;
}

Json JobJson(const v1::JobRecord& job) {
  return {{"job_id", job.job().job_id()},
          {"restart", job.job().restart()},
          {"name", JobName(job.job().job_id(), job.start())},
          {"state", job.state()},
          {"whole", job.whole()},
          {"nodes", CutList(job.hostlist())},
          {"count", job.node_ids_size()},
          {"decision_id", job.decision_id()},
          {"verdict", job.start().verdict()},
          {"reason", job.start().reason()},
          {"expected_end_ms", job.expected_end_ms() == 0
                                  ? Json(nullptr)
                                  : Json(job.expected_end_ms())}};
}

Json DecisionJson(const v1::DecisionRecord& decision) {
  return {{"id", decision.id()},
          {"job_id", decision.job().job_id()},
          {"restart", decision.job().restart()},
          {"placed", decision.placed()},
          {"nodes", CutList(decision.hostlist())},
          {"count", decision.node_ids_size()},
          {"policy", decision.policy()},
          {"ordering", decision.ordering()},
          {"rule", decision.rule()},
          {"mode", decision.mode()},
          {"why", decision.why()},
          {"available", decision.available()},
          {"elapsed_us", JsonNumber(decision.elapsed_us())},
          {"stopped_early", decision.stopped_early()}};
}

Json JobIdJson(const v1::Job& job) {
  return {{"job_id", job.job_id()}, {"restart", job.restart()}};
}

Json WhatJson(const v1::Happening& happening) {
  switch (happening.what_case()) {
    case v1::Happening::kDecision:
      return DecisionJson(happening.decision());
    case v1::Happening::kCommitted:
      return JobJson(happening.committed());
    case v1::Happening::kReleased:
      return JobIdJson(happening.released());
    case v1::Happening::kResized:
      return JobJson(happening.resized());
    case v1::Happening::kExpired:
      return JobIdJson(happening.expired());
    case v1::Happening::kSyncedEpoch:
      return Json::object();
    case v1::Happening::kSuspended:
      return JobJson(happening.suspended());
    case v1::Happening::kMissed:
      return {{"missed", happening.missed()}};
    case v1::Happening::kMode:
      return {{"mode", happening.mode()}};
    case v1::Happening::kUnavailableHostlist:
      return {{"nodes", CutList(happening.unavailable_hostlist())}};
    case v1::Happening::kRemoved:
      return {{"why", happening.removed()}};
    case v1::Happening::WHAT_NOT_SET:
      break;
  }
  return Json::object();
}

}  // namespace

std::string_view NameOf(const v1::Happening& happening) {
  switch (happening.what_case()) {
    case v1::Happening::kDecision:
      return "decision";
    case v1::Happening::kCommitted:
      return "committed";
    case v1::Happening::kReleased:
      return "released";
    case v1::Happening::kResized:
      return "resized";
    case v1::Happening::kExpired:
      return "expired";
    case v1::Happening::kSyncedEpoch:
      return "synced";
    case v1::Happening::kSuspended:
      return "suspended";
    case v1::Happening::kMissed:
      return "missed";
    case v1::Happening::kMode:
      return "mode";
    case v1::Happening::kUnavailableHostlist:
      return "availability";
    case v1::Happening::kRemoved:
      return "removed";
    case v1::Happening::WHAT_NOT_SET:
      break;
  }
  return "other";
}

Json HappeningJson(const v1::Happening& happening) {
  Json json = {{"cluster", happening.cluster()}, {"at_ms", happening.at_ms()}};
  json.update(WhatJson(happening));
  return json;
}

Json HoldingsJson(const v1::JobsReply& reply) {
  Json json = {{"machine_nodes", reply.machine_nodes()},
               {"unavailable", RunsOf(reply.unavailable_ids())},
               {"jobs", Json::array()}};
  for (const v1::JobRecord& job : reply.jobs()) {
    Json one = JobJson(job);
    one["runs"] = RunsOf(job.node_ids());
    json["jobs"].push_back(std::move(one));
  }
  return json;
}

}  // namespace coolspan
