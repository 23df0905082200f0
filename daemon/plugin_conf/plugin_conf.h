/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * coolspan.conf, the plugin's file beside slurm.conf (coolspan.conf(5)). The
 * one parser of it, for the plugin and for coolspan check-config; independent
 * of Slurm's headers.
 */
#ifndef COOLSPAN_PLUGIN_CONF_PLUGIN_CONF_H_
#define COOLSPAN_PLUGIN_CONF_PLUGIN_CONF_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plugin_conf/coolspan_mode.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  NODE_POWER_AUTO, /* forward if whole nodes are measured */
  NODE_POWER_NO,
  NODE_POWER_YES,
} node_power_t;

enum { PLUGIN_CONF_MAX_KEYS = 20 };

typedef struct {
  char *endpoints;
  char *tls_cert; /* PEM files for endpoints on TCP; all NULL: plaintext */
  char *tls_key;
  char *tls_ca;
  coolspan_mode_t mode;
  uint32_t deadline_ms;
  uint32_t breaker_s;
  const char *underlying; /* "cons_tres" or "linear", not allocated */
  char *leave_partitions; /* comma-separated names; NULL: none */
  uint32_t leave_below_nodes;
  bool leave_gres_jobs;
  bool leave_shared_jobs;
  bool leave_sub_node_jobs; /* that fit on a part of one node */
  bool honor_weight;
  bool honor_power_save;
  node_power_t node_power;
  /* Of each key in plugin_conf_keys(), the line; 0: not in the file. */
  int lines[PLUGIN_CONF_MAX_KEYS];
} plugin_conf_t;

typedef struct {
  const char *name;
  const char *fallback; /* the default, as in the file; "": none, NULL: the key
                           is required */
  size_t field;         /* offset in plugin_conf_t */
  /* Returns NULL, or a description of the valid values. */
  const char *(*set)(void *field, const char *value);
  const char *entries; /* what a comma separates; NULL: it is not a list */
} plugin_key_t;

/* All keys. A new one is an entry of this table and a field above. */
extern const plugin_key_t *plugin_conf_keys(size_t *count);

enum { PLUGIN_CONF_PROBLEM_SIZE = 1024 };

/*
 * Reads the file into *conf, which must be empty. Returns false if it is
 * invalid; problem then is a message about the first error: "FILE:LINE: what is
 * wrong (expected ...)", truncated to its size. *conf has the valid settings of
 * the file, and defaults for the others; endpoints may be NULL.
 */
extern bool plugin_conf_read(const char *path, plugin_conf_t *conf,
                             char *problem, size_t problem_size);
/* The line of a key; 0: it is not in the file. */
extern int plugin_conf_line(const plugin_conf_t *conf, const char *key);
extern void plugin_conf_free(plugin_conf_t *conf);
extern const char *mode_name(coolspan_mode_t mode);

#ifdef __cplusplus
}
#endif

#endif /* COOLSPAN_PLUGIN_CONF_PLUGIN_CONF_H_ */
