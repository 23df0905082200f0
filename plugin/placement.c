/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "placement.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "daemon_link.h"
#include "holdings.h"
#include "left_to_slurm.h"

typedef enum {
  NOTHING,  /* nothing was asked or is to be said */
  LEFT,     /* not coolspan's to place */
  FALLBACK, /* asked in vain; Slurm chose */
  ENFORCED, /* the candidates were narrowed to the answer */
  ADVISED,  /* the answer is known and Slurm chose by itself */
} verdict_t;

/* The decision between job_test and job_begin; guarded by the link's lock. */
static struct {
  verdict_t verdict;
  const job_record_t *job_ptr;
  coolspan_job_t key; /* as asked for */
  bool held;          /* the daemon holds nodes for it */
  bitstr_t *nodes;    /* the answer */
  char decision[64];
  char reason[256];
  int64_t asked_us;
} in_flight;

static void let_go(void) {
  FREE_NULL_BITMAP(in_flight.nodes);
  memset(&in_flight, 0, sizeof(in_flight));
}

/* The decision came to nothing: its nodes need not wait for their expiry. */
static void withdraw(coolspan_client_t *client) {
  if (in_flight.held) link_api()->release(client, in_flight.key);
  let_go();
}

static void set_reason(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
static void set_reason(const char *format, ...) {
  va_list arguments;

  va_start(arguments, format);
  vsnprintf(in_flight.reason, sizeof(in_flight.reason), format, arguments);
  va_end(arguments);
  /* The reason stands in double quotes, on one line. */
  for (char *c = in_flight.reason; *c; c++)
    if (*c == '"' || *c == '\n') *c = '\'';
}

static int64_t now_us(void) {
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static uint32_t cores_wanted(const job_question_t *question) {
  const struct job_details *details = question->job_ptr->details;
  const uint32_t threads = threads_per_core();
  const uint32_t cpus = details->min_cpus > question->min_nodes
                            ? details->min_cpus
                            : question->min_nodes;

  return (cpus + threads - 1) / threads;
}

/*
 * The key the job will start under. Between job_test and job_begin slurmctld
 * splits the task to start from the record of its array, which keeps the id the
 * task was tested under; the task gets the next free one. slurmctld's job lock
 * is held from here to there, so that id is known.
 */
static coolspan_job_t key_at_start(const job_record_t *job_ptr) {
  coolspan_job_t key = job_key(job_ptr);

  if (job_ptr->array_recs && job_ptr->array_recs->task_id_bitmap &&
      job_ptr->array_recs->task_cnt > 1)
    key.job_id = get_next_job_id(true);
  return key;
}

static coolspan_request_t request_of(const job_question_t *question,
                                     const uint64_t *candidates,
                                     const uint64_t *required) {
  job_record_t *job_ptr = question->job_ptr;
  const bool whole = wants_whole_nodes(job_ptr);
  const bool counted = has_node_count(question);

  return (coolspan_request_t){
      .job = key_at_start(job_ptr),
      .node_bits = (uint32_t)node_record_count,
      .candidates = candidates,
      .required = required,
      .min_nodes = question->min_nodes,
      .max_nodes = counted
                       ? question->min_nodes
                       : MIN(question->max_nodes, (uint32_t)node_record_count),
      .units = whole && counted ? 0 : cores_wanted(question),
      .whole = whole,
      .time_limit_s =
          job_ptr->time_limit == NO_VAL || job_ptr->time_limit == INFINITE
              ? 0
              : (int64_t)job_ptr->time_limit * 60,
      .partition = job_ptr->part_ptr->name,
      .qos = job_ptr->qos_ptr ? job_ptr->qos_ptr->name : NULL,
      .comment = job_ptr->comment,
      .user = job_ptr->user_name,
  };
}

/* Whether what came back is an answer to what was asked. */
static bool answer_fits(const job_question_t *question,
                        const bitstr_t *candidates) {
  bitstr_t *nodes = in_flight.nodes;
  bitstr_t *required = question->job_ptr->details->req_node_bitmap;
  const uint32_t count = (uint32_t)bit_set_count(nodes);

  return bit_super_set(nodes, (bitstr_t *)candidates) &&
         (!required || bit_super_set(required, nodes)) &&
         count >= question->min_nodes && count <= question->max_nodes;
}

/*
 * One question, and a second after a Sync where the daemon cannot answer
 * without. A Sync costs a snapshot under slurmctld's locks, and the answer
 * waits for it up to the deadline, so it is made here only if it is wanted (not
 * so after one that the daemon refused); where the daemon answers and merely
 * wants to be told again, the link's watcher does that.
 */
static coolspan_outcome_t ask_and_sync(coolspan_client_t *client,
                                       const coolspan_request_t *request,
                                       coolspan_answer_t *answer) {
  const coolspan_client_api_t *api = link_api();
  const coolspan_outcome_t outcome = api->allocate(client, request, answer);

  if (outcome != COOLSPAN_SYNC_WANTED || !api->sync_wanted(client))
    return outcome;
  link_sync();
  return api->allocate(client, request, answer);
}

/* Asks the daemon; true, with in_flight filled, if it placed the job. */
static bool ask(coolspan_client_t *client, const job_question_t *question,
                const bitstr_t *candidates) {
  bitstr_t *required = question->job_ptr->details->req_node_bitmap;
  uint64_t *candidate_words = bitmap_words(candidates);
  uint64_t *required_words = required ? bitmap_words(required) : NULL;
  uint64_t *chosen = bitmap_words(candidates);
  coolspan_answer_t answer = {.nodes = chosen};
  const coolspan_request_t request =
      request_of(question, candidate_words, required_words);
  const int64_t start_us = now_us();
  coolspan_outcome_t outcome;

  in_flight.job_ptr = question->job_ptr;
  in_flight.key = request.job;
  outcome = ask_and_sync(client, &request, &answer);
  in_flight.asked_us = now_us() - start_us;
  if (outcome == COOLSPAN_PLACED) {
    in_flight.held = true;
    in_flight.nodes = bit_alloc(node_record_count);
    words_to_bitmap(chosen, in_flight.nodes);
    snprintf(in_flight.decision, sizeof(in_flight.decision), "%s",
             answer.decision);
    if (!answer_fits(question, candidates)) {
      outcome = COOLSPAN_NO_ANSWER;
      snprintf(answer.reason, sizeof(answer.reason),
               "decision %s is no answer to the request", answer.decision);
    }
  }
  if (outcome != COOLSPAN_PLACED) set_reason("%s", answer.reason);
  xfree(candidate_words);
  xfree(required_words);
  xfree(chosen);
  return outcome == COOLSPAN_PLACED;
}

/* Slurm's own plugin chooses among the original candidates. */
static int fall_back(const job_question_t *question) {
  in_flight.verdict = FALLBACK;
  in_flight.job_ptr = question->job_ptr;
  return question->ask_underlying(question);
}

static int enforce(coolspan_client_t *client, const job_question_t *question) {
  struct job_details *details = question->job_ptr->details;
  const uint64_t memory = details->pn_min_memory;
  bitstr_t *candidates;
  int rc;

  if (!ask(client, question, question->bitmap)) return fall_back(question);
  candidates = bit_copy(question->bitmap);
  bit_copybits(question->bitmap, in_flight.nodes);
  in_flight.verdict = ENFORCED;
  rc = question->ask_underlying(question);
  if (rc != SLURM_SUCCESS) {
    /* What job_test may have changed is put back as slurmctld does
     * between its own attempts (node_scheduler.c). */
    set_reason("Slurm cannot use the nodes of decision %s", in_flight.decision);
    link_api()->release(client, in_flight.key);
    in_flight.held = false;
    bit_copybits(question->bitmap, candidates);
    details->pn_min_memory = memory;
    if (question->preemptee_job_list)
      FREE_NULL_LIST(*question->preemptee_job_list);
    rc = fall_back(question);
  }
  FREE_NULL_BITMAP(candidates);
  return rc;
}

/* The daemon is asked last, about jobs that start: Slurm's choice cannot be
 * touched by it. */
static int advise(coolspan_client_t *client, const job_question_t *question) {
  bitstr_t *candidates = bit_copy(question->bitmap);
  int rc = question->ask_underlying(question);

  if (rc == SLURM_SUCCESS)
    in_flight.verdict = ask(client, question, candidates) ? ADVISED : FALLBACK;
  FREE_NULL_BITMAP(candidates);
  return rc;
}

extern int placement_test(const job_question_t *question) {
  coolspan_client_t *client = link_lock();
  const coolspan_mode_t mode = link_mode();
  const char *left;
  bool enough;
  int rc;

  if (!client || !question->job_ptr->details) {
    link_unlock();
    return question->ask_underlying(question);
  }
  left = mode == COOLSPAN_MODE_OFF ? "mode=off"
                                   : left_to_slurm(question, link_conf());
  enough = (uint32_t)bit_set_count(question->bitmap) >= question->min_nodes;
  /* A new attempt of the same job replaces the earlier one by itself. */
  if (!left && enough && mode == COOLSPAN_MODE_ENFORCE &&
      in_flight.job_ptr == question->job_ptr &&
      in_flight.key.job_id == key_at_start(question->job_ptr).job_id)
    in_flight.held = false;
  withdraw(client);

  if (left) {
    in_flight.verdict = LEFT;
    in_flight.job_ptr = question->job_ptr;
    set_reason("%s", left);
    debug("coolspan: JobId=%u left to Slurm: %s", question->job_ptr->job_id,
          left);
    rc = question->ask_underlying(question);
  } else if (!enough) {
    rc = question->ask_underlying(question);
  } else if (mode == COOLSPAN_MODE_ENFORCE) {
    rc = enforce(client, question);
  } else {
    rc = advise(client, question);
  }
  link_unlock();
  return rc;
}

static void log_start(const job_record_t *job_ptr) {
  char *nodes = bitmap2node_name(job_ptr->node_bitmap), *advice = NULL;
  const uint32_t id = job_ptr->job_id;

  switch (in_flight.verdict) {
    case ENFORCED:
      info("coolspan: JobId=%u enforced nodes=%s decision=%s ask_us=%" PRId64,
           id, nodes, in_flight.decision, in_flight.asked_us);
      break;
    case ADVISED:
      advice = bitmap2node_name(in_flight.nodes);
      info(
          "coolspan: JobId=%u advised nodes=%s slurm=%s decision=%s "
          "ask_us=%" PRId64,
          id, advice, nodes, in_flight.decision, in_flight.asked_us);
      break;
    case FALLBACK:
      info("coolspan: JobId=%u fallback reason=\"%s\" nodes=%s ask_us=%" PRId64,
           id, in_flight.reason, nodes, in_flight.asked_us);
      break;
    case LEFT:
      debug("coolspan: JobId=%u left reason=\"%s\" nodes=%s", id,
            in_flight.reason, nodes);
      break;
    case NOTHING:
      break;
  }
  xfree(nodes);
  xfree(advice);
}

/* Without these slurmctld gives up the start after job_begin, and job_fini
 * never comes (select_nodes in node_scheduler.c). */
static bool starts(const job_record_t *job_ptr) {
  return job_ptr->node_bitmap && job_ptr->job_resrcs &&
         job_ptr->job_resrcs->nodes;
}

extern void placement_begin(job_record_t *job_ptr) {
  coolspan_client_t *client = link_lock();
  coolspan_holding_t holding;

  if (!client || !starts(job_ptr)) {
    if (client) withdraw(client);
    link_unlock();
    return;
  }
  if (in_flight.job_ptr != job_ptr) withdraw(client);
  if (in_flight.verdict == ENFORCED &&
      !bit_equal(in_flight.nodes, job_ptr->node_bitmap)) {
    in_flight.verdict = FALLBACK;
    set_reason("Slurm took other nodes than decision %s", in_flight.decision);
  }
  if (in_flight.held && in_flight.key.job_id != job_ptr->job_id)
    link_api()->release(client, in_flight.key);
  holding = holding_of(job_ptr, job_ptr->node_bitmap);
  link_api()->commit(client, &holding);
  holding_free(&holding);
  log_start(job_ptr);
  let_go();
  link_unlock();
}
