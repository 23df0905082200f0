// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_CODEC_WIRE_H_
#define COOLSPAN_SERVICE_CODEC_WIRE_H_

#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "coolspan/v1/allocator.pb.h"
#include "core/allocator.h"
#include "service/codec/node_table.h"

namespace coolspan {

// Latest valid time. Later ones are not plausible, and expiry times could
// overflow.
inline constexpr TimeMs kLatestMs = 253'402'300'799'999;  // year 9999
absl::Status CheckTime(TimeMs now_ms);

// Share of its time that a job communicates: from the field, else from the job
// comment (JobComment), in which an invalid share is ignored. nullopt: not
// specified. Error: INVALID_ARGUMENT (the field is not from 0 to 1).
absl::StatusOr<std::optional<float>> DecodeShare(
    const v1::AllocateRequest& request);
absl::StatusOr<std::optional<float>> DecodeShare(const v1::Holding& holding);

JobKey DecodeJob(const v1::Job& job);
v1::Job EncodeJob(JobKey job);

// Omits nodes that are not in the machine, with their units.
// Error: INVALID_ARGUMENT (bitmap; number of units differs from the number of
// nodes; units for whole nodes; share not from 0 to 1).
absl::StatusOr<Allocator::Fact> DecodeHolding(const v1::Holding& holding,
                                              const NodeTable& table);

// Tiers by NodeId; 0 for nodes that are not in the table; empty without runs.
// Error: INVALID_ARGUMENT (runs for another number of nodes, of 0 nodes).
absl::StatusOr<std::vector<Tier>> DecodeTiers(
    const google::protobuf::RepeatedPtrField<v1::TierRun>& runs,
    const NodeTable& table, NodeCount node_count);

// What the job can use, by NodeId; nothing of nodes that are not in the table.
// nullptr without runs. Error: INVALID_ARGUMENT (as DecodeTiers).
absl::StatusOr<std::shared_ptr<const UsableByNode>> DecodeUsable(
    const google::protobuf::RepeatedPtrField<v1::UsableRun>& runs,
    const NodeTable& table, NodeCount node_count);

// Units by NodeId; 1 for nodes that are not in the table.
// Error: INVALID_ARGUMENT (runs for another number of nodes, 0 nodes or units).
absl::StatusOr<std::vector<Units>> DecodeCapacity(
    const google::protobuf::RepeatedPtrField<v1::UnitsRun>& runs,
    const NodeTable& table, NodeCount node_count);

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_CODEC_WIRE_H_
