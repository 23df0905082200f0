/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "holdings.h"

#include <string.h>

#include "bitmaps.h"
#include "slurm_job.h"

extern coolspan_job_t job_key(const job_record_t *job_ptr) {
  return (coolspan_job_t){slurm_job_id(job_ptr), slurm_job_restarts(job_ptr)};
}

extern coolspan_job_names_t job_names(const job_record_t *job_ptr) {
  return (coolspan_job_names_t){
      slurm_job_array_job_id(job_ptr), slurm_job_array_task_id(job_ptr),
      slurm_job_het_job_id(job_ptr), slurm_job_het_job_offset(job_ptr)};
}

extern coolspan_holding_t holding_of(const job_record_t *job_ptr,
                                     const bitstr_t *nodes) {
  bitstr_t *bitmap = (bitstr_t *)nodes; /* bit_* lack const */
  coolspan_holding_t holding = {
      .job = job_key(job_ptr),
      .node_bits = (uint32_t)node_record_count,
      .nodes = bitmap_words(nodes),
      .whole = slurm_job_holds_whole_nodes(job_ptr),
      .suspended = slurm_job_is_suspended(job_ptr),
      .comment = slurm_job_comment(job_ptr),
      .limit_end_s = slurm_job_limit_end_s(job_ptr),
  };

  if (!holding.whole) {
    uint32_t *units = xcalloc(bit_set_count(bitmap) + 1, sizeof(*units));
    int count = 0;

    for (int i = bit_ffs(bitmap), last = bit_fls(bitmap); i >= 0 && i <= last;
         i++) {
      if (bit_test(bitmap, i)) units[count++] = slurm_job_cores_on(job_ptr, i);
    }
    holding.units = units;
  }
  return holding;
}

extern void holding_free(coolspan_holding_t *holding) {
  void *nodes = (void *)holding->nodes, *units = (void *)holding->units;

  xfree(nodes);
  xfree(units);
  memset(holding, 0, sizeof(*holding));
}

extern uint64_t *unavailable_nodes(void) {
  bitstr_t *nodes = avail_node_bitmap ? bit_copy(avail_node_bitmap) : NULL;
  uint64_t *words;

  /* slurmctld makes the bitmap while it starts. */
  if (!nodes) return NULL;
  bit_not(nodes);
  words = bitmap_words(nodes);
  FREE_NULL_BITMAP(nodes);
  return words;
}

extern coolspan_snapshot_t snapshot_take(coolspan_mode_t mode) {
  const size_t nodes = (size_t)node_record_count;
  const char **names = xcalloc(nodes + 1, sizeof(*names));
  uint32_t *capacity = xcalloc(nodes + 1, sizeof(*capacity));
  coolspan_holding_t *holdings = NULL;
  size_t count = 0;
  slurm_iterator_t each;
  job_record_t *job_ptr;

  for (size_t i = 0; i < nodes; i++) {
    const node_record_t *node = slurm_node(i);

    names[i] = slurm_node_name(node);
    capacity[i] = slurm_node_cores(node);
  }
  if (job_list) {
    holdings = xcalloc((size_t)list_count(job_list) + 1, sizeof(*holdings));
    each = list_iterator_create(job_list);
    while ((job_ptr = list_next(each))) {
      if (slurm_job_holds_nodes(job_ptr))
        holdings[count++] = holding_of(job_ptr, slurm_job_nodes(job_ptr));
    }
    list_iterator_destroy(each);
  }
  return (coolspan_snapshot_t){
      (uint32_t)nodes,     names, capacity, count, holdings,
      unavailable_nodes(), mode};
}

extern void snapshot_free(coolspan_snapshot_t *snapshot) {
  coolspan_holding_t *holdings = (coolspan_holding_t *)snapshot->holdings;
  void *names = (void *)snapshot->names;
  void *capacity = (void *)snapshot->capacity;
  void *unavailable = (void *)snapshot->unavailable;

  for (size_t i = 0; i < snapshot->holding_count; i++)
    holding_free(&holdings[i]);
  xfree(holdings);
  xfree(names);
  xfree(capacity);
  xfree(unavailable);
  memset(snapshot, 0, sizeof(*snapshot));
}

extern uint32_t max_threads_per_core(void) {
  uint32_t max = 1;

  for (size_t i = 0; i < (size_t)node_record_count; i++)
    max = MAX(max, slurm_node_threads_per_core(slurm_node(i)));
  return max;
}
