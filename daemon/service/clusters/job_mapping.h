// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_CLUSTERS_JOB_MAPPING_H_
#define COOLSPAN_SERVICE_CLUSTERS_JOB_MAPPING_H_

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "coolspan/v1/allocator.pb.h"
#include "core/budget.h"
#include "core/machine.h"
#include "core/request.h"
#include "service/codec/node_table.h"

namespace coolspan {

// Slots of a mapping for a client: about 100 MB.
inline constexpr std::uint64_t kMaxServedSlots = std::uint64_t{1} << 20;

// The time of one search for a client.
inline constexpr std::chrono::milliseconds kMaxMapTime{10'000};
// MapRequest.time_limit_s. Error: INVALID_ARGUMENT (negative or not a number).
absl::StatusOr<std::chrono::milliseconds> MapTimeOf(
    const v1::MapRequest& request);

// Maps the ranks of a job to its nodes. nodes: of the job, ascending. Errors:
// INVALID_ARGUMENT (DecodePattern's, an unknown method, more ranks than slots,
// more than kMaxServedSlots).
absl::StatusOr<v1::MapReply> MapJob(const Machine& machine,
                                    std::vector<NodeId> nodes,
                                    const v1::MapRequest& request,
                                    Budget& budget);

// AllocateReply.rank_bits, if the request has a pattern whose ranks come out
// even on the nodes of the answer. Besides the budget, it takes a second for
// the edges and distances of thousands of nodes and a million pairs.
void AddRankBits(const Machine& machine, const Request& request,
                 std::span<const NodeId> nodes, const NodeTable& table,
                 Budget budget, v1::AllocateReply& reply);
// Without a deadline, as much work as for most jobs in 10 ms.
inline constexpr std::uint64_t kRankBitsWork = 2'000'000;

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_CLUSTERS_JOB_MAPPING_H_
