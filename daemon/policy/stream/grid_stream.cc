// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/stream/grid_stream.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "policy/stream/grid_box.h"
#include "policy/stream/last_surface.h"

namespace coolspan {
namespace {

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

struct Candidate {
  std::int64_t bound;
  GridBox::Facts facts;
  bool listed = false;  // the bound is that of LastSurface

  // For a heap with the smallest bound first.
  friend bool operator<(const Candidate& a, const Candidate& b) {
    return a.bound != b.bound ? a.bound > b.bound
                              : b.facts.centre < a.facts.centre;
  }
};

// Measures centres: vertices with free nodes, and the places of slabs and
// beams. If the budget cannot pay for all of them, those that it does measure
// are spread over the machine.
class Centres {
 public:
  Centres(const StreamGrid& grid, GridBox& box)
      : grid_(grid),
        box_(box),
        measured_(grid.sites.capacity.size(), 0),
        radius_(box.shapes().size(), 0) {
    candidates.reserve(grid.sites.free_count);
  }

  std::vector<Candidate> candidates;
  bool complete = true;  // all centres were measured

  void MeasureAll(Budget& budget);
  // Adds the neighbours of a centre that were not measured to the heap of
  // candidates.
  void MeasureBeside(GridBox::Centre centre, Budget& budget);

 private:
  // Work units for one centre.
  std::uint64_t Work() const {
    const std::size_t dimensions = grid_.places.axes.size();
    return 24 * dimensions + dimensions * (std::size_t{8} << dimensions) / 4;
  }
  bool IsCentre(GridBox::Centre centre) const;
  bool WasMeasured(GridBox::Centre centre) const {
    return ((measured_[centre.vertex] >> centre.shape) & 1) != 0;
  }
  // Returns whether it added a candidate.
  bool Measure(GridBox::Centre centre);

  // Work units between two looks at the budget.
  static constexpr std::uint64_t kWorkOfBatch = 10'000;

  const StreamGrid& grid_;
  GridBox& box_;
  std::vector<std::uint64_t> measured_;  // by vertex, bits of shapes
  std::vector<std::uint32_t> radius_;    // by shape, of the last centre
  std::vector<std::uint32_t> key_;
  absl::flat_hash_map<std::vector<std::uint32_t>, std::size_t> seen_;
};

bool Centres::IsCentre(GridBox::Centre centre) const {
  if (centre.shape == 0) return grid_.sites.capacity[centre.vertex] > 0;
  const BoxShape& shape = box_.shapes()[centre.shape];
  const std::span<const std::uint32_t> at = grid_.places.At(centre.vertex);
  for (std::size_t d = 0; d < at.size(); ++d) {
    if (shape.Covers(d) && at[d] != 0) return false;
  }
  return true;
}

bool Centres::Measure(GridBox::Centre centre) {
  std::uint32_t& radius = radius_[centre.shape];
  radius = box_.Measure(centre, radius).radius;
  measured_[centre.vertex] |= std::uint64_t{1} << centre.shape;
  const Candidate candidate{box_.LowerBound(), box_.facts()};
  if (complete && box_.IsInOpenSpace(key_)) {
    // All centres of one key have the same score; the smallest is kept.
    const auto [it, is_new] = seen_.try_emplace(key_, candidates.size());
    if (!is_new) {
      Candidate& same = candidates[it->second];
      if (centre < same.facts.centre) same = candidate;
      return false;
    }
  }
  candidates.push_back(candidate);
  return true;
}

// In runs of consecutive vertices, in an order in which those measured so far
// are spread evenly: multiples of a number of runs near the golden ratio.
void Centres::MeasureAll(Budget& budget) {
  constexpr std::size_t kRun = 4;
  constexpr double kGolden = 0.6180339887498949;
  const std::size_t vertices = measured_.size();
  const std::size_t runs = (vertices + kRun - 1) / kRun;
  auto step = static_cast<std::size_t>(kGolden * static_cast<double>(runs));
  while (std::gcd(step, runs) != 1) ++step;
  const bool is_large = vertices * Work() > 10 * kWorkOfBatch;
  if (!is_large) step = 1;
  const std::uint64_t work = Work();
  // An answer for any budget.
  const auto first =
      std::find_if(grid_.sites.capacity.begin(), grid_.sites.capacity.end(),
                   [](NodeCount free) { return free > 0; });
  Measure({static_cast<VertexId>(first - grid_.sites.capacity.begin()), 0});
  std::uint64_t of_batch = 0;
  std::size_t run = 0;
  for (std::size_t i = 0; i < runs; ++i) {
    const std::size_t end = std::min(vertices, (run + 1) * kRun);
    for (std::size_t v = run * kRun; v < end; ++v) {
      for (std::uint32_t shape = 0; shape < box_.shapes().size(); ++shape) {
        const GridBox::Centre centre{static_cast<VertexId>(v), shape};
        if (!IsCentre(centre) || WasMeasured(centre)) continue;
        if (of_batch < work) {
          if (!budget.Spend(kWorkOfBatch)) {
            complete = false;
            return;
          }
          of_batch = kWorkOfBatch;
        }
        of_batch -= std::min(of_batch, work);
        Measure(centre);
      }
    }
    run = (run + step) % runs;
  }
}

void Centres::MeasureBeside(GridBox::Centre centre, Budget& budget) {
  for (const VertexId vertex : grid_.places.NeighboursOf(centre.vertex)) {
    const GridBox::Centre beside{vertex, centre.shape};
    if (vertex == measured_.size() || !IsCentre(beside) ||
        WasMeasured(beside)) {
      continue;
    }
    if (!budget.Spend(Work())) return;
    if (Measure(beside)) std::push_heap(candidates.begin(), candidates.end());
  }
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

// The search among the centres, by their lower bounds.
template <typename Score>
class GridSearch {
 public:
  GridSearch(const StreamGrid& grid, const PrefixLayout& layout)
      : grid_(grid), box_(grid, layout), last_(grid), centres_(grid, box_) {}

  StreamFound Run(Budget& budget);

 private:
  // Takes the candidate with the smallest bound. Puts it back with a higher one
  // if there is one and others may now be better; false then.
  bool ListNext(bool may_put_back);
  void FillListed();

  // A bound that is below the best score by this share of it is not worth
  // looking for better ones first.
  static constexpr std::int64_t kFar = 16;
  // Between two calls of FillListed.
  static constexpr std::size_t kMaxPutBack = 16;
  // The share of the budget to measure centres with.
  static constexpr double kToMeasure = 0.6;

  const StreamGrid& grid_;
  GridBox box_;
  LastSurface<Score> last_;
  Centres centres_;
  std::int64_t best_ = kNever;
  GridBox::Facts best_facts_;
  GridBox::Facts listed_;
  std::size_t put_back_ = 0;  // since the last call of FillListed
  StreamFound found_;
};

template <typename Score>
bool GridSearch<Score>::ListNext(bool may_put_back) {
  std::vector<Candidate>& candidates = centres_.candidates;
  std::pop_heap(candidates.begin(), candidates.end());
  Candidate& next = candidates.back();
  listed_ = next.facts;
  box_.Return(listed_);
  const std::int64_t bound = last_.List(box_);
  if (!next.listed && may_put_back) {
    next.listed = true;
    next.bound = std::max(next.bound, bound);
    const bool is_far = best_ != kNever && next.bound < best_ - best_ / kFar;
    const bool put_back = !is_far && !last_.IsQuickToFill() &&
                          put_back_ < kMaxPutBack && candidates.size() > 1 &&
                          next < candidates.front();
    if (next.bound <= best_ && put_back) {
      ++put_back_;
      std::push_heap(candidates.begin(), candidates.end());
      return false;
    }
    if (next.bound > best_) {
      candidates.pop_back();
      return false;
    }
  }
  candidates.pop_back();
  return true;
}

template <typename Score>
void GridSearch<Score>::FillListed() {
  put_back_ = 0;
  const std::int64_t score = last_.Fill(best_);
  ++found_.scored;
  if (score == kNever || score > best_ ||
      (score == best_ && best_facts_.centre < listed_.centre)) {
    return;
  }
  best_ = score;
  best_facts_ = listed_;
  found_.chosen = last_.taken();
}

template <typename Score>
StreamFound GridSearch<Score>::Run(Budget& budget) {
  Budget to_measure = budget.Part(kToMeasure);
  centres_.MeasureAll(to_measure);
  budget.Take(to_measure);
  std::vector<Candidate>& candidates = centres_.candidates;
  std::make_heap(candidates.begin(), candidates.end());
  found_.centres = candidates.size();
  while (!candidates.empty() && candidates.front().bound <= best_) {
    const bool ends = !budget.Spend(last_.TakeWork());
    if (ends && best_ != kNever) break;
    if (!ListNext(!ends)) continue;
    const std::int64_t before = best_;
    FillListed();
    if (best_ < before && !centres_.complete) {
      centres_.MeasureBeside(best_facts_.centre, budget);
    }
  }
  box_.Return(best_facts_);
  AppendWhole(grid_, box_, found_.chosen);
  found_.centre = best_facts_.centre.vertex;
  found_.score = grid_.InHops(best_);
  return std::move(found_);
}

// Work units of preparing the search: mostly prefix sums.
std::uint64_t WorkToPrepare(const StreamGrid& grid,
                            const PrefixLayout& layout) {
  const std::size_t dimensions = grid.places.axes.size();
  return 8 * grid.sites.capacity.size() +
         layout.size() * (dimensions + 3) * dimensions / 4;
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
  found.score = grid.InHops(grid.scale.per_phi * least);
  found.chosen = {{found.centre, 1}};
  return found;
}

}  // namespace

StreamFound SearchGridForStream(const StreamGrid& grid,
                                const PrefixLayout& layout, Budget& budget) {
  if (grid.nodes == 1) return ChooseOne(grid);
  budget.Spend(WorkToPrepare(grid, layout));
  return grid.scale.narrow ? GridSearch<std::int32_t>(grid, layout).Run(budget)
                           : GridSearch<std::int64_t>(grid, layout).Run(budget);
}

}  // namespace coolspan
