/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "job_segments.h"

#include "slurm_job.h"

typedef enum { NOT_KNOWN, BLOCKS, OTHER } kind_t;

/* Of each topology. They last as long as the process: from 24.11 on,
 * `scontrol reconfigure` executes slurmctld anew, and before, TopologyPlugin
 * changes only with a restart. */
static kind_t *kinds;
static uint32_t kind_count;

static bool is_in_blocks(const job_record_t *job_ptr) {
  const uint32_t index = slurm_job_topology(job_ptr);

  if (index >= kind_count) {
    kind_count = index + 1;
    xrecalloc(kinds, kind_count, sizeof(*kinds));
  }
  if (kinds[index] == NOT_KNOWN)
    kinds[index] = slurm_job_has_block_topology(job_ptr) ? BLOCKS : OTHER;
  return kinds[index] == BLOCKS;
}

extern void set_segments(const job_record_t *job_ptr, uint32_t min_nodes,
                         coolspan_request_t *message) {
  const uint32_t size = slurm_job_segment_size(job_ptr);

  if (!is_in_blocks(job_ptr)) return;
  message->segment_nodes = size ? size : min_nodes;
  message->spread_segments = size && slurm_job_spreads_segments(job_ptr);
  message->consolidate_segments =
      size && slurm_job_consolidates_segments(job_ptr);
}
