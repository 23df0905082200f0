/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "node_power.h"

#include "power_news.h"
#include "slurm_job.h"

/* By index in slurmctld's node table. */
static power_seen_t *seen = NULL;
static size_t seen_count = 0;

extern node_powers_t node_powers_take(void) {
  const size_t nodes = (size_t)node_record_count;
  node_powers_t taken = {0};

  if (nodes > seen_count) {
    xrecalloc(seen, nodes, sizeof(*seen));
    seen_count = nodes;
  }
  for (size_t i = 0; i < nodes; i++) {
    const node_record_t *node = slurm_node(i);
    const uint32_t watts = slurm_node_watts(node);

    if (!power_is_new(&seen[i], node, slurm_node_power_time(node)) || !watts)
      continue;
    if (!taken.powers) taken.powers = xcalloc(nodes - i, sizeof(*taken.powers));
    taken.powers[taken.count++] =
        (coolspan_power_t){xstrdup(slurm_node_name(node)), watts};
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
