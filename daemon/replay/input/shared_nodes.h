// SPDX-License-Identifier: GPL-3.0-or-later
#ifndef COOLSPAN_REPLAY_INPUT_SHARED_NODES_H_
#define COOLSPAN_REPLAY_INPUT_SHARED_NODES_H_

#include <cstdint>
#include <span>

#include "core/types.h"
#include "replay/input/workload.h"

namespace coolspan {

// Number of jobs that, as recorded, held a node at the same time as another
// job. REQUIRES recorded starts and nodes of all jobs.
std::uint64_t CountSharingJobs(std::span<const WorkloadJob> jobs,
                               NodeCount machine_nodes);

}  // namespace coolspan

#endif  // COOLSPAN_REPLAY_INPUT_SHARED_NODES_H_
