/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The fields of slurmctld's job, node and partition records that the plugin
 * reads. No other file names a field of them: where a release of Slurm renames
 * or moves one, only this file changes.
 *
 * All functions REQUIRE slurmctld's job, node and partition locks, at least for
 * reading.
 */
#ifndef COOLSPAN_PLUGIN_SLURM_JOB_H_
#define COOLSPAN_PLUGIN_SLURM_JOB_H_

#include "client.h"
#include "slurm_release.h"
#include "usable_cpus.h"

/* A job and its allocation. */

static inline uint32_t slurm_job_id(const job_record_t *job) {
  return job->job_id;
}

static inline uint32_t slurm_job_restarts(const job_record_t *job) {
  return job->restart_cnt;
}

static inline bool slurm_job_holds_nodes(const job_record_t *job) {
  return (IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job)) && job->node_bitmap &&
         bit_ffs(job->node_bitmap) >= 0;
}

/* By an operator or by gang scheduling. */
static inline bool slurm_job_is_suspended(const job_record_t *job) {
  return IS_JOB_SUSPENDED(job);
}

/* NULL before the job starts. */
static inline bitstr_t *slurm_job_nodes(const job_record_t *job) {
  return job->node_bitmap;
}

/* The nodes of the resources that the select plugin allocated; they precede
 * slurm_job_nodes while a job expands. */
static inline bitstr_t *slurm_job_resource_nodes(const job_record_t *job) {
  return job->job_resrcs ? job->job_resrcs->node_bitmap : NULL;
}

/* Since 1970; 0: unknown. */
static inline int64_t slurm_job_submit_s(const job_record_t *job) {
  return job->details ? (int64_t)job->details->submit_time : 0;
}

/* When the job could have started: after --begin, holds and dependencies
 * (job_independent in job_scheduler.c). */
static inline int64_t slurm_job_eligible_s(const job_record_t *job) {
  return job->details ? (int64_t)job->details->begin_time : 0;
}

/* Of a job that starts, before job_begin (select_nodes in node_scheduler.c). */
static inline int64_t slurm_job_start_s(const job_record_t *job) {
  return (int64_t)job->start_time;
}

/* Without these fields slurmctld cancels the start after job_begin and never
 * calls job_fini (select_nodes in node_scheduler.c). */
static inline bool slurm_job_starts(const job_record_t *job) {
  return job->node_bitmap && job->job_resrcs && job->job_resrcs->nodes;
}

/* Cores held by the job on the node, at least 1. */
static inline uint32_t slurm_job_cores_on(const job_record_t *job, int node) {
  job_resources_t *resources = job->job_resrcs;
  int cores;

  if (!resources || !resources->core_bitmap || !resources->node_bitmap ||
      !bit_test(resources->node_bitmap, node))
    return 1;
  cores = count_job_resources_node(
      resources, bit_set_count_range(resources->node_bitmap, 0, node));
  return cores > 0 ? (uint32_t)cores : 1;
}

/* The field whole_node: a value before 24.11, flags from then on. */
static inline bool slurm_is_whole(uint8_t whole_node) {
  return BEFORE_2411(whole_node == WHOLE_NODE_REQUIRED)
      FROM_2411(whole_node & WHOLE_NODE_REQUIRED);
}

static inline bool slurm_job_holds_whole_nodes(const job_record_t *job) {
  return (job->job_resrcs && slurm_is_whole(job->job_resrcs->whole_node)) ||
         (job->details && slurm_is_whole(job->details->whole_node));
}

/* The texts of a job; each may be NULL. */

static inline const char *slurm_job_partition(const job_record_t *job) {
  return job->part_ptr ? job->part_ptr->name : NULL;
}

static inline const char *slurm_job_qos(const job_record_t *job) {
  return job->qos_ptr ? job->qos_ptr->name : NULL;
}

static inline const char *slurm_job_comment(const job_record_t *job) {
  return job->comment;
}

static inline const char *slurm_job_user(const job_record_t *job) {
  return job->user_name;
}

/* What a job requests. The functions below REQUIRE slurm_job_has_request. */

static inline bool slurm_job_has_request(const job_record_t *job) {
  return job->details != NULL;
}

/* Whether several tasks of the array of this record have not started: the next
 * one to start gets a record and a job id of its own. */
static inline bool slurm_job_is_array(const job_record_t *job) {
  return job->array_recs && job->array_recs->task_id_bitmap &&
         job->array_recs->task_cnt > 1;
}

/* Of a job that starts; 0: not an array task. */
static inline uint32_t slurm_job_array_job_id(const job_record_t *job) {
  return job->array_task_id == NO_VAL ? 0 : job->array_job_id;
}

static inline uint32_t slurm_job_array_task_id(const job_record_t *job) {
  return job->array_task_id;
}

/* 0: not a component of a heterogeneous job. */
static inline uint32_t slurm_job_het_job_id(const job_record_t *job) {
  return job->het_job_id;
}

static inline uint32_t slurm_job_het_job_offset(const job_record_t *job) {
  return job->het_job_offset;
}

/* In minutes, or INFINITE: its own limit, else that of the partition, as
 * slurmctld sets it when the job starts. NO_VAL: not known. */
static inline uint32_t slurm_job_limit_min(const job_record_t *job) {
  if (job->time_limit != NO_VAL || !job->part_ptr) return job->time_limit;
  return job->part_ptr->default_time != NO_VAL ? job->part_ptr->default_time
                                               : job->part_ptr->max_time;
}

/* Seconds; 0: not limited. */
static inline int64_t slurm_job_time_limit_s(const job_record_t *job) {
  const uint32_t limit_min = slurm_job_limit_min(job);

  return limit_min == NO_VAL || limit_min == INFINITE ? 0
                                                      : (int64_t)limit_min * 60;
}

/* As in coolspan_holding_t. Of a running job, from job_begin on. */
static inline int64_t slurm_job_limit_end_s(const job_record_t *job) {
  return slurm_job_limit_min(job) == INFINITE ? COOLSPAN_NOT_LIMITED
                                              : (int64_t)job->end_time;
}

/* 0: the job gives no number of nodes. */
static inline uint32_t slurm_job_max_nodes(const job_record_t *job) {
  return job->details->max_nodes;
}

/* The index of the topology of the job's partition; each partition may have one
 * of its own (topology.yaml). REQUIRES slurm_job_partition. */
static inline uint32_t slurm_job_topology(const job_record_t *job) {
  BEFORE_2505((void)job;)
  return BEFORE_2505(0) FROM_2505((uint32_t)job->part_ptr->topology_idx);
}

/* Whether that topology is of topology/block. Copies the topology from 25.05
 * on. REQUIRES slurm_job_partition. */
static inline bool slurm_job_has_block_topology(const job_record_t *job) {
#if COOLSPAN_SLURM_RELEASE < 2505
  (void)job;
  return !xstrcmp(slurm_conf.topology_plugin, "topology/block");
#else
  dynamic_plugin_data_t *topology = NULL;
  bool has_blocks;

  if (topology_g_get(TOPO_DATA_TOPOLOGY_PTR, job->part_ptr->topology_name,
                     &topology) != SLURM_SUCCESS ||
      !topology)
    return false;
  has_blocks = topology->plugin_id == TOPOLOGY_PLUGIN_BLOCK;
  topology_g_topoinfo_free(topology);
  return has_blocks;
#endif
}

/* --segment; 0: none. */
static inline uint32_t slurm_job_segment_size(const job_record_t *job) {
  BEFORE_2411((void)job;)
  return BEFORE_2411(0) FROM_2411(job->details->segment_size);
}

/* --spread-segments */
static inline bool slurm_job_spreads_segments(const job_record_t *job) {
  return job->bit_flags & SPREAD_SEGMENTS;
}

/* --consolidate-segments */
static inline bool slurm_job_consolidates_segments(const job_record_t *job) {
  return job->bit_flags & CONSOLIDATE_SEGMENTS;
}

static inline uint32_t slurm_job_min_cpus(const job_record_t *job) {
  return job->details->min_cpus;
}

/* --nodelist; NULL: none. */
static inline bitstr_t *slurm_job_required_nodes(const job_record_t *job) {
  return job->details->req_node_bitmap;
}

/* --exclusive, or a partition with OverSubscribe=EXCLUSIVE. */
static inline bool slurm_job_needs_whole_nodes(const job_record_t *job) {
  return slurm_is_whole(job->details->whole_node);
}

/* --exclusive=user or --exclusive=mcs */
static inline bool slurm_job_shares_with_some(const job_record_t *job) {
  return BEFORE_2411(job->details->whole_node &&
                     !slurm_job_needs_whole_nodes(job))
      FROM_2411(job->details->whole_node & (WHOLE_NODE_USER | WHOLE_NODE_MCS));
}

/* --exclusive=topo, or a partition with ExclusiveTopo. */
static inline bool slurm_job_needs_whole_topology(const job_record_t *job) {
  return BEFORE_2411(false && job) FROM_2411(IS_JOB_WHOLE_TOPO(job));
}

/* Slurm prefers the least loaded nodes for jobs that share nodes. REQUIRES
 * slurm_job_partition. */
static inline bool slurm_job_prefers_idle_cores(const job_record_t *job) {
  return (job->part_ptr->flags & PART_FLAG_LLN) ||
         (slurm_conf.select_type_param & CR_LLN);
}

static inline bool slurm_job_is_het_component(const job_record_t *job) {
  return job->het_job_id != 0;
}

static inline bool slurm_job_expands_other(const job_record_t *job) {
  return job->details->expanding_jobid != 0;
}

static inline bool slurm_job_is_contiguous(const job_record_t *job) {
  return job->details->contiguous != 0;
}

static inline bool slurm_job_limits_switches(const job_record_t *job) {
  return job->req_switch != 0;
}

/* --constraint with node counts, as in [a*2&b*3]. */
static inline bool slurm_job_counts_features(const job_record_t *job) {
  job_feature_t *feature;
  slurm_iterator_t each;
  bool counts = false;

  if (!job->details->feature_list_use) return false;
  each = list_iterator_create(job->details->feature_list_use);
  while ((feature = list_next(each))) counts |= feature->count > 0;
  list_iterator_destroy(each);
  return counts;
}

/* From 23.11 on, --cpus-per-task is also in tres_per_task, as "cpu=2". */
static inline bool slurm_job_gres_are_per_task(const job_record_t *job) {
  return BEFORE_2311(job->tres_per_task)
      FROM_2311(xstrcasestr(job->tres_per_task, "gres"));
}

static inline bool slurm_job_requests_gres(const job_record_t *job) {
  return (job->gres_list_req && list_count(job->gres_list_req)) ||
         job->tres_per_job || job->tres_per_node || job->tres_per_socket ||
         slurm_job_gres_are_per_task(job);
}

/* Whether the requested GRES are numbers per node, without CPUs, memory or
 * tasks that depend on them. */
static inline bool slurm_job_gres_are_per_node(const job_record_t *job) {
  gres_state_t *state;
  slurm_iterator_t each;
  bool per_node = true;

  if (job->tres_per_job || job->tres_per_socket ||
      slurm_job_gres_are_per_task(job) || job->cpus_per_tres ||
      job->mem_per_tres || !job->gres_list_req)
    return false;
  each = list_iterator_create(job->gres_list_req);
  while ((state = list_next(each))) {
    const gres_job_state_t *gres = state->gres_data;

    per_node &= gres->gres_per_node && !gres->gres_per_job &&
                !gres->gres_per_socket && !gres->gres_per_task &&
                !gres->cpus_per_gres && !gres->def_cpus_per_gres &&
                !gres->mem_per_gres && !gres->def_mem_per_gres &&
                (!gres->ntasks_per_gres || gres->ntasks_per_gres == NO_VAL16);
  }
  list_iterator_destroy(each);
  return per_node;
}

static inline uint32_t slurm_limit(uint16_t value) {
  return value == NO_VAL16 || value == INFINITE16 ? 0 : value;
}

/* What the job requests of each of its nodes. REQUIRES slurm_job_partition. */
static inline node_demand_t slurm_job_demand(const job_record_t *job) {
  const slurm_details_t *details = job->details;
  const multi_core_data_t *cores = details->mc_ptr;
  const uint16_t partition_type = job->part_ptr->cr_type;
  const uint16_t spec = details->core_spec;
  const bool may_use_system_cores = slurm_conf.conf_flags &
                                    BEFORE_2411(CTL_CONF_ASRU)
                                        FROM_2411(CONF_FLAG_ASRU);
  uint16_t type = slurm_conf.select_type_param;
  node_demand_t demand = {
      .tasks = details->num_tasks == NO_VAL ? 0 : details->num_tasks,
      .cpus_per_task = MAX(slurm_limit(details->cpus_per_task), 1),
      .tasks_per_node = slurm_limit(details->ntasks_per_node),
      .min_cpus = slurm_limit(details->pn_min_cpus),
      .max_cpus = details->max_cpus == NO_VAL ? UINT32_MAX : details->max_cpus,
      .memory_mb = details->pn_min_memory & ~MEM_PER_CPU,
      .memory_per_cpu = details->pn_min_memory & MEM_PER_CPU,
      .partition_cpus = job->part_ptr->max_cpus_per_node == INFINITE
                            ? UINT32_MAX
                            : job->part_ptr->max_cpus_per_node,
      .partition_socket_cpus = BEFORE_2411(0)
          FROM_2411(job->part_ptr->max_cpus_per_socket == INFINITE
                        ? 0
                        : job->part_ptr->max_cpus_per_socket),
      .whole = slurm_is_whole(details->whole_node),
      .single_node = details->max_nodes == 1,
      .one_task_each = details->num_tasks == details->min_nodes &&
                       details->num_tasks == details->max_nodes,
      .gres = slurm_job_requests_gres(job),
      .overcommit = details->overcommit,
      .one_task_per_core = slurm_conf.select_type_param & CR_ONE_TASK_PER_CORE,
      .whole_tasks = BEFORE_2411(false) FROM_2411(true),
  };

  if (partition_type && (type & (CR_SOCKET | CR_CORE)))
    type = (type & ~(CR_SOCKET | CR_CORE | CR_MEMORY)) | partition_type;
  demand.whole_sockets =
      (type & CR_SOCKET) && !(demand.whole && spec != NO_VAL16);
  demand.whole_cores = type & CR_CORE;
  demand.tracks_memory = type & CR_MEMORY;
  if (cores) {
    demand.tasks_per_socket = slurm_limit(cores->ntasks_per_socket);
    demand.tasks_per_core = slurm_limit(cores->ntasks_per_core);
    demand.threads_per_core = slurm_limit(cores->threads_per_core);
    demand.min_cores_per_socket = slurm_limit(cores->cores_per_socket);
    demand.min_sockets = slurm_limit(cores->sockets_per_node);
  }
  demand.system_cores = !may_use_system_cores || spec != 0;
  if (spec != NO_VAL16 && may_use_system_cores) {
    if (spec & CORE_SPEC_THREAD)
      demand.specialized_threads = spec & ~CORE_SPEC_THREAD;
    else
      demand.specialized_cores = spec;
  }
  return demand;
}

/* In a partition with OverSubscribe=YES:N or FORCE:N, N >= 2, several jobs
 * share a core. REQUIRES slurm_job_partition. */
static inline bool slurm_job_is_oversubscribed(const job_record_t *job) {
  const uint16_t share = job->part_ptr->max_share;

  if ((share & (uint16_t)~SHARED_FORCE) <= 1) return false;
  return (share & SHARED_FORCE) || job->details->share_res == 1;
}

/* job_test may change the memory of a request; slurmctld restores it between
 * its own attempts (node_scheduler.c). */
static inline uint64_t slurm_job_memory(const job_record_t *job) {
  return job->details->pn_min_memory;
}

static inline void slurm_job_restore_memory(job_record_t *job,
                                            uint64_t memory) {
  job->details->pn_min_memory = memory;
}

/* A node; NULL at indices of the node table that are unused. */

static inline const node_record_t *slurm_node(size_t index) {
  return node_record_table_ptr[index];
}

static inline const char *slurm_node_name(const node_record_t *node) {
  return node ? node->name : NULL;
}

/* At least 1. */
static inline uint32_t slurm_node_cores(const node_record_t *node) {
  return node && node->tot_cores ? node->tot_cores : 1;
}

/* At least 1. */
static inline uint32_t slurm_node_threads_per_core(const node_record_t *node) {
  return node && node->tpc ? node->tpc : 1;
}

static inline uint32_t slurm_node_cpus(const node_record_t *node) {
  return node ? node->cpus : 0;
}

/* At least 1. */
static inline uint32_t slurm_node_sockets(const node_record_t *node) {
  return node && node->tot_sockets ? node->tot_sockets : 1;
}

/* Without what is free; see slurm_used_memory. */
static inline node_offer_t slurm_node_offer(const node_record_t *node) {
  return (node_offer_t){
      .sockets = node->tot_sockets,
      .cores_per_socket = node->cores,
      .threads_per_core = node->tpc,
      .cpus = node->cpus,
      .memory_mb = node->real_memory - node->mem_spec_limit,
  };
}

/* Cores that jobs may use (CoreSpecCount, CPUSpecList); NULL: all. */
static inline bitstr_t *slurm_node_job_cores(const node_record_t *node) {
  return node->node_spec_bitmap;
}

static inline uint64_t slurm_gres_left(const gres_node_state_t *gres,
                                       uint32_t type_id) {
  const uint64_t used = gres->no_consume ? 0 : gres->gres_cnt_alloc;
  uint64_t left = gres->gres_cnt_avail > used ? gres->gres_cnt_avail - used : 0;
  uint64_t of_type = 0;

  if (!type_id) return left;
  for (int i = 0; i < gres->type_cnt; i++) {
    const uint64_t used_of_type =
        gres->no_consume ? 0 : gres->type_cnt_alloc[i];

    if (gres->type_id[i] == type_id && gres->type_cnt_avail[i] > used_of_type)
      of_type += gres->type_cnt_avail[i] - used_of_type;
  }
  return MIN(left, of_type);
}

/* Whether the node has the GRES of the job now. REQUIRES
 * slurm_job_gres_are_per_node. */
static inline bool slurm_node_has_gres(const node_record_t *node,
                                       const job_record_t *job) {
  slurm_iterator_t wanted = list_iterator_create(job->gres_list_req), offered;
  gres_state_t *want, *offer;
  bool has = node->gres_list != NULL;

  while (has && (want = list_next(wanted))) {
    const gres_job_state_t *request = want->gres_data;
    uint64_t left = 0;

    offered = list_iterator_create(node->gres_list);
    while ((offer = list_next(offered)))
      if (offer->plugin_id == want->plugin_id)
        left += slurm_gres_left(offer->gres_data, request->type_id);
    list_iterator_destroy(offered);
    has = left >= request->gres_per_node;
  }
  list_iterator_destroy(wanted);
  return has;
}

/* The cores that reservations keep from a job. */

static inline bool slurm_excludes_cores(const slurm_excluded_t *excluded) {
  return excluded FROM_2311(&&excluded->exc_cores);
}

/* REQUIRES slurm_excludes_cores. */
static inline bool slurm_core_is_excluded(const slurm_excluded_t *excluded,
                                          int node, uint32_t core) {
  bitstr_t *cores =
      BEFORE_2311((bitstr_t *)excluded) FROM_2311(excluded->exc_cores[node]);
  const uint32_t bit = BEFORE_2311(cr_get_coremap_offset(node) +) core;

  return cores && bit < bit_size(cores) && bit_test(cores, bit);
}

/* What select/cons_tres knows of running jobs. */

/* A function of select/cons_tres, void (*)(part_res_record_t *), that updates
 * the cores of the rows, to be called before they are read; NULL: none. */
#define SLURM_UPDATE_ROWS BEFORE_2411(NULL) FROM_2411("part_data_rebuild_rows")

/* The cores used by the rows of a partition on each node (NULL: none);
 * `row` counts from 0. Returns NULL after the last row. */
static inline bitstr_t **slurm_row_cores(const part_res_record_t *partition,
                                         uint16_t row) {
  return partition->row[row].row_bitmap;
}

static inline uint16_t slurm_row_count(const part_res_record_t *partition) {
  return partition->row ? partition->num_rows : 0;
}

static inline const part_res_record_t *slurm_next_partition(
    const part_res_record_t *partition) {
  return partition->next;
}

static inline bool slurm_partition_is_of(const part_res_record_t *partition,
                                         const job_record_t *job) {
  return partition->part_ptr == job->part_ptr;
}

static inline uint64_t slurm_used_memory(const node_use_record_t *usage) {
  return usage->alloc_memory;
}

/* Slurm's preference for a node in job_test, lower first (_set_sched_weight in
 * node_scheduler.c): the node's Weight in the lower 32 bits, flags above. Slurm
 * replaces the Weight of nodes that require a boot, and sets the flag only for
 * some of them. The last byte of Slurm's field is scratch space of
 * cons_tres. */
#define SLURM_WEIGHT_BITS UINT64_C(0xffffffff)
#define SLURM_OUTSIDE_FLEX_RESERVATION (UINT64_C(0x10000000000) >> 8)
#define SLURM_REQUIRES_BOOT (UINT64_C(0x20000000000) >> 8)

static inline uint64_t slurm_node_weight(const node_record_t *node) {
  const uint64_t weight = node ? node->sched_weight >> 8 : 0;

  if (!node || (!IS_NODE_POWERED_DOWN(node) && !(weight & SLURM_REQUIRES_BOOT)))
    return weight;
  return (weight & SLURM_OUTSIDE_FLEX_RESERVATION) | SLURM_REQUIRES_BOOT |
         node->weight;
}

/* When slurmd measured the node's power, by its clock; 0: never. */
static inline int64_t slurm_node_power_time(const node_record_t *node) {
  return node && node->energy ? node->energy->poll_time : 0;
}

/* Energy plugins report NO_VAL for a node without a sensor, and 0 before they
 * have read a counter twice. The power of a running node is never 0; 0 here:
 * unknown. */
static inline uint32_t slurm_node_watts(const node_record_t *node) {
  const uint32_t watts = node && node->energy ? node->energy->current_watts : 0;

  return watts == NO_VAL ? 0 : watts;
}

#endif /* COOLSPAN_PLUGIN_SLURM_JOB_H_ */
