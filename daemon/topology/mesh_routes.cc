// SPDX-License-Identifier: GPL-3.0-or-later
#include "topology/mesh_routes.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace coolspan {
namespace {

constexpr LinkId kNoLink = std::numeric_limits<LinkId>::max();

// One dimension of a grid.
struct Axis {
  std::uint32_t extent;
  VertexId stride;  // between neighbours
  bool ring;        // more than two places that wrap
};

// The counts of nodes in rows of one dimension.
class RowCounts {
 public:
  explicit RowCounts(VertexId vertices) : counts_(vertices, 0) {}

  void Reset(std::uint32_t extent) {
    extent_ = extent;
    is_used_.assign(counts_.size() / extent, false);
  }
  void Add(VertexId row, std::uint32_t place) {
    if (!is_used_[row]) {
      is_used_[row] = true;
      rows_.push_back(row);
    }
    ++counts_[std::size_t{row} * extent_ + place];
  }
  const std::vector<VertexId>& rows() const { return rows_; }
  std::span<const std::uint32_t> At(VertexId row) const {
    return std::span(counts_).subspan(std::size_t{row} * extent_, extent_);
  }
  void Clear() {
    for (const VertexId row : rows_) {
      const auto begin = counts_.begin() + std::ptrdiff_t{row} * extent_;
      std::fill(begin, begin + extent_, 0U);
    }
    rows_.clear();
  }

 private:
  std::vector<std::uint32_t> counts_;  // by row, then place
  std::uint32_t extent_ = 1;
  std::vector<bool> is_used_;
  std::vector<VertexId> rows_;
};

class MeshRoutes final : public Routes {
 public:
  explicit MeshRoutes(const Topology& topology);

  LinkId link_count() const override {
    return static_cast<LinkId>(ends_.size());
  }
  Ends EndsOf(LinkId link) const override { return ends_[link]; }
  void AddRoute(VertexId from, VertexId to, double volume,
                LinkLoads& loads) override;
  void AddAllToAll(std::span<const NodeId> nodes, double volume,
                   LinkLoads& loads) override;

 private:
  // The link from a vertex to the next one along a dimension, or to the one
  // before it.
  LinkId LinkFrom(VertexId vertex, std::size_t dimension, bool forward) const {
    return link_from_[(vertex * axes_.size() + dimension) * 2 +
                      (forward ? 0 : 1)];
  }
  std::uint32_t PlaceOf(VertexId vertex, const Axis& axis) const {
    return vertex / axis.stride % axis.extent;
  }
  void AddLinks();
  void Walk(std::size_t dimension, VertexId row, std::uint32_t from,
            std::uint32_t hops, bool forward, double volume, LinkLoads& loads);
  void AddLine(std::size_t dimension, VertexId row,
               std::span<const std::uint32_t> sources,
               std::span<const std::uint32_t> targets, double volume,
               LinkLoads& loads);
  void AddRing(std::size_t dimension, VertexId row,
               std::span<const std::uint32_t> sources,
               std::span<const std::uint32_t> targets, double volume,
               LinkLoads& loads);

  const Topology& topology_;
  std::vector<Axis> axes_;
  std::vector<LinkId> link_from_;  // by vertex, dimension, direction; kNoLink
  std::vector<Ends> ends_;         // by link
  RowCounts sources_;
  RowCounts targets_;
};

MeshRoutes::MeshRoutes(const Topology& topology)
    : topology_(topology),
      sources_(topology.vertex_count()),
      targets_(topology.vertex_count()) {
  const Grid& grid = *topology.grid();
  VertexId stride = 1;
  for (std::size_t d = 0; d < grid.dims.size(); ++d) {
    axes_.push_back({grid.dims[d], stride, grid.wrap[d] && grid.dims[d] > 2});
    stride *= grid.dims[d];
  }
  AddLinks();
}

void MeshRoutes::AddLinks() {
  link_from_.reserve(topology_.vertex_count() * axes_.size() * 2);
  for (VertexId vertex = 0; vertex < topology_.vertex_count(); ++vertex) {
    for (const Axis& axis : axes_) {
      const std::uint32_t place = PlaceOf(vertex, axis);
      const VertexId around = (axis.extent - 1) * axis.stride;
      const auto add = [&](bool exists, VertexId to) {
        link_from_.push_back(exists ? link_count() : kNoLink);
        if (exists) ends_.push_back({vertex, to});
      };
      const bool last = place + 1 == axis.extent;
      add(!last || axis.ring, last ? vertex - around : vertex + axis.stride);
      add(place > 0 || axis.ring,
          place == 0 ? vertex + around : vertex - axis.stride);
    }
  }
}

// row: the vertex at place 0.
void MeshRoutes::Walk(std::size_t dimension, VertexId row, std::uint32_t from,
                      std::uint32_t hops, bool forward, double volume,
                      LinkLoads& loads) {
  const Axis& axis = axes_[dimension];
  std::uint32_t place = from;
  for (; hops > 0; --hops) {
    loads.Add(LinkFrom(row + place * axis.stride, dimension, forward), volume);
    if (forward) {
      place = place + 1 == axis.extent ? 0 : place + 1;
    } else {
      place = place == 0 ? axis.extent - 1 : place - 1;
    }
  }
}

void MeshRoutes::AddRoute(VertexId from, VertexId to, double volume,
                          LinkLoads& loads) {
  VertexId at = from;
  for (std::size_t d = 0; d < axes_.size(); ++d) {
    const Axis& axis = axes_[d];
    const std::uint32_t x = PlaceOf(at, axis);
    const std::uint32_t y = PlaceOf(to, axis);
    const VertexId row = at - x * axis.stride;
    at = row + y * axis.stride;
    if (!axis.ring) {
      Walk(d, row, x, x < y ? y - x : x - y, x < y, volume, loads);
      continue;
    }
    const std::uint32_t ahead = (y + axis.extent - x) % axis.extent;
    const std::uint32_t back = (axis.extent - ahead) % axis.extent;
    const double part = ahead == back ? volume / 2 : volume;
    if (ahead <= back) Walk(d, row, x, ahead, true, part, loads);
    if (back <= ahead) Walk(d, row, x, back, false, part, loads);
  }
}

// In dimension d, a message goes along the row that has the target's places in
// the dimensions before d, and the source's in those after d. So the sources of
// a row are all nodes with these places after d, and its targets all nodes with
// these places before d.
void MeshRoutes::AddAllToAll(std::span<const NodeId> nodes, double volume,
                             LinkLoads& loads) {
  for (std::size_t d = 0; d < axes_.size(); ++d) {
    const Axis& axis = axes_[d];
    if (axis.extent == 1) continue;
    sources_.Reset(axis.extent);
    targets_.Reset(axis.extent);
    for (const NodeId node : nodes) {
      const VertexId vertex = topology_.VertexOf(node);
      const std::uint32_t place = PlaceOf(vertex, axis);
      sources_.Add(vertex / axis.stride / axis.extent, place);
      targets_.Add(vertex % axis.stride, place);
    }
    for (const VertexId after : sources_.rows()) {
      for (const VertexId before : targets_.rows()) {
        const VertexId row = before + after * axis.extent * axis.stride;
        if (axis.ring) {
          AddRing(d, row, sources_.At(after), targets_.At(before), volume,
                  loads);
        } else {
          AddLine(d, row, sources_.At(after), targets_.At(before), volume,
                  loads);
        }
      }
    }
    sources_.Clear();
    targets_.Clear();
  }
}

// A link of a line is on the way from every source on its one side to every
// target on its other side.
void MeshRoutes::AddLine(std::size_t dimension, VertexId row,
                         std::span<const std::uint32_t> sources,
                         std::span<const std::uint32_t> targets, double volume,
                         LinkLoads& loads) {
  const Axis& axis = axes_[dimension];
  double sources_behind = 0;
  double targets_behind = 0;
  double sources_ahead = 0;
  double targets_ahead = 0;
  for (const std::uint32_t count : sources) sources_ahead += count;
  for (const std::uint32_t count : targets) targets_ahead += count;
  for (std::uint32_t x = 0; x + 1 < axis.extent; ++x) {
    sources_behind += sources[x];
    sources_ahead -= sources[x];
    targets_behind += targets[x];
    targets_ahead -= targets[x];
    const VertexId vertex = row + x * axis.stride;
    loads.Add(LinkFrom(vertex, dimension, true),
              volume * sources_behind * targets_ahead);
    loads.Add(LinkFrom(vertex + axis.stride, dimension, false),
              volume * sources_ahead * targets_behind);
  }
}

// From each source to the targets up to half the ring away, the farthest first:
// what goes on to them adds up towards the source.
void MeshRoutes::AddRing(std::size_t dimension, VertexId row,
                         std::span<const std::uint32_t> sources,
                         std::span<const std::uint32_t> targets, double volume,
                         LinkLoads& loads) {
  const Axis& axis = axes_[dimension];
  const std::uint32_t extent = axis.extent;
  for (std::uint32_t x = 0; x < extent; ++x) {
    if (sources[x] == 0) continue;
    for (const bool forward : {true, false}) {
      double beyond = 0;
      for (std::uint32_t hops = extent / 2; hops > 0; --hops) {
        const std::uint32_t steps = forward ? hops : extent - hops;
        const double part = 2 * hops == extent ? 0.5 : 1;
        beyond += part * targets[(x + steps) % extent];
        const std::uint32_t before = forward ? hops - 1 : extent - hops + 1;
        loads.Add(LinkFrom(row + (x + before) % extent * axis.stride, dimension,
                           forward),
                  volume * sources[x] * beyond);
      }
    }
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<Routes>> MakeMeshRoutes(
    const Topology& topology) {
  const std::uint64_t links =
      std::uint64_t{topology.vertex_count()} * topology.grid()->dims.size() * 2;
  if (links > kMaxLinks) {
    return absl::InvalidArgumentError(absl::StrCat(
        "up to ", links, " links (expected at most ", kMaxLinks, ")"));
  }
  return std::make_unique<MeshRoutes>(topology);
}

}  // namespace coolspan
