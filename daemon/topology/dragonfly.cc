// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/dragonfly.h"

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "topology/dragonfly_routers.h"
#include "topology/nodes_by_vertex.h"

namespace coolspan {
namespace {

using Number = DragonflyRouters::Number;
using Links = DragonflyRouters::Links;

class Dragonfly final : public RoutedDragonfly {
 public:
  explicit Dragonfly(DragonflySize size);

  std::string_view kind() const override { return "dragonfly"; }
  NodeCount node_count() const override { return vertex_count() * nodes_; }
  VertexId vertex_count() const override {
    return plan_.groups() * plan_.routers();
  }
  VertexId VertexOf(NodeId node) const override { return node / nodes_; }
  NodeRange NodesAt(VertexId vertex) const override {
    return {vertex * nodes_, nodes_};
  }
  Hops VertexDistance(VertexId a, VertexId b) const override;
  void AppendNeighbours(VertexId vertex,
                        std::vector<VertexId>& out) const override;
  std::uint64_t PairwiseTotal(std::span<const NodeId> nodes) const override;
  const DragonflyRouters& routers() const override { return plan_; }

 private:
  using RoutersUsed = absl::flat_hash_map<VertexId, std::uint64_t>;  // nodes

  bool HaveRouterBetween(VertexId a, VertexId b) const;
  std::uint64_t TotalOverDirectLinks(const RoutersUsed& used) const;
  std::uint64_t SavedOverThirdGroups(const RoutersUsed& used) const;

  const DragonflyRouters plan_;
  const Number nodes_;  // per router
};

Dragonfly::Dragonfly(DragonflySize size)
    : plan_(static_cast<Number>(size.groups),
            static_cast<Number>(size.routers)),
      nodes_(static_cast<Number>(size.nodes)) {}

Hops Dragonfly::VertexDistance(VertexId a, VertexId b) const {
  const Number from = plan_.GroupOf(a);
  const Number to = plan_.GroupOf(b);
  if (from == to) return a == b ? 0 : 1;
  const Hops hops = Hops{1} +
                    (plan_.RouterTo(from, to) == a % plan_.routers() ? 0 : 1) +
                    (plan_.RouterTo(to, from) == b % plan_.routers() ? 0 : 1);
  return hops == 3 && HaveRouterBetween(a, b) ? 2 : hops;
}

// Whether a router of a third group has links to both a and b.
bool Dragonfly::HaveRouterBetween(VertexId a, VertexId b) const {
  const Number from = plan_.GroupOf(a);
  const Number to = plan_.GroupOf(b);
  const Links links = plan_.LinksOf(a % plan_.routers());
  const Links back = plan_.LinksOf(b % plan_.routers());
  for (Number link = links.first; link < links.end; ++link) {
    const Number third = plan_.GroupOver(from, link);
    const Number onward = third == to ? back.end : plan_.LinkTo(to, third);
    if (onward >= back.first && onward < back.end &&
        plan_.RouterTo(third, from) == plan_.RouterTo(third, to)) {
      return true;
    }
  }
  return false;
}

void Dragonfly::AppendNeighbours(VertexId vertex,
                                 std::vector<VertexId>& out) const {
  const Number group = plan_.GroupOf(vertex);
  for (Number router = 0; router < plan_.routers(); ++router) {
    if (plan_.VertexAt(group, router) != vertex) {
      out.push_back(plan_.VertexAt(group, router));
    }
  }
  const Links links = plan_.LinksOf(vertex % plan_.routers());
  for (Number link = links.first; link < links.end; ++link) {
    const Number other = plan_.GroupOver(group, link);
    out.push_back(plan_.VertexAt(other, plan_.RouterTo(other, group)));
  }
}

std::uint64_t Dragonfly::PairwiseTotal(std::span<const NodeId> nodes) const {
  const std::vector<VertexShare> shares = SharesOf(*this, nodes);
  const std::uint64_t links_of_router = plan_.links() / plan_.routers() + 1;
  if (shares.size() <= links_of_router * links_of_router ||
      shares.size() <= 2 * std::size_t{plan_.groups()}) {
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
  std::vector<std::uint64_t> in_group(plan_.groups(), 0);
  std::uint64_t twice_inside = 0;
  for (const auto& [vertex, nodes] : used) {
    in_group[plan_.GroupOf(vertex)] += nodes;
    twice_inside -= nodes * nodes;
  }
  for (const std::uint64_t nodes : in_group) twice_inside += nodes * nodes;
  std::uint64_t total = twice_inside / 2;
  const auto nodes_at_link = [&](Number group, Number other) {
    const auto found =
        used.find(plan_.VertexAt(group, plan_.RouterTo(group, other)));
    return found == used.end() ? 0 : found->second;
  };
  for (Number g = 0; g < plan_.groups(); ++g) {
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
    const Number from = plan_.GroupOf(vertex);
    reached.clear();
    const Links links = plan_.LinksOf(vertex % plan_.routers());
    for (Number link = links.first; link < links.end; ++link) {
      const Number third = plan_.GroupOver(from, link);
      const Links onward = plan_.LinksOf(plan_.RouterTo(third, from));
      for (Number next = onward.first; next < onward.end; ++next) {
        const Number to = plan_.GroupOver(third, next);
        if (to >= from ||
            plan_.RouterTo(from, to) == vertex % plan_.routers()) {
          continue;
        }
        const Number router = plan_.RouterTo(to, third);
        if (router != plan_.RouterTo(to, from)) {
          reached.push_back(plan_.VertexAt(to, router));
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
