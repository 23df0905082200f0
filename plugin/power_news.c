/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "power_news.h"

#include <string.h>

extern energy_scope_t energy_scope(const char *energy_type) {
  static const char prefix[] = "acct_gather_energy/";
  static const char *const parts[] = {"rapl", "gpu", "rsmi"};

  if (!energy_type || !*energy_type) return ENERGY_OF_NOTHING;
  if (strchr(energy_type, ',')) return ENERGY_OF_PARTS;
  if (!strncmp(energy_type, prefix, sizeof(prefix) - 1))
    energy_type += sizeof(prefix) - 1;
  if (!strcmp(energy_type, "none")) return ENERGY_OF_NOTHING;
  for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
    if (!strcmp(energy_type, parts[i])) return ENERGY_OF_PARTS;
  return ENERGY_OF_NODES;
}

extern bool power_is_new(power_seen_t *seen, const void *node,
                         int64_t poll_time) {
  const bool is_new =
      node && node == seen->node && poll_time && poll_time != seen->poll_time;

  seen->node = node;
  seen->poll_time = poll_time;
  return is_new;
}
