// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/stream/last_surface.h"

#include <algorithm>
#include <cstdlib>

namespace coolspan {
namespace {

constexpr std::uint32_t kNoSite = std::numeric_limits<std::uint32_t>::max();

// Above all scores of nodes, with as much left to add.
template <typename Score>
constexpr Score kTaken = std::numeric_limits<Score>::max() / 2;

}  // namespace

template <typename Score>
LastSurface<Score>::LastSurface(const StreamGrid& grid)
    : grid_(grid),
      sites_(grid.sites),
      dimensions_(grid.places.axes.size()),
      base_(grid.sites.capacity.size(), 0),
      steps_(dimensions_),
      coordinates_(dimensions_),
      site_at_(grid.sites.capacity.size() + 1, kNoSite) {
  for (std::size_t v = 0; v < base_.size(); ++v) {
    base_[v] = static_cast<Score>(
        grid.scale.per_phi *
        (grid.own_phi[v] + std::int64_t{kPhiUnit} * grid.free_beside[v]));
  }
}

template <typename Score>
std::uint64_t LastSurface<Score>::TakeWork() {
  const std::uint64_t work = work_;
  work_ = 0;
  return work;
}

template <typename Score>
void LastSurface<Score>::SetSteps(const GridBox& box) {
  missing_ = box.facts().missing;
  has_whole_ = box.facts().radius > 0;
  std::size_t vertices = 1;
  for (std::size_t d = 0; d < dimensions_; ++d) {
    const GridAxis& axis = grid_.places.axes[d];
    const GridBox::Reach& reach = box.reach(d);
    const std::span<const std::int64_t> sums = box.sums(d);
    std::vector<Step>& steps = steps_[d];
    steps.assign(reach.length, {});
    std::uint32_t x = reach.start;
    const std::uint32_t whole_end = reach.lead + reach.whole.count;
    for (std::uint32_t i = 0; i < reach.length; ++i) {
      steps[i].offset = x * axis.stride;
      steps[i].sum = static_cast<Score>(grid_.scale.per_hop * sums[i]);
      steps[i].is_last = i < reach.lead || i >= whole_end;
      x = axis.Right(x, 1);
    }
    const bool closed =
        axis.wrap && axis.extent > 2 && reach.length == axis.extent;
    for (std::uint32_t i = 0; has_whole_ && i < reach.length; ++i) {
      if (!steps[i].is_last) continue;
      const auto look = [&](bool there, std::uint32_t beside, int side) {
        if (!there || steps[beside].is_last) return;
        steps[i].inside[side] =
            std::int64_t{steps[beside].offset} - std::int64_t{steps[i].offset};
      };
      look(i > 0 || closed, i > 0 ? i - 1 : reach.length - 1, 0);
      look(i + 1 < reach.length || closed, i + 1 < reach.length ? i + 1 : 0, 1);
    }
    vertices *= reach.length;
  }
  if (scores_.size() < vertices) {
    scores_.resize(vertices);
    vertices_.resize(vertices);
    for (auto& of_axis : coordinates_) of_axis.resize(vertices);
  }
  count_ = 0;
}

template <typename Score>
void LastSurface<Score>::AddSite(VertexId vertex, Score sum,
                                 const Step* outside) {
  const NodeCount free = sites_.capacity[vertex];
  if (free == 0) return;
  Score score = base_[vertex] + sum;
  std::int64_t phi = 0;
  if (free > missing_) phi += grid_.WithinPhi(free - missing_);
  if (outside != nullptr) {
    for (const std::int64_t step : outside->inside) {
      if (step == 0) continue;
      phi -= 2 * std::int64_t{kPhiUnit} *
             sites_.capacity[static_cast<VertexId>(vertex + step)];
    }
  }
  score += static_cast<Score>(grid_.scale.per_phi * phi);
  scores_[count_] = score;
  vertices_[count_] = vertex;
  site_at_[vertex] = static_cast<std::uint32_t>(count_);
  ++count_;
}

// outside: the step of the only axis so far on which the vertex is in the last
// surface; nullptr if there are none or several.
template <typename Score>
void LastSurface<Score>::ListRow(std::size_t d, VertexId offset, Score sum,
                                 const Step* outside, int outside_axes) {
  const std::vector<Step>& steps = steps_[d];
  for (const Step& step : steps) {
    const int axes = outside_axes + (step.is_last ? 1 : 0);
    if (d == 0 && axes == 0) continue;
    const Step* const only = axes != 1      ? nullptr
                             : step.is_last ? &step
                                            : outside;
    if (d == 0) {
      AddSite(offset + step.offset, sum + step.sum, only);
    } else {
      ListRow(d - 1, offset + step.offset, sum + step.sum, only, axes);
    }
  }
}

template <typename Score>
void LastSurface<Score>::Clear() {
  for (std::size_t i = 0; i < count_; ++i) site_at_[vertices_[i]] = kNoSite;
}

// A lower bound of what the missing nodes add: the least scores of as many
// sites, their pairs, and at most so many closed pairs between them: a vertex
// of the surface has two neighbours per dimension of it, one more where its
// ends on a ring meet.
template <typename Score>
std::int64_t LastSurface<Score>::MinOfRest(std::int64_t missing, GridBox& box) {
  sorted_.assign(scores_.begin(),
                 scores_.begin() + static_cast<std::ptrdiff_t>(count_));
  const std::int64_t at_a_vertex = sites_.max_at_a_vertex;
  const auto vertices = static_cast<std::ptrdiff_t>(
      std::min<std::int64_t>((missing + at_a_vertex - 1) / at_a_vertex,
                             static_cast<std::int64_t>(count_)));
  std::nth_element(sorted_.begin(), sorted_.begin() + vertices - 1,
                   sorted_.end());
  std::int64_t least = 0;
  if (at_a_vertex == 1) {
    for (std::ptrdiff_t i = 0; i < vertices; ++i) least += sorted_[i];
  } else {
    least = missing * *std::min_element(sorted_.begin(), sorted_.end());
  }
  const auto surface = static_cast<std::int64_t>(dimensions_) -
                       (has_whole_ && !grid_.has_ring ? 1 : 0);
  return least +
         grid_.scale.per_hop * static_cast<std::int64_t>(box.MinPairsOfLast(
                                   static_cast<NodeCount>(missing))) -
         grid_.scale.per_phi * 2 * kPhiUnit * missing * surface * at_a_vertex;
}

template <typename Score>
void LastSurface<Score>::Take(std::size_t site, NodeCount count) {
  const VertexId vertex = vertices_[site];
  taken_.push_back({vertex, count});
  const Score per_hop =
      static_cast<Score>(grid_.scale.per_hop * std::int64_t{count});
  Score* const scores = scores_.data();
  for (std::size_t d = 0; d < dimensions_; ++d) {
    const Score* const x = coordinates_[d].data();
    const Score from = x[site];
    const GridAxis& axis = grid_.places.axes[d];
    if (axis.wrap) {
      const auto extent = static_cast<Score>(axis.extent);
      for (std::size_t i = 0; i < count_; ++i) {
        const Score straight = std::abs(x[i] - from);
        scores[i] += per_hop * std::min<Score>(straight, extent - straight);
      }
    } else {
      for (std::size_t i = 0; i < count_; ++i) {
        scores[i] += per_hop * std::abs(x[i] - from);
      }
    }
  }
  scores[site] = kTaken<Score>;
  const auto closed = static_cast<Score>(grid_.scale.per_phi * 2 * kPhiUnit *
                                         std::int64_t{count});
  for (const VertexId beside : grid_.places.NeighboursOf(vertex)) {
    const std::uint32_t at = site_at_[beside];
    if (at != kNoSite) scores[at] -= closed;
  }
}

// Fewer missing nodes leave more nodes of a vertex.
template <typename Score>
void LastSurface<Score>::LeaveNodes(NodeCount before, NodeCount missing) {
  for (std::size_t i = 0; i < count_; ++i) {
    const NodeCount free = sites_.capacity[vertices_[i]];
    if (free <= missing || scores_[i] >= kTaken<Score>) continue;
    scores_[i] += static_cast<Score>(
        grid_.scale.per_phi *
        grid_.WithinPhi(std::min(free, before) - missing));
  }
}

template <typename Score>
std::int64_t LastSurface<Score>::Fill(GridBox& box, std::int64_t limit) {
  SetSteps(box);
  ListRow(dimensions_ - 1, 0, 0, nullptr, has_whole_ ? 0 : 1);
  taken_.clear();
  const GridBox::Facts& facts = box.facts();
  std::int64_t score =
      grid_.scale.per_hop * static_cast<std::int64_t>(facts.total) +
      grid_.scale.per_phi * facts.perimeter;
  work_ += 8 + count_;
  if (score + MinOfRest(missing_, box) > limit) {
    Clear();
    return kNever;
  }
  for (std::size_t d = 0; d < dimensions_; ++d) {
    for (std::size_t i = 0; i < count_; ++i) {
      coordinates_[d][i] = static_cast<Score>(grid_.places.At(vertices_[i])[d]);
    }
  }
  for (NodeCount missing = missing_;;) {
    Score least = scores_[0];
    for (std::size_t i = 1; i < count_; ++i) {
      least = std::min(least, scores_[i]);
    }
    const auto site = static_cast<std::size_t>(
        std::find(scores_.begin(), scores_.end(), least) - scores_.begin());
    const NodeCount count = std::min(missing, sites_.capacity[vertices_[site]]);
    score += std::int64_t{count} * least;
    missing -= count;
    if (missing == 0) {
      taken_.push_back({vertices_[site], count});
      break;
    }
    Take(site, count);
    if (missing < sites_.max_at_a_vertex) LeaveNodes(missing + count, missing);
  }
  work_ += count_ * taken_.size() / 8;
  Clear();
  return score;
}

template class LastSurface<std::int32_t>;
template class LastSurface<std::int64_t>;

}  // namespace coolspan
