// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/stream/last_surface.h"

#include <algorithm>
#include <cstdlib>

#include "policy/stream/surface_scores.h"

namespace coolspan {
namespace {

constexpr std::uint32_t kNoSite = std::numeric_limits<std::uint32_t>::max();

}  // namespace

template <typename Score>
LastSurface<Score>::LastSurface(const StreamGrid& grid)
    : grid_(grid),
      sites_(grid.sites),
      dimensions_(grid.places.axes.size()),
      per_pair_(static_cast<Score>(grid.scale.per_phi * kPhiUnit)),
      base_(grid.sites.capacity.size(), 0),
      steps_(dimensions_),
      coordinates_(dimensions_),
      site_at_(grid.sites.capacity.size() + 1, kNoSite) {
  for (std::size_t v = 0; v < base_.size(); ++v) {
    base_[v] = static_cast<Score>(
        grid.scale.per_phi *
        (grid.own_phi[v] + std::int64_t{kPhiUnit} * grid.free_beside[v]));
  }
  for (const GridAxis& axis : grid.places.axes) {
    lengths_.push_back(
        axis.wrap ? static_cast<Score>(grid.scale.per_hop * axis.extent)
                  : kTaken<Score>);
  }
}

template <typename Score>
std::uint64_t LastSurface<Score>::TakeWork() {
  const std::uint64_t work = work_;
  work_ = 0;
  return work;
}

template <typename Score>
void LastSurface<Score>::SetSteps() {
  std::size_t vertices = 1;
  for (std::size_t d = 0; d < dimensions_; ++d) {
    const GridAxis& axis = grid_.places.axes[d];
    const GridBox::Reach& reach = box_->reach(d);
    const std::span<const std::int64_t> sums = box_->sums(d);
    std::vector<Step>& steps = steps_[d];
    steps.assign(reach.length, {});
    std::uint32_t x = reach.start;
    const std::uint32_t whole_end = reach.lead + reach.whole.count;
    for (std::uint32_t i = 0; i < reach.length; ++i) {
      Step& step = steps[i];
      step.offset = x * axis.stride;
      step.sum = static_cast<Score>(grid_.scale.per_hop * sums[i]);
      step.is_last = i < reach.lead || i >= whole_end;
      x = axis.Right(x, 1);
    }
    SetNeighbours(axis, steps);
    vertices *= reach.length;
  }
  Reserve(vertices);
}

// A ring that is covered closes; the vertices before the first and after the
// last step of another axis are beyond the surface, if there are any.
template <typename Score>
void LastSurface<Score>::SetNeighbours(const GridAxis& axis,
                                       std::vector<Step>& steps) {
  const bool ring = axis.wrap && axis.extent > 2;
  const auto length = static_cast<std::uint32_t>(steps.size());
  const bool closed = ring && length == axis.extent;
  const auto set = [&](Step& step, bool is_inner, std::uint32_t beside,
                       std::uint32_t at, int side) {
    const auto from = std::int64_t{step.offset};
    if (is_inner || closed) {
      if (has_whole_ && !steps[beside].is_last) {
        step.inside[side] = std::int64_t{steps[beside].offset} - from;
      }
    } else if (at < axis.extent && length < axis.extent) {
      step.beyond[side] = std::int64_t{at} * axis.stride - from;
    }
  };
  for (std::uint32_t i = 0; i < length; ++i) {
    Step& step = steps[i];
    if (!step.is_last) continue;
    const std::uint32_t x = step.offset / axis.stride;
    const std::uint32_t none = axis.extent;
    set(step, i > 0, i > 0 ? i - 1 : length - 1,
        ring || x > 0 ? axis.Left(x, 1) : none, 0);
    set(step, i + 1 < length, i + 1 < length ? i + 1 : 0,
        ring ? axis.Right(x, 1) : x + 1, 1);
  }
}

template <typename Score>
void LastSurface<Score>::Reserve(std::size_t vertices) {
  ++vertices;  // one more is written to
  if (scores_.size() >= vertices) return;
  scores_.resize(vertices);
  closable_.resize(vertices);
  vertices_.resize(vertices);
  for (auto& of_axis : coordinates_) of_axis.resize(vertices);
}

// Adds the vertices of steps [begin, end) of the first axis with free nodes.
// The neighbours of a vertex that is outside of the whole surfaces on one axis
// are inside, beyond or in the last surface; of one outside on several, none is
// inside.
template <typename Score>
void LastSurface<Score>::ListRow(const Row& row, std::size_t begin,
                                 std::size_t end) {
  std::array<std::int64_t, 2> inside;
  std::size_t insides = 0;
  std::array<std::int64_t, 2 * kMaxAxes> beyond;
  std::size_t beyonds = 0;
  for (std::size_t i = 0; i < row.lasts; ++i) {
    for (int side = 0; side < 2; ++side) {
      const std::int64_t in = row.last[i]->inside[side];
      const std::int64_t out = row.last[i]->beyond[side];
      if (in != 0 && row.lasts == 1) inside[insides++] = in;
      if (out != 0) beyond[beyonds++] = out;
    }
  }
  const NodeCount* const capacity = sites_.capacity.data();
  const auto nodes_at = [capacity](VertexId vertex, std::int64_t step) {
    return static_cast<Score>(capacity[static_cast<VertexId>(vertex + step)]);
  };
  const auto list = [&](auto&& inside_of, auto&& beyond_of) {
    for (std::size_t step = begin; step < end; ++step) {
      const VertexId vertex = row.offset + steps_[0][step].offset;
      AddVertex(vertex, row.sum + steps_[0][step].sum, inside_of(vertex),
                beyond_of(vertex));
    }
  };
  const auto none = [](VertexId) { return Score{0}; };
  const auto one_inside = [&](VertexId v) { return nodes_at(v, inside[0]); };
  const auto one_beyond = [&](VertexId v) { return nodes_at(v, beyond[0]); };
  if (insides == 1 && beyonds == 1) return list(one_inside, one_beyond);
  if (insides == 1 && beyonds == 0) return list(one_inside, none);
  list(
      [&](VertexId v) {
        Score nodes = 0;
        for (std::size_t i = 0; i < insides; ++i) {
          nodes += nodes_at(v, inside[i]);
        }
        return nodes;
      },
      [&](VertexId v) {
        Score nodes = 0;
        for (std::size_t i = 0; i < beyonds; ++i) {
          nodes += nodes_at(v, beyond[i]);
        }
        return nodes;
      });
}

// The same for the ends of a row that is not in the last surface itself, each
// mostly with one neighbour inside and one beyond.
template <typename Score>
void LastSurface<Score>::ListEnds(const Row& row) {
  const NodeCount* const capacity = sites_.capacity.data();
  const auto nodes = [&](VertexId vertex, const std::int64_t(&steps)[2]) {
    Score sum = 0;
    for (const std::int64_t step : steps) {
      if (step == 0) continue;
      sum += static_cast<Score>(capacity[static_cast<VertexId>(vertex + step)]);
    }
    return sum;
  };
  const GridBox::Reach& reach = box_->reach(0);
  const std::vector<Step>& steps = steps_[0];
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i == reach.lead) i += reach.whole.count;
    if (i == steps.size()) break;
    const VertexId vertex = row.offset + steps[i].offset;
    AddVertex(vertex, row.sum + steps[i].sum, nodes(vertex, steps[i].inside),
              nodes(vertex, steps[i].beyond));
  }
}

// row: of the axes after d.
template <typename Score>
void LastSurface<Score>::ListRows(std::size_t d, const Row& row) {
  const GridBox::Reach& reach = box_->reach(d);
  const std::size_t whole_end = reach.lead + reach.whole.count;
  if (d > 0) {
    for (const Step& step : steps_[d]) {
      Row next = row;
      next.offset += step.offset;
      next.sum += step.sum;
      if (step.is_last) next.last[next.lasts++] = &step;
      ListRows(d - 1, next);
    }
    return;
  }
  if (row.lasts == 0 && has_whole_) return ListEnds(row);
  const auto list_last = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Row next = row;
      next.last[next.lasts++] = &steps_[0][i];
      ListRow(next, i, i + 1);
    }
  };
  list_last(0, reach.lead);
  ListRow(row, reach.lead, whole_end);
  list_last(whole_end, reach.length);
}

template <typename Score>
std::int64_t LastSurface<Score>::List(GridBox& box) {
  box_ = &box;
  count_ = 0;
  const GridBox::Facts& facts = box.facts();
  missing_ = facts.missing;
  has_whole_ = facts.radius > 0;
  SetSteps();
  ListRows(dimensions_ - 1, {});
  if (sites_.max_at_a_vertex > missing_) {
    LeaveNodes(sites_.max_at_a_vertex, missing_);
  }
  work_ += WorkOfListing();
  return grid_.scale.per_hop * static_cast<std::int64_t>(facts.total) +
         grid_.scale.per_phi * facts.perimeter + MinOfRest(missing_);
}

// A lower bound of what the missing nodes add: the least scores of as many
// nodes as if all their neighbours in the surface were taken, where each node
// of a pair gets half of what closing it takes off, and their distances.
template <typename Score>
std::int64_t LastSurface<Score>::MinOfRest(NodeCount missing) {
  return lowest_.Of({scores_.data(), count_}, {closable_.data(), count_},
                    {vertices_.data(), count_}, sites_.capacity, missing) +
         grid_.scale.per_hop *
             static_cast<std::int64_t>(box_->MinPairsOfLast(missing));
}

// Returns the least score of the sites that are left.
template <typename Score>
Score LastSurface<Score>::Take(std::size_t site, NodeCount count) {
  const VertexId vertex = vertices_[site];
  taken_.push_back({vertex, count});
  scores_[site] = kTaken<Score>;
  const std::int64_t closed = grid_.scale.per_phi * kPhiUnit * count;
  for (const VertexId beside : grid_.places.NeighboursOf(vertex)) {
    const std::uint32_t at = site_at_[beside];
    if (at == kNoSite) continue;
    scores_[at] -= static_cast<Score>(2 * closed);
    closable_[at] -= static_cast<Score>(closed);
  }
  return AddDistances<Score>(coordinates_, lengths_, grid_.has_ring, site,
                             count, {scores_.data(), count_});
}

// Fewer missing nodes leave more nodes of a vertex.
template <typename Score>
Score LastSurface<Score>::LeaveNodes(NodeCount before, NodeCount missing) {
  Score least = kTaken<Score>;
  for (std::size_t i = 0; i < count_; ++i) {
    const NodeCount free = sites_.capacity[vertices_[i]];
    if (free > missing && !IsTaken(scores_[i])) {
      scores_[i] +=
          static_cast<Score>(grid_.scale.per_phi *
                             grid_.WithinPhi(std::min(free, before) - missing));
    }
    least = std::min(least, scores_[i]);
  }
  return least;
}

template <typename Score>
std::uint64_t LastSurface<Score>::WorkOfListing() const {
  std::uint64_t all = 1;
  std::uint64_t whole = 1;
  for (std::size_t d = 0; d < dimensions_; ++d) {
    all *= box_->reach(d).length;
    whole *= box_->reach(d).whole.count;
  }
  return 80 * dimensions_ + 3 * (all - whole) / 2 + 2 * count_;
}

template <typename Score>
std::uint64_t LastSurface<Score>::WorkOfFilling() const {
  constexpr std::uint64_t kOfPick = 14;
  constexpr std::uint64_t kPicksOfCheck = 12;
  return (taken_.size() + kPicksOfCheck * kChecks) *
         (kOfPick + count_ * (dimensions_ + 1) / 24);
}

template <typename Score>
void LastSurface<Score>::Place() {
  for (std::size_t i = 0; i < count_; ++i) {
    site_at_[vertices_[i]] = static_cast<std::uint32_t>(i);
  }
  for (std::size_t d = 0; d < dimensions_; ++d) {
    Score* const out = coordinates_[d].data();
    for (std::size_t i = 0; i < count_; ++i) {
      out[i] = static_cast<Score>(grid_.scale.per_hop *
                                  grid_.places.At(vertices_[i])[d]);
    }
  }
}

template <typename Score>
std::int64_t LastSurface<Score>::Fill(std::int64_t limit) {
  Place();
  taken_.clear();
  const GridBox::Facts& facts = box_->facts();
  std::int64_t score =
      grid_.scale.per_hop * static_cast<std::int64_t>(facts.total) +
      grid_.scale.per_phi * facts.perimeter;
  Score least = *std::min_element(
      scores_.begin(), scores_.begin() + static_cast<std::ptrdiff_t>(count_));
  const NodeCount between = std::max(missing_ / kChecks, kMinBetweenChecks);
  NodeCount next_check = missing_ - std::min(missing_, between);
  for (NodeCount missing = missing_;;) {
    const std::size_t site = FindFirst<Score>({scores_.data(), count_}, least);
    const NodeCount count = std::min(missing, sites_.capacity[vertices_[site]]);
    score += std::int64_t{count} * least;
    missing -= count;
    if (missing == 0) {
      taken_.push_back({vertices_[site], count});
      break;
    }
    least = Take(site, count);
    if (missing < sites_.max_at_a_vertex) {
      least = LeaveNodes(missing + count, missing);
    }
    if (missing > next_check) continue;
    if (score + MinOfRest(missing) > limit) {
      score = kNever;
      break;
    }
    next_check = missing - std::min(missing, between);
  }
  for (std::size_t i = 0; i < count_; ++i) site_at_[vertices_[i]] = kNoSite;
  work_ += WorkOfFilling();
  return score;
}

template class LastSurface<std::int32_t>;
template class LastSurface<std::int64_t>;

}  // namespace coolspan
