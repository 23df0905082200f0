/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The request to the daemon for a job_test. */
#ifndef COOLSPAN_PLUGIN_REQUEST_H_
#define COOLSPAN_PLUGIN_REQUEST_H_

#include "placement.h"
#include "plugin_conf/plugin_conf.h"
#include "usable_nodes.h"

typedef struct {
  coolspan_request_t message; /* its arrays belong to the request */
  usable_nodes_t usable;
  const bitstr_t *candidates;
  bool may_fit; /* the candidates have the nodes and CPUs that are free */
} request_t;

/*
 * The key under which the job will start. For an array, slurmctld splits the
 * task to start from the array's record between job_test and job_begin. The
 * array's record keeps the job id passed to job_test, and the task gets the
 * next free id. slurmctld holds its job lock all the time, so that id is known
 * here.
 */
extern coolspan_job_t key_at_start(const job_record_t *job_ptr);

/* Free the result with request_free, before the arguments change. REQUIRES
 * slurmctld's job, node and partition locks. */
extern request_t request_make(const job_test_t *test,
                              const plugin_conf_t *conf);
extern void request_free(request_t *request);

#endif /* COOLSPAN_PLUGIN_REQUEST_H_ */
