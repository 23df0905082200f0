/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The plugin's end of the client library: opening it, coolspan.conf, Sync, the
 * power of nodes. One lock orders everything told to the daemon; it is taken
 * after slurmctld's.
 */
#ifndef COOLSPAN_PLUGIN_DAEMON_LINK_H_
#define COOLSPAN_PLUGIN_DAEMON_LINK_H_

#include "client.h"
#include "plugin_conf.h"
#include "slurm_release.h"

/* Reads coolspan.conf. Returns NULL, or what is wrong (xfree it). */
extern char *link_check(void);
extern const plugin_conf_t *link_conf(void);

/*
 * After slurmctld (re)read its files: takes what is new in coolspan.conf (a bad
 * file is reported and the old settings stay), connects, and syncs. REQUIRES
 * slurmctld's job and node locks.
 */
extern void link_refresh(void);
extern void link_close(void);

/* The client between link_lock and link_unlock; NULL without one. */
extern coolspan_client_t *link_lock(void);
extern void link_unlock(void);
extern const coolspan_client_api_t *link_api(void);

/* While locked. The mode to use now: the daemon's word goes over the file's. */
extern coolspan_mode_t link_mode(void);
/* While locked, with slurmctld's job and node locks. */
extern void link_sync(void);

#endif /* COOLSPAN_PLUGIN_DAEMON_LINK_H_ */
