/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which node power measurements to forward to the daemon. Independent of
 * Slurm's headers, so that unit tests can compile it. */
#ifndef COOLSPAN_PLUGIN_POWER_NEWS_H_
#define COOLSPAN_PLUGIN_POWER_NEWS_H_

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  ENERGY_OF_NOTHING,
  /* Processors or accelerators only, or the sum of several plugins, which
   * counts some components twice or omits some. */
  ENERGY_OF_PARTS,
  ENERGY_OF_NODES,
} energy_scope_t;

/* What the plugins in AcctGatherEnergyType measure. NULL means none. */
extern energy_scope_t energy_scope(const char *energy_type);

/* The last measurement seen at one index of the node table. */
typedef struct {
  const void *node; /* address of its record, not dereferenced; NULL: none */
  int64_t poll_time;
} power_seen_t;

/*
 * Returns true if the node was measured since the last call for this index, and
 * updates *seen. False for a node seen for the first time: the age of its
 * measurement is unknown, since poll_time is from the clock of the node.
 */
extern bool power_is_new(power_seen_t *seen, const void *node,
                         int64_t poll_time);

#ifdef __cplusplus
}
#endif

#endif /* COOLSPAN_PLUGIN_POWER_NEWS_H_ */
