/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "placement.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bitmaps.h"
#include "daemon_link.h"
#include "holdings.h"
#include "left_to_slurm.h"
#include "request.h"
#include "slurm_job.h"

typedef enum {
  NO_VERDICT, /* no decision was requested; nothing to log */
  LEFT,       /* left to Slurm by its options or by coolspan.conf */
  FALLBACK,   /* no usable decision; Slurm chose the nodes */
  ENFORCED,   /* Slurm was restricted to the nodes of the decision */
  ADVISED,    /* decision known, Slurm chose the nodes */
} verdict_t;

/* The decision between job_test and job_begin; guarded by link_lock. */
static struct {
  verdict_t verdict;
  const job_record_t *job_ptr;
  coolspan_job_t key; /* of the request */
  bool held;          /* the daemon holds the nodes of the decision */
  coolspan_mode_t mode;
  bitstr_t *nodes; /* of the decision */
  char decision[64];
  char reason[256];
  const char *reason_class; /* NULL: the reason has no variable parts */
  int64_t request_us;
} in_flight;

static void clear_in_flight(void) {
  FREE_NULL_BITMAP(in_flight.nodes);
  memset(&in_flight, 0, sizeof(in_flight));
}

/* Releases the nodes of an unused decision before they expire. */
static void cancel_decision(coolspan_client_t *client) {
  if (in_flight.held) link_api()->release(client, in_flight.key);
  clear_in_flight();
}

static void set_reason(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
static void set_reason(const char *format, ...) {
  va_list arguments;

  va_start(arguments, format);
  vsnprintf(in_flight.reason, sizeof(in_flight.reason), format, arguments);
  va_end(arguments);
  /* The log has the reason in double quotes, on one line. */
  for (char *c = in_flight.reason; *c; c++)
    if (*c == '"' || *c == '\n') *c = '\'';
}

static int64_t now_us(void) {
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Whether the answer satisfies the request. */
static bool answer_is_valid(const request_t *request) {
  bitstr_t *nodes = in_flight.nodes;
  const uint32_t count = (uint32_t)bit_set_count(nodes);
  bitstr_t *required = slurm_job_required_nodes(in_flight.job_ptr);

  return bit_super_set(nodes, (bitstr_t *)request->candidates) &&
         (!required || bit_super_set(required, nodes)) &&
         count >= request->message.min_nodes &&
         count <= request->message.max_nodes;
}

/*
 * Requests a decision. If the daemon needs a Sync first, syncs and retries
 * once. A Sync costs a snapshot under slurmctld's locks, and the second request
 * waits for it up to the deadline, so it is made here only if sync_needed (not
 * shortly after a Sync that the daemon refused). If the daemon answers and only
 * asks for a new Sync, the thread in daemon_link.c makes it.
 */
static coolspan_outcome_t allocate_or_sync(coolspan_client_t *client,
                                           const coolspan_request_t *request,
                                           coolspan_answer_t *answer) {
  const coolspan_client_api_t *api = link_api();
  const coolspan_outcome_t outcome = api->allocate(client, request, answer);

  if (outcome != COOLSPAN_SYNC_NEEDED || !api->sync_needed(client))
    return outcome;
  link_sync();
  return api->allocate(client, request, answer);
}

/* Requests a decision into in_flight; returns true if the job was placed. */
static bool request_decision(coolspan_client_t *client,
                             const request_t *request) {
  uint64_t *chosen = bitmap_words(request->candidates);
  coolspan_answer_t answer = {.nodes = chosen, .mode = link_conf()->mode};
  const int64_t start_us = now_us();
  coolspan_outcome_t outcome;

  in_flight.key = request->message.job;
  outcome = allocate_or_sync(client, &request->message, &answer);
  in_flight.request_us = now_us() - start_us;
  in_flight.mode = answer.mode;
  if (outcome == COOLSPAN_PLACED) {
    in_flight.held = true;
    in_flight.nodes = bit_alloc(node_record_count);
    words_to_bitmap(chosen, in_flight.nodes);
    snprintf(in_flight.decision, sizeof(in_flight.decision), "%s",
             answer.decision);
    if (!answer_is_valid(request)) {
      outcome = COOLSPAN_NO_ANSWER;
      answer.reason_class = "invalid decision";
      snprintf(answer.reason, sizeof(answer.reason),
               "decision %s does not satisfy the request", answer.decision);
    }
  }
  if (outcome != COOLSPAN_PLACED) {
    set_reason("%s", answer.reason);
    in_flight.reason_class = answer.reason_class;
  }
  xfree(chosen);
  return outcome == COOLSPAN_PLACED;
}

/* Slurm's plugin chooses among the original candidates. */
static int fall_back(const job_test_t *test) {
  in_flight.verdict = in_flight.mode == COOLSPAN_MODE_OFF ? LEFT : FALLBACK;
  in_flight.job_ptr = test->job_ptr;
  return test->call_underlying(test);
}

/* The decision is requested before Slurm's choice, as when it is enforced, but
 * does not affect it. */
static int advise(coolspan_client_t *client, const job_test_t *test) {
  const int rc = test->call_underlying(test);

  in_flight.verdict = ADVISED;
  if (rc != SLURM_SUCCESS) cancel_decision(client);
  return rc;
}

static int enforce(coolspan_client_t *client, const job_test_t *test) {
  const uint64_t memory = slurm_job_memory(test->job_ptr);
  bitstr_t *candidates = bit_copy(test->bitmap);
  int rc;

  bit_copybits(test->bitmap, in_flight.nodes);
  in_flight.verdict = ENFORCED;
  rc = test->call_underlying(test);
  if (rc != SLURM_SUCCESS) {
    /* Restores what job_test may have changed, as slurmctld does between its
     * own attempts (node_scheduler.c). */
    set_reason("Slurm rejected the nodes of decision %s", in_flight.decision);
    in_flight.reason_class = "decision rejected by Slurm";
    link_api()->release(client, in_flight.key);
    in_flight.held = false;
    bit_copybits(test->bitmap, candidates);
    slurm_job_restore_memory(test->job_ptr, memory);
    if (test->preemptee_job_list) FREE_NULL_LIST(*test->preemptee_job_list);
    rc = fall_back(test);
  }
  FREE_NULL_BITMAP(candidates);
  return rc;
}

static int leave(const job_test_t *test, const char *reason) {
  in_flight.verdict = LEFT;
  in_flight.job_ptr = test->job_ptr;
  set_reason("%s", reason);
  debug("coolspan: JobId=%u left to Slurm: %s", slurm_job_id(test->job_ptr),
        reason);
  return test->call_underlying(test);
}

/* Preemption starts jobs for which too little is free. Otherwise Slurm cannot
 * start the job either, unless the plugin counts differently, which is then a
 * fallback. */
static int test_without_space(const job_test_t *test) {
  if (slurm_conf.preempt_mode != PREEMPT_MODE_OFF)
    return leave(test, "too few free nodes or CPUs");
  in_flight.mode = link_conf()->mode;
  set_reason("Slurm found nodes that Coolspan counted as too few");
  return fall_back(test);
}

static int place(coolspan_client_t *client, const job_test_t *test) {
  request_t request = request_make(test, link_conf());
  const bool may_fit = request.may_fit;
  bool placed = false;

  /* In the daemon, a new attempt of a job replaces its earlier one. */
  if (may_fit && in_flight.job_ptr == test->job_ptr &&
      in_flight.key.job_id == request.message.job.job_id)
    in_flight.held = false;
  cancel_decision(client);
  in_flight.job_ptr = test->job_ptr;
  if (may_fit) placed = request_decision(client, &request);
  request_free(&request);
  if (!may_fit) return test_without_space(test);
  if (!placed) return fall_back(test);
  return in_flight.mode == COOLSPAN_MODE_ADVISE ? advise(client, test)
                                                : enforce(client, test);
}

extern int placement_test(const job_test_t *test) {
  coolspan_client_t *client = link_lock();
  const char *left_reason;
  int rc;

  if (!client || !slurm_job_has_request(test->job_ptr)) {
    link_unlock();
    return test->call_underlying(test);
  }
  left_reason = left_to_slurm(test, link_conf());
  if (left_reason) {
    cancel_decision(client);
    rc = leave(test, left_reason);
  } else {
    rc = place(client, test);
  }
  link_unlock();
  return rc;
}

static void log_start(const job_record_t *job_ptr) {
  char *nodes = bitmap2node_name(slurm_job_nodes(job_ptr)), *advice = NULL;
  const uint32_t id = slurm_job_id(job_ptr);

  switch (in_flight.verdict) {
    case ENFORCED:
      info("coolspan: JobId=%u enforced nodes=%s decision=%s ask_us=%" PRId64,
           id, nodes, in_flight.decision, in_flight.request_us);
      break;
    case ADVISED:
      advice = bitmap2node_name(in_flight.nodes);
      info(
          "coolspan: JobId=%u advised nodes=%s slurm=%s decision=%s "
          "ask_us=%" PRId64,
          id, advice, nodes, in_flight.decision, in_flight.request_us);
      break;
    case FALLBACK:
      info(
          "coolspan: JobId=%u fallback reason=\"%s\" nodes=%s%s%s "
          "ask_us=%" PRId64,
          id, in_flight.reason, nodes, *in_flight.decision ? " decision=" : "",
          in_flight.decision, in_flight.request_us);
      break;
    case LEFT:
      info("coolspan: JobId=%u left reason=\"%s\" nodes=%s", id,
           in_flight.reason, nodes);
      break;
    case NO_VERDICT:
      break;
  }
  xfree(nodes);
  xfree(advice);
}

/* verdict "": nothing to report. */
static coolspan_start_t start_of(const job_record_t *job_ptr) {
  static const char *const verdicts[] = {[NO_VERDICT] = "",
                                         [LEFT] = "left",
                                         [FALLBACK] = "fallback",
                                         [ENFORCED] = "enforced",
                                         [ADVISED] = "advised"};

  return (coolspan_start_t){
      .verdict = verdicts[in_flight.verdict],
      .reason = in_flight.reason,
      .reason_class = in_flight.reason_class ? in_flight.reason_class : "",
      .decision = in_flight.decision,
      .names = job_names(job_ptr),
      .submitted_s = slurm_job_submit_s(job_ptr),
      .started_s = slurm_job_start_s(job_ptr),
      .time_limit_s = slurm_job_time_limit_s(job_ptr),
  };
}

extern void placement_begin(job_record_t *job_ptr) {
  coolspan_client_t *client = link_lock();
  coolspan_holding_t holding;
  coolspan_start_t start;

  if (!client || !slurm_job_starts(job_ptr)) {
    if (client) cancel_decision(client);
    link_unlock();
    return;
  }
  if (in_flight.job_ptr != job_ptr) cancel_decision(client);
  if (in_flight.verdict == ENFORCED &&
      !bit_equal(in_flight.nodes, slurm_job_nodes(job_ptr))) {
    in_flight.verdict = FALLBACK;
    set_reason("Slurm used other nodes than decision %s", in_flight.decision);
    in_flight.reason_class = "Slurm used other nodes";
  }
  if (in_flight.held && in_flight.key.job_id != slurm_job_id(job_ptr))
    link_api()->release(client, in_flight.key);
  holding = holding_of(job_ptr, slurm_job_nodes(job_ptr));
  start = start_of(job_ptr);
  link_api()->commit(client, &holding, *start.verdict ? &start : NULL);
  holding_free(&holding);
  log_start(job_ptr);
  clear_in_flight();
  link_unlock();
}
