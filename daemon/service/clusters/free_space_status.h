// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_CLUSTERS_FREE_SPACE_STATUS_H_
#define COOLSPAN_SERVICE_CLUSTERS_FREE_SPACE_STATUS_H_

#include "coolspan/v1/allocator.pb.h"
#include "core/node_set.h"
#include "core/topology.h"
#include "ordering/ordering.h"

namespace coolspan {

// Measures the pieces of the free nodes. O(nodes + vertices) and the search for
// the largest box: up to about 0.1 s.
void FillFreeSpace(const Topology& topology, const Ordering& ordering,
                   const NodeSet& free, v1::ClusterStatus::FreeSpace& space);

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_CLUSTERS_FREE_SPACE_STATUS_H_
