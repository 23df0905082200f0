/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Slurm's internal headers, from where the release has them, with the few
 * things that change from release to release.
 */
#ifndef COOLSPAN_PLUGIN_SLURM_RELEASE_H_
#define COOLSPAN_PLUGIN_SLURM_RELEASE_H_

#include "config.h"
#include "slurm/slurm_version.h"
/* Renames what libslurm exports under other names; before all declarations. */
#include "src/common/slurm_xlator.h"

#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(22, 5, 0) && \
    SLURM_VERSION_NUMBER < SLURM_VERSION_NUM(22, 6, 0)
#define COOLSPAN_SLURM_RELEASE 2205
#include "src/common/select.h"
#else
#error "this release of Slurm has no table in select_symbols.h"
#endif

#include "src/common/bitstring.h"
#include "src/common/log.h"
#include "src/common/plugin.h"
#include "src/common/read_config.h"
#include "src/common/run_in_daemon.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"
#include "src/slurmctld/locks.h"
#include "src/slurmctld/slurmctld.h"

/*
 * slurmctld's own variables. Client commands load a named plugin too and don't
 * have them, so the references are weak: the address is NULL there.
 */
extern node_record_t **node_record_table_ptr __attribute__((weak));
extern int node_record_count __attribute__((weak));
extern List job_list __attribute__((weak));
extern slurmctld_config_t slurmctld_config __attribute__((weak));

#endif /* COOLSPAN_PLUGIN_SLURM_RELEASE_H_ */
