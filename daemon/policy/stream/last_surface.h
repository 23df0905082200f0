// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_STREAM_LAST_SURFACE_H_
#define COOLSPAN_POLICY_STREAM_LAST_SURFACE_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "core/budget.h"
#include "policy/stream/grid_box.h"
#include "policy/stream/stream_grid.h"

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

  // Returns the score of all nodes; kNever if it is known to exceed the limit.
  // REQUIRES a box that was measured.
  std::int64_t Fill(GridBox& box, std::int64_t limit);
  // The nodes taken by the last call, if that returned a score.
  const std::vector<VertexNodes>& taken() const { return taken_; }
  // Approximate work units of the calls since the last one of this.
  std::uint64_t TakeWork();

 private:
  // A coordinate of one axis.
  struct Step {
    VertexId offset = 0;
    Score sum = 0;         // of distances to the whole surfaces
    bool is_last = false;  // of the last surface
    // From a vertex that is outside of the box on this axis alone to its
    // neighbours inside; 0: none.
    std::int64_t inside[2] = {0, 0};
  };

  void SetSteps(const GridBox& box);
  void ListRow(std::size_t d, VertexId offset, Score sum, const Step* outside,
               int outside_axes);
  void AddSite(VertexId vertex, Score sum, const Step* outside);
  void Clear();
  std::int64_t MinOfRest(std::int64_t missing, GridBox& box);
  void Take(std::size_t site, NodeCount count);
  void LeaveNodes(NodeCount before, NodeCount missing);

  const StreamGrid& grid_;
  const FreeSites& sites_;
  const std::size_t dimensions_;
  std::vector<Score> base_;  // by vertex with free nodes: score of a first node
  std::vector<std::vector<Step>> steps_;  // by axis
  NodeCount missing_ = 0;
  bool has_whole_ = false;

  // The sites: vertices of the last surface with free nodes.
  std::size_t count_ = 0;
  std::vector<Score> scores_;  // of a node there; kTaken: taken
  std::vector<VertexId> vertices_;
  std::vector<std::vector<Score>> coordinates_;  // by axis
  std::vector<std::uint32_t> site_at_;           // by vertex
  std::vector<Score> sorted_;
  std::vector<VertexNodes> taken_;
  std::uint64_t work_ = 0;
};

extern template class LastSurface<std::int32_t>;
extern template class LastSurface<std::int64_t>;

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_STREAM_LAST_SURFACE_H_
