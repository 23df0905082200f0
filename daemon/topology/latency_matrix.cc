// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/latency_matrix.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace coolspan {

absl::StatusOr<std::shared_ptr<const LatencyMatrix>> LatencyMatrix::Create(
    NodeCount nodes, std::vector<float> rows) {
  if (rows.size() != std::size_t{nodes} * nodes) {
    return absl::InvalidArgumentError(
        absl::StrCat(rows.size(), " latencies for ", nodes,
                     " nodes (expected a square matrix)"));
  }
  for (const float latency : rows) {
    if (!(latency >= 0 && latency <= kMax)) {  // refuses NaN too
      return absl::InvalidArgumentError(absl::StrCat(
          "latency ", latency, " (expected a number from 0 to ", kMax, ")"));
    }
  }
  return std::shared_ptr<const LatencyMatrix>(
      new LatencyMatrix(nodes, std::move(rows)));
}

LatencyMatrix::LatencyMatrix(NodeCount nodes, std::vector<float> rows)
    : nodes_(nodes), rows_(std::move(rows)) {
  const auto at = [this](NodeId a, NodeId b) -> float& {
    return rows_[std::size_t{a} * nodes_ + b];
  };
  if (nodes > 1) shortest_ = std::numeric_limits<double>::infinity();
  for (NodeId a = 0; a < nodes; ++a) {
    with_itself_.push_back(std::exchange(at(a, a), 0.0F));
    for (NodeId b = 0; b < a; ++b) {
      const float mean = at(a, b) / 2 + at(b, a) / 2;
      at(a, b) = at(b, a) = mean;
      shortest_ = std::min<double>(shortest_, mean);
      longest_ = std::max<double>(longest_, mean);
    }
  }
}

}  // namespace coolspan
