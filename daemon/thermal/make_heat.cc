// SPDX-License-Identifier: GPL-3.0-or-later
#include "thermal/make_heat.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "thermal/dense_heat.h"
#include "thermal/sparse_heat.h"

namespace coolspan {

absl::StatusOr<std::shared_ptr<const HeatMatrix>> MakeHeat(
    ZoneId zones, std::span<const MatrixEntry> entries) {
  auto sparse = SparseHeat::Create(zones, entries);
  if (!sparse.ok()) return sparse.status();
  constexpr std::size_t kSparseEntryBytes = 24;
  constexpr std::size_t kDenseEntryBytes = 8;
  const std::size_t all = std::size_t{zones} * zones;
  if ((*sparse)->size() * kSparseEntryBytes < all * kDenseEntryBytes) {
    return std::shared_ptr<const HeatMatrix>(*std::move(sparse));
  }
  std::vector<double> k_per_w(all, 0.0);
  for (const MatrixEntry& entry : entries) {
    k_per_w[std::size_t{entry.row} * zones + entry.column] = entry.value;
  }
  auto dense = DenseHeat::Create(zones, k_per_w);
  if (!dense.ok()) return dense.status();
  return std::shared_ptr<const HeatMatrix>(*std::move(dense));
}

}  // namespace coolspan
