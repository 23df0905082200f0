// SPDX-License-Identifier: GPL-3.0-or-later
#include "policy/stream/box_sums.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "mesh_machine.h"
#include "policy/distance/grid_places.h"

namespace coolspan {
namespace {

// Three axes; around a ring, boxes lead over its end.
struct Sums {
  explicit Sums(const Grid& grid) : table(grid), layout(table.axes) {
    for (VertexId v = 0; v < grid.VertexCount(); ++v) {
      values.push_back(static_cast<std::int32_t>(v * v % 7) - 2);
    }
  }
  // By the definition, over all vertices.
  std::int64_t Of(const std::vector<AxisRange>& box) const {
    std::int64_t sum = 0;
    for (VertexId v = 0; v < values.size(); ++v) {
      bool inside = true;
      for (std::size_t d = 0; d < box.size(); ++d) {
        const std::uint32_t extent = table.axes[d].extent;
        const std::uint32_t x = table.coordinates[v * box.size() + d];
        inside &= (x + extent - box[d].start) % extent < box[d].count;
      }
      if (inside) sum += values[v];
    }
    return sum;
  }

  GridTable table;
  PrefixLayout layout;
  std::vector<std::int32_t> values;
};

void ForEachBox(const GridTable& table, bool rings,
                const std::function<void(std::vector<AxisRange>)>& visit) {
  std::vector<std::vector<AxisRange>> ranges;
  for (const GridAxis& axis : table.axes) {
    ranges.emplace_back();
    for (std::uint32_t start = 0; start < axis.extent; ++start) {
      const std::uint32_t most = rings ? axis.extent : axis.extent - start;
      for (std::uint32_t n = 1; n <= most; ++n) {
        ranges.back().push_back({start, n});
      }
    }
  }
  for (const AxisRange& x : ranges[0]) {
    for (const AxisRange& y : ranges[1]) {
      for (const AxisRange& z : ranges[2]) visit({x, y, z});
    }
  }
}

TEST(BoxSums, EqualTheSumOverTheBox) {
  for (const bool rings : {false, true}) {
    const Sums sums(rings ? TorusGrid({4, 3, 5}) : FlatGrid({4, 3, 5}));
    const BoxSums prefixes(sums.layout,
                           [&](std::size_t v) { return sums.values[v]; });
    BoxCorners corners(sums.layout);
    ForEachBox(sums.table, rings, [&](const std::vector<AxisRange>& box) {
      corners.Set(box);
      ASSERT_EQ(prefixes.Sum(corners), sums.Of(box));
    });
  }
}

TEST(BoxSums, SumAlongAnAxis) {
  const Sums sums(TorusGrid({4, 3, 5}));
  const BoxSums prefixes(sums.layout,
                         [&](std::size_t v) { return sums.values[v]; });
  BoxCorners corners(sums.layout);
  std::vector<std::int64_t> before(4);  // fits the shortest axis
  ForEachBox(sums.table, true, [&](std::vector<AxisRange> box) {
    for (std::size_t d = 0; d < 3; ++d) {
      corners.SetWithout(box, d);
      prefixes.SumsBefore(corners, d, 0, before);
      for (std::uint32_t x = 0; x + 1 < before.size(); ++x) {
        if (x >= sums.table.axes[d].extent) break;
        std::vector<AxisRange> slice = box;
        slice[d] = {x, 1};
        ASSERT_EQ(prefixes.SumAt(corners, d, x), sums.Of(slice));
        ASSERT_EQ(before[x + 1] - before[x], sums.Of(slice));
      }
    }
  });
}

}  // namespace
}  // namespace coolspan
