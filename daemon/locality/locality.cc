// SPDX-License-Identifier: GPL-3.0-or-later
#include "locality/locality.h"

#include <algorithm>
#include <vector>

#include "locality/smallest_box.h"
#include "locality/spans.h"

namespace coolspan {

struct LocalityMeter::Scratch {
  // Vertices of the smallest box and cube for n nodes; 0: not computed yet.
  struct Ideal {
    std::uint32_t box = 0;
    std::uint32_t cube = 0;
  };

  SpanMeter ranks;
  std::optional<IdealTotals> own_ideal_totals;
  IdealTotals* ideal_totals;
  std::vector<SpanMeter> dimensions;
  std::vector<std::uint32_t> coordinates;  // by vertex, then dimension
  std::vector<Ideal> ideals;               // by n
  // By vertex: equal to mark if it is in the set and not yet in a component.
  std::vector<std::uint32_t> marks;
  std::uint32_t mark = 0;
  std::vector<VertexId> vertices;  // of the nodes being measured
  std::vector<VertexId> pending;
  // On a grid by vertex, equally many each, padded by the vertex itself;
  // elsewhere of one vertex.
  std::vector<VertexId> neighbours;

  Scratch(const Topology& topology, const Ordering& ordering,
          IdealTotals* shared_ideal_totals)
      : ranks(ordering.size()),
        ideal_totals(shared_ideal_totals),
        marks(topology.vertex_count(), 0) {
    if (ideal_totals == nullptr) {
      ideal_totals = &own_ideal_totals.emplace(topology);
    }
    if (const Grid* grid = topology.grid()) {
      for (const std::uint32_t extent : grid->dims) {
        dimensions.emplace_back(extent);
      }
      const std::size_t count = grid->dims.size();
      coordinates.resize(topology.vertex_count() * count);
      for (VertexId v = 0; v < topology.vertex_count(); ++v) {
        grid->CoordinatesOf(v,
                            std::span(coordinates).subspan(v * count, count));
        topology.AppendNeighbours(v, neighbours);
        neighbours.resize(2 * count * (v + std::size_t{1}), v);
      }
      ideals.resize(topology.node_count() + std::size_t{1});
    }
  }

  // Of the set in `vertices`, one for each node.
  Locality::Box MeasureBox(const Grid& grid);
  std::uint32_t CountComponents(const Topology& topology);

  std::span<const VertexId> NeighboursOf(const Topology& topology,
                                         VertexId vertex) {
    if (const std::size_t count = 2 * dimensions.size()) {
      return std::span(neighbours).subspan(count * vertex, count);
    }
    neighbours.clear();
    topology.AppendNeighbours(vertex, neighbours);
    return neighbours;
  }
};

Locality::Box LocalityMeter::Scratch::MeasureBox(const Grid& grid) {
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const std::uint32_t* const along = &coordinates[i];
    for (const VertexId vertex : vertices) {
      dimensions[i].Insert(along[vertex * dimensions.size()]);
    }
  }
  Locality::Box box{1, 0, 0, 0, 0};
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const SpanMeter::Spans spans = dimensions[i].Take();
    const std::uint32_t extent = grid.wrap[i] ? spans.ring : spans.linear;
    box.size *= extent;
    box.dims_sum += extent;
    largest = std::max(largest, extent);
  }
  box.cube = SaturatingPower(largest, dimensions.size());

  Ideal& ideal = ideals[vertices.size()];
  if (ideal.box == 0) {
    const std::uint64_t filled =
        (vertices.size() + grid.nodes_per_vertex - 1) / grid.nodes_per_vertex;
    ideal.box = static_cast<std::uint32_t>(SmallestBox(grid.dims, filled));
    ideal.cube =
        static_cast<std::uint32_t>(SmallestCube(grid.dims.size(), filled));
  }
  box.box_expansion = static_cast<double>(box.size) / ideal.box;
  box.cube_expansion = static_cast<double>(box.cube) / ideal.cube;
  return box;
}

std::uint32_t LocalityMeter::Scratch::CountComponents(
    const Topology& topology) {
  if (++mark == 0) {
    std::fill(marks.begin(), marks.end(), 0);
    mark = 1;
  }
  for (const VertexId vertex : vertices) marks[vertex] = mark;
  std::uint32_t components = 0;
  const auto reach = [this](VertexId vertex) {
    if (marks[vertex] != mark) return false;
    marks[vertex] = 0;
    pending.push_back(vertex);
    return true;
  };
  for (const VertexId vertex : vertices) {
    if (!reach(vertex)) continue;
    ++components;
    while (!pending.empty()) {
      const VertexId reached = pending.back();
      pending.pop_back();
      for (const VertexId neighbour : NeighboursOf(topology, reached)) {
        reach(neighbour);
      }
    }
  }
  return components;
}

LocalityMeter::LocalityMeter(const Topology& topology, const Ordering& ordering,
                             IdealTotals* ideal_totals)
    : topology_(topology),
      ordering_(ordering),
      scratch_(std::make_unique<Scratch>(topology, ordering, ideal_totals)) {}

LocalityMeter::~LocalityMeter() = default;

Locality LocalityMeter::Measure(std::span<const NodeId> nodes) {
  const auto n = static_cast<double>(nodes.size());
  Locality locality{};
  locality.pairwise_total = topology_.PairwiseTotal(nodes);
  const auto total = static_cast<double>(locality.pairwise_total);
  locality.pairwise_mean = nodes.size() > 1 ? total / (n * (n - 1) / 2) : 0;
  locality.comm_cost = 2 * total / n;

  for (const NodeId node : nodes) {
    scratch_->ranks.Insert(ordering_.RankOf(node));
  }
  const SpanMeter::Spans spans = scratch_->ranks.Take();
  locality.linear_span = spans.linear;
  locality.ring_span = spans.ring;
  locality.stretch_span = spans.ring / n;

  scratch_->vertices.clear();
  for (const NodeId node : nodes) {
    scratch_->vertices.push_back(topology_.VertexOf(node));
  }
  if (const Grid* grid = topology_.grid()) {
    locality.box = scratch_->MeasureBox(*grid);
  }
  locality.components = scratch_->CountComponents(topology_);
  locality.ideal_pairwise_total =
      scratch_->ideal_totals->For(static_cast<NodeCount>(nodes.size()));
  return locality;
}

void VisitMetrics(
    const Locality& locality,
    absl::FunctionRef<void(std::string_view key, std::optional<double> value)>
        visit) {
  visit("pairwise_total", static_cast<double>(locality.pairwise_total));
  visit("pairwise_mean", locality.pairwise_mean);
  visit("comm_cost", locality.comm_cost);
  visit("linear_span", locality.linear_span);
  visit("ring_span", locality.ring_span);
  visit("stretch_span", locality.stretch_span);
  const auto of_box = [&](auto member) -> std::optional<double> {
    if (!locality.box) return std::nullopt;
    return static_cast<double>((*locality.box).*member);
  };
  visit("box_size", of_box(&Locality::Box::size));
  visit("box_dims_sum", of_box(&Locality::Box::dims_sum));
  visit("box_cube", of_box(&Locality::Box::cube));
  visit("box_expansion", of_box(&Locality::Box::box_expansion));
  visit("cube_expansion", of_box(&Locality::Box::cube_expansion));
  visit("components", locality.components);
  visit("ideal_pairwise_total",
        static_cast<double>(locality.ideal_pairwise_total));
}

}  // namespace coolspan
