/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The C face of the allocator client: what the select plugin, which must not
 * link gRPC, calls in libcoolspan_client.so. The library is opened by path in
 * slurmctld alone; its one exported symbol is coolspan_client_api.
 *
 * No call throws. allocate returns within the deadline, everything else at
 * once: all of it may be called under slurmctld's locks. Thread-safe.
 *
 * Bitmaps are arrays of 64-bit words, bit i % 64 of word i / 64 being the i-th
 * node of slurmctld's table; bits past the last node are zero.
 */
#ifndef COOLSPAN_PLUGIN_CLIENT_H_
#define COOLSPAN_PLUGIN_CLIENT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define COOLSPAN_CLIENT_API_VERSION 2u
#define COOLSPAN_CLIENT_API_SYMBOL "coolspan_client_api"

typedef struct coolspan_client coolspan_client_t;

typedef enum {
  COOLSPAN_LOG_ERROR,
  COOLSPAN_LOG_INFO,
  COOLSPAN_LOG_DEBUG,
} coolspan_log_level_t;

/* One sentence without a newline; called from any thread. */
typedef void (*coolspan_log_t)(coolspan_log_level_t level, const char *text);

typedef enum {
  COOLSPAN_MODE_OFF,     /* never ask */
  COOLSPAN_MODE_ADVISE,  /* ask and log, change nothing */
  COOLSPAN_MODE_ENFORCE, /* narrow the nodes to the answer */
  COOLSPAN_MODE_UNSAID,  /* the daemon leaves it to the plugin's file */
} coolspan_mode_t;

typedef struct {
  const char *endpoints; /* unix:///PATH or ipv4:HOST:PORT, with commas */
  const char *cluster;
  uint32_t deadline_ms; /* of one allocate */
  uint32_t breaker_s;
  coolspan_log_t log;
} coolspan_settings_t;

typedef struct {
  uint32_t job_id;
  uint32_t restart; /* how often it was requeued */
} coolspan_job_t;

/* What a job has. */
typedef struct {
  coolspan_job_t job;
  uint32_t node_bits;
  const uint64_t *nodes;
  bool whole;
  const uint32_t *units; /* cores on each node of the bitmap; NULL if whole */
  bool suspended;
  const char *comment; /* of the job, for its coolspan: words; or NULL */
} coolspan_holding_t;

typedef struct {
  uint32_t node_count;
  const char *const *names; /* in bitmap order; NULL for an unused place */
  const uint32_t *capacity; /* cores of each node */
  size_t holding_count;
  const coolspan_holding_t *holdings;
} coolspan_snapshot_t;

typedef struct {
  coolspan_job_t job;
  uint32_t node_bits;
  const uint64_t *candidates;
  const uint64_t *required; /* NULL: none */
  uint32_t min_nodes;
  uint32_t max_nodes;
  uint32_t units; /* cores in all; 0: min_nodes nodes, whatever they have */
  bool whole;
  int64_t time_limit_s;  /* 0: unknown */
  const char *partition; /* this and the following may be NULL */
  const char *qos;
  const char *comment;
  const char *user;
} coolspan_request_t;

/* What a node draws, all its servers together. */
typedef struct {
  const char *node; /* its name */
  double watts;
} coolspan_power_t;

typedef enum {
  COOLSPAN_PLACED,
  COOLSPAN_NOT_PLACED,  /* the daemon's answer: it does not fit */
  COOLSPAN_NO_ANSWER,   /* no daemon, too late, or refused */
  COOLSPAN_SYNC_WANTED, /* if sync_wanted: worth a sync and one more try */
} coolspan_outcome_t;

typedef struct {
  uint64_t *nodes;   /* the caller's, as many words as candidates */
  char decision[64]; /* "" unless placed */
  char reason[256];  /* why not; "" when placed */
} coolspan_answer_t;

typedef struct {
  /* NULL, and `problem` in words, if the settings are wrong. Does not wait
   * for a daemon. */
  coolspan_client_t *(*start)(const coolspan_settings_t *settings,
                              char *problem, size_t problem_size);
  /* What is still queued is dropped. */
  void (*stop)(coolspan_client_t *client);
  /* The daemon's picture may be wrong: take a snapshot and call sync. */
  bool (*sync_wanted)(coolspan_client_t *client);
  /* Replaces everything queued before. */
  void (*sync)(coolspan_client_t *client, const coolspan_snapshot_t *snapshot);
  /* Facts, in the order in which they happened. */
  void (*commit)(coolspan_client_t *client, const coolspan_holding_t *holding);
  void (*resize)(coolspan_client_t *client, const coolspan_holding_t *holding);
  void (*release)(coolspan_client_t *client, coolspan_job_t job);
  void (*suspend)(coolspan_client_t *client, coolspan_job_t job,
                  bool suspended);
  coolspan_outcome_t (*allocate)(coolspan_client_t *client,
                                 const coolspan_request_t *request,
                                 coolspan_answer_t *answer);
  coolspan_mode_t (*mode)(coolspan_client_t *client);
  /* Measured just now. Of each node the newest is kept until it is sent; what
   * no daemon takes is dropped. */
  void (*tell_power)(coolspan_client_t *client, const coolspan_power_t *powers,
                     size_t count);
} coolspan_client_api_t;

/* NULL if the library is of another version. */
const coolspan_client_api_t *coolspan_client_api(uint32_t version);
typedef const coolspan_client_api_t *(*coolspan_client_api_f)(uint32_t version);

static inline size_t coolspan_words(uint32_t node_bits) {
  return ((size_t)node_bits + 63) / 64;
}

#ifdef __cplusplus
}
#endif

#endif /* COOLSPAN_PLUGIN_CLIENT_H_ */
