// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/fat_tree.h"

#include <numeric>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "topology/nodes_by_vertex.h"

namespace coolspan {
namespace {

class FatTree final : public UnevenTopology {
 public:
  explicit FatTree(SwitchTree tree);

  std::string_view kind() const override { return "fat-tree"; }
  Hops VertexDistance(VertexId a, VertexId b) const override;
  void AppendNeighbours(VertexId vertex,
                        std::vector<VertexId>& out) const override;
  std::uint64_t PairwiseTotal(std::span<const NodeId> nodes) const override;
  const Switches* switches() const override { return &switches_; }

 private:
  const std::vector<VertexId>& parent() const { return switches_.parent; }
  VertexId top() const { return static_cast<VertexId>(parent().size() - 1); }

  const Switches switches_;
  // Children of v: children_ from first_child_[v] up to first_child_[v + 1].
  std::vector<VertexId> first_child_;
  std::vector<VertexId> children_;
};

FatTree::FatTree(SwitchTree tree)
    : UnevenTopology(tree.nodes_at),
      switches_{std::move(tree.parent), std::move(tree.listed)} {
  first_child_.assign(parent().size() + 1, 0);
  for (VertexId v = 0; v < top(); ++v) ++first_child_[parent()[v] + 1];
  std::partial_sum(first_child_.begin(), first_child_.end(),
                   first_child_.begin());
  children_.resize(top());
  std::vector<VertexId> next(first_child_.begin(), first_child_.end() - 1);
  for (VertexId v = 0; v < top(); ++v) children_[next[parent()[v]]++] = v;
}

// A parent has a higher number than its children, so of two different switches
// the one with the lower number is not an ancestor of the other.
Hops FatTree::VertexDistance(VertexId a, VertexId b) const {
  Hops hops = 0;
  for (; a != b; ++hops) {
    if (a < b) {
      a = parent()[a];
    } else {
      b = parent()[b];
    }
  }
  return hops;
}

void FatTree::AppendNeighbours(VertexId vertex,
                               std::vector<VertexId>& out) const {
  if (vertex != top()) out.push_back(parent()[vertex]);
  for (VertexId i = first_child_[vertex]; i < first_child_[vertex + 1]; ++i) {
    out.push_back(children_[i]);
  }
}

// The link above switch v is on the path of below[v] * (k - below[v]) pairs.
std::uint64_t FatTree::PairwiseTotal(std::span<const NodeId> nodes) const {
  const std::uint64_t k = nodes.size();
  if (k * k / 2 < parent().size()) return Topology::PairwiseTotal(nodes);
  std::vector<std::uint64_t> below(parent().size(), 0);
  for (const NodeId node : nodes) ++below[VertexOf(node)];
  std::uint64_t total = 0;
  for (VertexId v = 0; v < top(); ++v) {
    total += below[v] * (k - below[v]);
    below[parent()[v]] += below[v];
  }
  return total;
}

absl::Status CheckListed(const SwitchTree& tree) {
  const std::size_t switches = tree.parent.size();
  std::vector<bool> is_listed(switches, false);
  for (const VertexId v : tree.listed) {
    if (v >= switches || is_listed[v]) {
      return absl::InvalidArgumentError(
          absl::StrCat("switch ", v, " is listed ",
                       v >= switches ? "and does not exist" : "twice"));
    }
    is_listed[v] = true;
  }
  for (std::size_t v = 0; v + 1 < switches; ++v) {
    if (is_listed[v]) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "switch ", v, " is not listed (expected all but an implied top)"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Topology>> MakeFatTree(SwitchTree tree) {
  const std::size_t switches = tree.parent.size();
  if (tree.nodes_at.size() != switches) {
    return absl::InvalidArgumentError(absl::StrCat("node counts for ",
                                                   tree.nodes_at.size(), " of ",
                                                   switches, " switches"));
  }
  const absl::Status size = CheckSize(
      switches, std::accumulate(tree.nodes_at.begin(), tree.nodes_at.end(),
                                std::uint64_t{0}));
  if (!size.ok()) return size;
  for (std::size_t v = 0; v < switches; ++v) {
    const bool is_top = v + 1 == switches;
    const VertexId parent = tree.parent[v];
    if (is_top ? parent != v : parent <= v || parent >= switches) {
      return absl::InvalidArgumentError(absl::StrCat(
          "switch ", v, " is below switch ", parent,
          is_top ? " (expected the last switch to be its own parent)"
                 : " (expected a switch that comes later)"));
    }
  }
  if (tree.listed.empty()) {
    tree.listed.resize(switches);
    std::iota(tree.listed.begin(), tree.listed.end(), VertexId{0});
  }
  if (absl::Status listed = CheckListed(tree); !listed.ok()) return listed;
  return std::make_shared<const FatTree>(std::move(tree));
}

}  // namespace coolspan
