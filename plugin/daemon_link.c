/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "daemon_link.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "holdings.h"
#include "node_power.h"
#include "power_news.h"
#include "slurm_job.h"
#include "underlying.h"

#define LIBRARY "libcoolspan_client.so"
/* slurmctld polls nodes every AcctGatherNodeFreq seconds, commonly some tens of
 * seconds; room temperatures change within minutes. */
#define POWER_PERIOD_S 5
/* Bounds the time that a decision waits for the mutex. */
#define MAX_POWERS_PER_CALL 1000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t closing_changed = PTHREAD_COND_INITIALIZER;
static plugin_conf_t loaded;  /* coolspan.conf */
static bool is_valid = false; /* the file from which it was loaded */
static bool is_refreshed = false;
static void *library = NULL;
static const coolspan_client_api_t *api = NULL;
static coolspan_client_t *client = NULL;
static pid_t client_process = 0; /* that started it */
static bool watcher_runs = false, closing = false;
static bool forwards_power = false;
static pthread_t watcher;

static void log_line(coolspan_log_level_t level, const char *text) {
  if (level == COOLSPAN_LOG_ERROR)
    error("coolspan: %s", text);
  else if (level == COOLSPAN_LOG_INFO)
    info("coolspan: %s", text);
  else
    debug("coolspan: %s", text);
}

static char *library_path(void) {
  char *folder = own_folder();
  char *path = xstrdup_printf("%s/" LIBRARY, folder);

  xfree(folder);
  return path;
}

static char *parse_conf(plugin_conf_t *conf) {
  char *path = get_extra_conf_path("coolspan.conf");
  char problem[PLUGIN_CONF_PROBLEM_SIZE];
  bool valid = plugin_conf_read(path, conf, problem, sizeof(problem));

  xfree(path);
  return valid ? NULL : xstrdup(problem);
}

/* Frees the problem. */
static void log_invalid(char *problem) {
  /* slurmctld rereads the file immediately after its start. */
  static bool has_been_logged = false;

  if (is_valid)
    error("coolspan: %s; the old settings stay in effect", problem);
  else if (is_refreshed || !has_been_logged)
    error(
        "coolspan: %s; jobs are placed by Slurm alone until this is corrected, "
        "followed by \"scontrol reconfigure\"",
        problem);
  has_been_logged = true;
  xfree(problem);
}

extern void link_read_conf(bool drop_in) {
  char *problem = parse_conf(&loaded);

  if (drop_in && xstrcmp(loaded.underlying, "cons_tres")) {
    if (!problem)
      problem = xstrdup_printf(
          "Underlying=%s requires SelectType=select/coolspan (the drop-in "
          "plugin replaces select/cons_tres)",
          loaded.underlying);
    loaded.underlying = "cons_tres";
  }
  is_valid = !problem;
  if (is_valid) return;
  loaded.mode = COOLSPAN_MODE_OFF;
  log_invalid(problem);
}

extern const plugin_conf_t *link_conf(void) { return &loaded; }

extern const coolspan_client_api_t *link_api(void) { return api; }

extern coolspan_client_t *link_lock(void) {
  pthread_mutex_lock(&mutex);
  return client;
}

extern void link_unlock(void) { pthread_mutex_unlock(&mutex); }

extern void link_sync(void) {
  coolspan_snapshot_t snapshot = snapshot_take(loaded.mode);

  api->sync(client, &snapshot);
  debug("coolspan: sync queued: %u nodes, %zu running jobs",
        snapshot.node_count, snapshot.holding_count);
  snapshot_free(&snapshot);
}

/* A controller that is shutting down or in standby does not know which jobs
 * run; shutdown_time alone does not tell, since it is cleared when a primary
 * controller becomes standby. The thread that saves the state exists only while
 * the controller is the primary. */
static bool acts_as_primary(void) {
  return slurmctld_config.thread_id_save && !slurmctld_config.shutdown_time;
}

static void sync_if_needed(void) {
  const slurmctld_lock_t locks = {
      .conf = READ_LOCK, .job = READ_LOCK, .node = READ_LOCK};

  lock_slurmctld(locks);
  pthread_mutex_lock(&mutex);
  if (!closing && client && acts_as_primary() && api->sync_needed(client))
    link_sync();
  pthread_mutex_unlock(&mutex);
  unlock_slurmctld(locks);
}

/* The client sends them only if they have changed. */
static void report_unavailable(void) {
  const slurmctld_lock_t locks = {.node = READ_LOCK};
  uint64_t *nodes;

  lock_slurmctld(locks);
  nodes = unavailable_nodes();
  pthread_mutex_lock(&mutex);
  if (!closing && client && acts_as_primary())
    api->set_unavailable(client, (uint32_t)node_record_count, nodes);
  pthread_mutex_unlock(&mutex);
  unlock_slurmctld(locks);
  xfree(nodes);
}

static void report_end(job_record_t *job_ptr) {
  coolspan_holding_t holding = holding_of(job_ptr, slurm_job_nodes(job_ptr));

  api->resize(client, &holding);
  holding_free(&holding);
}

/* No function tells of time limits that are changed, and of ends that move
 * when a suspended job resumes. */
static void report_ends(void) {
  const slurmctld_lock_t locks = {.job = READ_LOCK, .node = READ_LOCK};
  slurm_iterator_t each;
  job_record_t *job_ptr;

  lock_slurmctld(locks);
  pthread_mutex_lock(&mutex);
  if (!closing && client && acts_as_primary() && job_list) {
    each = list_iterator_create(job_list);
    while ((job_ptr = list_next(each))) {
      if (slurm_job_holds_nodes(job_ptr) &&
          api->end_changed(client, job_key(job_ptr),
                           slurm_job_limit_end_s(job_ptr)))
        report_end(job_ptr);
    }
    list_iterator_destroy(each);
  }
  pthread_mutex_unlock(&mutex);
  unlock_slurmctld(locks);
}

static void report_power(void) {
  const slurmctld_lock_t locks = {.node = READ_LOCK};
  node_powers_t powers = {0};

  lock_slurmctld(locks);
  if (acts_as_primary()) powers = node_powers_take();
  unlock_slurmctld(locks);
  for (size_t first = 0; first < powers.count; first += MAX_POWERS_PER_CALL) {
    pthread_mutex_lock(&mutex);
    if (!closing && client)
      api->report_power(client, powers.powers + first,
                        MIN(powers.count - first, MAX_POWERS_PER_CALL));
    pthread_mutex_unlock(&mutex);
  }
  node_powers_free(&powers);
}

/*
 * An idle controller may call no plugin function for hours, but a restarted
 * daemon needs a Sync sooner than that, the thermal model needs the power of
 * the nodes, and no function tells of nodes that go down or return, and of jobs
 * whose end moves. This thread therefore wakes up every second. It takes
 * slurmctld's locks in slurmctld's order while holding no other lock, as the
 * backfill thread does.
 */
static void *watch(void *unused) {
  struct timespec until;
  unsigned wakeups = 0;
  bool sync_due, power_due;

  (void)unused;
  pthread_mutex_lock(&mutex);
  while (!closing) {
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += 1;
    pthread_cond_clockwait(&closing_changed, &mutex, CLOCK_MONOTONIC, &until);
    if (closing || !client || !acts_as_primary()) continue;
    sync_due = api->sync_needed(client);
    power_due = forwards_power && ++wakeups % POWER_PERIOD_S == 0;
    pthread_mutex_unlock(&mutex);
    if (sync_due) sync_if_needed();
    report_unavailable();
    report_ends();
    if (power_due) report_power();
    pthread_mutex_lock(&mutex);
  }
  pthread_mutex_unlock(&mutex);
  return NULL;
}

/* A process that was forked lacks the client's threads, and would wait for them
 * for ever: to reconfigure, Slurm 24.11 under systemd forks a process that ends
 * by exit(), and waits for it. */
static bool is_forked(void) { return client_process != getpid(); }

/* exit() destroys the static objects of gRPC's libraries: the client's threads
 * must have ended by then, and slurmctld does not always unload plugins. */
static void stop_client(void) {
  if (is_forked()) return;
  pthread_mutex_lock(&mutex);
  closing = true;
  if (client) api->stop(client);
  client = NULL;
  pthread_cond_signal(&closing_changed);
  pthread_mutex_unlock(&mutex);
}

static char *open_library(void) {
  char *path, *problem = NULL;
  coolspan_client_api_f get_api;

  if (api) return NULL;
  path = library_path();
  if (!library) library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    problem = xstrdup(dlerror());
  } else {
    *(void **)&get_api = dlsym(library, COOLSPAN_CLIENT_API_SYMBOL);
    api = get_api ? get_api(COOLSPAN_CLIENT_API_VERSION) : NULL;
    if (!api)
      problem = xstrdup_printf(
          "%s: wrong version (expected API version %u); install the plugin and "
          "the library from the same build",
          path, COOLSPAN_CLIENT_API_VERSION);
    else
      atexit(stop_client);
  }
  xfree(path);
  return problem;
}

/* NULL: problem has the reason. */
static coolspan_client_t *start_client(const plugin_conf_t *conf,
                                       char **problem) {
  const coolspan_settings_t settings = {
      .endpoints = conf->endpoints,
      .tls_cert = conf->tls_cert,
      .tls_key = conf->tls_key,
      .tls_ca = conf->tls_ca,
      .cluster = slurm_conf.cluster_name,
      .deadline_ms = conf->deadline_ms,
      .breaker_s = conf->breaker_s,
      .log = log_line,
  };
  char text[256] = "";
  coolspan_client_t *started;

  *problem = open_library();
  if (*problem) return NULL;
  client_process = getpid();
  started = api->start(&settings, text, sizeof(text));
  if (!started) {
    *problem = xstrdup(text);
  } else if (!watcher_runs && pthread_create(&watcher, NULL, watch, NULL)) {
    api->stop(started);
    started = NULL;
    *problem =
        xstrdup("cannot create a thread; retry with \"scontrol reconfigure\"");
  } else {
    watcher_runs = true;
  }
  return started;
}

/* Uses a client with these settings from now on; none in mode off. Returns a
 * problem: the client stays as it is. */
static char *replace_client(const plugin_conf_t *conf) {
  coolspan_client_t *started = NULL;
  char *problem = NULL;

  if (conf->mode != COOLSPAN_MODE_OFF && !closing)
    started = start_client(conf, &problem);
  if (problem) return problem;
  if (client) api->stop(client);
  client = started;
  return NULL;
}

static bool needs_other_client(const plugin_conf_t *fresh) {
  return xstrcmp(fresh->endpoints, loaded.endpoints) ||
         xstrcmp(fresh->tls_cert, loaded.tls_cert) ||
         xstrcmp(fresh->tls_key, loaded.tls_key) ||
         xstrcmp(fresh->tls_ca, loaded.tls_ca) ||
         fresh->deadline_ms != loaded.deadline_ms ||
         fresh->breaker_s != loaded.breaker_s ||
         (fresh->mode == COOLSPAN_MODE_OFF) !=
             (loaded.mode == COOLSPAN_MODE_OFF);
}

/* Returns true if the client was replaced. */
static bool reload_conf(void) {
  plugin_conf_t fresh = {0};
  char *problem = parse_conf(&fresh);
  bool replaces;

  if (!problem && xstrcmp(fresh.underlying, loaded.underlying))
    problem = xstrdup_printf(
        "Underlying=%s: a change requires a restart of slurmctld",
        fresh.underlying);
  replaces = !problem && client && needs_other_client(&fresh);
  if (replaces) problem = replace_client(&fresh);
  if (problem) {
    log_invalid(problem);
    plugin_conf_free(&fresh);
    return false;
  }
  plugin_conf_free(&loaded);
  loaded = fresh;
  is_valid = true;
  return replaces;
}

/* Decides whether node power is forwarded, and logs changes. */
static void update_power_forwarding(void) {
  static bool logged = false;
  const char *type = slurm_conf.acct_gather_energy_type;
  const energy_scope_t scope = energy_scope(type);
  const energy_scope_t min_scope =
      loaded.node_power == NODE_POWER_YES ? ENERGY_OF_PARTS : ENERGY_OF_NODES;
  const bool forward =
      client && loaded.node_power != NODE_POWER_NO && scope >= min_scope;

  if (forward != forwards_power)
    info("coolspan: node power forwarding %s: AcctGatherEnergyType=%s",
         forward ? "on" : "off", type ? type : "none");
  else if (!logged && loaded.node_power == NODE_POWER_AUTO &&
           scope == ENERGY_OF_PARTS) {
    info(
        "coolspan: node power forwarding off: AcctGatherEnergyType=%s does not "
        "measure whole nodes; set NodePower=yes to forward it anyway, "
        "NodePower=no to suppress this message",
        type);
    logged = true;
  }
  forwards_power = forward;
}

static void log_settings(void) {
  if (loaded.mode == COOLSPAN_MODE_OFF)
    info("coolspan: mode=off: jobs are placed by Slurm alone");
  else
    info(
        "coolspan: mode=%s endpoints=%s deadline_ms=%u breaker_s=%u "
        "underlying=%s",
        mode_name(loaded.mode), loaded.endpoints, loaded.deadline_ms,
        loaded.breaker_s, loaded.underlying);
}

extern void link_refresh(void) {
  char *problem = NULL;
  coolspan_mode_t old_mode;
  bool changed;

  pthread_mutex_lock(&mutex);
  old_mode = loaded.mode;
  changed = !is_refreshed || !is_valid;
  changed |= reload_conf();
  changed |= loaded.mode != old_mode;
  if (!client && !closing && loaded.mode != COOLSPAN_MODE_OFF) {
    problem = replace_client(&loaded);
    changed = true;
  }
  if (problem)
    error("coolspan: %s; jobs are placed by Slurm alone", problem);
  else if (is_valid && changed)
    log_settings();
  xfree(problem);
  is_refreshed = true;
  update_power_forwarding();
  if (client) link_sync();
  pthread_mutex_unlock(&mutex);
}

extern void link_close(void) {
  stop_client();
  if (watcher_runs && !is_forked()) pthread_join(watcher, NULL);
  watcher_runs = false;
  plugin_conf_free(&loaded);
}
