// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/joint/latencies.h"

namespace coolspan {

double Latencies::PairTotal(std::span<const NodeId> nodes) const {
  if (measured_ == nullptr) {
    return static_cast<double>(topology_->PairwiseTotal(nodes));
  }
  double total = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::span<const float> row = measured_->RowOf(nodes[i]);
    for (std::size_t j = 0; j < i; ++j) total += row[nodes[j]];
  }
  return total;
}

LatencySums::LatencySums(const Latencies& latencies) : latencies_(latencies) {
  if (latencies.measured() == nullptr) {
    hops_.emplace(latencies.topology(), latencies.grid());
  } else {
    sums_.resize(latencies.place_count(), 0);
  }
}

void LatencySums::Add(std::uint32_t place, NodeCount nodes) {
  if (hops_) {
    hops_->Add(place, nodes);
  } else {
    AddRow(place, nodes);
  }
}

void LatencySums::Remove(std::uint32_t place, NodeCount nodes) {
  if (hops_) {
    hops_->Remove(place, nodes);
  } else {
    AddRow(place, -static_cast<double>(nodes));
  }
}

void LatencySums::AddRow(std::uint32_t place, double nodes) {
  const std::span<const float> row = latencies_.measured()->RowOf(place);
  for (std::size_t i = 0; i < row.size(); ++i) sums_[i] += nodes * row[i];
}

double LatencySums::farthest() const {
  return hops_ ? hops_->farthest() : latencies_.measured()->longest();
}

}  // namespace coolspan
