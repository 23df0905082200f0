/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "left_to_slurm.h"

#include <string.h>

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

extern bool needs_whole_nodes(const job_record_t *job_ptr) {
  return job_ptr->details->whole_node == WHOLE_NODE_REQUIRED;
}

extern bool has_node_count(const job_test_t *test) {
  return test->job_ptr->details->max_nodes &&
         test->min_nodes == test->max_nodes;
}

/* True for features with node counts, as in --constraint=[a*2&b*3]. */
static bool counts_features(List features) {
  job_feature_t *feature;
  ListIterator each;
  bool counts = false;

  if (!features) return false;
  each = list_iterator_create(features);
  while ((feature = list_next(each))) counts |= feature->count > 0;
  list_iterator_destroy(each);
  return counts;
}

static bool requests_gres(const job_record_t *job_ptr) {
  return (job_ptr->gres_list_req && list_count(job_ptr->gres_list_req)) ||
         job_ptr->tres_per_job || job_ptr->tres_per_node ||
         job_ptr->tres_per_socket || job_ptr->tres_per_task;
}

/* OverSubscribe=YES:N or FORCE:N with N >= 2: several jobs share a core. */
static bool oversubscribed(const job_record_t *job_ptr) {
  const uint16_t share = job_ptr->part_ptr->max_share;

  if ((share & (uint16_t)~SHARED_FORCE) <= 1) return false;
  return (share & SHARED_FORCE) || job_ptr->details->share_res == 1;
}

extern const char *left_to_slurm(const job_test_t *test,
                                 const plugin_conf_t *conf) {
  job_record_t *job_ptr = test->job_ptr;
  const struct job_details *details = job_ptr->details;

  if (!test->min_nodes) return "no nodes requested";
  if (job_ptr->het_job_id) return "component of a heterogeneous job";
  if (details->expanding_jobid) return "expands another job";
  if (details->contiguous) return "--contiguous";
  if (job_ptr->req_switch) return "--switches";
  if (counts_features(details->feature_list_use))
    return "constraint with node counts";
  if (details->max_nodes && test->min_nodes != test->max_nodes)
    return "node count range";
  if (!job_ptr->part_ptr) return "no partition";
  if (oversubscribed(job_ptr)) return "partition with OverSubscribe";
  if (details->whole_node && !needs_whole_nodes(job_ptr))
    return "--exclusive=user or --exclusive=mcs";
  if (test->exc_cores && bit_ffs((bitstr_t *)test->exc_cores) >= 0)
    return "core reservation";
  if (in_list(conf->leave_partitions, job_ptr->part_ptr->name))
    return "LeavePartitions";
  if (test->min_nodes < conf->leave_below_nodes) return "LeaveJobsBelowNodes";
  if (conf->leave_gres_jobs && requests_gres(job_ptr)) return "LeaveGresJobs";
  if (conf->leave_shared_jobs && !needs_whole_nodes(job_ptr))
    return "LeaveSharedJobs";
  return NULL;
}
