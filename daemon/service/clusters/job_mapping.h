// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_CLUSTERS_JOB_MAPPING_H_
#define COOLSPAN_SERVICE_CLUSTERS_JOB_MAPPING_H_

#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "coolspan/v1/allocator.pb.h"
#include "core/budget.h"
#include "core/machine.h"
#include "core/request.h"
#include "service/codec/node_table.h"

namespace coolspan {

// Maps the ranks of a job to its nodes. nodes: of the job, ascending. Errors:
// INVALID_ARGUMENT (DecodePattern's, an unknown method, more ranks than slots).
absl::StatusOr<v1::MapReply> MapJob(const Machine& machine,
                                    std::vector<NodeId> nodes,
                                    const v1::MapRequest& request,
                                    Budget& budget);

// AllocateReply.rank_bits, if the request has a pattern whose ranks come out
// even on the nodes of the answer. Takes about 10 ms at most.
void AddRankBits(const Machine& machine, const Request& request,
                 std::span<const NodeId> nodes, const NodeTable& table,
                 v1::AllocateReply& reply);

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_CLUSTERS_JOB_MAPPING_H_
