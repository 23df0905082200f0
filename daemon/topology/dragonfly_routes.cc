// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/dragonfly_routes.h"

#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "topology/nodes_by_vertex.h"

namespace coolspan {
namespace {

using Number = DragonflyRouters::Number;

// The links of a router to the others of its group come first, one number for
// each router, itself included; then those from each group to each other.
class DragonflyRoutes final : public Routes {
 public:
  DragonflyRoutes(const Topology& topology, const DragonflyRouters& plan,
                  bool valiant)
      : topology_(topology),
        plan_(plan),
        locals_(topology.vertex_count() * plan.routers()),
        valiant_(valiant && plan.groups() > 2) {}

  LinkId link_count() const override {
    return locals_ + plan_.groups() * plan_.links();
  }

  Ends EndsOf(LinkId link) const override {
    if (link < locals_) {
      const VertexId from = link / plan_.routers();
      return {from,
              plan_.VertexAt(plan_.GroupOf(from), link % plan_.routers())};
    }
    const Number from = (link - locals_) / plan_.links();
    const Number to = plan_.GroupOver(from, (link - locals_) % plan_.links());
    return {plan_.ExitTo(from, to), plan_.ExitTo(to, from)};
  }

  void AddRoute(VertexId from, VertexId to, double volume,
                LinkLoads& loads) override {
    const Number source = plan_.GroupOf(from);
    const Number target = plan_.GroupOf(to);
    if (source == target) {
      AddLocal(from, to, volume, loads);
      return;
    }
    ForEachWay(source, target,
               [&](const std::vector<Number>& groups, double part) {
                 VertexId at = from;
                 for (std::size_t i = 1; i < groups.size(); ++i) {
                   AddLocal(at, plan_.ExitTo(groups[i - 1], groups[i]),
                            volume * part, loads);
                   loads.Add(Global(groups[i - 1], groups[i]), volume * part);
                   at = plan_.ExitTo(groups[i], groups[i - 1]);
                 }
                 AddLocal(at, to, volume * part, loads);
               });
  }

  void AddAllToAll(std::span<const NodeId> nodes, double volume,
                   LinkLoads& loads) override;

 private:
  // The nodes of a job in a group.
  struct Part {
    Number group;
    double nodes = 0;
    std::vector<VertexShare> shares = {};
  };

  void AddLocal(VertexId from, VertexId to, double volume, LinkLoads& loads) {
    if (from == to) return;
    loads.Add(from * plan_.routers() + to % plan_.routers(), volume);
  }
  LinkId Global(Number from, Number to) const {
    return locals_ + from * plan_.links() + plan_.LinkTo(from, to);
  }
  // The groups on each way from one group to another, and its part.
  template <typename Visit>
  void ForEachWay(Number source, Number target, Visit visit) {
    if (!valiant_) {
      visit({source, target}, 1.0);
      return;
    }
    for (Number third = 0; third < plan_.groups(); ++third) {
      if (third == source || third == target) continue;
      visit({source, third, target}, 1.0 / (plan_.groups() - 2));
    }
  }
  std::vector<Part> PartsOf(std::span<const NodeId> nodes) const;
  void AddWithin(const Part& part, double volume, LinkLoads& loads);
  void AddLegs(const Part& part, Number neighbour, double volume,
               LinkLoads& loads);

  const Topology& topology_;
  const DragonflyRouters& plan_;
  const LinkId locals_;
  const bool valiant_;
};

std::vector<DragonflyRoutes::Part> DragonflyRoutes::PartsOf(
    std::span<const NodeId> nodes) const {
  std::vector<Part> parts;
  for (const VertexShare& share : SharesOf(topology_, nodes)) {
    const Number group = plan_.GroupOf(share.vertex);
    if (parts.empty() || parts.back().group != group) parts.push_back({group});
    parts.back().nodes += static_cast<double>(share.nodes);
    parts.back().shares.push_back(share);
  }
  return parts;
}

void DragonflyRoutes::AddWithin(const Part& part, double volume,
                                LinkLoads& loads) {
  for (const VertexShare& from : part.shares) {
    for (const VertexShare& to : part.shares) {
      AddLocal(from.vertex, to.vertex,
               volume * static_cast<double>(from.nodes * to.nodes), loads);
    }
  }
}

// Between the nodes of a group and its link to the neighbour, both ways: volume
// for each node.
void DragonflyRoutes::AddLegs(const Part& part, Number neighbour, double volume,
                              LinkLoads& loads) {
  const VertexId exit = plan_.ExitTo(part.group, neighbour);
  for (const VertexShare& share : part.shares) {
    const double each = volume * static_cast<double>(share.nodes);
    AddLocal(share.vertex, exit, each, loads);
    AddLocal(exit, share.vertex, each, loads);
  }
}

// With N_g nodes of the job in group g and N in all, a node of g sends to N_h
// nodes over the direct link to h. Valiant, it sends over the link to each
// third group i in equal parts what goes to groups other than g and i.
void DragonflyRoutes::AddAllToAll(std::span<const NodeId> nodes, double volume,
                                  LinkLoads& loads) {
  const std::vector<Part> parts = PartsOf(nodes);
  std::vector<double> nodes_in(plan_.groups(), 0);
  for (const Part& part : parts) nodes_in[part.group] = part.nodes;
  const auto all = static_cast<double>(nodes.size());
  for (const Part& part : parts) {
    AddWithin(part, volume, loads);
    if (valiant_) {
      for (Number i = 0; i < plan_.groups(); ++i) {
        if (i == part.group) continue;
        const double others = all - part.nodes - nodes_in[i];
        AddLegs(part, i, volume * others / (plan_.groups() - 2), loads);
      }
    }
    for (const Part& other : parts) {
      if (other.group == part.group) continue;
      if (!valiant_) AddLegs(part, other.group, volume * other.nodes, loads);
      const double pairs = volume * part.nodes * other.nodes;
      ForEachWay(part.group, other.group,
                 [&](const std::vector<Number>& groups, double share) {
                   for (std::size_t i = 1; i < groups.size(); ++i) {
                     loads.Add(Global(groups[i - 1], groups[i]), pairs * share);
                     if (i + 1 == groups.size()) continue;
                     AddLocal(plan_.ExitTo(groups[i], groups[i - 1]),
                              plan_.ExitTo(groups[i], groups[i + 1]),
                              pairs * share, loads);
                   }
                 });
    }
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<Routes>> MakeDragonflyRoutes(
    const Topology& topology, const DragonflyRouters& plan, bool valiant) {
  const double links =
      static_cast<double>(topology.vertex_count()) * plan.routers() +
      static_cast<double>(plan.groups()) * plan.links();
  if (links > static_cast<double>(kMaxLinks)) {
    return absl::InvalidArgumentError(
        absl::StrCat(links, " links (expected at most ", kMaxLinks, ")"));
  }
  return std::make_unique<DragonflyRoutes>(topology, plan, valiant);
}

}  // namespace coolspan
