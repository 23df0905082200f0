// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_ORDERING_HILBERT_H_
#define COOLSPAN_ORDERING_HILBERT_H_

#include <cstdint>
#include <span>
#include <vector>

namespace coolspan {

// A Hilbert curve generalised to every full mesh of 1 to 6 dimensions.
//
// dims: extent of each axis in vertices, x first.
// REQUIRES: 1 <= dims.size() <= 6, every extent >= 1, product <= 2^31.
// Returns the vertex ids (row-major, x = dims[0] fastest) in curve order, a
// permutation of [0, product).
//
//  - Consecutive vertices are neighbours in the mesh: every step is one hop,
//    whatever the extents.
//  - On squares, cubes and hypercubes with a side of 2^m it is a Hilbert curve:
//    every aligned block with a side of 2^j is contiguous.
//  - If at most one extent is above 1, it is row-major.
//  - Its locality cost (cpa-rd100-cplant-bender, section 2.2) is at most that
//    of row-major and snake on all meshes and tori tested.
//
// wrap: which axes are rings; empty: none. No step uses a wrap-around link, but
// the shape of the curve considers them: tori of side 4 or 5 are walked line by
// line. Deterministic, thread-safe. Time and memory are linear in the product;
// planning (hilbert.cc) is logarithmic in it. Source: our own construction
// after Hilbert, Ueber die stetige Abbildung einer Linie auf ein Flaechenstueck
// (1891).
std::vector<std::uint32_t> HilbertOrder(std::span<const std::uint32_t> dims,
                                        const std::vector<bool>& wrap = {});

}  // namespace coolspan

#endif  // COOLSPAN_ORDERING_HILBERT_H_
