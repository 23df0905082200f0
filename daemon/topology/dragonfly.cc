// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/dragonfly.h"

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "topology/nodes_by_vertex.h"

namespace coolspan {
namespace {

// Groups, routers of a group and links of a group are all below kMaxVertices.
using Number = std::uint32_t;

class Dragonfly final : public Topology {
 public:
  explicit Dragonfly(DragonflySize size);

  std::string_view kind() const override { return "dragonfly"; }
  NodeCount node_count() const override { return groups_ * routers_ * nodes_; }
  VertexId vertex_count() const override { return groups_ * routers_; }
  VertexId VertexOf(NodeId node) const override { return node / nodes_; }
  NodeRange NodesAt(VertexId vertex) const override {
    return {vertex * nodes_, nodes_};
  }
  Hops VertexDistance(VertexId a, VertexId b) const override;
  void AppendNeighbours(VertexId vertex,
                        std::vector<VertexId>& out) const override;
  std::uint64_t PairwiseTotal(std::span<const NodeId> nodes) const override;

 private:
  struct Links {
    Number first;
    Number end;
  };
  using RoutersUsed = absl::flat_hash_map<VertexId, std::uint64_t>;  // nodes

  Number links() const { return groups_ - 1; }  // of a group
  Number LinkTo(Number group, Number other) const {
    return other > group ? other - group - 1 : other + groups_ - group - 1;
  }
  Number GroupOver(Number group, Number link) const {
    const Number other = group + link + 1;
    return other < groups_ ? other : other - groups_;
  }
  Number RouterTo(Number group, Number other) const {
    return router_of_link_[LinkTo(group, other)];
  }
  Links LinksOf(Number router) const {
    return {first_link_[router], first_link_[router + 1]};
  }
  VertexId VertexAt(Number group, Number router) const {
    return group * routers_ + router;
  }
  bool HaveRouterBetween(VertexId a, VertexId b) const;
  std::uint64_t TotalOverDirectLinks(const RoutersUsed& used) const;
  std::uint64_t SavedOverThirdGroups(const RoutersUsed& used) const;

  Number groups_;
  Number routers_;
  Number nodes_;
  // The same in every group.
  std::vector<Number> router_of_link_;
  std::vector<Number> first_link_;  // by router, plus the end
};

Dragonfly::Dragonfly(DragonflySize size)
    : groups_(static_cast<Number>(size.groups)),
      routers_(static_cast<Number>(size.routers)),
      nodes_(static_cast<Number>(size.nodes)) {
  const std::uint64_t links = groups_ - 1;
  router_of_link_.reserve(links);
  first_link_.reserve(routers_ + std::size_t{1});
  for (std::uint64_t router = 0; router < routers_; ++router) {
    first_link_.push_back(static_cast<Number>(router_of_link_.size()));
    const std::uint64_t end = ((router + 1) * links + routers_ - 1) / routers_;
    router_of_link_.resize(end, static_cast<Number>(router));
  }
  first_link_.push_back(static_cast<Number>(links));
}

Hops Dragonfly::VertexDistance(VertexId a, VertexId b) const {
  const Number from = a / routers_;
  const Number to = b / routers_;
  if (from == to) return a == b ? 0 : 1;
  const Hops hops = Hops{1} + (RouterTo(from, to) == a % routers_ ? 0 : 1) +
                    (RouterTo(to, from) == b % routers_ ? 0 : 1);
  return hops == 3 && HaveRouterBetween(a, b) ? 2 : hops;
}

// Whether a router of a third group has links to both a and b.
bool Dragonfly::HaveRouterBetween(VertexId a, VertexId b) const {
  const Number from = a / routers_;
  const Number to = b / routers_;
  const Links links = LinksOf(a % routers_);
  const Links back = LinksOf(b % routers_);
  for (Number link = links.first; link < links.end; ++link) {
    const Number third = GroupOver(from, link);
    const Number onward = third == to ? back.end : LinkTo(to, third);
    if (onward >= back.first && onward < back.end &&
        RouterTo(third, from) == RouterTo(third, to)) {
      return true;
    }
  }
  return false;
}

void Dragonfly::AppendNeighbours(VertexId vertex,
                                 std::vector<VertexId>& out) const {
  const Number group = vertex / routers_;
  for (Number router = 0; router < routers_; ++router) {
    if (VertexAt(group, router) != vertex) {
      out.push_back(VertexAt(group, router));
    }
  }
  const Links links = LinksOf(vertex % routers_);
  for (Number link = links.first; link < links.end; ++link) {
    const Number other = GroupOver(group, link);
    out.push_back(VertexAt(other, RouterTo(other, group)));
  }
}

std::uint64_t Dragonfly::PairwiseTotal(std::span<const NodeId> nodes) const {
  const std::vector<VertexShare> shares = SharesOf(*this, nodes);
  const std::uint64_t links_of_router = links() / routers_ + 1;
  if (shares.size() <= links_of_router * links_of_router ||
      shares.size() <= 2 * std::size_t{groups_}) {
    return PairwiseTotalOfShares(*this, shares);
  }
  RoutersUsed used(shares.size());
  for (const VertexShare& share : shares) used[share.vertex] = share.nodes;
  return TotalOverDirectLinks(used) - SavedOverThirdGroups(used);
}

// The total if every path between two groups took their direct link. With n and
// m nodes in groups g and h, n_l and m_l of them at the routers of the link:
//   3 n m - n_l m - n m_l
// (one hop over the link, and one at each end unless the node is at the link's
// router).
std::uint64_t Dragonfly::TotalOverDirectLinks(const RoutersUsed& used) const {
  std::vector<std::uint64_t> in_group(groups_, 0);
  std::uint64_t twice_inside = 0;
  for (const auto& [vertex, nodes] : used) {
    in_group[vertex / routers_] += nodes;
    twice_inside -= nodes * nodes;
  }
  for (const std::uint64_t nodes : in_group) twice_inside += nodes * nodes;
  std::uint64_t total = twice_inside / 2;
  const auto nodes_at_link = [&](Number group, Number other) {
    const auto found = used.find(VertexAt(group, RouterTo(group, other)));
    return found == used.end() ? 0 : found->second;
  };
  for (Number g = 0; g < groups_; ++g) {
    if (in_group[g] == 0) continue;
    for (Number h = 0; h < g; ++h) {
      total += 3 * in_group[g] * in_group[h] -
               nodes_at_link(g, h) * in_group[h] -
               in_group[g] * nodes_at_link(h, g);
    }
  }
  return total;
}

// One hop for each pair of nodes whose routers are three hops apart over the
// direct link and two hops through a router of a third group.
std::uint64_t Dragonfly::SavedOverThirdGroups(const RoutersUsed& used) const {
  std::uint64_t saved = 0;
  std::vector<VertexId> reached;
  for (const auto& [vertex, nodes] : used) {
    const Number from = vertex / routers_;
    reached.clear();
    const Links links = LinksOf(vertex % routers_);
    for (Number link = links.first; link < links.end; ++link) {
      const Number third = GroupOver(from, link);
      const Links onward = LinksOf(RouterTo(third, from));
      for (Number next = onward.first; next < onward.end; ++next) {
        const Number to = GroupOver(third, next);
        if (to >= from || RouterTo(from, to) == vertex % routers_) {
          continue;
        }
        const Number router = RouterTo(to, third);
        if (router != RouterTo(to, from)) {
          reached.push_back(VertexAt(to, router));
        }
      }
    }
    std::sort(reached.begin(), reached.end());
    reached.erase(std::unique(reached.begin(), reached.end()), reached.end());
    for (const VertexId other : reached) {
      const auto found = used.find(other);
      if (found != used.end()) saved += nodes * found->second;
    }
  }
  return saved;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Topology>> MakeDragonfly(
    DragonflySize size) {
  if (size.groups == 0 || size.routers == 0 || size.nodes == 0) {
    return absl::InvalidArgumentError(
        "groups, routers and nodes must be at least 1");
  }
  // Clamped so that the products do not overflow.
  const auto clamp = [](std::uint64_t factor) {
    return std::min<std::uint64_t>(factor, kMaxVertices + std::uint64_t{1});
  };
  const std::uint64_t routers = clamp(clamp(size.groups) * clamp(size.routers));
  const absl::Status fits = CheckSize(routers, routers * clamp(size.nodes));
  if (!fits.ok()) return fits;
  return std::make_shared<const Dragonfly>(size);
}

}  // namespace coolspan
