// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_STREAM_STREAM_COSTS_H_
#define COOLSPAN_POLICY_STREAM_STREAM_COSTS_H_

#include <cstdint>
#include <vector>

#include "core/policy.h"
#include "core/request.h"
#include "core/types.h"

namespace coolspan {

// The weights of the score of a set S of n nodes, in hops; smaller is better:
//
//   J(S) = mean pairwise distance of S + lambda D(S)
//   D(S) = sum over u in S, neighbours v not in S, of phi(v)
//
//   phi(v) = 1                       if v is free,
//            b |r - r_v| / max(r, r_v)  if v is busy,
//
// r: how long the job is expected to run; r_v: the time until the job on v is
// expected to end; b: ends_before if v becomes free before the job ends, else
// ends_after. Walls and nodes of unknown end count 0. D is the damage to the
// jobs that come later: a free neighbour is cut off from its surroundings, and
// a neighbour that ends at another time leaves a gap of its own.
//
//   lambda = perimeter (1 - rate + rate g)
//
// g, from 0 to 1: how many jobs start while this one runs, see StartsDuring. If
// none does, its surroundings matter to nobody. docs/policy-coolspan.md has the
// measurements.
struct StreamWeights {
  double perimeter = 0;
  double ends_before = 0;
  double ends_after = 0;
  double rate = 0;
};

// The unit of phi in whole numbers.
inline constexpr std::int32_t kPhiUnit = 256;
// On a grid, a pair of nodes of one vertex counts as so many pairs of
// neighbours.
inline constexpr std::int32_t kWithinVertex = 2;
// The sum over the neighbours of a vertex in a grid of six dimensions, each
// counted once and the vertex itself twice, fits in 32 bits.
inline constexpr std::int64_t kMaxPhi = std::int64_t{1} << 27;

// What the score of one request depends on besides the free nodes.
struct StreamCosts {
  double perimeter_weight = 0;  // lambda
  // By vertex: the sum of phi over its busy nodes, in kPhiUnit. Empty if all
  // are 0. At most kMaxPhi.
  std::vector<std::int32_t> busy_phi;
};
StreamCosts CostsFor(const MachineView& view, const Request& request,
                     const StreamWeights& weights);

// phi of a busy node on which the last job is expected to end at end_ms; 0 if
// that, or how long the job runs, is unknown.
double PhiOf(TimeMs run_ms, TimeMs end_ms, TimeMs now_ms,
             const StreamWeights& weights);

// g: the mean, over the recent starts, of min(1, c / 10), where c is the number
// of starts that followed within the time that the job is expected to run, its
// own included. 2/3 if that time or all starts are unknown.
double StartsDuring(const MachineView& view, const Request& request);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_STREAM_STREAM_COSTS_H_
