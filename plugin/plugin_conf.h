/* SPDX-License-Identifier: GPL-3.0-or-later */
/* coolspan.conf, the plugin's file beside slurm.conf (coolspan.conf(5)). */
#ifndef COOLSPAN_PLUGIN_PLUGIN_CONF_H_
#define COOLSPAN_PLUGIN_PLUGIN_CONF_H_

#include <stdbool.h>
#include <stdint.h>

#include "client.h"

typedef enum {
  NODE_POWER_AUTO, /* forward if whole nodes are measured */
  NODE_POWER_NO,
  NODE_POWER_YES,
} node_power_t;

typedef struct {
  char *endpoints;
  coolspan_mode_t mode;
  uint32_t deadline_ms;
  uint32_t breaker_s;
  char *underlying;       /* "cons_tres" or "linear" */
  char *leave_partitions; /* comma-separated names; NULL: none */
  uint32_t leave_below_nodes;
  bool leave_gres_jobs;
  bool leave_shared_jobs;
  bool leave_sub_node_jobs; /* that fit on a part of one node */
  bool honor_weight;
  bool honor_power_save;
  node_power_t node_power;
} plugin_conf_t;

/*
 * Reads the file into *conf, which must be empty. Returns NULL, or a message
 * about the first error (xfree it): "FILE:LINE: what is wrong (expected ...)".
 * *conf then has the valid settings of the file, and defaults for the others;
 * endpoints may be NULL.
 */
extern char *plugin_conf_read(const char *path, plugin_conf_t *conf);
extern void plugin_conf_free(plugin_conf_t *conf);
extern const char *mode_name(coolspan_mode_t mode);

#endif /* COOLSPAN_PLUGIN_PLUGIN_CONF_H_ */
