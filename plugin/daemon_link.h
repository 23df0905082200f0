/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The plugin's connection to the daemon: loads the client library, reads
 * coolspan.conf, syncs, forwards node power. One lock serializes all calls of
 * the client library; it is taken after slurmctld's locks.
 */
#ifndef COOLSPAN_PLUGIN_DAEMON_LINK_H_
#define COOLSPAN_PLUGIN_DAEMON_LINK_H_

#include "client.h"
#include "plugin_conf/plugin_conf.h"
#include "slurm_release.h"

/* Reads coolspan.conf when slurmctld starts. An invalid file is logged: Slurm
 * places the jobs until it has been corrected and reread (link_refresh). */
extern void link_read_conf(bool drop_in);
extern const plugin_conf_t *link_conf(void);

/*
 * Called after slurmctld has (re)read its files: applies changes of
 * coolspan.conf (an invalid file is logged and the old settings stay in
 * effect), connects, and syncs. REQUIRES slurmctld's job and node locks.
 */
extern void link_refresh(void);
extern void link_close(void);

/* Locks and returns the client, valid until link_unlock; NULL if there is no
 * client. */
extern coolspan_client_t *link_lock(void);
extern void link_unlock(void);
extern const coolspan_client_api_t *link_api(void);

/* REQUIRES link_lock and slurmctld's job and node locks. */
extern void link_sync(void);

#endif /* COOLSPAN_PLUGIN_DAEMON_LINK_H_ */
