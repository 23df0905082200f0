/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "left_to_slurm.h"

#include <string.h>

#include "slurm_job.h"

static bool in_list(const char *names, const char *name) {
  const size_t length = name ? strlen(name) : 0;

  for (const char *entry = names; entry && length; entry = strchr(entry, ',')) {
    entry += *entry == ',';
    if (!strncmp(entry, name, length) &&
        (entry[length] == ',' || entry[length] == '\0'))
      return true;
  }
  return false;
}

/* Whether the job shares a node with others, whichever of the nodes offered. */
static bool needs_part_of_a_node(const job_test_t *test) {
  const uint32_t cpus = slurm_job_min_cpus(test->job_ptr);

  if (slurm_job_needs_whole_nodes(test->job_ptr) || test->min_nodes > 1)
    return false;
  for (int i = 0; i < node_record_count; i++)
    if (bit_test(test->bitmap, i) && cpus >= slurm_node_cpus(slurm_node(i)))
      return false;
  return true;
}

extern const char *left_to_slurm(const job_test_t *test,
                                 const plugin_conf_t *conf) {
  const job_record_t *job_ptr = test->job_ptr;

  if (!test->min_nodes) return "no nodes requested";
  if (slurm_job_is_het_component(job_ptr))
    return "component of a heterogeneous job";
  if (slurm_job_expands_other(job_ptr)) return "expands another job";
  if (slurm_job_is_contiguous(job_ptr)) return "--contiguous";
  if (slurm_job_limits_switches(job_ptr)) return "--switches";
  if (slurm_job_counts_features(job_ptr)) return "constraint with node counts";
  if (!slurm_job_partition(job_ptr)) return "no partition";
  if (slurm_job_is_oversubscribed(job_ptr))
    return "partition with OverSubscribe";
  if (slurm_job_shares_with_some(job_ptr))
    return "--exclusive=user or --exclusive=mcs";
  if (slurm_job_needs_whole_topology(job_ptr)) return "--exclusive=topo";
  if (in_list(conf->leave_partitions, slurm_job_partition(job_ptr)))
    return "LeavePartitions";
  if (test->min_nodes < conf->leave_below_nodes) return "LeaveJobsBelowNodes";
  if (slurm_job_requests_gres(job_ptr)) {
    if (conf->leave_gres_jobs) return "LeaveGresJobs";
    if (!slurm_job_gres_are_per_node(job_ptr))
      return "GRES other than per node";
  }
  if (conf->honor_weight && !slurm_job_needs_whole_nodes(job_ptr) &&
      slurm_job_prefers_idle_cores(job_ptr))
    return "LLN";
  if (conf->leave_shared_jobs && !slurm_job_needs_whole_nodes(job_ptr))
    return "LeaveSharedJobs";
  if (conf->leave_sub_node_jobs && needs_part_of_a_node(test))
    return "LeaveSubNodeJobs";
  return NULL;
}
