// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_TOPOLOGY_HOP_TABLE_H_
#define COOLSPAN_TOPOLOGY_HOP_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/types.h"

namespace coolspan {

// Such a table takes 256 MiB, or 512 MiB if a path has more than 255 hops.
inline constexpr VertexId kMaxTableVertices = VertexId{1} << 14;
inline constexpr Hops kMaxTableHops = std::numeric_limits<std::uint16_t>::max();

// Hops between all ordered pairs of vertices, one byte each, or two if some
// path is longer than 255 hops. For networks without a structure to compute
// distances from.
class HopTable {
 public:
  // All zero. REQUIRES vertices <= kMaxTableVertices, longest <= kMaxTableHops.
  HopTable(VertexId vertices, Hops longest) : vertices_(vertices) {
    const std::size_t pairs = std::size_t{vertices} * vertices;
    if (longest <= std::numeric_limits<std::uint8_t>::max()) {
      bytes_.resize(pairs);
    } else {
      words_.resize(pairs);
    }
  }

  VertexId vertex_count() const { return vertices_; }
  Hops At(VertexId a, VertexId b) const {
    const std::size_t pair = std::size_t{a} * vertices_ + b;
    return words_.empty() ? bytes_[pair] : words_[pair];
  }
  // Sets one direction. REQUIRES hops <= longest.
  void Set(VertexId from, VertexId to, Hops hops) {
    const std::size_t pair = std::size_t{from} * vertices_ + to;
    if (words_.empty()) {
      bytes_[pair] = static_cast<std::uint8_t>(hops);
    } else {
      words_[pair] = static_cast<std::uint16_t>(hops);
    }
  }

 private:
  VertexId vertices_;
  std::vector<std::uint8_t> bytes_;
  std::vector<std::uint16_t> words_;
};

}  // namespace coolspan

#endif  // COOLSPAN_TOPOLOGY_HOP_TABLE_H_
