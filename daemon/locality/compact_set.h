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

// Vertices to take nodes from. The nodes of one vertex are all alike.
struct VertexPool {
  std::vector<VertexId> vertices;   // ascending
  std::vector<NodeCount> free;      // how many may be taken, at least 1
  std::vector<NodeCount> required;  // how many must be; at most free

  std::size_t size() const { return vertices.size(); }
  void Add(VertexId vertex, NodeCount free_nodes, NodeCount required_nodes);
};

// So many nodes of a pool, made ever more compact: their total pairwise
// distance goes down with every step. Places are indexes into the pool. Equal
// choices go to the vertex with more nodes to give, then to the smaller place,
// so the same start gives the same end.
class CompactSet {
 public:
  // REQUIRES: the pool has that many nodes, and no more required ones; it and
  // the topology outlive this.
  CompactSet(const Topology& topology, const VertexPool& pool, NodeCount nodes);

  // The nodes nearest to a place, or with the least sum of distances to
  // several.
  void TakeAround(std::span<const std::size_t> centres);
  // The nodes of these places, nearest to their middle first; where they are
  // too few, others near to them too.
  void TakeInside(std::span<const std::size_t> places);
  void Take(std::vector<NodeCount> taken);
  // Whether sums of distances to all that is taken cost too much; such a set
  // is taken by TakeNearest alone and never improved.
  bool TooLarge() const;
  // The nodes nearest to a place. REQUIRES TooLarge(): keeps no sums.
  void TakeNearest(std::size_t centre);
  // Takes the nodes with the least sums of distances to those taken, again and
  // again until that gains nothing. Where distances count cuts that part the
  // nodes (meshes, tori), the total is concave in the numbers on the sides of
  // the cuts and this is its linearisation, so no step makes it worse; else a
  // step that would is not taken.
  void Settle(Budget& budget);
  // Settles, then moves nodes from one vertex to another, as many as that one
  // has room for, the best move each time, until none lowers the total.
  void Improve(Budget& budget);

  // Goes on from a local minimum: so many moves, the best that don't touch
  // vertices just moved from or to, whether they gain or not (tabu search).
  // Ends at the most compact set on the way.
  void Wander(int moves, Budget& budget);

  // Work units of taking other nodes: of each Take, and of a step of Settle.
  std::uint64_t TakeWork() const;
  // Of TakeNearest: about what its pairs cost.
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
  Hops Distance(std::size_t a, std::size_t b) const {
    return topology_.VertexDistance(pool_.vertices[a], pool_.vertices[b]);
  }

  const Topology& topology_;
  const VertexPool& pool_;
  NodeCount nodes_;
  std::uint64_t max_hops_ = 0;              // between any two of the pool
  std::vector<std::uint32_t> coordinates_;  // on grids, by place
  std::vector<NodeCount> taken_;
  std::vector<std::uint64_t> sums_;  // of distances to what is taken
  std::uint64_t total_ = 0;
};

}  // namespace coolspan

#endif  // COOLSPAN_LOCALITY_COMPACT_SET_H_
