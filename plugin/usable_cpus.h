/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The CPUs of a node that a job can use, as select/cons_tres counts them
 * (can_job_run_on_node in job_test.c and _allocate_sc in cons_common.c of
 * Slurm 22.05, _allocate in job_test.c of 24.11). Includes no header of Slurm.
 */
#ifndef COOLSPAN_PLUGIN_USABLE_CPUS_H_
#define COOLSPAN_PLUGIN_USABLE_CPUS_H_

#include <stdbool.h>
#include <stdint.h>

#include "client.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a job requests of each of its nodes. 0: no such limit, unless noted. */
typedef struct {
  uint32_t tasks;
  uint32_t cpus_per_task; /* at least 1 */
  uint32_t tasks_per_node;
  uint32_t tasks_per_socket;
  uint32_t tasks_per_core;
  uint32_t threads_per_core;
  uint32_t min_cores_per_socket;
  uint32_t min_sockets;
  uint32_t min_cpus;
  uint32_t max_cpus; /* of the whole job; UINT32_MAX: no limit */
  uint64_t memory_mb;
  bool memory_per_cpu;
  bool tracks_memory;         /* CR_Memory */
  bool system_cores;          /* the node's specialized cores are not used */
  uint32_t specialized_cores; /* at least; the node's own count */
  uint32_t specialized_threads;
  uint32_t partition_cpus;        /* MaxCPUsPerNode; UINT32_MAX: no limit */
  uint32_t partition_socket_cpus; /* MaxCPUsPerSocket */
  bool whole;
  bool single_node;   /* at most one node */
  bool one_task_each; /* as many tasks as nodes */
  bool gres;
  bool overcommit;
  bool whole_sockets;     /* CR_Socket */
  bool whole_cores;       /* CR_Core */
  bool one_task_per_core; /* CR_ONE_TASK_PER_CORE */
  bool whole_tasks;       /* only CPUs of whole tasks count (Slurm 24.11) */
} node_demand_t;

/* What a node has for the job now. */
typedef struct {
  uint32_t sockets;
  uint32_t cores_per_socket;
  uint32_t threads_per_core;
  uint32_t cpus;
  uint32_t cores;           /* that the job may use, busy ones included */
  const uint16_t *free;     /* of these, free cores by socket */
  const uint16_t *taken;    /* by socket: cores that keep others off with
                             * CR_Socket */
  uint32_t partition_cores; /* busy with jobs of the job's partition */
  uint64_t memory_mb;       /* free */
  bool memory_is_free;      /* all of it */
} node_offer_t;

/* 0 CPUs: the job cannot use the node now. */
extern coolspan_usable_t usable_cpus(const node_demand_t *demand,
                                     const node_offer_t *offer);

#ifdef __cplusplus
}
#endif

#endif /* COOLSPAN_PLUGIN_USABLE_CPUS_H_ */
