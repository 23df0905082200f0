// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/hop_matrix.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace coolspan {
namespace {

class HopMatrix final : public Topology {
 public:
  HopMatrix(HopTable hops, Hops min_hops)
      : hops_(std::move(hops)), min_hops_(min_hops) {}

  std::string_view kind() const override { return "hops"; }
  NodeCount node_count() const override { return hops_.vertex_count(); }
  VertexId vertex_count() const override { return hops_.vertex_count(); }
  VertexId VertexOf(NodeId node) const override { return node; }
  NodeRange NodesAt(VertexId vertex) const override { return {vertex, 1}; }
  Hops VertexDistance(VertexId a, VertexId b) const override {
    return hops_.At(a, b);
  }
  void AppendNeighbours(VertexId vertex,
                        std::vector<VertexId>& out) const override {
    for (VertexId other = 0; other < hops_.vertex_count(); ++other) {
      if (other != vertex && hops_.At(vertex, other) <= min_hops_) {
        out.push_back(other);
      }
    }
  }

 private:
  HopTable hops_;
  Hops min_hops_;  // smallest entry above 0
};

}  // namespace

absl::StatusOr<std::shared_ptr<const Topology>> MakeHopMatrix(HopTable hops) {
  if (hops.vertex_count() == 0) {
    return absl::InvalidArgumentError(
        "the matrix is empty (expected at least one node)");
  }
  Hops min_hops = kMaxTableHops;
  for (VertexId a = 0; a < hops.vertex_count(); ++a) {
    if (hops.At(a, a) != 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "node ", a, " is ", hops.At(a, a), " hops from itself (expected 0)"));
    }
    for (VertexId b = 0; b < a; ++b) {
      const Hops distance = hops.At(a, b);
      if (distance != hops.At(b, a)) {
        return absl::InvalidArgumentError(
            absl::StrCat(distance, " hops from node ", a, " to ", b, " and ",
                         hops.At(b, a), " back (expected a symmetric matrix)"));
      }
      if (distance > 0) min_hops = std::min(min_hops, distance);
    }
  }
  return std::make_shared<const HopMatrix>(std::move(hops), min_hops);
}

}  // namespace coolspan
