/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The power of nodes as Slurm's energy plugins measure it. slurmd sends it with
 * its registration and when slurmctld asks, every AcctGatherNodeFreq seconds;
 * slurmctld puts it into the node's record and tells no plugin of it.
 *
 * So it has to be looked for. None of the calls that a select plugin gets is a
 * good place: job_test and job_begin come when jobs do, which is when an idle
 * room's power would not be known, and in the middle of scheduling, under
 * slurmctld's write locks; select_nodeinfo_set_all comes when somebody asks for
 * the nodes (sinfo), as often as they like, and from 25.05 on only sometimes.
 * The thread that watches for Syncs (daemon_link.c) looks every few seconds
 * instead, with the node lock alone, for reading, and for as long as it takes
 * to compare one number of each node and to copy what is new; what is told to
 * the client is told with no lock of slurmctld's.
 */
#ifndef COOLSPAN_PLUGIN_NODE_POWER_H_
#define COOLSPAN_PLUGIN_NODE_POWER_H_

#include "client.h"
#include "slurm_release.h"

typedef struct {
  coolspan_power_t *powers;
  size_t count;
} node_powers_t;

/* Of the nodes measured since the last call. For one thread; REQUIRES
 * slurmctld's node lock, for reading at least. */
extern node_powers_t node_powers_take(void);
extern void node_powers_free(node_powers_t *powers);

#endif /* COOLSPAN_PLUGIN_NODE_POWER_H_ */
