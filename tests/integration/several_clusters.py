# SPDX-License-Identifier: GPL-3.0-or-later
"""Two clusters on one coolspand."""

from cluster import Cluster, LedgerWatch, expect, run
from placing import check_decisions, check_end, submit_many

CORES = 4


def syncs(cluster):
    return [line for line in cluster.coolspand_log('sync') if line['cluster'] == 'mini']


def events_name_their_cluster(build, length, logs):
    """Beside the cluster of coolspan load, events cost no Sync and ended jobs keep no nodes."""
    with Cluster(build, logs) as cluster, LedgerWatch(cluster, CORES) as watch:
        run(build / 'bin' / 'coolspan', 'load', '--endpoint', cluster.endpoint,
            '--machine', cluster.dir / 'etc' / 'machine.yaml', '--jobs', '200', timeout=60)
        before = len(syncs(cluster))
        jobs = submit_many(cluster, 60)
        cluster.wait_all_done(jobs, 300)
        note = check_decisions(cluster, jobs, 0.95)
        check_end(cluster)
        more = len(syncs(cluster)) - before
        expect(more == 0, f'{more} Syncs after the first (expected none): {note}')
    watch.expect_sound()
    return note


TESTS = [events_name_their_cluster]
