/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "node_tiers.h"

#include <string.h>

#include "slurm_job.h"

/* The different weights of the candidates, ascending. */
typedef struct {
  uint64_t *weights;
  uint32_t count;
} weights_t;

/* The index at which the weight is, or belongs. */
static uint32_t find_weight(const weights_t *known, uint64_t weight) {
  uint32_t first = 0, end = known->count;

  while (first < end) {
    const uint32_t middle = first + (end - first) / 2;

    if (known->weights[middle] < weight)
      first = middle + 1;
    else
      end = middle;
  }
  return first;
}

static void add_weight(weights_t *known, uint64_t weight) {
  const uint32_t at = find_weight(known, weight);

  if (at < known->count && known->weights[at] == weight) return;
  xrecalloc(known->weights, known->count + 1, sizeof(*known->weights));
  memmove(known->weights + at + 1, known->weights + at,
          (known->count - at) * sizeof(*known->weights));
  known->weights[at] = weight;
  known->count++;
}

extern uint32_t *node_tiers(const bitstr_t *candidates,
                            const plugin_conf_t *conf) {
  bitstr_t *bitmap = (bitstr_t *)candidates; /* bit_* lack const */
  const uint64_t kept = SLURM_OUTSIDE_FLEX_RESERVATION |
                        (conf->honor_weight ? SLURM_WEIGHT_BITS : 0) |
                        (conf->honor_power_save ? SLURM_REQUIRES_BOOT : 0);
  weights_t known = {0};
  uint32_t *tiers = NULL;

  if (xstrcmp(conf->underlying, "cons_tres")) return NULL;
  for (int i = 0; i < node_record_count; i++)
    if (bit_test(bitmap, i))
      add_weight(&known, slurm_node_weight(slurm_node(i)) & kept);
  if (known.count > 1) {
    tiers = xcalloc(node_record_count, sizeof(*tiers));
    for (int i = 0; i < node_record_count; i++)
      if (bit_test(bitmap, i))
        tiers[i] = find_weight(&known, slurm_node_weight(slurm_node(i)) & kept);
  }
  xfree(known.weights);
  return tiers;
}
