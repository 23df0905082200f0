// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLIES_STATUS_JSON_H_
#define COOLSPAN_REPLIES_STATUS_JSON_H_

#include <cstdint>

#include "coolspan/v1/allocator.pb.h"
#include "replies/json.h"

namespace coolspan {

using ReasonCounts = google::protobuf::RepeatedPtrField<v1::ReasonCount>;

// The sum over the reasons.
std::uint64_t Total(const ReasonCounts& reasons);

// The document of coolspan status --json.
Json StatusJson(const v1::StatusReply& status);

}  // namespace coolspan

#endif  // COOLSPAN_REPLIES_STATUS_JSON_H_
