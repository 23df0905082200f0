/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include "daemon_link.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "holdings.h"
#include "node_power.h"
#include "power_news.h"
#include "underlying.h"

#define LIBRARY "libcoolspan_client.so"
/* slurmctld asks nodes every AcctGatherNodeFreq seconds, which is some tens
 * commonly; rooms take minutes to warm. */
#define SECONDS_BETWEEN_POWERS 5
/* A decision that waits for the mutex does not wait for all of them. */
#define POWERS_AT_ONCE 1000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ending = PTHREAD_COND_INITIALIZER;
static plugin_conf_t loaded; /* of coolspan.conf */
static void *library = NULL;
static const coolspan_client_api_t *api = NULL;
static coolspan_client_t *client = NULL;
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

extern char *link_check(void) {
  char *path = get_extra_conf_path("coolspan.conf");
  char *problem = plugin_conf_read(path, &loaded);

  xfree(path);
  return problem;
}

extern const plugin_conf_t *link_conf(void) { return &loaded; }

extern const coolspan_client_api_t *link_api(void) { return api; }

extern coolspan_client_t *link_lock(void) {
  pthread_mutex_lock(&mutex);
  return client;
}

extern void link_unlock(void) { pthread_mutex_unlock(&mutex); }

extern coolspan_mode_t link_mode(void) {
  coolspan_mode_t mode = client ? api->mode(client) : COOLSPAN_MODE_OFF;

  return mode == COOLSPAN_MODE_UNSAID ? loaded.mode : mode;
}

extern void link_sync(void) {
  coolspan_snapshot_t snapshot = snapshot_take();

  api->sync(client, &snapshot);
  debug("coolspan: sync queued: %u nodes, %zu running jobs",
        snapshot.node_count, snapshot.holding_count);
  snapshot_free(&snapshot);
}

/* A controller that is shutting down, or in standby (also after it was the
 * primary, when shutdown_time is cleared), does not know what runs. The thread
 * that saves the state is there only while the controller is the primary. */
static bool is_primary(void) {
  return slurmctld_config.thread_id_save && !slurmctld_config.shutdown_time;
}

static void catch_up(void) {
  const slurmctld_lock_t locks = {
      .conf = READ_LOCK, .job = READ_LOCK, .node = READ_LOCK};

  lock_slurmctld(locks);
  pthread_mutex_lock(&mutex);
  if (!closing && client && is_primary() && api->sync_wanted(client))
    link_sync();
  pthread_mutex_unlock(&mutex);
  unlock_slurmctld(locks);
}

static void tell_power(void) {
  const slurmctld_lock_t locks = {.node = READ_LOCK};
  node_powers_t news = {0};

  lock_slurmctld(locks);
  if (is_primary()) news = node_powers_take();
  unlock_slurmctld(locks);
  for (size_t told = 0; told < news.count; told += POWERS_AT_ONCE) {
    pthread_mutex_lock(&mutex);
    if (!closing && client)
      api->tell_power(client, news.powers + told,
                      MIN(news.count - told, POWERS_AT_ONCE));
    pthread_mutex_unlock(&mutex);
  }
  node_powers_free(&news);
}

/*
 * An idle controller calls no plugin function for hours, and a daemon that came
 * back with an older ledger must not wait that long for the truth, nor a room
 * for what its nodes draw. So one thread looks every second, and takes
 * slurmctld's locks itself, holding nothing else, in slurmctld's order, as the
 * backfill thread does.
 */
static void *watch(void *unused) {
  struct timespec until;
  unsigned looks = 0;
  bool syncs, tells;

  (void)unused;
  pthread_mutex_lock(&mutex);
  while (!closing) {
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    pthread_cond_timedwait(&ending, &mutex, &until);
    if (closing || !client || !is_primary()) continue;
    syncs = api->sync_wanted(client);
    tells = forwards_power && ++looks % SECONDS_BETWEEN_POWERS == 0;
    pthread_mutex_unlock(&mutex);
    if (syncs) catch_up();
    if (tells) tell_power();
    pthread_mutex_lock(&mutex);
  }
  pthread_mutex_unlock(&mutex);
  return NULL;
}

/* Static objects of gRPC's libraries go away in exit(): the client must have
 * ended its threads by then, and slurmctld does not always unload plugins. */
static void end_client(void) {
  pthread_mutex_lock(&mutex);
  closing = true;
  if (client) api->stop(client);
  client = NULL;
  pthread_cond_signal(&ending);
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
      problem = xstrdup_printf("%s is of another version of coolspan", path);
    else
      atexit(end_client);
  }
  xfree(path);
  return problem;
}

static char *start_client(void) {
  const coolspan_settings_t settings = {
      .endpoints = loaded.endpoints,
      .cluster = slurm_conf.cluster_name,
      .deadline_ms = loaded.deadline_ms,
      .breaker_s = loaded.breaker_s,
      .log = log_line,
  };
  char text[256] = "", *problem = open_library();

  if (problem) return problem;
  client = api->start(&settings, text, sizeof(text));
  if (!client) return xstrdup(text);
  if (!watcher_runs && pthread_create(&watcher, NULL, watch, NULL)) {
    api->stop(client);
    client = NULL;
    return xstrdup("cannot start a thread; the next reconfigure tries again");
  }
  watcher_runs = true;
  return NULL;
}

/* Returns whether the client must be made anew. */
static bool reread_conf(void) {
  plugin_conf_t fresh = {0};
  char *path = get_extra_conf_path("coolspan.conf");
  char *problem = plugin_conf_read(path, &fresh);
  bool changed;

  xfree(path);
  if (!problem && xstrcmp(fresh.underlying, loaded.underlying))
    problem = xstrdup_printf("Underlying=%s needs a restart of slurmctld",
                             fresh.underlying);
  if (problem) {
    error("coolspan: %s; the old settings stay", problem);
    xfree(problem);
    plugin_conf_free(&fresh);
    return false;
  }
  changed =
      xstrcmp(fresh.endpoints, loaded.endpoints) ||
      fresh.deadline_ms != loaded.deadline_ms ||
      fresh.breaker_s != loaded.breaker_s ||
      (fresh.mode == COOLSPAN_MODE_OFF) != (loaded.mode == COOLSPAN_MODE_OFF);
  plugin_conf_free(&loaded);
  loaded = fresh;
  return changed;
}

/* Decides whether node power is forwarded, and says so when that changes. */
static void choose_power(void) {
  static bool has_said = false;
  const char *type = slurm_conf.acct_gather_energy_type;
  const energy_scope_t scope = energy_scope(type);
  const energy_scope_t least =
      loaded.node_power == NODE_POWER_YES ? ENERGY_OF_PARTS : ENERGY_OF_NODES;
  const bool forward =
      client && loaded.node_power != NODE_POWER_NO && scope >= least;

  if (forward != forwards_power)
    info("coolspan: the power of nodes is %s, AcctGatherEnergyType=%s",
         forward ? "forwarded" : "no longer forwarded", type ? type : "none");
  else if (!has_said && loaded.node_power == NODE_POWER_AUTO &&
           scope == ENERGY_OF_PARTS) {
    info(
        "coolspan: the power of nodes is not forwarded: "
        "AcctGatherEnergyType=%s is not one measurement of whole nodes; "
        "NodePower=yes forwards it all the same, NodePower=no saves this line",
        type);
    has_said = true;
  }
  forwards_power = forward;
}

extern void link_refresh(void) {
  char *problem = NULL;

  pthread_mutex_lock(&mutex);
  if (reread_conf() && client) {
    api->stop(client);
    client = NULL;
  }
  if (!client && !closing && loaded.mode != COOLSPAN_MODE_OFF) {
    problem = start_client();
    if (problem) error("coolspan: %s", problem);
    xfree(problem);
    info(
        "coolspan: mode=%s endpoints=%s deadline_ms=%u breaker_s=%u "
        "underlying=%s",
        mode_name(loaded.mode), loaded.endpoints, loaded.deadline_ms,
        loaded.breaker_s, loaded.underlying);
  }
  choose_power();
  if (client) link_sync();
  pthread_mutex_unlock(&mutex);
}

extern void link_close(void) {
  end_client();
  if (watcher_runs) pthread_join(watcher, NULL);
  watcher_runs = false;
  plugin_conf_free(&loaded);
}
