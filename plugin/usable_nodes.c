/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "usable_nodes.h"

#include <string.h>

#include "bitmaps.h"
#include "slurm_job.h"
#include "underlying.h"

/* One row of jobs of a partition: the cores used on each node. */
typedef struct {
  bitstr_t **cores;
  bool of_job; /* of the job's partition */
} row_t;

/* The state of one job_test. */
typedef struct {
  const job_test_t *test;
  node_demand_t demand;
  bool spec_cores_first;
  row_t *rows;
  size_t row_count;
  const node_use_record_t *usage;
  /* Of the node at hand, with space for that with most cores. */
  uint64_t *allowed;   /* cores that the job may use; then the free ones */
  uint64_t *used;      /* cores used by jobs, or reserved */
  uint64_t *partition; /* cores used by jobs of the job's partition */
  uint16_t *free;      /* by socket */
  uint16_t *taken;     /* by socket, see node_offer_t */
} search_t;

static size_t words_of(uint32_t cores) { return (cores + 63) / 64; }

static void find_rows(search_t *search, const part_res_record_t *first) {
  for (const part_res_record_t *p = first; p; p = slurm_next_partition(p)) {
    const uint16_t count = slurm_row_count(p);

    xrecalloc(search->rows, search->row_count + count + 1,
              sizeof(*search->rows));
    for (uint16_t i = 0; i < count; i++)
      if (slurm_row_cores(p, i))
        search->rows[search->row_count++] =
            (row_t){slurm_row_cores(p, i),
                    slurm_partition_is_of(p, search->test->job_ptr)};
  }
}

static bool start_search(search_t *search, const job_test_t *test) {
  part_res_record_t **partitions = underlying_variable("select_part_record");
  node_use_record_t **usage = underlying_variable("select_node_usage");
  uint32_t cores = 1, sockets = 1;

  if (!partitions || !usage || !*usage) return false;
  *search = (search_t){
      .test = test,
      .demand = slurm_job_demand(test->job_ptr),
      .spec_cores_first =
          xstrcasestr(slurm_conf.sched_params, "spec_cores_first") != NULL,
      .usage = *usage,
  };
  if (SLURM_UPDATE_ROWS) {
    void (*update)(part_res_record_t *) =
        underlying_variable(SLURM_UPDATE_ROWS);

    if (!update) return false;
    update(*partitions);
  }
  find_rows(search, *partitions);
  for (int i = 0; i < node_record_count; i++) {
    cores = MAX(cores, slurm_node_cores(slurm_node(i)));
    sockets = MAX(sockets, slurm_node_sockets(slurm_node(i)));
  }
  search->allowed = xcalloc(words_of(cores), sizeof(uint64_t));
  search->used = xcalloc(words_of(cores), sizeof(uint64_t));
  search->partition = xcalloc(words_of(cores), sizeof(uint64_t));
  search->free = xcalloc(sockets, sizeof(*search->free));
  search->taken = xcalloc(sockets, sizeof(*search->taken));
  return true;
}

static void end_search(search_t *search) {
  xfree(search->rows);
  xfree(search->allowed);
  xfree(search->used);
  xfree(search->partition);
  xfree(search->free);
  xfree(search->taken);
}

/* Removes cores for the system from those that the job may use, the last core
 * of each socket first (common_mark_avail_cores in cons_common.c). */
static void remove_cores(search_t *search, const node_offer_t *offer,
                         uint32_t count) {
  for (uint32_t i = 0; i < offer->cores_per_socket; i++) {
    const uint32_t core =
        search->spec_cores_first ? i : offer->cores_per_socket - 1 - i;

    for (uint32_t j = 0; j < offer->sockets && count; j++) {
      const uint32_t socket =
          search->spec_cores_first ? j : offer->sockets - 1 - j;
      const uint32_t bit = socket * offer->cores_per_socket + core;

      if (!(search->allowed[bit / 64] >> bit % 64 & 1)) continue;
      search->allowed[bit / 64] &= ~(UINT64_C(1) << bit % 64);
      count--;
    }
  }
}

static void find_allowed(search_t *search, const node_record_t *node,
                         const node_offer_t *offer) {
  const uint32_t cores = slurm_node_cores(node);
  const size_t words = words_of(cores);
  bitstr_t *for_jobs = slurm_node_job_cores(node);
  uint32_t wanted = search->demand.specialized_cores;

  memset(search->allowed, 0xff, words * sizeof(uint64_t));
  if (cores % 64)
    search->allowed[words - 1] = (UINT64_C(1) << (cores % 64)) - 1;
  if (search->demand.specialized_threads && offer->cpus == cores)
    wanted = search->demand.specialized_threads;
  if (for_jobs && search->demand.system_cores) {
    const uint32_t removed = cores - (uint32_t)bit_set_count(for_jobs);

    and_bitmap(search->allowed, for_jobs, words);
    wanted = wanted > removed ? wanted - removed : 0;
  }
  remove_cores(search, offer, wanted);
}

/* Returns whether the job's partition has a map of the node's cores. */
static bool find_used(search_t *search, int node, uint32_t cores) {
  const slurm_excluded_t *excluded = search->test->excluded;
  const size_t words = words_of(cores);
  bool has_map = false;

  memset(search->used, 0, words * sizeof(uint64_t));
  memset(search->partition, 0, words * sizeof(uint64_t));
  for (size_t i = 0; i < search->row_count; i++) {
    const bitstr_t *row = search->rows[i].cores[node];

    if (!row) continue;
    or_bitmap(search->used, row, words);
    if (!search->rows[i].of_job) continue;
    or_bitmap(search->partition, row, words);
    has_map = true;
  }
  if (!slurm_excludes_cores(excluded)) return has_map;
  for (uint32_t i = 0; i < cores; i++)
    if (slurm_core_is_excluded(excluded, node, i))
      search->used[i / 64] |= UINT64_C(1) << i % 64;
  return has_map;
}

/* Whether all cores are free for the job. */
static bool is_untouched(const search_t *search, int index) {
  if (slurm_excludes_cores(search->test->excluded) ||
      slurm_node_job_cores(slurm_node(index)) ||
      search->demand.specialized_cores || search->demand.specialized_threads)
    return false;
  for (size_t i = 0; i < search->row_count; i++)
    if (search->rows[i].cores[index]) return false;
  return true;
}

/* The free cores of a node, of which some may be used or not be for jobs. With
 * CR_Socket, Slurm shares no socket with jobs of the same partition; if that
 * has no map of the node, no socket of which a core is not free (_allocate_sc
 * in cons_common.c). */
static void count_cores(search_t *search, int index, node_offer_t *offer) {
  const node_record_t *node = slurm_node(index);
  const uint32_t cores = slurm_node_cores(node), each = offer->cores_per_socket;
  bool has_map;

  find_allowed(search, node, offer);
  has_map = find_used(search, index, cores);
  for (size_t i = 0; i < words_of(cores); i++) {
    offer->cores += __builtin_popcountll(search->allowed[i]);
    search->allowed[i] &= ~search->used[i];
    search->partition[i] &= ~search->allowed[i];
    offer->partition_cores += __builtin_popcountll(search->partition[i]);
  }
  for (uint32_t i = 0; i < offer->sockets; i++) {
    search->free[i] =
        (uint16_t)count_bits(search->allowed, i * each, (i + 1) * each);
    search->taken[i] = (uint16_t)(has_map ? count_bits(search->partition,
                                                       i * each, (i + 1) * each)
                                          : each - search->free[i]);
  }
}

static coolspan_usable_t usable_of(search_t *search, int index) {
  const node_record_t *node = slurm_node(index);
  const uint64_t used_mb = slurm_used_memory(&search->usage[index]);
  node_offer_t offer = slurm_node_offer(node);

  if (search->demand.gres && !slurm_node_has_gres(node, search->test->job_ptr))
    return (coolspan_usable_t){0, 1};
  if (is_untouched(search, index)) {
    offer.cores = slurm_node_cores(node);
    for (uint32_t i = 0; i < offer.sockets; i++) {
      search->free[i] = (uint16_t)offer.cores_per_socket;
      search->taken[i] = 0;
    }
  } else {
    count_cores(search, index, &offer);
  }
  offer.free = search->free;
  offer.taken = search->taken;
  offer.memory_is_free = used_mb == 0;
  offer.memory_mb = offer.memory_mb > used_mb ? offer.memory_mb - used_mb : 0;
  return usable_cpus(&search->demand, &offer);
}

extern bool usable_nodes(const job_test_t *test, usable_nodes_t *usable) {
  search_t search;

  memset(usable, 0, sizeof(*usable));
  if (!start_search(&search, test)) return false;
  usable->of_node = xcalloc(node_record_count, sizeof(*usable->of_node));
  usable->nodes = bit_alloc(node_record_count);
  usable->min_cpus = UINT32_MAX;
  for (int i = 0; i < node_record_count; i++) {
    usable->of_node[i] = (coolspan_usable_t){0, 1};
    if (bit_test(test->bitmap, i)) usable->of_node[i] = usable_of(&search, i);
    if (!usable->of_node[i].cpus) continue;
    bit_set(usable->nodes, i);
    usable->count++;
    usable->cpus += usable->of_node[i].cpus;
    usable->min_cpus = MIN(usable->min_cpus, usable->of_node[i].cpus);
  }
  end_search(&search);
  return true;
}

extern void usable_nodes_free(usable_nodes_t *usable) {
  xfree(usable->of_node);
  FREE_NULL_BITMAP(usable->nodes);
}
