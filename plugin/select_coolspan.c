/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A select plugin for Slurm that asks coolspand which nodes a job should get,
 * and lets one of Slurm's own plugins do everything else. Every process that
 * loads a select plugin loads this; only slurmctld has more than the
 * forwarding.
 *
 * Built as select_coolspan.so (SelectType=select/coolspan) and, with
 * COOLSPAN_DROP_IN, as a select_cons_tres.so that stands before the real one in
 * the controller's PluginDir.
 */
#include "daemon_link.h"
#include "holdings.h"
#include "placement.h"
#include "select_symbols.h"
#include "slurm_release.h"
#include "underlying.h"

#define EXPORTED __attribute__((visibility("default")))

#ifdef COOLSPAN_DROP_IN
EXPORTED const char plugin_name[] = "Coolspan in front of select/cons_tres";
EXPORTED const char plugin_type[] = "select/cons_tres";
EXPORTED const uint32_t plugin_id = SELECT_PLUGIN_CONS_TRES;
static const bool drop_in = true;
#else
EXPORTED const char plugin_name[] = "Coolspan node selection";
EXPORTED const char plugin_type[] = "select/coolspan";
/* On the wire; SchedMD's own are 101 to 110. */
EXPORTED const uint32_t plugin_id = 25427;
static const bool drop_in = false;
#endif
EXPORTED const uint32_t plugin_version = SLURM_VERSION_NUMBER;

/* Set where this is slurmctld's configured select plugin; slurmctld loads all
 * others too, and calls nothing of them but what reads other clusters' data. */
static bool in_charge = false;

/* Returns NULL, or what keeps slurmctld from starting. */
static char *check_controller(void) {
  char *problem = link_check();

  if (!problem && drop_in && xstrcmp(link_conf()->underlying, "cons_tres"))
    problem = xstrdup_printf(
        "Underlying=%s needs SelectType=select/coolspan; this is the plugin in "
        "the place of cons_tres",
        link_conf()->underlying);
  if (!problem && !bitmap_layout_is_known())
    problem =
        xstrdup("this Slurm has other bitmaps than the plugin was built for");
  return problem;
}

EXPORTED int init(void) {
  /* Clients read no coolspan.conf: cons_tres and linear put the same on the
   * wire. */
  const char *name = "cons_tres";
  char *problem = NULL;

  in_charge =
      running_in_slurmctld() && !xstrcmp(slurm_conf.select_type, plugin_type);
  if (in_charge) {
    if ((problem = check_controller())) fatal("coolspan: %s", problem);
    name = link_conf()->underlying;
  }
  if ((problem = underlying_load(name))) {
    if (in_charge) fatal("coolspan: %s", problem);
    error("coolspan: %s", problem);
    xfree(problem);
    return SLURM_ERROR;
  }
  return SLURM_SUCCESS;
}

EXPORTED int fini(void) {
  if (in_charge) link_close();
  underlying_unload();
  return SLURM_SUCCESS;
}

#define X(type, name, parameters, arguments) \
  EXPORTED type select_p_##name parameters { return underlying.name arguments; }
COOLSPAN_FORWARDED(X)
#undef X

/* All arguments of select_p_job_test, in the order of the release's table. */
typedef struct {
  uint32_t req_nodes;
  uint16_t mode;
  List preemptee_candidates;
  bitstr_t *exc_cores;
} rest_t;

static int ask_underlying(const job_question_t *question) {
  const rest_t *rest = question->rest;

  return underlying.job_test(question->job_ptr, question->bitmap,
                             question->min_nodes, question->max_nodes,
                             rest->req_nodes, rest->mode,
                             rest->preemptee_candidates,
                             question->preemptee_job_list, rest->exc_cores);
}

EXPORTED int select_p_job_test(job_record_t *job_ptr, bitstr_t *bitmap,
                               uint32_t min_nodes, uint32_t max_nodes,
                               uint32_t req_nodes, uint16_t mode,
                               List preemptee_candidates,
                               List *preemptee_job_list, bitstr_t *exc_cores) {
  const rest_t rest = {req_nodes, mode, preemptee_candidates, exc_cores};
  const job_question_t question = {
      .job_ptr = job_ptr,
      .bitmap = bitmap,
      .min_nodes = min_nodes,
      .max_nodes = max_nodes,
      .preemptee_job_list = preemptee_job_list,
      .exc_cores = exc_cores,
      .ask_underlying = ask_underlying,
      .rest = &rest,
  };

  if (!in_charge || !SELECT_IS_MODE_RUN_NOW(mode))
    return ask_underlying(&question);
  return placement_test(&question);
}

EXPORTED int select_p_job_begin(job_record_t *job_ptr) {
  const int rc = underlying.job_begin(job_ptr);

  if (in_charge && rc == SLURM_SUCCESS) placement_begin(job_ptr);
  return rc;
}

EXPORTED int select_p_job_fini(job_record_t *job_ptr) {
  coolspan_client_t *client;

  if (in_charge) {
    if ((client = link_lock())) link_api()->release(client, job_key(job_ptr));
    link_unlock();
  }
  return underlying.job_fini(job_ptr);
}

static void tell_size(job_record_t *job_ptr, const bitstr_t *nodes) {
  coolspan_client_t *client = link_lock();
  coolspan_holding_t holding;

  if (client && nodes) {
    holding = holding_of(job_ptr, nodes);
    link_api()->resize(client, &holding);
    holding_free(&holding);
  }
  link_unlock();
}

EXPORTED int select_p_job_resized(job_record_t *job_ptr,
                                  node_record_t *node_ptr) {
  const int rc = underlying.job_resized(job_ptr, node_ptr);

  /* slurmctld has taken the node from the job's bitmap before the call. */
  if (in_charge && rc == SLURM_SUCCESS)
    tell_size(job_ptr, job_ptr->node_bitmap);
  return rc;
}

EXPORTED int select_p_job_expand(job_record_t *from_job_ptr,
                                 job_record_t *to_job_ptr) {
  const int rc = underlying.job_expand(from_job_ptr, to_job_ptr);
  coolspan_client_t *client;

  if (!in_charge || rc != SLURM_SUCCESS) return rc;
  if ((client = link_lock()))
    link_api()->release(client, job_key(from_job_ptr));
  link_unlock();
  /* The job's own bitmap follows after the call. */
  if (to_job_ptr->job_resrcs)
    tell_size(to_job_ptr, to_job_ptr->job_resrcs->node_bitmap);
  return rc;
}

static void tell_suspended(const job_record_t *job_ptr, bool suspended) {
  coolspan_client_t *client = link_lock();

  if (client) link_api()->suspend(client, job_key(job_ptr), suspended);
  link_unlock();
}

EXPORTED int select_p_job_suspend(job_record_t *job_ptr, bool indf_susp) {
  const int rc = underlying.job_suspend(job_ptr, indf_susp);

  /* A job that gang scheduling stops keeps its cores. */
  if (in_charge && indf_susp && rc == SLURM_SUCCESS)
    tell_suspended(job_ptr, true);
  return rc;
}

EXPORTED int select_p_job_resume(job_record_t *job_ptr, bool indf_susp) {
  const int rc = underlying.job_resume(job_ptr, indf_susp);

  if (in_charge && indf_susp && rc == SLURM_SUCCESS)
    tell_suspended(job_ptr, false);
  return rc;
}

EXPORTED int select_p_reconfigure(void) {
  const int rc = underlying.reconfigure();

  if (in_charge) link_refresh();
  return rc;
}
