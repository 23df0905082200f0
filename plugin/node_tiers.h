/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Slurm's preferences among the nodes of a job_test: Weight, nodes that need no
 * boot, nodes of a flexible reservation. */
#ifndef COOLSPAN_PLUGIN_NODE_TIERS_H_
#define COOLSPAN_PLUGIN_NODE_TIERS_H_

#include "plugin_conf/plugin_conf.h"
#include "slurm_release.h"

/*
 * The tier of each node of the node table, lower first, 0 for nodes that are no
 * candidates; NULL if all candidates have the same one, or if slurmctld offers
 * the nodes of one weight after the other (select/linear). xfree the result.
 * REQUIRES slurmctld's node lock.
 */
extern uint32_t *node_tiers(const bitstr_t *candidates,
                            const plugin_conf_t *conf);

#endif /* COOLSPAN_PLUGIN_NODE_TIERS_H_ */
