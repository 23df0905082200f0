// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_SERVICE_CODEC_WIRE_H_
#define COOLSPAN_SERVICE_CODEC_WIRE_H_

#include <grpcpp/support/status.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "coolspan/v1/allocator.pb.h"
#include "core/allocator.h"
#include "service/codec/node_table.h"

namespace coolspan {

// Times beyond these are no times of a clock, real or virtual, and would leave
// no room for an expiry.
inline constexpr TimeMs kLatestMs = 253'402'300'799'999;  // year 9999
absl::Status CheckTime(TimeMs now_ms);

// The share of its time that a job communicates: the field's, else that of a
// word of its comment (JobComment), where a wrong one counts for nothing.
// nullopt: neither says so. Error: INVALID_ARGUMENT, a field not from 0 to 1.
absl::StatusOr<std::optional<float>> DecodeShare(
    const v1::AllocateRequest& request);
absl::StatusOr<std::optional<float>> DecodeShare(const v1::Holding& holding);

JobKey DecodeJob(const v1::Job& job);
v1::Job EncodeJob(JobKey job);

// Nodes the machine does not have are left out, with their units.
// Errors: INVALID_ARGUMENT: the bitmap; a number of units other than that of
// its nodes; units beside whole; no share.
absl::StatusOr<Allocator::Fact> DecodeHolding(const v1::Holding& holding,
                                              const NodeTable& table);

// Units by NodeId; 1 for nodes that the table does not name.
// Errors: INVALID_ARGUMENT: runs that cover another number of names, 0 units.
absl::StatusOr<std::vector<Units>> DecodeCapacity(
    const google::protobuf::RepeatedPtrField<v1::UnitsRun>& runs,
    const NodeTable& table, NodeCount node_count);

grpc::Status ToGrpc(const absl::Status& status);

}  // namespace coolspan

#endif  // COOLSPAN_SERVICE_CODEC_WIRE_H_
