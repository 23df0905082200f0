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
  HopMatrix(HopTable hops, Hops least)
      : hops_(std::move(hops)), least_(least) {}

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
      if (other != vertex && hops_.At(vertex, other) <= least_) {
        out.push_back(other);
      }
    }
  }

 private:
  HopTable hops_;
  Hops least_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const Topology>> MakeHopMatrix(HopTable hops) {
  if (hops.vertex_count() == 0) {
    return absl::InvalidArgumentError(
        "the matrix is empty; a machine has at least one node");
  }
  Hops least = kMaxTableHops;
  for (VertexId a = 0; a < hops.vertex_count(); ++a) {
    if (hops.At(a, a) != 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "node ", a, " is ", hops.At(a, a), " hops from itself; 0 is wanted"));
    }
    for (VertexId b = 0; b < a; ++b) {
      const Hops there = hops.At(a, b);
      if (there != hops.At(b, a)) {
        return absl::InvalidArgumentError(
            absl::StrCat(there, " hops from node ", a, " to ", b, " and ",
                         hops.At(b, a), " back; the same both ways is wanted"));
      }
      if (there > 0) least = std::min(least, there);
    }
  }
  return std::make_shared<const HopMatrix>(std::move(hops), least);
}

}  // namespace coolspan
