// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/optimal/ptas_search.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "policy/optimal/hyperplanes.h"

namespace coolspan {
namespace {

using Index = std::uint32_t;

class PtasSearch {
 public:
  PtasSearch(const Topology& topology, const VertexPool& pool, NodeCount nodes,
             NodeCount strips, std::uint64_t upper_bound, Budget& budget);
  PtasAnswer Run();

 private:
  struct Cell {
    std::vector<Index> points;        // in the order of selection
    NodeCount required = 0;           // the first of points
    std::vector<std::size_t> slices;  // by dimension
    NodeCount count = 0;
  };
  // Nodes still to select from a slice, and the points of its remaining cells.
  struct Slice {
    std::int64_t left;
    std::int64_t capacity;
  };

  std::int64_t Coordinate(Index point, std::size_t dimension) const {
    return coordinates_[point * dimensions_ + dimension];
  }
  std::int64_t MinAlong(std::size_t dimension,
                        const std::vector<Index>& points) const;
  Hyperplanes PlanesOf(std::size_t dimension,
                       const std::vector<Index>& sorted) const;
  void Sort(std::size_t dimension, std::vector<Index>& points) const;
  bool Cut(std::size_t dimension, std::vector<Index> points,
           std::int64_t bound);
  bool FillCells(const std::vector<Index>& points);
  std::vector<Cell> CellsOf(const std::vector<Index>& points) const;
  bool Distribute(std::size_t cell);
  bool EvaluateSet();
  std::int64_t TotalOf(const std::vector<Index>& points) const;

  const VertexPool& pool_;
  NodeCount strips_;
  Budget& budget_;
  std::size_t dimensions_ = 0;
  std::size_t required_ = 0;
  std::vector<Index> place_of_;            // in the pool, by point
  std::vector<bool> is_required_;          // by point
  std::vector<std::int64_t> coordinates_;  // by point, then dimension
  std::vector<std::int64_t> sizes_;        // nodes to select, by slice
  std::vector<std::int64_t> gradients_;    // by slice
  std::vector<std::size_t> slices_;        // by point, then dimension
  std::vector<Cell> cells_;
  std::vector<std::vector<Slice>> open_;
  std::int64_t best_total_;
  PtasAnswer answer_;
};

PtasSearch::PtasSearch(const Topology& topology, const VertexPool& pool,
                       NodeCount nodes, NodeCount strips,
                       std::uint64_t upper_bound, Budget& budget)
    : pool_(pool),
      strips_(strips),
      budget_(budget),
      best_total_(static_cast<std::int64_t>(upper_bound)) {
  const Grid& grid = *topology.grid();
  std::vector<std::uint32_t> at(grid.dims.size());
  for (const std::uint32_t extent : grid.dims) {
    if (extent > 1) ++dimensions_;
  }
  for (Index place = 0; place < pool.size(); ++place) {
    grid.CoordinatesOf(pool.vertices[place], at);
    const NodeCount points = std::min(pool.free[place], nodes);
    for (NodeCount i = 0; i < points; ++i) {
      place_of_.push_back(place);
      is_required_.push_back(i < pool.required[place]);
      for (std::size_t d = 0; d < at.size(); ++d) {
        if (grid.dims[d] > 1) coordinates_.push_back(at[d]);
      }
    }
    required_ += pool.required[place];
  }
  slices_.resize(coordinates_.size());
  // The gradient of slice i: the nodes in the slices before it minus those
  // after it. For k divisible by m it is (2i + 1 - m) k / m, as in the paper.
  std::int64_t before = 0;
  for (std::uint64_t i = 0; i < strips; ++i) {
    const std::int64_t up_to =
        static_cast<std::int64_t>((i + 1) * nodes / strips);
    sizes_.push_back(up_to - before);
    gradients_.push_back(before - (std::int64_t{nodes} - up_to));
    before = up_to;
  }
}

PtasAnswer PtasSearch::Run() {
  std::vector<Index> points(place_of_.size());
  for (Index i = 0; i < points.size(); ++i) points[i] = i;
  answer_.finished = Cut(0, std::move(points), 0);
  return std::move(answer_);
}

void PtasSearch::Sort(std::size_t dimension, std::vector<Index>& points) const {
  std::sort(points.begin(), points.end(), [&](Index a, Index b) {
    const std::int64_t at_a = Coordinate(a, dimension);
    const std::int64_t at_b = Coordinate(b, dimension);
    return at_a != at_b ? at_a < at_b : a < b;
  });
}

Hyperplanes PtasSearch::PlanesOf(std::size_t dimension,
                                 const std::vector<Index>& sorted) const {
  std::vector<std::int64_t> along;
  along.reserve(sorted.size());
  for (const Index point : sorted) {
    along.push_back(Coordinate(point, dimension));
  }
  return Hyperplanes(std::move(along), sizes_);
}

std::int64_t PtasSearch::MinAlong(std::size_t dimension,
                                  const std::vector<Index>& points) const {
  std::vector<Index> sorted = points;
  Sort(dimension, sorted);
  return PlanesOf(dimension, sorted).MinTotal();
}

// Places the planes of this dimension and the following ones. bound: of the
// total along the dimensions before. Returns false when the budget ends.
bool PtasSearch::Cut(std::size_t dimension, std::vector<Index> points,
                     std::int64_t bound) {
  if (dimension == dimensions_) return FillCells(points);
  if (!budget_.Spend(points.size() * (dimensions_ - dimension))) return false;
  std::int64_t rest = 0;
  for (std::size_t d = dimension + 1; d < dimensions_; ++d) {
    rest += MinAlong(d, points);
  }
  Sort(dimension, points);
  return PlanesOf(dimension, points)
      .ForEach(
          [&] { return best_total_ - bound - rest; },
          [&](std::uint64_t work) { return budget_.Spend(1 + work); },
          [&](const Hyperplanes::Planes& planes, std::int64_t along) {
            const std::vector<Index> inside(
                points.begin() + static_cast<std::ptrdiff_t>(planes[0]),
                points.begin() + static_cast<std::ptrdiff_t>(planes.back()));
            for (std::size_t s = 0; s < strips_; ++s) {
              for (std::size_t i = planes[s]; i < planes[s + 1]; ++i) {
                slices_[points[i] * dimensions_ + dimension] = s;
              }
            }
            std::size_t required = 0;
            for (const Index point : inside) {
              required += is_required_[point] ? 1 : 0;
            }
            return required < required_ ||
                   Cut(dimension + 1, inside, bound + along);
          });
}

std::vector<PtasSearch::Cell> PtasSearch::CellsOf(
    const std::vector<Index>& points) const {
  // Sorts by cell, within a cell the required nodes first, then by the product
  // of the gradient and the coordinates, lowest first.
  using Key = std::tuple<std::vector<std::size_t>, bool, std::int64_t, Index>;
  std::vector<Key> keys;
  keys.reserve(points.size());
  for (const Index point : points) {
    std::vector<std::size_t> slices(dimensions_);
    std::int64_t gradient_product = 0;
    for (std::size_t d = 0; d < dimensions_; ++d) {
      slices[d] = slices_[point * dimensions_ + d];
      gradient_product += gradients_[slices[d]] * Coordinate(point, d);
    }
    keys.emplace_back(std::move(slices), !is_required_[point], gradient_product,
                      point);
  }
  std::sort(keys.begin(), keys.end());
  std::vector<Cell> cells;
  for (auto& [slices, optional, gradient_product, point] : keys) {
    if (cells.empty() || cells.back().slices != slices) {
      cells.emplace_back();
      cells.back().slices = slices;
    }
    cells.back().points.push_back(point);
    if (!optional) ++cells.back().required;
  }
  return cells;
}

bool PtasSearch::FillCells(const std::vector<Index>& points) {
  cells_ = CellsOf(points);
  open_.assign(dimensions_, {});
  for (std::vector<Slice>& slices : open_) {
    for (const std::int64_t size : sizes_) slices.push_back({size, 0});
  }
  for (const Cell& cell : cells_) {
    for (std::size_t d = 0; d < dimensions_; ++d) {
      open_[d][cell.slices[d]].capacity += std::ssize(cell.points);
    }
  }
  return budget_.Spend(points.size()) && Distribute(0);
}

// Enumerates the numbers k_ij for this cell and the following ones.
bool PtasSearch::Distribute(std::size_t index) {
  if (index == cells_.size()) return EvaluateSet();
  Cell& cell = cells_[index];
  const std::int64_t capacity = std::ssize(cell.points);
  std::int64_t min_count = cell.required;
  std::int64_t max_count = capacity;
  for (std::size_t d = 0; d < dimensions_; ++d) {
    const Slice& slice = open_[d][cell.slices[d]];
    max_count = std::min(max_count, slice.left);
    min_count = std::max(min_count, slice.left - (slice.capacity - capacity));
  }
  const auto move = [&](std::int64_t nodes, std::int64_t cell_capacity) {
    for (std::size_t d = 0; d < dimensions_; ++d) {
      open_[d][cell.slices[d]].left -= nodes;
      open_[d][cell.slices[d]].capacity -= cell_capacity;
    }
  };
  bool proceed = budget_.Spend(1);
  for (std::int64_t count = min_count; proceed && count <= max_count; ++count) {
    cell.count = static_cast<NodeCount>(count);
    move(count, capacity);
    proceed = Distribute(index + 1);
    move(-count, -capacity);
  }
  return proceed;
}

bool PtasSearch::EvaluateSet() {
  std::vector<Index> points;
  for (const Cell& cell : cells_) {
    points.insert(points.end(), cell.points.begin(),
                  cell.points.begin() + std::ptrdiff_t{cell.count});
  }
  ++answer_.tried;
  const std::int64_t total = TotalOf(points);
  if (total < best_total_) {
    best_total_ = total;
    answer_.best = VertexSet{std::vector<NodeCount>(pool_.size(), 0),
                             static_cast<std::uint64_t>(total)};
    for (const Index point : points) {
      ++answer_.best->taken[place_of_[point]];
    }
  }
  return budget_.Spend(points.size() * dimensions_);
}

// w(S) = sum over dimensions of sum_r (2r - k + 1) x_r, as in hyperplanes.h.
std::int64_t PtasSearch::TotalOf(const std::vector<Index>& points) const {
  std::int64_t total = 0;
  std::vector<std::int64_t> along(points.size());
  for (std::size_t d = 0; d < dimensions_; ++d) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      along[i] = Coordinate(points[i], d);
    }
    std::sort(along.begin(), along.end());
    std::int64_t weight = 1 - static_cast<std::int64_t>(points.size());
    for (const std::int64_t x : along) {
      total += weight * x;
      weight += 2;
    }
  }
  return total;
}

}  // namespace

PtasAnswer SearchPtas(const Topology& topology, const VertexPool& pool,
                      NodeCount nodes, NodeCount strips,
                      std::uint64_t upper_bound, Budget& budget) {
  return PtasSearch(topology, pool, nodes, strips, upper_bound, budget).Run();
}

}  // namespace coolspan
