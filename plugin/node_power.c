/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "node_power.h"

#include "power_news.h"

/* By index in slurmctld's node table. */
static power_seen_t *seen = NULL;
static size_t seen_count = 0;

/* Energy plugins report NO_VAL for a node without a sensor, and 0 before they
 * have read a counter twice. The power of a running node is never 0. */
static bool has_watts(const acct_gather_energy_t *energy) {
  return energy->current_watts && energy->current_watts != NO_VAL;
}

extern node_powers_t node_powers_take(void) {
  const size_t nodes = (size_t)node_record_count;
  node_powers_t taken = {0};

  if (nodes > seen_count) {
    xrecalloc(seen, nodes, sizeof(*seen));
    seen_count = nodes;
  }
  for (size_t i = 0; i < nodes; i++) {
    const node_record_t *node = node_record_table_ptr[i];
    const acct_gather_energy_t *energy = node ? node->energy : NULL;

    if (!power_is_new(&seen[i], node, energy ? energy->poll_time : 0) ||
        !has_watts(energy))
      continue;
    if (!taken.powers) taken.powers = xcalloc(nodes - i, sizeof(*taken.powers));
    taken.powers[taken.count++] =
        (coolspan_power_t){xstrdup(node->name), energy->current_watts};
  }
  return taken;
}

extern void node_powers_free(node_powers_t *powers) {
  for (size_t i = 0; i < powers->count; i++) {
    void *name = (void *)powers->powers[i].node;

    xfree(name);
  }
  xfree(powers->powers);
  powers->count = 0;
}
