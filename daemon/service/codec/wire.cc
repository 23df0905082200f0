// SPDX-License-Identifier: GPL-3.0-or-later
#include "service/codec/wire.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
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

// Runs over the node table, as values by NodeId; the values of nodes that are
// not in the table remain.
template <typename Value, typename Run, typename ValueOf>
absl::StatusOr<std::vector<Value>> DecodeRuns(
    const google::protobuf::RepeatedPtrField<Run>& runs, std::string_view field,
    const ValueOf& value_of, const NodeTable& table,
    std::vector<Value> values) {
  std::size_t bit = 0;
  for (const Run& run : runs) {
    if (run.nodes() == 0) {
      return absl::InvalidArgumentError(
          fmt::format("{}: run of 0 nodes (expected at least 1)", field));
    }
    if (run.nodes() > table.size() - bit) {
      bit = table.size() + 1;
      break;
    }
    for (const std::size_t end = bit + run.nodes(); bit < end; ++bit) {
      const NodeId node = table.NodeAt(bit);
      if (node != NodeTable::kUnknown) values[node] = value_of(run);
    }
  }
  if (bit != table.size()) {
    return absl::InvalidArgumentError(fmt::format(
        "{}: the number of nodes differs from the node table (expected {})",
        field, table.size()));
  }
  return values;
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
  fact.expected_end_ms = std::clamp<TimeMs>(
      holding.expected_end_ms(), Allocator::Fact::kNotLimited, kLatestMs);
  for (const auto& [node, node_units] : parts) {
    fact.nodes.push_back(node);
    if (!fact.whole) fact.units.push_back(node_units);
  }
  return fact;
}

absl::StatusOr<std::vector<Tier>> DecodeTiers(
    const google::protobuf::RepeatedPtrField<v1::TierRun>& runs,
    const NodeTable& table, NodeCount node_count) {
  if (runs.empty()) return std::vector<Tier>();
  return DecodeRuns<Tier>(
      runs, "tiers", [](const v1::TierRun& run) { return run.tier(); }, table,
      std::vector<Tier>(node_count, 0));
}

absl::StatusOr<std::shared_ptr<const UsableByNode>> DecodeUsable(
    const google::protobuf::RepeatedPtrField<v1::UsableRun>& runs,
    const NodeTable& table, NodeCount node_count) {
  if (runs.empty()) return nullptr;
  auto usable = DecodeRuns<UsableUnits>(
      runs, "usable",
      [](const v1::UsableRun& run) {
        return UsableUnits{run.units(), std::max<Units>(run.per_held(), 1)};
      },
      table, UsableByNode(node_count));
  if (!usable.ok()) return usable.status();
  return std::make_shared<const UsableByNode>(*std::move(usable));
}

absl::StatusOr<std::vector<Units>> DecodeCapacity(
    const google::protobuf::RepeatedPtrField<v1::UnitsRun>& runs,
    const NodeTable& table, NodeCount node_count) {
  std::vector<Units> capacity(node_count, 1);
  if (runs.empty()) return capacity;
  for (const v1::UnitsRun& run : runs) {
    if (run.units() == 0) {
      return absl::InvalidArgumentError(
          "capacity: run of 0 units (expected at least 1)");
    }
  }
  return DecodeRuns<Units>(
      runs, "capacity", [](const v1::UnitsRun& run) { return run.units(); },
      table, std::move(capacity));
}

}  // namespace coolspan
