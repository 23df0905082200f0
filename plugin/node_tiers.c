/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "node_tiers.h"

#include <stdlib.h>

#include "slurm_job.h"

/* The different weights of the candidates, ascending. */
typedef struct {
  uint64_t *weights;
  uint32_t count;
} weights_t;

static int compare_weights(const void *a, const void *b) {
  const uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;

  return (first > second) - (first < second);
}

static weights_t weights_of(const bitstr_t *candidates, uint64_t kept) {
  bitstr_t *bitmap = (bitstr_t *)candidates; /* bit_* lack const */
  weights_t found = {.weights =
                         xcalloc(node_record_count + 1, sizeof(uint64_t))};
  uint32_t distinct = 0;

  for (int i = 0; i < node_record_count; i++) {
    const uint64_t weight = slurm_node_weight(slurm_node(i)) & kept;

    /* Neighbours usually have the same weight. */
    if (bit_test(bitmap, i) &&
        (!found.count || found.weights[found.count - 1] != weight))
      found.weights[found.count++] = weight;
  }
  qsort(found.weights, found.count, sizeof(*found.weights), compare_weights);
  for (uint32_t i = 0; i < found.count; i++)
    if (!i || found.weights[i] != found.weights[i - 1])
      found.weights[distinct++] = found.weights[i];
  found.count = distinct;
  return found;
}

/* The index of a known weight. */
static uint32_t tier_of(const weights_t *known, uint64_t weight) {
  const uint64_t *found = bsearch(&weight, known->weights, known->count,
                                  sizeof(weight), compare_weights);

  return (uint32_t)(found - known->weights);
}

extern uint32_t *node_tiers(const bitstr_t *candidates,
                            const plugin_conf_t *conf) {
  bitstr_t *bitmap = (bitstr_t *)candidates; /* bit_* lack const */
  const uint64_t kept = SLURM_OUTSIDE_FLEX_RESERVATION |
                        (conf->honor_weight ? SLURM_WEIGHT_BITS : 0) |
                        (conf->honor_power_save ? SLURM_REQUIRES_BOOT : 0);
  weights_t known;
  uint32_t *tiers = NULL;

  if (xstrcmp(conf->underlying, "cons_tres")) return NULL;
  known = weights_of(candidates, kept);
  if (known.count > 1) {
    tiers = xcalloc(node_record_count, sizeof(*tiers));
    for (int i = 0; i < node_record_count; i++)
      if (bit_test(bitmap, i))
        tiers[i] = tier_of(&known, slurm_node_weight(slurm_node(i)) & kept);
  }
  xfree(known.weights);
  return tiers;
}
