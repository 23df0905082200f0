// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLIES_JOB_NAME_H_
#define COOLSPAN_REPLIES_JOB_NAME_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "coolspan/v1/allocator.pb.h"

namespace coolspan {

// The request for a job id (111), an array task (111_3), a component of a
// heterogeneous job (111+1) or a decision id (111.0.1). nullopt: none of these.
std::optional<v1::ExplainRequest> ParseJobName(std::string_view text);

// As in Slurm's commands: 111, 111_3 or 111+1.
std::string JobName(std::uint32_t job_id, const v1::JobStart& start);
std::string JobName(const v1::ExplainRequest& request);

// What ParseJobName accepts, for messages.
inline constexpr char kExpectedJobName[] =
    "a job id such as 111, an array task such as 111_3, a component of a "
    "heterogeneous job such as 111+1, or a decision id";

}  // namespace coolspan

#endif  // COOLSPAN_REPLIES_JOB_NAME_H_
