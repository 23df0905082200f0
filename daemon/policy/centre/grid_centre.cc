// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/centre/grid_centre.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "policy/centre/centre_search.h"

namespace coolspan {
namespace {

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

// The minimum number of pairs of m nodes on different vertices, with at most q
// nodes per vertex: C(m, 2) - floor(m / q) C(q, 2) - C(m mod q, 2).
std::uint64_t MinPairsApart(std::uint64_t m, std::uint64_t q) {
  const std::uint64_t full = m / q;
  const std::uint64_t rest = m % q;
  const std::uint64_t together =
      full * (q * (q - 1) / 2) + (rest == 0 ? 0 : rest * (rest - 1) / 2);
  return m * (m - 1) / 2 - together;
}

}  // namespace

GridCentre::GridCentre(const GridPlaces& places)
    : places_(places),
      two_apart_(places.ShellsAreTwoApart()),
      last_of_axis_(places.axes.size()),
      products_(places),
      windows_(places.axes.size()),
      last_windows_(places.axes.size()),
      longest_first_(places.axes.size()) {
  std::iota(longest_first_.begin(), longest_first_.end(), 0U);
  std::sort(longest_first_.begin(), longest_first_.end(),
            [&places](std::size_t a, std::size_t b) {
              return places.axes[a].extent != places.axes[b].extent
                         ? places.axes[a].extent > places.axes[b].extent
                         : a < b;
            });
}

void GridCentre::StartAt(VertexId centre) {
  centre_ = centre;
  at_ = places_.At(centre);
  for (std::size_t d = 0; d < at_.size(); ++d) {
    last_of_axis_[d] = places_.axes[d].LastShell(at_[d]);
  }
  products_.StartAt(at_);
  collected_.whole_shells.clear();
  inner_count_ = 0;
  collected_.shell_sum = 0;
  complete_ = true;
}

void GridCentre::Walk(VertexId centre) {
  StartAt(centre);
  const NodeCount wanted = places_.sites->wanted;
  for (collected_.last_shell = 0;; ++collected_.last_shell) {
    products_.ReachShell(collected_.last_shell);
    CollectShell(collected_.last_shell);
    NodeCount count = 0;
    for (const ShellSite& site : collected_.last_sites) count += site.count;
    collected_.missing = wanted - inner_count_;
    collected_.shell_sum += std::uint64_t{collected_.last_shell} *
                            std::min(count, collected_.missing);
    if (count >= collected_.missing) break;
    inner_count_ += count;
    for (const ShellSite& site : collected_.last_sites) {
      collected_.whole_shells.push_back({site.vertex, site.count});
    }
  }
  ResetWindows(collected_.last_shell, false);
  for (const VertexNodes& site : collected_.whole_shells) {
    const auto to = places_.At(site.vertex);
    for (std::size_t d = 0; d < to.size(); ++d) {
      AxisWindow& window = windows_[d];
      window.counts[window.IndexOf(places_.axes[d], to[d])] += site.count;
    }
  }
  SumWindows();
}

template <typename Count>
bool GridCentre::LookUp(VertexId centre, const BallTables<Count>& tables) {
  StartAt(centre);
  const NodeCount wanted = places_.sites->wanted;
  const std::uint32_t max_radius = tables.max_radius();
  collected_.last_shell = 0;
  while (collected_.last_shell <= max_radius &&
         tables.Ball(centre, collected_.last_shell) < wanted) {
    ++collected_.last_shell;
  }
  complete_ = collected_.last_shell <= max_radius;
  inner_count_ = collected_.last_shell == 0
                     ? 0
                     : tables.Ball(centre, collected_.last_shell - 1);
  collected_.missing = wanted - inner_count_;
  ResetWindows(collected_.last_shell, !complete_);
  if (collected_.last_shell > 0) {
    for (std::size_t d = 0; d < at_.size(); ++d) {
      const GridAxis& axis = places_.axes[d];
      std::vector<NodeCount>& counts = windows_[d].counts;
      const std::size_t middle = windows_[d].IndexOf(axis, at_[d]);
      const VertexId origin = centre - at_[d] * axis.stride;
      std::uint32_t x = windows_[d].start;
      for (std::size_t i = 0; i < counts.size(); ++i) {
        const std::size_t steps = i < middle ? middle - i : i - middle;
        if (steps < collected_.last_shell) {
          counts[i] = tables.Slice(
              d, origin + x * axis.stride,
              static_cast<std::uint32_t>(collected_.last_shell - 1 - steps));
        }
        x = axis.Right(x, 1);
      }
    }
  }
  SumWindows();
  return complete_;
}

template bool GridCentre::LookUp(VertexId centre,
                                 const BallTables<std::uint16_t>& tables);
template bool GridCentre::LookUp(VertexId centre,
                                 const BallTables<std::uint32_t>& tables);

// Empty windows over the coordinates of shells 0 to `shells`.
void GridCentre::ResetWindows(std::uint32_t shells, bool whole_rings) {
  for (std::size_t d = 0; d < at_.size(); ++d) {
    const GridAxis& axis = places_.axes[d];
    const std::uint32_t reach =
        whole_rings && axis.wrap ? last_of_axis_[d] : shells;
    const std::uint32_t left = axis.ReachLeft(at_[d], reach);
    windows_[d].start = axis.Left(at_[d], left);
    windows_[d].counts.assign(left + 1 + axis.ReachRight(at_[d], reach), 0);
  }
}

void GridCentre::SumWindows() {
  collected_.whole_total = 0;
  for (std::size_t d = 0; d < at_.size(); ++d) {
    AxisWindow& window = windows_[d];
    collected_.whole_total += window.Sum(places_.axes[d]);
    if (!places_.required) continue;
    std::uint32_t x = window.start;
    for (std::size_t i = 0; i < window.counts.size(); ++i) {
      const std::uint64_t to_required = places_.required->Along(d, x);
      collected_.whole_total += window.counts[i] * to_required;
      window.sums[i] += to_required;
      x = places_.axes[d].Right(x, 1);
    }
  }
  if (places_.required)
    collected_.whole_total += places_.required->PairwiseTotal();
}

void GridCentre::CollectShell(std::uint32_t shell) {
  using Steps = std::span<const ShellReach::Step>;
  std::vector<ShellSite>& sites = collected_.last_sites;
  const std::uint8_t* const has_free = places_.sites->has_free.data();
  std::size_t found = 0;
  // Branch-free, as the branch on has_free would be unpredictable: every vertex
  // is written, and `out` advances only past those with free nodes.
  products_.ForEachInShell(shell, [&](Steps inner, Steps outer) {
    for (const ShellReach::Step& from : outer) {
      if (sites.size() < found + inner.size()) {
        sites.resize(2 * (found + inner.size()));
      }
      ShellSite* out = sites.data() + found;
      for (const ShellReach::Step& to : inner) {
        const VertexId vertex = from.offset + to.offset;
        *out = {from.sum + to.sum, vertex, 1};
        out += has_free[vertex];
      }
      found = static_cast<std::size_t>(out - sites.data());
    }
  });
  sites.resize(found);
  if (places_.sites->max_at_a_vertex == 1) return;
  for (ShellSite& site : sites)
    site.count = places_.sites->capacity[site.vertex];
}

// A lower bound of the sum of distances to the whole shells W of any vertex v
// outside them. With R = last_shell and v at t_i steps from the centre along
// axis i, sum over i of t_i >= R. With s_i(t) the distance sum along axis i at
// t steps and m_i(t) = min over t' >= t of s_i(t'), the bound is the minimum
// over r_1 + ... + r_d = R of sum over i of m_i(r_i), axis by axis:
//   f_i(r) = min over s <= r of f_{i-1}(r - s) + m_i(s),   result f_d(R)
// On a line, s_i grows past the end of the window. On a ring, the windows
// contain the whole ring unless v can only be in shell R.
std::uint64_t GridCentre::MinSumOutside() {
  const std::uint32_t shells = collected_.last_shell;
  min_by_steps_.assign(shells + 1, kNever);
  min_by_steps_[0] = 0;
  for (std::size_t d = 0; d < at_.size(); ++d) {
    const GridAxis& axis = places_.axes[d];
    const AxisWindow& window = windows_[d];
    const std::uint32_t reach =
        axis.wrap ? std::max(shells, last_of_axis_[d]) : shells;
    min_beyond_.assign(std::size_t{reach} + 1, kNever);
    const std::size_t middle = window.IndexOf(axis, at_[d]);
    for (std::size_t i = 0; i <= middle; ++i) {
      min_beyond_[middle - i] = window.sums[i];
    }
    for (std::size_t i = middle + 1; i < window.sums.size(); ++i) {
      min_beyond_[i - middle] =
          std::min(min_beyond_[i - middle], window.sums[i]);
    }
    for (std::size_t s = min_beyond_.size() - 1; s-- > 0;) {
      min_beyond_[s] = std::min(min_beyond_[s], min_beyond_[s + 1]);
    }
    next_by_steps_.assign(shells + 1, kNever);
    // For the last axis, only f_d(R) is needed.
    const std::uint32_t from = d + 1 == at_.size() ? shells : 0;
    for (std::uint32_t s = 0; s <= shells && min_beyond_[s] != kNever; ++s) {
      for (std::uint32_t r = std::max(from, s); r <= shells; ++r) {
        if (min_by_steps_[r - s] == kNever) continue;
        next_by_steps_[r] =
            std::min(next_by_steps_[r], min_by_steps_[r - s] + min_beyond_[s]);
        if (d == 0) break;  // f_0 is defined at 0 only
      }
    }
    min_by_steps_.swap(next_by_steps_);
  }
  return min_by_steps_[shells];
}

// A lower bound of the total pairwise distance of the nodes of the last shell.
std::uint64_t GridCentre::MinTotalOfLast() const {
  const std::uint64_t pairs =
      MinPairsApart(collected_.missing, places_.sites->max_at_a_vertex);
  return complete_ && two_apart_ ? 2 * pairs : pairs;
}

// |S| >= |W| + m * min over v outside W of sum over w in W of d(v, w)
//            + (total of m nodes outside W),   W: whole shells, m: missing.
std::uint64_t GridCentre::LowerBound() {
  return collected_.whole_total + collected_.missing * MinSumOutside() +
         MinTotalOfLast();
}

// The range of the distance sums of all vertices in the windows.
SumRange GridCentre::RangeOfSums() const {
  SumRange range{0, 0};
  for (const AxisWindow& window : windows_) {
    const auto [min, max] =
        std::minmax_element(window.sums.begin(), window.sums.end());
    range.min += *min;
    range.max += *max;
  }
  return range;
}

// Total pairwise distance, along these axes, of the nodes taken of the last
// shell. One loop counts on all axes: consecutive sites often share a
// coordinate, so a loop per axis would stall on its own counter.
std::uint64_t GridCentre::TotalOfTakenAlong(std::span<const std::size_t> axes) {
  counts_.clear();
  for (const std::size_t d : axes) {
    AxisWindow& window = last_windows_[d];
    window.start = windows_[d].start;
    window.counts.assign(windows_[d].counts.size(), 0);
    counts_.push_back({static_cast<std::uint32_t>(d), window.start,
                       places_.axes[d].extent, window.counts.data()});
  }
  for (const ShellSite& site : collected_.taken) {
    const std::uint32_t* const at = places_.At(site.vertex).data();
    for (const AxisCounts& axis : counts_) {
      axis.counts[StepsRight(axis.start, axis.extent, at[axis.dimension])] +=
          site.count;
    }
  }
  std::uint64_t total = 0;
  for (const std::size_t d : axes) {
    total += last_windows_[d].Sum(places_.axes[d]);
  }
  return total;
}

FreePerimeter& GridCentre::perimeter() {
  if (!perimeter_.has_value()) perimeter_.emplace(places_);
  return *perimeter_;
}

// With T the total pairwise distance of the n nodes, D the perimeter and w its
// weight, the mean is 2 T / (n (n - 1)); so 2 T / w + n (n - 1) D is in the
// same order as mean + w D.
std::uint64_t GridCentre::FillByPerimeter() {
  constexpr std::uint64_t kOfTotal = 50;  // 2 / w
  static_assert(kOfTotal * kPerimeterWeight == 2);
  const std::uint64_t perimeter_of_all =
      perimeter().Fill(collected_.whole_shells, collected_.last_sites,
                       collected_.missing, windows_, collected_.taken);
  collected_.total = collected_.whole_total;
  for (const ShellSite& site : collected_.taken) {
    collected_.total += site.sum * site.count;
  }
  std::uint64_t nodes = places_.sites->wanted;
  for (const VertexNodes& site : places_.sites->required) nodes += site.count;
  return kOfTotal * collected_.total +
         std::max<std::uint64_t>(nodes * (nodes - 1), 1) * perimeter_of_all;
}

std::uint64_t GridCentre::PerimeterOfOne(VertexId centre) {
  return perimeter().FreeBeside(centre);
}

std::uint64_t GridCentre::PerimeterOf(std::span<const VertexNodes> chosen) {
  return perimeter().Of(chosen);
}

std::uint64_t GridCentre::Total(std::uint64_t limit) {
  products_.RebuildWithSums(collected_.last_shell, windows_);
  CollectShell(collected_.last_shell);
  smallest_sums_.Take(collected_.last_sites, RangeOfSums(), collected_.missing,
                      collected_.taken);
  std::uint64_t total = collected_.whole_total;
  for (const ShellSite& site : collected_.taken) {
    total += site.sum * site.count;
  }
  if (total + MinTotalOfLast() > limit) return kNever;
  const std::span<const std::size_t> axes(longest_first_);
  const std::size_t long_axes = (axes.size() + 1) / 2;
  total += TotalOfTakenAlong(axes.first(long_axes));
  if (total > limit) return kNever;
  total += TotalOfTakenAlong(axes.subspan(long_axes));
  collected_.total = total;
  return total;
}

}  // namespace coolspan
