/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "request.h"

#include <time.h>

#include "bitmaps.h"
#include "holdings.h"
#include "job_segments.h"
#include "node_tiers.h"
#include "slurm_job.h"

extern coolspan_job_t key_at_start(const job_record_t *job_ptr) {
  coolspan_job_t key = job_key(job_ptr);

  if (slurm_job_is_array(job_ptr)) key.job_id = get_next_job_id(true);
  return key;
}

/* Since the job could have started; 0: unknown. */
static int64_t waited_s(const job_record_t *job_ptr) {
  const int64_t since_s =
      MAX(slurm_job_submit_s(job_ptr), slurm_job_eligible_s(job_ptr));
  const int64_t now_s = (int64_t)time(NULL);

  return since_s && now_s > since_s ? now_s - since_s : 0;
}

/* Without known cores, Slurm counts the requested CPUs in threads. */
static uint32_t cores_requested(const job_test_t *test) {
  const uint32_t threads = max_threads_per_core();
  const uint32_t cpus = MAX(slurm_job_min_cpus(test->job_ptr), test->min_nodes);

  return (cpus + threads - 1) / threads;
}

/* The numbers of nodes and CPUs with which select/cons_tres chooses nodes
 * (_select_nodes in cons_common/job_test.c, choose_nodes in
 * cons_tres/job_test.c). */
static void set_demand(const job_test_t *test, const usable_nodes_t *usable,
                       coolspan_request_t *message) {
  const job_record_t *job_ptr = test->job_ptr;
  const bool counted = slurm_job_max_nodes(job_ptr) != 0;
  const node_demand_t demand = slurm_job_demand(job_ptr);
  const uint32_t tasks = demand.tasks, tasks_per_node = demand.tasks_per_node;
  uint32_t min_nodes = test->min_nodes, max_nodes = test->max_nodes;

  if (tasks && tasks_per_node)
    min_nodes = MAX(min_nodes, (tasks + tasks_per_node - 1) / tasks_per_node);
  if (counted) max_nodes = MAX(min_nodes, test->req_nodes);
  if (tasks && max_nodes > tasks) max_nodes = MAX(tasks, min_nodes);
  message->min_nodes = min_nodes;
  message->max_nodes = MIN(max_nodes, (uint32_t)node_record_count);
  message->up_to_max_nodes = counted;
  set_segments(job_ptr, min_nodes, message);
  /* topology/block gives a job as few nodes as it accepts. */
  if (message->segment_nodes && counted) {
    message->max_nodes = min_nodes;
    message->up_to_max_nodes = false;
  }
  message->units =
      usable->of_node ? slurm_job_min_cpus(job_ptr) : cores_requested(test);
  message->usable = usable->of_node;
  if (message->whole && counted &&
      (!usable->of_node ||
       (uint64_t)min_nodes * usable->min_cpus >= message->units)) {
    message->units = 0;
    message->usable = NULL;
  }
}

extern request_t request_make(const job_test_t *test,
                              const plugin_conf_t *conf) {
  const job_record_t *job_ptr = test->job_ptr;
  const bitstr_t *required = slurm_job_required_nodes(job_ptr);
  request_t request = {
      .message =
          {
              .job = key_at_start(job_ptr),
              .node_bits = (uint32_t)node_record_count,
              .whole = slurm_job_needs_whole_nodes(job_ptr),
              .mode = conf->mode,
              .time_limit_s = slurm_job_time_limit_s(job_ptr),
              .waited_s = waited_s(job_ptr),
              .partition = slurm_job_partition(job_ptr),
              .qos = slurm_job_qos(job_ptr),
              .comment = slurm_job_comment(job_ptr),
              .user = slurm_job_user(job_ptr),
          },
      .candidates = test->bitmap,
  };
  coolspan_request_t *message = &request.message;
  uint32_t count;

  if (usable_nodes(test, &request.usable))
    request.candidates = request.usable.nodes;
  set_demand(test, &request.usable, message);
  count = (uint32_t)bit_set_count((bitstr_t *)request.candidates);
  request.may_fit =
      count >= message->min_nodes &&
      (!required ||
       bit_super_set((bitstr_t *)required, (bitstr_t *)request.candidates)) &&
      (!message->usable || request.usable.cpus >= message->units);
  if (!request.may_fit) return request;
  message->candidates = bitmap_words(request.candidates);
  message->required = required ? bitmap_words(required) : NULL;
  message->tiers = node_tiers(request.candidates, conf);
  return request;
}

extern void request_free(request_t *request) {
  void *candidates = (void *)request->message.candidates;
  void *required = (void *)request->message.required;
  void *tiers = (void *)request->message.tiers;

  xfree(candidates);
  xfree(required);
  xfree(tiers);
  usable_nodes_free(&request->usable);
}
