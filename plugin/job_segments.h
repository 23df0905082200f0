/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef COOLSPAN_PLUGIN_JOB_SEGMENTS_H_
#define COOLSPAN_PLUGIN_JOB_SEGMENTS_H_

#include "client.h"
#include "slurm_release.h"

/* Sets the segments of the request: with topology/block, a job must be within a
 * block, or each of its segments (--segment). min_nodes: what the job needs at
 * least. REQUIRES slurm_job_partition; link_lock. */
extern void set_segments(const job_record_t *job_ptr, uint32_t min_nodes,
                         coolspan_request_t *message);

#endif /* COOLSPAN_PLUGIN_JOB_SEGMENTS_H_ */
