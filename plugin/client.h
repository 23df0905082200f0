/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The C interface of the allocator client, in libcoolspan_client.so. The select
 * plugin must not link gRPC itself; it opens the library by path, in slurmctld
 * only. The one exported symbol is coolspan_client_api.
 *
 * No function throws. allocate returns within the deadline, all other functions
 * return immediately: all may be called under slurmctld's locks. Thread-safe.
 *
 * Bitmaps are arrays of 64-bit words: bit i % 64 of word i / 64 is node i of
 * slurmctld's node table; bits past the last node are zero.
 */
#ifndef COOLSPAN_PLUGIN_CLIENT_H_
#define COOLSPAN_PLUGIN_CLIENT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plugin_conf/coolspan_mode.h"

#ifdef __cplusplus
extern "C" {
#endif

#define COOLSPAN_CLIENT_API_VERSION 11u
#define COOLSPAN_CLIENT_API_SYMBOL "coolspan_client_api"

typedef struct coolspan_client coolspan_client_t;

typedef enum {
  COOLSPAN_LOG_ERROR,
  COOLSPAN_LOG_INFO,
  COOLSPAN_LOG_DEBUG,
} coolspan_log_level_t;

/* text: one line without a newline. Called from any thread. */
typedef void (*coolspan_log_t)(coolspan_log_level_t level, const char *text);

typedef struct {
  const char *endpoints; /* unix:///PATH or ipv4:HOST:PORT, comma-separated */
  /* PEM files for endpoints on TCP; all NULL: plaintext. */
  const char *tls_cert;
  const char *tls_key;
  const char *tls_ca;
  const char *cluster;
  uint32_t deadline_ms; /* of one allocate */
  uint32_t breaker_s;
  coolspan_log_t log;
} coolspan_settings_t;

typedef struct {
  uint32_t job_id;
  uint32_t restart; /* number of times it was requeued */
} coolspan_job_t;

/* What a job can use of a node: CPUs, of which it uses per_core of each core.
 */
typedef struct {
  uint32_t cpus;
  uint32_t per_core; /* at least 1 */
} coolspan_usable_t;

#define COOLSPAN_NOT_LIMITED (-1)

/* The nodes and cores held by a job. */
typedef struct {
  coolspan_job_t job;
  uint32_t node_bits;
  const uint64_t *nodes;
  bool whole;
  const uint32_t *units; /* cores on each node of the bitmap; NULL if whole */
  bool suspended;
  const char *comment; /* the job's, for its coolspan: settings; or NULL */
  /* When its time limit ends it, since 1970. 0: unknown, the request's limit
   * applies; COOLSPAN_NOT_LIMITED: it has none. */
  int64_t limit_end_s;
} coolspan_holding_t;

/* The numbers by which Slurm's commands name a job: 111_3, 111+1. */
typedef struct {
  uint32_t array_job_id; /* 0: not an array task */
  uint32_t array_task_id;
  uint32_t het_job_id; /* 0: not a component of a heterogeneous job */
  uint32_t het_job_offset;
} coolspan_job_names_t;

/* How a job got its nodes (JobStart in allocator.proto). */
typedef struct {
  const char *verdict;      /* "enforced", "advised", "fallback" or "left" */
  const char *reason;       /* fallback and left, otherwise "" */
  const char *reason_class; /* without variable parts; "": the reason */
  const char *decision;     /* id; "": none */
  coolspan_job_names_t names;
  int64_t submitted_s; /* Slurm's times, since 1970; 0: unknown */
  int64_t started_s;
  int64_t time_limit_s; /* 0: unknown or unlimited */
} coolspan_start_t;

typedef struct {
  uint32_t node_count;
  const char *const *names; /* in bitmap order; NULL for an unused index */
  const uint32_t *capacity; /* cores of each node */
  size_t holding_count;
  const coolspan_holding_t *holdings;
  const uint64_t *unavailable; /* nodes that are down, drained or failing */
  coolspan_mode_t mode;        /* of coolspan.conf */
} coolspan_snapshot_t;

typedef struct {
  coolspan_job_t job;
  uint32_t node_bits;
  const uint64_t *candidates;
  const uint64_t *required; /* NULL: none */
  const uint32_t *tiers;    /* of each node, lower first; NULL: all equal */
  uint32_t min_nodes;
  uint32_t max_nodes;
  /* Of each node of the node table; NULL: all free cores. */
  const coolspan_usable_t *usable;
  uint32_t units; /* total CPUs, without usable total cores; 0: any number */
  bool up_to_max_nodes;      /* up to max_nodes, not as few as have the units */
  uint32_t segment_nodes;    /* of groups, each within a block; 0: no groups */
  bool spread_segments;      /* no base block has nodes of two groups */
  bool consolidate_segments; /* all in the smallest block that holds the job */
  bool whole;
  coolspan_mode_t mode;  /* of coolspan.conf */
  int64_t time_limit_s;  /* 0: unknown */
  int64_t waited_s;      /* since it was submitted; 0: unknown */
  const char *partition; /* this and the following may be NULL */
  const char *qos;
  const char *comment;
  const char *user;
} coolspan_request_t;

/* Power drawn by a node, all its servers together. */
typedef struct {
  const char *node; /* name */
  double watts;
} coolspan_power_t;

typedef enum {
  COOLSPAN_PLACED,
  COOLSPAN_NOT_PLACED,  /* answered: the job does not fit */
  COOLSPAN_NO_ANSWER,   /* daemon unreachable, deadline exceeded or refused */
  COOLSPAN_SYNC_NEEDED, /* if sync_needed(): sync and retry once */
} coolspan_outcome_t;

typedef struct {
  uint64_t *nodes;          /* owned by the caller, same size as candidates */
  char decision[64];        /* id; "" unless placed */
  char reason[256];         /* why the job was not placed; "" if it was */
  const char *reason_class; /* a literal; as in coolspan_start_t */
  coolspan_mode_t mode;     /* for this job; that of the request if no answer */
} coolspan_answer_t;

typedef struct {
  /* Returns NULL and sets `problem` if the settings are invalid. Does not wait
   * for the daemon. */
  coolspan_client_t *(*start)(const coolspan_settings_t *settings,
                              char *problem, size_t problem_size);
  /* Drops the queued events. */
  void (*stop)(coolspan_client_t *client);
  /* True if the daemon's state may be out of date: take a snapshot and call
   * sync. */
  bool (*sync_needed)(coolspan_client_t *client);
  /* Replaces all queued events. */
  void (*sync)(coolspan_client_t *client, const coolspan_snapshot_t *snapshot);
  /* Events, in the order in which they happened. */
  void (*commit)(coolspan_client_t *client, const coolspan_holding_t *holding,
                 const coolspan_start_t *start); /* NULL: unknown */
  void (*resize)(coolspan_client_t *client, const coolspan_holding_t *holding);
  /* Whether the last commit, resize or sync had this job, with another
   * limit_end_s. */
  bool (*end_changed)(coolspan_client_t *client, coolspan_job_t job,
                      int64_t limit_end_s);
  void (*release)(coolspan_client_t *client, coolspan_job_t job);
  void (*suspend)(coolspan_client_t *client, coolspan_job_t job,
                  bool suspended);
  /* The nodes that are unavailable now, which replace those of the snapshot.
   * Ignored before the first sync. */
  void (*set_unavailable)(coolspan_client_t *client, uint32_t node_bits,
                          const uint64_t *nodes);
  coolspan_outcome_t (*allocate)(coolspan_client_t *client,
                                 const coolspan_request_t *request,
                                 coolspan_answer_t *answer);
  /* Current measurements. The latest value of each node is kept until it is
   * sent, and dropped if the daemon does not accept it. */
  void (*report_power)(coolspan_client_t *client,
                       const coolspan_power_t *powers, size_t count);
} coolspan_client_api_t;

/* Returns NULL if the library implements another version. */
const coolspan_client_api_t *coolspan_client_api(uint32_t version);
typedef const coolspan_client_api_t *(*coolspan_client_api_f)(uint32_t version);

static inline size_t coolspan_words(uint32_t node_bits) {
  return ((size_t)node_bits + 63) / 64;
}

#ifdef __cplusplus
}
#endif

#endif /* COOLSPAN_PLUGIN_CLIENT_H_ */
