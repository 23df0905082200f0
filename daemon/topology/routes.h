// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TOPOLOGY_ROUTES_H_
#define COOLSPAN_TOPOLOGY_ROUTES_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "core/topology.h"
#include "core/types.h"

namespace coolspan {

// One direction of a link between two vertices of a network.
using LinkId = std::uint32_t;

// The traffic on a link, in the unit of the traffic that was routed.
struct LinkLoad {
  LinkId link;
  double load;
  friend bool operator==(const LinkLoad&, const LinkLoad&) = default;
};

// The sum of the traffic on each link of a network. Not thread-safe.
class LinkLoads {
 public:
  explicit LinkLoads(LinkId links) : loads_(links, 0) {}
  // load: at least 0.
  void Add(LinkId link, double load) {
    if (load <= 0) return;
    if (loads_[link] == 0) used_.push_back(link);
    loads_[link] += load;
  }
  // The links with traffic, ascending; they have none afterwards.
  std::vector<LinkLoad> Take();

 private:
  std::vector<double> loads_;
  std::vector<LinkId> used_;
};

struct RouteOptions {
  // Dragonflies: to the other groups by way of each third group in equal parts
  // (Valiant), not straight.
  bool valiant = false;
  // Fat trees: the nodes below a switch over the links above it, at least 1;
  // with 1, every switch can send all that its nodes send.
  double oversubscription = 1;
};

// The links of a network and the routes of its messages, for a model of traffic
// as flows. The links between a node and its vertex are not among them. Keeps
// scratch memory: not thread-safe.
class Routes {
 public:
  struct Ends {
    VertexId from;
    VertexId to;
    friend bool operator==(const Ends&, const Ends&) = default;
  };

  Routes() = default;
  virtual ~Routes() = default;
  Routes(const Routes&) = delete;
  Routes& operator=(const Routes&) = delete;

  virtual LinkId link_count() const = 0;
  // A number without a link has twice the same vertex.
  virtual Ends EndsOf(LinkId link) const = 0;
  // In links of the network: parallel ones count as one of a higher capacity.
  virtual double CapacityOf(LinkId /*link*/) const { return 1; }

  // Adds the traffic of a message from one vertex to another. Where several
  // routes are in use, each has its part of the volume.
  virtual void AddRoute(VertexId from, VertexId to, double volume,
                        LinkLoads& loads) = 0;
  // Adds the traffic of messages of that volume from each of the nodes to each
  // other one: the sum of AddRoute over ordered pairs, in less time.
  virtual void AddAllToAll(std::span<const NodeId> nodes, double volume,
                           LinkLoads& loads) = 0;
};

// Links of a network with routes.
inline constexpr std::uint64_t kMaxLinks = std::uint64_t{1} << 26;

// The routes on a mesh, torus, fat tree or dragonfly (mesh_routes.h,
// tree_routes.h, dragonfly_routes.h). topology must outlive them. Errors:
// INVALID_ARGUMENT for a topology of another kind, and for more than kMaxLinks
// links.
absl::StatusOr<std::unique_ptr<Routes>> MakeRoutes(const Topology& topology,
                                                   const RouteOptions& options);

}  // namespace coolspan

#endif  // COOLSPAN_TOPOLOGY_ROUTES_H_
