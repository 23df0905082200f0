/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "node_power.h"

#include "power_news.h"

/* By place in slurmctld's node table. */
static power_seen_t *seen = NULL;
static size_t seen_count = 0;

/* Plugins say NO_VAL where a node has no sensor, and 0 before they have two
 * readings of a counter; a node that answers draws something. */
static bool has_watts(const acct_gather_energy_t *energy) {
  return energy->current_watts && energy->current_watts != NO_VAL;
}

extern node_powers_t node_powers_take(void) {
  const size_t nodes = (size_t)node_record_count;
  node_powers_t news = {0};

  if (nodes > seen_count) {
    xrecalloc(seen, nodes, sizeof(*seen));
    seen_count = nodes;
  }
  for (size_t i = 0; i < nodes; i++) {
    const node_record_t *node = node_record_table_ptr[i];
    const acct_gather_energy_t *energy = node ? node->energy : NULL;

    if (!power_is_news(&seen[i], node, energy ? energy->poll_time : 0) ||
        !has_watts(energy))
      continue;
    if (!news.powers) news.powers = xcalloc(nodes - i, sizeof(*news.powers));
    news.powers[news.count++] =
        (coolspan_power_t){xstrdup(node->name), energy->current_watts};
  }
  return news;
}

extern void node_powers_free(node_powers_t *powers) {
  for (size_t i = 0; i < powers->count; i++) {
    void *name = (void *)powers->powers[i].node;

    xfree(name);
  }
  xfree(powers->powers);
  powers->count = 0;
}
