/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One job's way through job_test and job_begin. slurmctld starts a job between
 * two RUN_NOW tests at most, under its write locks, so one decision at a time
 * is in flight.
 */
#ifndef COOLSPAN_PLUGIN_PLACEMENT_H_
#define COOLSPAN_PLUGIN_PLACEMENT_H_

#include "slurm_release.h"

/* The arguments of one select_p_job_test, and how to ask the underlying plugin
 * the same with a bitmap of candidates (narrowed or not). */
typedef struct job_question {
  job_record_t *job_ptr;
  bitstr_t *bitmap; /* candidates in, chosen nodes out */
  uint32_t min_nodes;
  uint32_t max_nodes;
  List *preemptee_job_list;
  const bitstr_t *exc_cores;
  int (*ask_underlying)(const struct job_question *question);
  const void *rest; /* whatever else ask_underlying passes on */
} job_question_t;

/* For RUN_NOW: returns what job_test is to return. */
extern int placement_test(const job_question_t *question);

/* The job has started on job_ptr->node_bitmap: tells the daemon, and writes the
 * log line of the decision. */
extern void placement_begin(job_record_t *job_ptr);

#endif /* COOLSPAN_PLUGIN_PLACEMENT_H_ */
