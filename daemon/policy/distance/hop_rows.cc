// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/distance/hop_rows.h"

#include <algorithm>

#include "policy/paid_work.h"
#include "policy/parallel.h"

namespace coolspan {

HopRows::HopRows(const Topology& topology, std::span<const VertexId> vertices,
                 std::size_t columns, Budget& budget)
    : topology_(topology), vertices_(vertices), columns_(columns) {
  constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
  constexpr std::size_t kRows = 256;  // spent at a time
  constexpr std::size_t kRowsOfPiece = 16;
  if (vertices.size() * columns * sizeof(Hops) > kMaxBytes) return;
  for (std::size_t from = 0; from < vertices.size(); from += kRows) {
    const std::size_t count = std::min(kRows, vertices.size() - from);
    if (!budget.Spend(count * columns)) {
      stored_.clear();
      return;
    }
    stored_.reserve(vertices.size() * columns);
    stored_.resize((from + count) * columns);
    ForEachPiece(count, kRowsOfPiece, [&](std::size_t begin, std::size_t end) {
      PaidWork paid(budget);
      for (std::size_t i = from + begin;
           i < from + end && paid.Continue(columns); ++i) {
        ComputeRow(i, std::span(stored_).subspan(i * columns_, columns_));
      }
    });
  }
  if (!budget.Spend(0)) stored_.clear();
}

std::span<const Hops> HopRows::Row(std::size_t index,
                                   std::vector<Hops>& scratch) const {
  if (!stored_.empty()) {
    return std::span(stored_).subspan(index * columns_, columns_);
  }
  scratch.resize(columns_);
  ComputeRow(index, scratch);
  return scratch;
}

std::uint64_t HopRows::SumTo(std::size_t from,
                             std::span<const Nodes> nodes) const {
  std::uint64_t sum = 0;
  if (stored_.empty()) {
    for (const Nodes& at : nodes) {
      sum += std::uint64_t{at.count} *
             topology_.VertexDistance(vertices_[from], vertices_[at.column]);
    }
    return sum;
  }
  const Hops* const row = &stored_[from * columns_];
  for (const Nodes& at : nodes) sum += std::uint64_t{at.count} * row[at.column];
  return sum;
}

void HopRows::ComputeRow(std::size_t index, std::span<Hops> row) const {
  for (std::size_t to = 0; to < columns_; ++to) {
    row[to] = topology_.VertexDistance(vertices_[index], vertices_[to]);
  }
}

}  // namespace coolspan
