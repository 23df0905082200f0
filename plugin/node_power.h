/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Node power as measured by Slurm's energy plugins. slurmd sends it when it
 * registers and when slurmctld polls it, every AcctGatherNodeFreq seconds;
 * slurmctld stores it in the node record and notifies no plugin.
 *
 * The plugin therefore polls the node records. The functions of a select plugin
 * are not suitable for that: job_test and job_begin are called only when jobs
 * start, and under slurmctld's write locks; select_nodeinfo_set_all is called
 * for every client that lists nodes (sinfo), and from 25.05 on not for all of
 * them. The watch thread in daemon_link.c polls every few seconds instead. It
 * holds only the node read lock, while it compares one number for each node and
 * copies new values, and calls the client without any lock of slurmctld.
 */
#ifndef COOLSPAN_PLUGIN_NODE_POWER_H_
#define COOLSPAN_PLUGIN_NODE_POWER_H_

#include "client.h"
#include "slurm_release.h"

typedef struct {
  coolspan_power_t *powers;
  size_t count;
} node_powers_t;

/* The power of the nodes measured since the last call; free it with
 * node_powers_free. Not thread-safe. REQUIRES slurmctld's node lock, at least
 * for reading. */
extern node_powers_t node_powers_take(void);
extern void node_powers_free(node_powers_t *powers);

#endif /* COOLSPAN_PLUGIN_NODE_POWER_H_ */
