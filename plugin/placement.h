/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Placement of a job in job_test and job_begin. slurmctld calls job_begin of a
 * job before the next RUN_NOW job_test, under its write locks, so at most one
 * decision is in flight.
 */
#ifndef COOLSPAN_PLUGIN_PLACEMENT_H_
#define COOLSPAN_PLUGIN_PLACEMENT_H_

#include "slurm_release.h"

/* The arguments of one select_p_job_test, and the call of the underlying
 * plugin with the same arguments. */
typedef struct job_test {
  job_record_t *job_ptr;
  bitstr_t *bitmap; /* candidates in, chosen nodes out */
  uint32_t min_nodes;
  uint32_t max_nodes;
  uint32_t req_nodes; /* the number of nodes that Slurm tries to get */
  slurm_list_t *preemptee_job_list;
  const slurm_excluded_t *excluded; /* see slurm_excludes_cores */
  int (*call_underlying)(const struct job_test *test);
  const void *extra; /* further arguments for call_underlying */
} job_test_t;

/* Handles a RUN_NOW test: returns the result of job_test. */
extern int placement_test(const job_test_t *test);

/* Handles job_begin: commits the job's nodes to the daemon and writes the
 * log line of the decision. */
extern void placement_begin(job_record_t *job_ptr);

#endif /* COOLSPAN_PLUGIN_PLACEMENT_H_ */
