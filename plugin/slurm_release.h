/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Slurm's internal headers, and the types that differ between releases.
 */
#ifndef COOLSPAN_PLUGIN_SLURM_RELEASE_H_
#define COOLSPAN_PLUGIN_SLURM_RELEASE_H_

#include "config.h"
#include "slurm/slurm_version.h"
/* Renames the functions that libslurm exports under other names; must precede
 * all declarations. */
#include "src/common/slurm_xlator.h"

/* Parts of this code that only some releases have: BEFORE_2311(X) is X in
 * releases before 23.11, FROM_2311(X) is X in the others. */
#if COOLSPAN_SLURM_RELEASE < 2302
#define BEFORE_2302(...) __VA_ARGS__
#else
#define BEFORE_2302(...)
#endif
#if COOLSPAN_SLURM_RELEASE < 2311
#define BEFORE_2311(...) __VA_ARGS__
#define FROM_2311(...)
#else
#define BEFORE_2311(...)
#define FROM_2311(...) __VA_ARGS__
#endif
#if COOLSPAN_SLURM_RELEASE < 2411
#define BEFORE_2411(...) __VA_ARGS__
#define FROM_2411(...)
#else
#define BEFORE_2411(...)
#define FROM_2411(...) __VA_ARGS__
#endif
#if COOLSPAN_SLURM_RELEASE < 2505
#define BEFORE_2505(...) __VA_ARGS__
#define FROM_2505(...)
#else
#define BEFORE_2505(...)
#define FROM_2505(...) __VA_ARGS__
#endif
#if COOLSPAN_SLURM_RELEASE < 2605
#define FROM_2605(...)
#else
#define FROM_2605(...) __VA_ARGS__
#endif

#if COOLSPAN_SLURM_RELEASE < 2302
#include "src/common/gres.h"
#include "src/common/select.h"
#else
#include "src/interfaces/gres.h"
#include "src/interfaces/select.h"
#endif
#include "src/common/bitstring.h"
#include "src/common/log.h"
#include "src/common/plugin.h"
#include "src/common/read_config.h"
#include "src/common/run_in_daemon.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"
#if COOLSPAN_SLURM_RELEASE < 2311
#include "src/plugins/select/cons_common/node_data.h"
#include "src/plugins/select/cons_common/part_data.h"
#else
#include "src/plugins/select/cons_tres/node_data.h"
#include "src/plugins/select/cons_tres/part_data.h"
#endif
#if COOLSPAN_SLURM_RELEASE >= 2311
#include "src/common/job_features.h"
#include "src/common/node_conf.h"
#endif
#if COOLSPAN_SLURM_RELEASE >= 2505
#include "src/interfaces/topology.h"
#endif
#include "src/slurmctld/locks.h"
#include "src/slurmctld/slurmctld.h"

typedef BEFORE_2411(List) FROM_2411(list_t *) slurm_list_t;
typedef BEFORE_2311(struct job_details)
    FROM_2311(job_details_t) slurm_details_t;
typedef BEFORE_2411(ListIterator) FROM_2411(list_itr_t *) slurm_iterator_t;
/* What reservations keep from a job. */
typedef BEFORE_2311(bitstr_t) FROM_2311(resv_exc_t) slurm_excluded_t;

/* Options of --segment, from 25.11 on. */
#ifndef SPREAD_SEGMENTS
#define SPREAD_SEGMENTS 0
#endif
#ifndef CONSOLIDATE_SEGMENTS
#define CONSOLIDATE_SEGMENTS 0
#endif

/* SelectTypeParameters. */
#if COOLSPAN_SLURM_RELEASE >= 2505
#define CR_SOCKET SELECT_SOCKET
#define CR_CORE SELECT_CORE
#define CR_MEMORY SELECT_MEMORY
#define CR_LLN SELECT_LLN
#define CR_ONE_TASK_PER_CORE SELECT_ONE_TASK_PER_CORE
#endif

/*
 * Variables of slurmctld. The references are weak, because Slurm's commands
 * load the named plugin too and do not define them: the address is NULL there.
 */
extern node_record_t **node_record_table_ptr __attribute__((weak));
extern int node_record_count __attribute__((weak));
extern slurm_list_t job_list __attribute__((weak));
extern bitstr_t *avail_node_bitmap __attribute__((weak));
extern slurmctld_config_t slurmctld_config __attribute__((weak));

#endif /* COOLSPAN_PLUGIN_SLURM_RELEASE_H_ */
