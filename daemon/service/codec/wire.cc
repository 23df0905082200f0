// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/codec/wire.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "service/codec/job_comment.h"

namespace coolspan {
namespace {

template <typename Message>
absl::StatusOr<std::optional<float>> ShareOf(const Message& message,
                                             std::string_view field) {
  if (!message.has_communication_share()) {
    return JobComment::Read(message.comment()).CommunicationShare();
  }
  const float share = message.communication_share();
  if (share >= 0 && share <= 1) return std::optional(share);
  return absl::InvalidArgumentError(
      fmt::format("{}: {} (expected a number from 0 to 1)", field, share));
}

}  // namespace

absl::Status CheckTime(TimeMs now_ms) {
  if (now_ms >= 0 && now_ms <= kLatestMs) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format(
      "now_ms: {} is out of range (expected 0 to {})", now_ms, kLatestMs));
}

absl::StatusOr<std::optional<float>> DecodeShare(
    const v1::AllocateRequest& request) {
  return ShareOf(request, "communication_share");
}

absl::StatusOr<std::optional<float>> DecodeShare(const v1::Holding& holding) {
  return ShareOf(holding, "holding.communication_share");
}

JobKey DecodeJob(const v1::Job& job) { return {job.job_id(), job.restart()}; }

v1::Job EncodeJob(JobKey job) {
  v1::Job encoded;
  encoded.set_job_id(job.job_id);
  encoded.set_restart(job.restart);
  return encoded;
}

absl::StatusOr<Allocator::Fact> DecodeHolding(const v1::Holding& holding,
                                              const NodeTable& table) {
  auto bits = table.BitsOf(holding.nodes(), "holding.nodes");
  if (!bits.ok()) return bits.status();
  const auto units = static_cast<std::size_t>(holding.units_size());
  const std::size_t expected = holding.whole() ? 0 : bits->size();
  if (units != expected) {
    return absl::InvalidArgumentError(fmt::format(
        "holding.units: {} entries for job {} (expected {}: {})", units,
        holding.job().job_id(), expected,
        holding.whole() ? "the holding is of whole nodes" : "one per node"));
  }
  std::vector<std::pair<NodeId, Units>> parts;
  parts.reserve(bits->size());
  for (std::size_t i = 0; i < bits->size(); ++i) {
    const NodeId node = table.NodeAt((*bits)[i]);
    if (node == NodeTable::kUnknown) continue;
    parts.emplace_back(
        node, holding.whole() ? 0 : holding.units(static_cast<int>(i)));
  }
  std::sort(parts.begin(), parts.end());
  Allocator::Fact fact;
  fact.job = DecodeJob(holding.job());
  fact.whole = holding.whole();
  fact.suspended = holding.suspended();
  const auto share = DecodeShare(holding);
  if (!share.ok()) return share.status();
  fact.communication_share = *share;
  for (const auto& [node, node_units] : parts) {
    fact.nodes.push_back(node);
    if (!fact.whole) fact.units.push_back(node_units);
  }
  return fact;
}

absl::StatusOr<std::vector<Units>> DecodeCapacity(
    const google::protobuf::RepeatedPtrField<v1::UnitsRun>& runs,
    const NodeTable& table, NodeCount node_count) {
  std::vector<Units> capacity(node_count, 1);
  std::size_t bit = 0;
  for (const v1::UnitsRun& run : runs) {
    if (run.units() == 0 || run.nodes() == 0) {
      return absl::InvalidArgumentError(
          "capacity: run of 0 nodes or 0 units (expected at least 1 of each)");
    }
    if (run.nodes() > table.size() - bit) {
      bit = table.size() + 1;
      break;
    }
    for (const std::size_t end = bit + run.nodes(); bit < end; ++bit) {
      const NodeId node = table.NodeAt(bit);
      if (node != NodeTable::kUnknown) capacity[node] = run.units();
    }
  }
  if (bit != table.size() && !runs.empty()) {
    return absl::InvalidArgumentError(fmt::format(
        "capacity: the number of nodes differs from the node table (expected "
        "{})",
        table.size()));
  }
  return capacity;
}

}  // namespace coolspan
