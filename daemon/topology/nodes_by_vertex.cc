// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/nodes_by_vertex.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"

namespace coolspan {

NodesByVertex::NodesByVertex(std::span<const NodeCount> counts) {
  first_.reserve(counts.size() + 1);
  first_.push_back(0);
  for (const NodeCount count : counts) first_.push_back(first_.back() + count);
  vertex_of_.reserve(first_.back());
  for (VertexId vertex = 0; vertex < counts.size(); ++vertex) {
    vertex_of_.insert(vertex_of_.end(), counts[vertex], vertex);
  }
}

void MergeShares(std::vector<VertexShare>& shares) {
  const auto by_vertex = [](const VertexShare& a, const VertexShare& b) {
    return a.vertex < b.vertex;
  };
  if (!std::is_sorted(shares.begin(), shares.end(), by_vertex)) {
    std::sort(shares.begin(), shares.end(), by_vertex);
  }
  std::size_t kept = 0;
  for (const VertexShare& share : shares) {
    if (kept > 0 && shares[kept - 1].vertex == share.vertex) {
      shares[kept - 1].nodes += share.nodes;
    } else {
      shares[kept++] = share;
    }
  }
  shares.resize(kept);
}

std::vector<VertexShare> SharesOf(const Topology& topology,
                                  std::span<const NodeId> nodes) {
  std::vector<VertexShare> shares;
  for (const NodeId node : nodes) {
    const VertexId vertex = topology.VertexOf(node);
    if (!shares.empty() && shares.back().vertex == vertex) {
      ++shares.back().nodes;
    } else {
      shares.push_back({vertex, 1});
    }
  }
  MergeShares(shares);
  return shares;
}

std::uint64_t PairwiseTotalOfShares(const Topology& topology,
                                    std::span<const VertexShare> shares) {
  return PairwiseTotalOfShares(shares, [&topology](VertexId a, VertexId b) {
    return topology.VertexDistance(a, b);
  });
}

absl::Status CheckSize(std::uint64_t vertices, std::uint64_t nodes) {
  if (vertices > kMaxVertices) {
    return absl::InvalidArgumentError(
        absl::StrCat("more than ", kMaxVertices, " vertices"));
  }
  if (nodes > kMaxVertices) {
    return absl::InvalidArgumentError(
        absl::StrCat("more than ", kMaxVertices, " nodes"));
  }
  if (nodes == 0) {
    return absl::InvalidArgumentError(
        "no vertex has a node (expected at least one)");
  }
  return absl::OkStatus();
}

}  // namespace coolspan
