/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What of the power that slurmctld knows is worth telling. Needs nothing of
 * Slurm's, so that it can be tested without. */
#ifndef COOLSPAN_PLUGIN_POWER_NEWS_H_
#define COOLSPAN_PLUGIN_POWER_NEWS_H_

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  ENERGY_OF_NOTHING,
  /* Of processors or accelerators alone, or a sum of several plugins, which
   * counts something twice or leaves something out. */
  ENERGY_OF_PARTS,
  ENERGY_OF_NODES,
} energy_scope_t;

/* What the plugins of AcctGatherEnergyType measure. NULL is none. */
extern energy_scope_t energy_scope(const char *energy_type);

/* The last measurement seen at one place of the node table. */
typedef struct {
  const void *node; /* its record, not to be looked into; NULL: no node */
  int64_t poll_time;
} power_seen_t;

/*
 * Whether the node has been measured since the last call for its place, and
 * notes it. A node seen for the first time has not: how old its measurement is
 * only its own clock could tell.
 */
extern bool power_is_news(power_seen_t *seen, const void *node,
                          int64_t poll_time);

#ifdef __cplusplus
}
#endif

#endif /* COOLSPAN_PLUGIN_POWER_NEWS_H_ */
