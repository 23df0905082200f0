/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "usable_cpus.h"

static uint32_t min_u32(uint32_t a, uint32_t b) { return a < b ? a : b; }
static uint32_t max_u32(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* CPUs that the job uses of a core; 0: it requests more than a core has. */
static uint32_t cpus_per_core(const node_demand_t *demand,
                              const node_offer_t *offer) {
  uint32_t cpus = offer->threads_per_core;

  if (demand->tasks_per_core)
    cpus = min_u32(cpus, demand->tasks_per_core * demand->cpus_per_task);
  if (demand->threads_per_core > offer->threads_per_core &&
      !demand->tasks_per_core)
    return 0;
  if (demand->threads_per_core) cpus = min_u32(cpus, demand->threads_per_core);
  return cpus;
}

/* Free cores of the socket; 0 also if the job needs more of them together. */
static uint32_t free_cores(const node_demand_t *demand,
                           const node_offer_t *offer, uint32_t socket) {
  uint32_t cores = offer->free[socket];

  if (demand->whole_sockets && offer->taken[socket]) return 0;
  if (demand->partition_socket_cpus) {
    const uint32_t limit =
        demand->partition_socket_cpus / offer->threads_per_core;

    if (offer->taken[socket] * offer->threads_per_core >=
        demand->partition_socket_cpus)
      return 0;
    cores = min_u32(cores, limit);
  }
  return cores < max_u32(demand->min_cores_per_socket, 1) ? 0 : cores;
}

/* A task with more CPUs than a core has leaves the rest of its last core idle,
 * if a core runs one task only (_count_used_cpus). */
static uint32_t cpus_of_tasks(const node_demand_t *demand, uint32_t cores,
                              uint32_t per_core) {
  const uint32_t cores_per_task =
      (demand->cpus_per_task + per_core - 1) / per_core;
  const uint32_t tasks = cores / cores_per_task;

  if (demand->tasks_per_core != 1 || demand->cpus_per_task <= per_core)
    return cores * per_core;
  return tasks * demand->cpus_per_task + cores % cores_per_task * per_core;
}

/* CPUs of the tasks that fit: at most `tasks`, on `cores` free cores. */
static uint32_t cpus_of_whole_tasks(const node_demand_t *demand, uint32_t tasks,
                                    uint32_t cores, uint32_t per_core) {
  const uint32_t each = demand->cpus_per_task;
  const uint32_t cores_per_task = (each + per_core - 1) / per_core;

  if (demand->tasks_per_node && !demand->whole)
    tasks = min_u32(tasks, demand->tasks_per_node);
  if (each == 1) return tasks;
  if (demand->tasks_per_core == 1 && each > per_core)
    return cores / cores_per_task * each;
  return min_u32(tasks, cores * per_core / each) * each;
}

/* CPUs of the free cores, by socket limits and tasks. */
static uint32_t cpus_of_cores(const node_demand_t *demand,
                              const node_offer_t *offer, uint32_t per_core) {
  const uint32_t cpus_of_socket =
      demand->tasks_per_socket * demand->cpus_per_task;
  uint32_t cores = 0, tasks = 0, sockets = 0, used = 0;

  for (uint32_t i = 0; i < offer->sockets; i++) {
    const uint32_t free = free_cores(demand, offer, i);
    uint32_t limited = free;

    sockets += free > 0;
    cores += free;
    if (demand->tasks_per_socket) {
      tasks += min_u32(free * per_core, demand->tasks_per_socket);
      limited = min_u32(free, (cpus_of_socket + per_core - 1) / per_core);
    } else {
      tasks += free * per_core;
    }
    used += limited;
  }
  if (sockets < max_u32(demand->min_sockets, 1)) return 0;
  if (cores * per_core < demand->min_cpus) return 0;
  if (tasks < demand->tasks_per_node && !demand->overcommit) return 0;
  used = cpus_of_tasks(demand, used, per_core);
  if (!demand->whole_tasks || demand->gres) return used;
  return min_u32(used, cpus_of_whole_tasks(demand, tasks, cores, per_core));
}

/* CPUs within MaxCPUsPerNode of the partition, of which its other jobs have
 * some. */
static uint32_t within_partition(const node_demand_t *demand,
                                 const node_offer_t *offer, uint32_t cpus) {
  const uint32_t used = offer->partition_cores * offer->threads_per_core;
  uint32_t free = 0;

  if (demand->partition_cpus == UINT32_MAX) return cpus;
  for (uint32_t i = 0; i < offer->sockets; i++)
    free += offer->free[i] * offer->threads_per_core;
  if (free + used <= demand->partition_cpus) return cpus;
  if (demand->whole || used >= demand->partition_cpus) return 0;
  return min_u32(cpus, demand->partition_cpus - used);
}

/* CPUs that Slurm leaves out together where the memory does not suffice. */
static uint32_t allocation_unit(const node_demand_t *demand,
                                const node_offer_t *offer, uint32_t per_core) {
  if (demand->whole_sockets && !demand->tasks_per_core &&
      !demand->threads_per_core)
    return offer->cores_per_socket * per_core;
  return demand->whole_sockets || demand->whole_cores ? per_core : 1;
}

/* CPUs for which the memory suffices, in whole allocation units. */
static uint32_t within_memory(const node_demand_t *demand,
                              const node_offer_t *offer, uint32_t per_core,
                              uint32_t cpus) {
  const uint32_t unit = allocation_unit(demand, offer, per_core);
  /* Memory of a CPU that stands for a core is that of its threads. */
  const bool by_core = (demand->whole_cores || demand->whole_sockets) &&
                       demand->tasks_per_core == 1 &&
                       demand->cpus_per_task == 1;
  const uint64_t each_mb =
      demand->memory_mb * (by_core ? offer->threads_per_core : 1);

  if (!demand->tracks_memory) return cpus;
  if (!demand->memory_mb) return offer->memory_is_free ? cpus : 0;
  if (!demand->memory_per_cpu)
    return demand->memory_mb > offer->memory_mb ? 0 : cpus;
  if (demand->whole) return each_mb * cpus > offer->memory_mb ? 0 : cpus;
  if (each_mb * cpus > offer->memory_mb) {
    const uint64_t fitting = offer->memory_mb / each_mb;
    const uint64_t excess = cpus - fitting;
    const uint64_t units = (excess + unit - 1) / unit;

    cpus = units * unit >= cpus ? 0 : (uint32_t)(cpus - units * unit);
  }
  cpus -= cpus % demand->cpus_per_task;
  return cpus < demand->tasks_per_node ? 0 : cpus;
}

/* Tasks that the job runs on each of its nodes at least. */
static uint32_t min_tasks(const node_demand_t *demand) {
  if (demand->overcommit) return 0;
  if (demand->tasks_per_node) return demand->tasks_per_node;
  if (demand->single_node && demand->tasks) return demand->tasks;
  if (demand->tasks_per_socket) return demand->tasks_per_socket;
  return max_u32(demand->tasks_per_core, 1);
}

/* Tasks that the job runs on each of its nodes at most (_select_cores of
 * select/cons_tres). */
static uint32_t max_tasks(const node_demand_t *demand,
                          const node_offer_t *offer) {
  if (demand->tasks_per_node) return demand->tasks_per_node;
  if (demand->tasks_per_socket)
    return demand->tasks_per_socket * offer->sockets;
  if (demand->tasks_per_core) return demand->tasks_per_core * offer->cores;
  if (demand->single_node) return demand->tasks ? demand->tasks : UINT32_MAX;
  return demand->tasks == 1 || demand->one_task_each ? 1 : UINT32_MAX;
}

/* With GRES, a job only gets the CPUs of its tasks on a node
 * (gres_select_filter_sock_core). */
static uint32_t within_tasks(const node_demand_t *demand,
                             const node_offer_t *offer, uint32_t cpus) {
  const uint32_t tasks =
      min_u32(cpus / demand->cpus_per_task, max_tasks(demand, offer));

  if (!demand->gres || demand->overcommit) return cpus;
  if (demand->cpus_per_task == 1 && demand->one_task_per_core) return cpus;
  return tasks * demand->cpus_per_task;
}

static uint32_t without_specialized_threads(const node_demand_t *demand,
                                            const node_offer_t *offer,
                                            uint32_t cpus) {
  if (cpus + demand->specialized_threads <= offer->cpus) return cpus;
  return cpus > demand->specialized_threads ? cpus - demand->specialized_threads
                                            : 0;
}

extern coolspan_usable_t usable_cpus(const node_demand_t *demand,
                                     const node_offer_t *offer) {
  const uint32_t per_core = cpus_per_core(demand, offer);
  const coolspan_usable_t nothing = {0, 1};
  uint32_t cores = 0, cpus;

  if (!per_core) return nothing;
  for (uint32_t i = 0; i < offer->sockets; i++) cores += offer->free[i];
  if (!cores || (demand->whole && cores < offer->cores)) return nothing;
  cpus = cpus_of_cores(demand, offer, per_core);
  cpus = without_specialized_threads(demand, offer, cpus);
  cpus = within_partition(demand, offer, cpus);
  cpus = within_memory(demand, offer, per_core, cpus);
  if (!cpus || cpus / demand->cpus_per_task < min_tasks(demand)) return nothing;
  cpus = within_tasks(demand, offer, cpus);
  if (demand->whole && demand->max_cpus < cpus) return nothing;
  if (demand->one_task_per_core && !demand->tasks_per_core)
    return (coolspan_usable_t){min_u32(cpus, cores), 1};
  return (coolspan_usable_t){cpus, per_core};
}
