/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * slurmctld's records as the client takes them. Everything here reads them:
 * REQUIRES slurmctld's job and node locks, for reading at least.
 */
#ifndef COOLSPAN_PLUGIN_HOLDINGS_H_
#define COOLSPAN_PLUGIN_HOLDINGS_H_

#include "client.h"
#include "slurm_release.h"

extern coolspan_job_t job_key(const job_record_t *job_ptr);

/* Words of a bitmap of node_record_count bits; xfree them. */
extern uint64_t *bitmap_words(const bitstr_t *bitmap);
extern void words_to_bitmap(const uint64_t *words, bitstr_t *bitmap);

/* What the job has on the nodes of the bitmap; holding_free what it returns. */
extern coolspan_holding_t holding_of(const job_record_t *job_ptr,
                                     const bitstr_t *nodes);
extern void holding_free(coolspan_holding_t *holding);

/* The node table and what all running and suspended jobs have. */
extern coolspan_snapshot_t snapshot_take(void);
extern void snapshot_free(coolspan_snapshot_t *snapshot);

/* Threads of a core, the most of any node: CPUs asked for are threads. */
extern uint32_t threads_per_core(void);

/* False if bitstr_t is not laid out as bitmap_words reads it. */
extern bool bitmap_layout_is_known(void);

#endif /* COOLSPAN_PLUGIN_HOLDINGS_H_ */
