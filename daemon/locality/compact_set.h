// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_LOCALITY_COMPACT_SET_H_
#define COOLSPAN_LOCALITY_COMPACT_SET_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/budget.h"
#include "core/topology.h"
#include "core/types.h"

namespace coolspan {

// Vertices to take nodes from. The nodes of a vertex are interchangeable.
struct VertexPool {
  std::vector<VertexId> vertices;   // ascending
  std::vector<NodeCount> free;      // nodes that may be taken, at least 1
  std::vector<NodeCount> required;  // nodes that must be taken, at most free

  std::size_t size() const { return vertices.size(); }
  void Add(VertexId vertex, NodeCount free_nodes, NodeCount required_nodes);
};

// A set of a given number of nodes of a pool, improved step by step towards a
// small total pairwise distance. Places are indexes into the pool. Ties go to
// the vertex with more free nodes, then to the smaller place, so the result is
// deterministic.
class CompactSet {
 public:
  // REQUIRES: the pool has at least `nodes` free and at most `nodes` required
  // nodes; pool and topology outlive this object.
  CompactSet(const Topology& topology, const VertexPool& pool, NodeCount nodes);

  // Takes the nodes with the smallest sum of distances to the centres.
  void TakeAround(std::span<const std::size_t> centres);
  // Takes nodes of these places, those closest to the others first; if there
  // are not enough, also the nearest other nodes.
  void TakeInside(std::span<const std::size_t> places);
  void Take(std::vector<NodeCount> taken);
  // Whether sums of distances take too much work; such a set is only taken by
  // TakeNearest and not improved.
  bool TooLarge() const;
  // Takes the nodes nearest to a place. REQUIRES TooLarge(): sums are not
  // updated.
  void TakeNearest(std::size_t centre);
  // Repeatedly takes the nodes with the smallest sums of distances to the taken
  // ones, until the total no longer falls. On meshes and tori the total is a
  // sum over cuts of (nodes on one side) * (nodes on the other), concave in
  // these numbers, and a step minimises its linearisation, so no step raises
  // it; on other topologies a step that would raise it is undone.
  void Settle(Budget& budget);
  // Settles, then moves nodes from one vertex to another, as many as possible
  // at once, the best move each time, until no move lowers the total.
  void Improve(Budget& budget);

  // Tabu search from a local minimum: makes up to `moves` moves, each the best
  // one (even if it raises the total) without the vertices of the last few
  // moves. Ends at the best set seen.
  void Wander(int moves, Budget& budget);

  // Work units of Take and of a step of Settle.
  std::uint64_t TakeWork() const;
  // Work units of TakeNearest, about that of its pairs.
  std::uint64_t NearestWork() const { return TakeWork() / 8; }
  std::uint64_t total() const { return total_; }
  const std::vector<NodeCount>& taken() const { return taken_; }

 private:
  struct Move {
    std::uint32_t out = 0;  // places
    std::uint32_t in = 0;
    NodeCount nodes = 0;
    std::int64_t change = 0;  // of the total
  };

  NodeCount CanGive(std::size_t place) const {
    return taken_[place] - pool_.required[place];
  }
  NodeCount CanTake(std::size_t place) const {
    return pool_.free[place] - taken_[place];
  }
  bool SettleOnce();
  bool ExchangeBest(Budget& budget);
  std::vector<std::uint32_t> Outermost(const std::vector<bool>& barred) const;
  std::vector<std::uint32_t> Nearest(const std::vector<bool>& barred) const;
  void TryMove(std::uint32_t out, std::uint32_t in, Move& best) const;
  void SumDistances(const std::vector<NodeCount>& to);
  void SumOnGrid(const std::vector<NodeCount>& to, const Grid& grid);
  std::vector<NodeCount> LeastSums() const;
  void Apply(const Move& move);
  void AddAlongAxes(const Move& move, const Grid& grid);
  Hops Distance(std::size_t a, std::size_t b) const {
    return topology_.VertexDistance(pool_.vertices[a], pool_.vertices[b]);
  }

  const Topology& topology_;
  const VertexPool& pool_;
  NodeCount nodes_;
  std::uint64_t max_hops_ = 0;              // between any two of the pool
  std::vector<std::uint32_t> coordinates_;  // on grids, by place
  std::vector<NodeCount> taken_;
  std::vector<std::uint64_t> sums_;  // by place: distances to the taken nodes
  // Of a move, by coordinate; unsigned, so that a decrease wraps around.
  std::vector<std::uint64_t> change_along_;
  std::uint64_t total_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_LOCALITY_COMPACT_SET_H_
