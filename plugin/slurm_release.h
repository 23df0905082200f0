/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Slurm's internal headers, and the differences between releases.
 */
#ifndef COOLSPAN_PLUGIN_SLURM_RELEASE_H_
#define COOLSPAN_PLUGIN_SLURM_RELEASE_H_

#include "config.h"
#include "slurm/slurm_version.h"
/* Renames the functions that libslurm exports under other names; must precede
 * all declarations. */
#include "src/common/slurm_xlator.h"

#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(22, 5, 0) && \
    SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(22, 6, 0)
#define COOLSPAN_SLURM_RELEASE 2205
#include "src/common/select.h"
#else
#error "no table for this release of Slurm in select_symbols.h"
#endif

#include "src/common/bitstring.h"
#include "src/common/gres.h"
#include "src/common/log.h"
#include "src/common/plugin.h"
#include "src/common/read_config.h"
#include "src/common/run_in_daemon.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"
#include "src/plugins/select/cons_common/node_data.h"
#include "src/plugins/select/cons_common/part_data.h"
#include "src/slurmctld/locks.h"
#include "src/slurmctld/slurmctld.h"

/*
 * Variables of slurmctld. The references are weak, because Slurm's commands
 * load the named plugin too and do not define them: the address is NULL there.
 */
extern node_record_t **node_record_table_ptr __attribute__((weak));
extern int node_record_count __attribute__((weak));
extern List job_list __attribute__((weak));
extern bitstr_t *avail_node_bitmap __attribute__((weak));
extern slurmctld_config_t slurmctld_config __attribute__((weak));

#endif /* COOLSPAN_PLUGIN_SLURM_RELEASE_H_ */
