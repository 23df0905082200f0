# SPDX-License-Identifier: GPL-3.0-or-later
"""Several clusters on one coolspand."""

import concurrent.futures

from cluster import Cluster, LedgerWatch, expect, run, wait_until
from placing import check_decisions, check_end, submit_many

CORES = 4


def syncs(cluster):
    return [line for line in cluster.coolspand_log('sync') if line['cluster'] == cluster.name]


def load(cluster, jobs):
    run(cluster.build / 'bin' / 'coolspan', 'load', '--endpoint', cluster.endpoint,
        '--machine', cluster.dir / 'etc' / 'machine.yaml', '--jobs', str(jobs), timeout=600)


def events_name_their_cluster(build, length, logs):
    """Beside the cluster of coolspan load, events cost no Sync and ended jobs keep no nodes."""
    with Cluster(build, logs) as cluster, LedgerWatch(cluster, CORES) as watch:
        load(cluster, 200)
        before = len(syncs(cluster))
        jobs = submit_many(cluster, 60)
        cluster.wait_all_done(jobs, 300)
        note = check_decisions(cluster, jobs, 0.95)
        check_end(cluster)
        more = len(syncs(cluster)) - before
        expect(more == 0, f'{more} Syncs after the first (expected none): {note}')
    watch.expect_sound()
    return note


def two_slurms_and_a_load_test(build, length, logs):
    """Two slurmctld and coolspan load at the same time: no needless Sync, and the ledger of each
    cluster is equal to its squeue."""
    count = {'short': 40, 'long': 150}[length]
    with Cluster(build, logs, nodes=12) as first, \
         Cluster(build, logs, nodes=12, name='second', beside=first) as second:
        for cluster in (first, second):
            cluster.start('--nodes=1')
            cluster.wait_agreement()
        before = [len(syncs(cluster)) for cluster in (first, second)]
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            loaded = pool.submit(load, first, 20_000)
            jobs = {cluster: submit_many(cluster, count) for cluster in (first, second)}
            notes = []
            for cluster, ids in jobs.items():
                cluster.wait_all_done(ids, 300)
                notes.append(check_decisions(cluster, ids, 0.9))
                cluster.wait_agreement()
            loaded.result()
        after = [len(syncs(cluster)) for cluster in (first, second)]
        expect(after == before, f'{before} Syncs, then {after}: {notes}')
    return '; '.join(notes)


def a_second_controller_of_the_same_name_is_told(build, length, logs):
    """Each Sync of one replaces the jobs of the other, which learns that and says so; when the
    second one has gone, the ledger is that of the first again."""
    said = 'another slurmctld has reported the jobs of cluster mini'
    with Cluster(build, logs, nodes=4) as first:
        first.start('--nodes=3')
        first.wait_agreement()
        with Cluster(build, logs, nodes=4, beside=first):
            wait_until(lambda: said in first.log(), 30, f'the log of the first has {said!r}')
        first.wait_agreement(30)


TESTS = [events_name_their_cluster, two_slurms_and_a_load_test,
         a_second_controller_of_the_same_name_is_told]
