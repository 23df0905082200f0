// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/stream/grid_stream.h"

#include <algorithm>
#include <limits>

#include "absl/container/flat_hash_set.h"
#include "policy/stream/grid_box.h"
#include "policy/stream/last_surface.h"

namespace coolspan {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
// Centres measured between two looks at the budget.
constexpr std::size_t kCentresOfBatch = 64;

constexpr std::int64_t kFar = 16;

struct Candidate {
  std::int64_t bound;
  GridBox::Facts facts;
  bool listed = false;  // the bound is that of LastSurface

  // For a heap with the smallest bound first.
  friend bool operator<(const Candidate& a, const Candidate& b) {
    return a.bound != b.bound ? a.bound > b.bound
                              : a.facts.centre > b.facts.centre;
  }
};

// Work units of measuring one centre.
std::uint64_t WorkOfCentre(const StreamGrid& grid) {
  const std::size_t dimensions = grid.places.axes.size();
  return dimensions * (std::size_t{8} << dimensions) / 4;
}

std::vector<Candidate> MeasureCentres(const StreamGrid& grid, GridBox& box,
                                      Budget& budget) {
  std::vector<Candidate> candidates;
  candidates.reserve(grid.sites.free_count);
  absl::flat_hash_set<std::vector<std::uint32_t>> seen;
  std::vector<std::uint32_t> key;
  std::uint32_t radius = 0;
  const std::uint64_t work = kCentresOfBatch * WorkOfCentre(grid);
  std::size_t of_batch = 0;
  for (VertexId v = 0; v < grid.sites.capacity.size(); ++v) {
    if (grid.sites.capacity[v] == 0) continue;
    if (of_batch == 0 && !budget.Spend(work) && !candidates.empty()) break;
    of_batch = (of_batch + 1) % kCentresOfBatch;
    radius = box.Measure(v, radius).radius;
    const std::int64_t bound = box.LowerBound();
    // All centres of one key have the same score.
    if (box.IsInOpenSpace(key) && !seen.insert(key).second) continue;
    candidates.push_back({bound, box.facts(), false});
  }
  return candidates;
}

// Appends the free nodes of the whole surfaces.
void AppendWhole(const StreamGrid& grid, const GridBox& box,
                 std::vector<VertexNodes>& out) {
  if (box.facts().radius == 0) return;
  const std::size_t dimensions = grid.places.axes.size();
  std::vector<std::uint32_t> index(dimensions, 0);
  for (std::size_t d = 0; d < dimensions;) {
    VertexId vertex = 0;
    for (std::size_t i = 0; i < dimensions; ++i) {
      const GridAxis& axis = grid.places.axes[i];
      vertex += axis.Right(box.reach(i).whole.start, index[i]) * axis.stride;
    }
    if (grid.sites.capacity[vertex] > 0) {
      out.push_back({vertex, grid.sites.capacity[vertex]});
    }
    for (d = 0; d < dimensions && ++index[d] == box.reach(d).whole.count; ++d) {
      index[d] = 0;
    }
  }
}

template <typename Score>
StreamFound Search(const StreamGrid& grid, const PrefixLayout& layout,
                   Budget& budget) {
  budget.Spend(grid.sites.capacity.size() * (4 + grid.places.axes.size()) / 2);
  GridBox box(grid, layout);
  LastSurface<Score> last(grid);
  std::vector<Candidate> candidates = MeasureCentres(grid, box, budget);
  StreamFound found;
  found.centres = candidates.size();
  std::make_heap(candidates.begin(), candidates.end());
  std::int64_t best = kNever;
  GridBox::Facts best_facts;
  while (!candidates.empty() && candidates.front().bound <= best) {
    const bool ends = !budget.Spend(last.TakeWork());
    if (ends && best != kNever) break;
    std::pop_heap(candidates.begin(), candidates.end());
    Candidate& next = candidates.back();
    box.Return(next.facts);
    const std::int64_t bound = last.List(box);
    if (!next.listed && !ends) {
      next.listed = true;
      next.bound = std::max(next.bound, bound);
      if (next.bound > best) {
        candidates.pop_back();
        continue;
      }
      // The next one may now be another. What is far below the best score is
      // filled in any case.
      const bool is_far = best != kNever && next.bound < best - best / kFar;
      if (!is_far && candidates.size() > 1 && next < candidates.front()) {
        std::push_heap(candidates.begin(), candidates.end());
        continue;
      }
    }
    const GridBox::Facts facts = next.facts;
    candidates.pop_back();
    const std::int64_t score = last.Fill(best);
    ++found.scored;
    if (score == kNever || score > best ||
        (score == best && facts.centre > best_facts.centre)) {
      continue;
    }
    best = score;
    best_facts = facts;
    found.chosen = last.taken();
  }
  box.Return(best_facts);
  AppendWhole(grid, box, found.chosen);
  found.centre = best_facts.centre;
  found.score = static_cast<double>(best) / grid.scale.unit;
  return found;
}

// The score of a single node is its perimeter.
StreamFound ChooseOne(const StreamGrid& grid) {
  StreamFound found;
  std::int64_t least = kNever;
  for (VertexId v = 0; v < grid.sites.capacity.size(); ++v) {
    const NodeCount nodes = grid.sites.capacity[v];
    if (nodes == 0) continue;
    ++found.centres;
    const std::int64_t phi = grid.own_phi[v] +
                             std::int64_t{kPhiUnit} * grid.free_beside[v] +
                             grid.WithinPhi(nodes - 1);
    if (phi >= least) continue;
    least = phi;
    found.centre = v;
  }
  found.scored = found.centres;
  found.score =
      static_cast<double>(grid.scale.per_phi * least) / grid.scale.unit;
  found.chosen = {{found.centre, 1}};
  return found;
}

}  // namespace

StreamFound SearchGridForStream(const StreamGrid& grid,
                                const PrefixLayout& layout, Budget& budget) {
  if (grid.nodes == 1) return ChooseOne(grid);
  return grid.scale.narrow ? Search<std::int32_t>(grid, layout, budget)
                           : Search<std::int64_t>(grid, layout, budget);
}

}  // namespace coolspan
