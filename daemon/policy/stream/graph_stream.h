// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_POLICY_STREAM_GRAPH_STREAM_H_
#define COOLSPAN_POLICY_STREAM_GRAPH_STREAM_H_

#include "core/budget.h"
#include "core/topology.h"
#include "policy/distance/free_sites.h"
#include "policy/stream/neighbours.h"
#include "policy/stream/stream_costs.h"
#include "policy/stream/stream_found.h"

namespace coolspan {

// Searches for a set of least score (StreamWeights) on a network without
// coordinates, where the neighbours of a node are those of its own vertex, of
// vertices one hop away and behind the same switch, each kind with its weight
// (Neighbours). From each vertex with free nodes as centre, takes vertex after
// vertex with as many of its nodes as are free and missing: each time the
// vertex whose nodes add least to the score on average, ties: the most nodes,
// then the smallest vertex. The best centre wins, ties: the first tried, that
// with the smallest sum of distances to the nodes nearest to it.
//
// REQUIRES 0 < wanted < free_count of the sites. If the budget
// ends, the result is the best so far.
StreamFound SearchGraphForStream(const Topology& topology,
                                 const Neighbours& neighbours,
                                 const FreeSites& sites,
                                 const StreamCosts& costs, Budget& budget);

}  // namespace coolspan

#endif  // COOLSPAN_POLICY_STREAM_GRAPH_STREAM_H_
