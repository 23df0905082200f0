/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef COOLSPAN_PLUGIN_CONF_COOLSPAN_MODE_H_
#define COOLSPAN_PLUGIN_CONF_COOLSPAN_MODE_H_

typedef enum {
  COOLSPAN_MODE_OFF,     /* request no decisions */
  COOLSPAN_MODE_ADVISE,  /* request and log decisions, change nothing */
  COOLSPAN_MODE_ENFORCE, /* restrict Slurm to the nodes of the decision */
} coolspan_mode_t;

#endif /* COOLSPAN_PLUGIN_CONF_COOLSPAN_MODE_H_ */
