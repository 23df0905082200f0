/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Converts slurmctld's records to the types of the client library. All
 * functions REQUIRE slurmctld's job and node locks, at least for reading.
 */
#ifndef COOLSPAN_PLUGIN_HOLDINGS_H_
#define COOLSPAN_PLUGIN_HOLDINGS_H_

#include "client.h"
#include "slurm_release.h"

extern coolspan_job_t job_key(const job_record_t *job_ptr);

extern coolspan_job_names_t job_names(const job_record_t *job_ptr);

/* The holding of the job on the nodes of the bitmap; free it with
 * holding_free. */
extern coolspan_holding_t holding_of(const job_record_t *job_ptr,
                                     const bitstr_t *nodes);
extern void holding_free(coolspan_holding_t *holding);

/* The nodes that slurmctld gives to no job now (down, drained, failing, not
 * responding), as in coolspan_snapshot_t; NULL if not known yet. xfree the
 * result. */
extern uint64_t *unavailable_nodes(void);

/* The node table, the holdings of all running and suspended jobs, and the
 * unavailable nodes. */
extern coolspan_snapshot_t snapshot_take(coolspan_mode_t mode);
extern void snapshot_free(coolspan_snapshot_t *snapshot);

/* Maximum over all nodes. Slurm counts the requested CPUs in threads. */
extern uint32_t max_threads_per_core(void);

#endif /* COOLSPAN_PLUGIN_HOLDINGS_H_ */
