/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Jobs that Coolspan leaves to Slurm. */
#ifndef COOLSPAN_PLUGIN_LEFT_TO_SLURM_H_
#define COOLSPAN_PLUGIN_LEFT_TO_SLURM_H_

#include "placement.h"
#include "plugin_conf/plugin_conf.h"

/* Returns NULL, or why the job is left to Slurm: an unsupported option of the
 * job, or a setting in coolspan.conf. */
extern const char *left_to_slurm(const job_test_t *test,
                                 const plugin_conf_t *conf);

#endif /* COOLSPAN_PLUGIN_LEFT_TO_SLURM_H_ */
