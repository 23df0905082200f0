/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The functions of a select plugin:
 * X(return type, name without select_p_, (parameters), (arguments)), with what
 * only some releases of Slurm have in the macros of slurm_release.h. 22.05
 * looks up 37 symbols, 23.11 and 24.11 look up 32, 25.11 looks up 13, 26.05
 * looks up 14.
 *
 * COOLSPAN_FORWARDED functions only call the underlying plugin; COOLSPAN_HOOKED
 * functions are defined in select_coolspan.c. slurmctld also looks up
 * plugin_id.
 */
#ifndef COOLSPAN_PLUGIN_SELECT_SYMBOLS_H_
#define COOLSPAN_PLUGIN_SELECT_SYMBOLS_H_

#include "slurm_release.h"

/* clang-format off */
#define COOLSPAN_HOOKED(X) \
  X(int, job_test, \
    (job_record_t *job_ptr, bitstr_t *bitmap, uint32_t min_nodes, \
     uint32_t max_nodes, uint32_t req_nodes, uint16_t mode, \
     slurm_list_t preemptee_candidates, slurm_list_t *preemptee_job_list, \
     slurm_excluded_t *excluded FROM_2411(, will_run_data_t *will_run)), \
    (job_ptr, bitmap, min_nodes, max_nodes, req_nodes, mode, \
     preemptee_candidates, preemptee_job_list, \
     excluded FROM_2411(, will_run))) \
  X(int, job_begin, (job_record_t *job_ptr), (job_ptr)) \
  X(int, job_expand, \
    (job_record_t *from_job_ptr, job_record_t *to_job_ptr), \
    (from_job_ptr, to_job_ptr)) \
  X(int, job_resized, (job_record_t *job_ptr, node_record_t *node_ptr), \
    (job_ptr, node_ptr)) \
  X(int, job_fini, (job_record_t *job_ptr), (job_ptr)) \
  X(int, job_suspend, (job_record_t *job_ptr, bool indf_susp), \
    (job_ptr, indf_susp)) \
  X(int, job_resume, (job_record_t *job_ptr, bool indf_susp), \
    (job_ptr, indf_susp)) \
  X(int, reconfigure, (void), ())

#define COOLSPAN_FORWARDED(X) \
  X(int, node_init, (void), ()) \
  X(int, job_ready, (job_record_t *job_ptr), (job_ptr)) \
  X(int, select_nodeinfo_set_all, (void), ()) \
  X(int, select_nodeinfo_set, (job_record_t *job_ptr), (job_ptr)) \
  BEFORE_2505(COOLSPAN_STATE(X) COOLSPAN_STEPS(X)) \
  BEFORE_2505(COOLSPAN_NODEINFO(X) COOLSPAN_JOBINFO(X)) \
  BEFORE_2302(COOLSPAN_FORWARDED_TO_2205(X)) \
  FROM_2605(X(void, job_mem_reduce, (job_record_t *job_ptr), (job_ptr))) \
  BEFORE_2311( \
    X(bitstr_t *, resv_test, \
      (resv_desc_msg_t *resv_desc_ptr, uint32_t node_cnt, \
       bitstr_t *avail_bitmap, bitstr_t **core_bitmap), \
      (resv_desc_ptr, node_cnt, avail_bitmap, core_bitmap)))

/* Removed in 25.05. */
#define COOLSPAN_STATE(X) \
  X(int, state_save, (char *dir_name), (dir_name)) \
  X(int, state_restore, (char *dir_name), (dir_name)) \
  X(int, job_init, (slurm_list_t jobs), (jobs)) \
  X(int, get_info_from_plugin, \
    (enum select_plugindata_info dinfo, job_record_t *job_ptr, \
     void *data), \
    (dinfo, job_ptr, data))

#define COOLSPAN_STEPS(X) \
  X(bitstr_t *, step_pick_nodes, \
    (job_record_t *job_ptr, select_jobinfo_t *jobinfo, \
     uint32_t node_count, bitstr_t **avail_nodes), \
    (job_ptr, jobinfo, node_count, avail_nodes)) \
  X(int, step_start, (step_record_t *step_ptr), (step_ptr)) \
  X(int, step_finish, (step_record_t *step_ptr, bool killing_step), \
    (step_ptr, killing_step))

#define COOLSPAN_NODEINFO(X) \
  X(int, select_nodeinfo_pack, \
    (select_nodeinfo_t *nodeinfo, buf_t *buffer, uint16_t version), \
    (nodeinfo, buffer, version)) \
  X(int, select_nodeinfo_unpack, \
    (select_nodeinfo_t **nodeinfo, buf_t *buffer, uint16_t version), \
    (nodeinfo, buffer, version)) \
  X(select_nodeinfo_t *, select_nodeinfo_alloc, (void), ()) \
  X(int, select_nodeinfo_free, (select_nodeinfo_t *nodeinfo), \
    (nodeinfo)) \
  X(int, select_nodeinfo_get, \
    (select_nodeinfo_t *nodeinfo, enum select_nodedata_type dinfo, \
     enum node_states state, void *data), \
    (nodeinfo, dinfo, state, data))

#define COOLSPAN_JOBINFO(X) \
  X(select_jobinfo_t *, select_jobinfo_alloc, (void), ()) \
  X(int, select_jobinfo_free, (select_jobinfo_t *jobinfo), (jobinfo)) \
  X(int, select_jobinfo_set, \
    (select_jobinfo_t *jobinfo, enum select_jobdata_type type, \
     void *data), \
    (jobinfo, type, data)) \
  X(int, select_jobinfo_get, \
    (select_jobinfo_t *jobinfo, enum select_jobdata_type type, \
     void *data), \
    (jobinfo, type, data)) \
  X(select_jobinfo_t *, select_jobinfo_copy, \
    (select_jobinfo_t *jobinfo), (jobinfo)) \
  X(int, select_jobinfo_pack, \
    (select_jobinfo_t *jobinfo, buf_t *buffer, uint16_t version), \
    (jobinfo, buffer, version)) \
  X(int, select_jobinfo_unpack, \
    (select_jobinfo_t **jobinfo, buf_t *buffer, uint16_t version), \
    (jobinfo, buffer, version))

/* Removed before 23.02. */
#define COOLSPAN_FORWARDED_TO_2205(X) \
  X(int, job_signal, (job_record_t *job_ptr, int signal), \
    (job_ptr, signal)) \
  X(char *, select_jobinfo_sprint, \
    (select_jobinfo_t *jobinfo, char *buf, size_t size, int mode), \
    (jobinfo, buf, size, mode)) \
  X(char *, select_jobinfo_xstrdup, \
    (select_jobinfo_t *jobinfo, int mode), (jobinfo, mode)) \
  X(int, update_node_config, (int index), (index))

/* clang-format on */

#endif /* COOLSPAN_PLUGIN_SELECT_SYMBOLS_H_ */
