// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/generated_patterns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

namespace coolspan {
namespace {

// The largest divisor of count that is at most its root.
std::uint32_t DivisorNearRoot(std::uint32_t count, double root) {
  auto divisor = static_cast<std::uint32_t>(std::lround(root));
  while (divisor > 1 && count % divisor != 0) --divisor;
  return std::max(divisor, std::uint32_t{1});
}

// Extents of a grid of ranks, x (consecutive ranks) longest, as nearly equal as
// divisors allow.
template <std::size_t dimensions>
std::array<std::uint32_t, dimensions> ExtentsOf(std::uint32_t ranks) {
  std::array<std::uint32_t, dimensions> extents{};
  std::uint32_t rest = ranks;
  for (std::size_t i = dimensions - 1; i > 0; --i) {
    extents[i] =
        DivisorNearRoot(rest, std::pow(rest, 1.0 / static_cast<double>(i + 1)));
    rest /= extents[i];
  }
  extents[0] = rest;
  std::sort(extents.begin(), extents.end(), std::greater<>());
  return extents;
}

std::vector<TaskRank> AllToAll(TaskRank rank, std::uint32_t ranks) {
  std::vector<TaskRank> all;
  all.reserve(ranks);
  for (TaskRank to = 0; to < ranks; ++to) {
    if (to != rank) all.push_back(to);
  }
  return all;
}

std::vector<TaskRank> Ring(TaskRank rank, std::uint32_t ranks) {
  if (ranks == 1) return {};
  const TaskRank next = (rank + 1) % ranks;
  const TaskRank previous = (rank + ranks - 1) % ranks;
  if (next == previous) return {next};
  return {previous, next};
}

template <std::size_t dimensions>
std::vector<TaskRank> Stencil(TaskRank rank, std::uint32_t ranks) {
  const auto extents = ExtentsOf<dimensions>(ranks);
  std::vector<TaskRank> neighbours;
  std::uint32_t stride = 1;
  for (const std::uint32_t extent : extents) {
    const std::uint32_t at = rank / stride % extent;
    if (at > 0) neighbours.push_back(rank - stride);
    if (at + 1 < extent) neighbours.push_back(rank + stride);
    stride *= extent;
  }
  return neighbours;
}

std::vector<TaskRank> Fft(TaskRank rank, std::uint32_t ranks) {
  const auto [columns, rows] = ExtentsOf<2>(ranks);
  std::vector<TaskRank> partners;
  const TaskRank row = rank - rank % columns;
  for (TaskRank i = 0; i < columns; ++i) {
    if (row + i != rank) partners.push_back(row + i);
  }
  for (TaskRank i = 0; i < rows; ++i) {
    const TaskRank partner = i * columns + rank % columns;
    if (partner != rank) partners.push_back(partner);
  }
  return partners;
}

constexpr std::array kPatterns = {
    GeneratedPattern{"all-to-all", "each rank to each other one", AllToAll},
    GeneratedPattern{"fft",
                     "transposes of a 3-D FFT on pencils: each rank to all in "
                     "its row and column of a 2-D grid",
                     Fft},
    GeneratedPattern{"ring", "each rank to the ranks before and after it",
                     Ring},
    GeneratedPattern{"stencil2d", "each rank to its 4 neighbours in a 2-D grid",
                     Stencil<2>},
    GeneratedPattern{"stencil3d", "each rank to its 6 neighbours in a 3-D grid",
                     Stencil<3>},
};

}  // namespace

std::span<const GeneratedPattern> GeneratedPatternTable() { return kPatterns; }

const GeneratedPattern* FindGeneratedPattern(std::string_view name) {
  for (const GeneratedPattern& kind : kPatterns) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

absl::StatusOr<std::shared_ptr<const CommPattern>> MakeGeneratedPattern(
    const GeneratedPattern& kind, std::uint32_t ranks, double bytes) {
  // Checked before they are listed; Create has the same limit.
  if (ranks > CommPattern::kMaxRanks) {
    return CommPattern::Create(ranks, {});
  }
  std::vector<RankVolume> volumes;
  for (TaskRank rank = 0; rank < ranks; ++rank) {
    for (const TaskRank to : kind.receivers(rank, ranks)) {
      volumes.push_back({rank, to, bytes});
    }
    if (volumes.size() > CommPattern::kMaxPairs) {
      return absl::InvalidArgumentError(fmt::format(
          "pattern of {} ranks has more than {} pairs that communicate "
          "(expected at most {})",
          ranks, CommPattern::kMaxPairs, CommPattern::kMaxPairs));
    }
  }
  return CommPattern::Create(ranks, std::move(volumes));
}

}  // namespace coolspan
