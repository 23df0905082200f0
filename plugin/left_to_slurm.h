/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which jobs coolspan does not place. */
#ifndef COOLSPAN_PLUGIN_LEFT_TO_SLURM_H_
#define COOLSPAN_PLUGIN_LEFT_TO_SLURM_H_

#include "placement.h"
#include "plugin_conf.h"

/* NULL, or why the job is left to Slurm: by its form or by coolspan.conf. */
extern const char *left_to_slurm(const job_question_t *question,
                                 const plugin_conf_t *conf);

/* Whether the job gets whole nodes. */
extern bool wants_whole_nodes(const job_record_t *job_ptr);
/* Whether the job says how many nodes, and not only how many tasks. */
extern bool has_node_count(const job_question_t *question);

#endif /* COOLSPAN_PLUGIN_LEFT_TO_SLURM_H_ */
