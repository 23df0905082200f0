/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a job can use of the nodes offered in a job_test. */
#ifndef COOLSPAN_PLUGIN_USABLE_NODES_H_
#define COOLSPAN_PLUGIN_USABLE_NODES_H_

#include "client.h"
#include "placement.h"

typedef struct {
  coolspan_usable_t *of_node; /* by node; 0 CPUs where not a candidate */
  bitstr_t *nodes;            /* candidates of which the job can use CPUs */
  uint32_t count;
  uint64_t cpus;     /* in total */
  uint32_t min_cpus; /* of a node */
} usable_nodes_t;

/*
 * False if it is not known: only select/cons_tres has the cores and the memory
 * of jobs. Then *usable is empty. REQUIRES slurmctld's job, node and partition
 * locks.
 */
extern bool usable_nodes(const job_test_t *test, usable_nodes_t *usable);
extern void usable_nodes_free(usable_nodes_t *usable);

#endif /* COOLSPAN_PLUGIN_USABLE_NODES_H_ */
