/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A select plugin for Slurm: coolspand chooses the nodes of a job, and one of
 * Slurm's select plugins does everything else. Slurm's commands and daemons all
 * load the select plugin; outside slurmctld it only forwards its calls.
 *
 * Built as select_coolspan.so (SelectType=select/coolspan) and, with
 * COOLSPAN_DROP_IN, as a select_cons_tres.so whose folder precedes Slurm's in
 * the controller's PluginDir.
 */
#include "bitmaps.h"
#include "daemon_link.h"
#include "holdings.h"
#include "placement.h"
#include "point_release.h"
#include "select_symbols.h"
#include "slurm_job.h"
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
/* Used in Slurm's protocol before 25.05; SchedMD's plugins have 101 to 110.
 * Later releases only compare it with that of cons_tres, which the underlying
 * plugin must be for CR_Core, CR_CPU and CR_Socket. */
EXPORTED const uint32_t plugin_id =
    BEFORE_2505(25427) FROM_2505(SELECT_PLUGIN_CONS_TRES);
static const bool drop_in = false;
#endif
EXPORTED uint32_t plugin_version = SLURM_VERSION_NUMBER;

/* True in slurmctld if this is the configured select plugin. slurmctld also
 * loads all other select plugins, to unpack the data of other clusters. */
static bool is_active = false;

/* Slurm refuses a plugin of another point release, and then continues without
 * Coolspan (drop-in) or does not start (named). The functions of a select
 * plugin are the same in all point releases of a release, so this plugin passes
 * for one of the running point release, but only forwards calls: it reads none
 * of Slurm's structures, which may have another layout. */
static bool only_forwards = false;

__attribute__((constructor)) static void accept_point_releases(void) {
  const uint32_t running = running_slurm_version();

  only_forwards =
      running != SLURM_VERSION_NUMBER &&
      SLURM_VERSION_MAJOR(running) ==
          SLURM_VERSION_MAJOR(SLURM_VERSION_NUMBER) &&
      SLURM_VERSION_MINOR(running) == SLURM_VERSION_MINOR(SLURM_VERSION_NUMBER);
  if (only_forwards) plugin_version = running;
}

static bool is_selected(void) {
  char *type = slurm_get_select_type();
  const bool selected = running_in_slurmctld() && !xstrcmp(type, plugin_type);

  xfree(type);
  return selected;
}

/* Loads Slurm's plugin; without one, slurmctld cannot start. */
static int load_underlying(const char *name, const char *folders,
                           bool selected) {
  char *problem = underlying_load(name, folders);

  if (!problem) return SLURM_SUCCESS;
  if (selected) fatal("coolspan: %s", problem);
  error("coolspan: %s", problem);
  xfree(problem);
  return SLURM_ERROR;
}

static int init_forwarding(bool selected) {
  char *folder = slurm_folder();
  int rc;

  if (selected) {
    link_read_conf(drop_in);
    error("coolspan: %s is built for Slurm " SLURM_VERSION_STRING
          ", but this is %u.%02u.%u: jobs are placed by Slurm alone; build the "
          "plugin from the source of the installed Slurm",
          plugin_type, SLURM_VERSION_MAJOR(plugin_version),
          SLURM_VERSION_MINOR(plugin_version),
          SLURM_VERSION_MICRO(plugin_version));
  }
  rc = load_underlying(selected ? link_conf()->underlying : "cons_tres", folder,
                       selected);
  xfree(folder);
  return rc;
}

EXPORTED int init(void) {
  const bool selected = is_selected();

  if (only_forwards) return init_forwarding(selected);
  is_active = selected;
  if (is_active) {
    link_read_conf(drop_in);
    if (!bitmap_layout_is_known()) {
      is_active = false;
      error(
          "coolspan: the bitmaps of this Slurm have another layout than the "
          "one the plugin was built for: jobs are placed by Slurm alone; build "
          "the plugin from the source of the installed Slurm");
    }
  }
  /* Other programs do not read coolspan.conf: cons_tres and linear pack the
   * same data. */
  return load_underlying(selected ? link_conf()->underlying : "cons_tres",
                         slurm_conf.plugindir, selected);
}

EXPORTED int fini(void) {
  if (is_active) link_close();
  underlying_unload();
  return SLURM_SUCCESS;
}

#define X(type, name, parameters, arguments) \
  EXPORTED type select_p_##name parameters { return underlying.name arguments; }
COOLSPAN_FORWARDED(X)
#undef X

/* The definitions below must agree with the release's table, and the table with
 * Slurm, whose function select_g_* has the same parameters. */
#define X(type, name, parameters, arguments)                                \
  EXPORTED type select_p_##name parameters;                                 \
  _Static_assert(__builtin_types_compatible_p(__typeof__(select_p_##name),  \
                                              __typeof__(select_g_##name)), \
                 "select_p_" #name " has other parameters in this Slurm");
COOLSPAN_HOOKED(X)
#undef X

/* Further arguments of select_p_job_test, in the order of the release's
 * table. */
typedef struct {
  uint16_t mode;
  slurm_list_t preemptee_candidates;
  slurm_excluded_t *excluded;
  FROM_2411(will_run_data_t *will_run;)
} extra_t;

static int call_underlying(const job_test_t *test) {
  const extra_t *extra = test->extra;

  return underlying.job_test(
      test->job_ptr, test->bitmap, test->min_nodes, test->max_nodes,
      test->req_nodes, extra->mode, extra->preemptee_candidates,
      test->preemptee_job_list, extra->excluded FROM_2411(, extra->will_run));
}

EXPORTED int select_p_job_test(
    job_record_t *job_ptr, bitstr_t *bitmap, uint32_t min_nodes,
    uint32_t max_nodes, uint32_t req_nodes, uint16_t mode,
    slurm_list_t preemptee_candidates, slurm_list_t *preemptee_job_list,
    slurm_excluded_t *excluded FROM_2411(, will_run_data_t *will_run)) {
  const extra_t extra = {mode, preemptee_candidates,
                         excluded FROM_2411(, will_run)};
  const job_test_t test = {
      .job_ptr = job_ptr,
      .bitmap = bitmap,
      .min_nodes = min_nodes,
      .max_nodes = max_nodes,
      .req_nodes = req_nodes,
      .preemptee_job_list = preemptee_job_list,
      .excluded = excluded,
      .call_underlying = call_underlying,
      .extra = &extra,
  };

  if (!is_active || !SELECT_IS_MODE_RUN_NOW(mode))
    return call_underlying(&test);
  return placement_test(&test);
}

EXPORTED int select_p_job_begin(job_record_t *job_ptr) {
  const int rc = underlying.job_begin(job_ptr);

  if (is_active && rc == SLURM_SUCCESS) placement_begin(job_ptr);
  return rc;
}

EXPORTED int select_p_job_fini(job_record_t *job_ptr) {
  coolspan_client_t *client;

  if (is_active) {
    if ((client = link_lock())) link_api()->release(client, job_key(job_ptr));
    link_unlock();
  }
  return underlying.job_fini(job_ptr);
}

static void report_size(job_record_t *job_ptr, const bitstr_t *nodes) {
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

  /* slurmctld removes the node from the job's bitmap before the call. */
  if (is_active && rc == SLURM_SUCCESS)
    report_size(job_ptr, slurm_job_nodes(job_ptr));
  return rc;
}

EXPORTED int select_p_job_expand(job_record_t *from_job_ptr,
                                 job_record_t *to_job_ptr) {
  const int rc = underlying.job_expand(from_job_ptr, to_job_ptr);
  coolspan_client_t *client;

  if (!is_active || rc != SLURM_SUCCESS) return rc;
  if ((client = link_lock()))
    link_api()->release(client, job_key(from_job_ptr));
  link_unlock();
  /* slurmctld updates slurm_job_nodes(to_job_ptr) only after the call. */
  report_size(to_job_ptr, slurm_job_resource_nodes(to_job_ptr));
  return rc;
}

static void report_suspended(const job_record_t *job_ptr, bool suspended) {
  coolspan_client_t *client = link_lock();

  if (client) link_api()->suspend(client, job_key(job_ptr), suspended);
  link_unlock();
}

EXPORTED int select_p_job_suspend(job_record_t *job_ptr, bool indf_susp) {
  const int rc = underlying.job_suspend(job_ptr, indf_susp);

  /* Also for gang scheduling (indf_susp false), which runs another job on the
   * nodes. */
  if (is_active && rc == SLURM_SUCCESS) report_suspended(job_ptr, true);
  return rc;
}

EXPORTED int select_p_job_resume(job_record_t *job_ptr, bool indf_susp) {
  const int rc = underlying.job_resume(job_ptr, indf_susp);

  if (is_active && rc == SLURM_SUCCESS) report_suspended(job_ptr, false);
  return rc;
}

EXPORTED int select_p_reconfigure(void) {
  const int rc = underlying.reconfigure();

  if (is_active) link_refresh();
  return rc;
}
