// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_STREAM_LAST_SURFACE_H_
#define COOLSPAN_POLICY_STREAM_LAST_SURFACE_H_

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "policy/stream/grid_box.h"
#include "policy/stream/stream_grid.h"
#include "policy/stream/surface_scores.h"

namespace coolspan {

// Takes nodes of the last surface around a centre, vertex by vertex: each time
// those of the vertex that adds least to the score per node. Ties: the first
// vertex, row by row from the lower end of the surface on. Score: int32_t for
// narrow scales, else int64_t. Reused for one centre after another.
template <typename Score>
class LastSurface {
 public:
  static constexpr std::int64_t kNever =
      std::numeric_limits<std::int64_t>::max();

  // grid must outlive this.
  explicit LastSurface(const StreamGrid& grid);

  // Lists the vertices of the last surface; returns a lower bound of the score
  // of all sets with the whole surfaces and nodes of this one. box must outlive
  // the call of Fill. REQUIRES a box that was measured.
  std::int64_t List(GridBox& box);
  // Whether Fill takes less time than List.
  bool IsQuickToFill() const {
    constexpr std::uint64_t kQuick = 800;
    return std::uint64_t{missing_} * count_ < kQuick;
  }
  // Takes the missing nodes and returns the score of all; kNever if it is known
  // to exceed the limit. REQUIRES List, once for each call.
  std::int64_t Fill(std::int64_t limit);
  // The nodes taken by the last call, if that returned a score.
  const std::vector<VertexNodes>& taken() const { return taken_; }
  // Approximate work units of the calls since the last one of this.
  std::uint64_t TakeWork();

 private:
  static constexpr std::size_t kMaxAxes = 6;  // of a Grid
  // Within one call of Fill, against the limit.
  static constexpr NodeCount kChecks = 6;
  static constexpr NodeCount kMinBetweenChecks = 6;

  // A coordinate of one axis.
  struct Step {
    VertexId offset = 0;
    Score sum = 0;         // of distances to the whole surfaces
    bool is_last = false;  // of the last surface
    // From a vertex that is outside of the whole surfaces on this axis alone to
    // its neighbours there; 0: none.
    std::int64_t inside[2] = {0, 0};
    // From a vertex to its neighbours along the axis beyond the last surface;
    // 0: none.
    std::int64_t beyond[2] = {0, 0};
  };
  // A choice of coordinates for the last axes of the grid.
  struct Row {
    VertexId offset = 0;
    Score sum = 0;
    std::size_t lasts = 0;  // coordinates of the last surface
    std::array<const Step*, kMaxAxes> last = {};
  };

  void SetSteps();
  void SetNeighbours(const GridAxis& axis, std::vector<Step>& steps);
  void Reserve(std::size_t vertices);
  void ListRows(std::size_t d, const Row& row);
  void ListRow(const Row& row, std::size_t begin, std::size_t end);
  void ListEnds(const Row& row);
  void Place();
  std::uint64_t WorkOfListing() const;
  std::uint64_t WorkOfFilling() const;
  // Without a branch on whether it has free nodes, which is unpredictable.
  void AddVertex(VertexId vertex, Score sum, Score nodes_inside,
                 Score nodes_beyond) {
    const std::size_t at = count_;
    const auto in_surface = static_cast<Score>(grid_.free_beside[vertex]) -
                            nodes_inside - nodes_beyond;
    scores_[at] = base_[vertex] + sum - 2 * per_pair_ * nodes_inside;
    closable_[at] = per_pair_ * in_surface;
    vertices_[at] = vertex;
    count_ = at + sites_.has_free[vertex];
  }
  std::int64_t MinOfRest(NodeCount missing);
  Score Take(std::size_t site, NodeCount count);
  Score LeaveNodes(NodeCount before, NodeCount missing);

  const StreamGrid& grid_;
  const FreeSites& sites_;
  const std::size_t dimensions_;
  const Score per_pair_;     // the score of a pair of neighbours
  std::vector<Score> base_;  // by vertex with free nodes: score of a first node
  std::vector<std::vector<Step>> steps_;  // by axis
  std::vector<Score> lengths_;  // by axis: of a ring, else above all distances
  GridBox* box_ = nullptr;
  NodeCount missing_ = 0;
  bool has_whole_ = false;

  // The sites: vertices of the last surface with free nodes.
  std::size_t count_ = 0;
  std::vector<Score> scores_;  // of a node there; at least kTaken: taken
  // What the nodes of the surface beside it that are left can take off the
  // score, half of each pair's share.
  std::vector<Score> closable_;
  std::vector<VertexId> vertices_;
  std::vector<std::vector<Score>> coordinates_;  // by axis, in scores
  std::vector<std::uint32_t> site_at_;           // by vertex; for Take
  LowestSum<Score> lowest_;
  std::vector<VertexNodes> taken_;
  std::uint64_t work_ = 0;
};

extern template class LastSurface<std::int32_t>;
extern template class LastSurface<std::int64_t>;

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_STREAM_LAST_SURFACE_H_
