# SPDX-License-Identifier: GPL-3.0-or-later
"""Reload and drain of a coolspand that a running Slurm uses."""

import json

from cluster import Cluster, LedgerWatch, expect, wait_until


def status(cluster):
    return json.loads(cluster.coolspan('status').stdout)


def reload_changes_the_policy_of_the_next_job(build, length, logs):
    """coolspan reload under jobs: the next one has the new policy; a refused one changes
    nothing."""
    with Cluster(build, logs, policy='best-fit') as cluster:
        conf = cluster.dir / 'etc' / 'coolspand.yaml'
        first = conf.read_text()
        with LedgerWatch(cluster, 4) as watch:
            for text, policy, code in ((first, 'best-fit', 0),
                                       (first.replace('best-fit', 'free-list'), 'free-list', 0),
                                       (first.replace('best-fit', 'bestfit'), 'free-list', 2),
                                       (first + 'retention_days: 3\n', 'best-fit', 0)):
                conf.write_text(text)
                done = cluster.coolspan('reload', check=False)
                expect(done.returncode == code, f'{text}: {done}')
                job = cluster.start('--nodes=2')
                cluster.expect_enforced(job)
                decided = cluster.decisions(job)[0]['policy']
                expect(decided == policy, f'job {job}: {decided} (expected {policy})')
            changed = json.loads(cluster.coolspan('reload').stdout)['changes']
            expect(changed == [], f'{changed}')
            cluster.wait_agreement()
        watch.expect_sound()
    return None


def drain_leaves_jobs_to_slurm_until_it_ends(build, length, logs):
    """coolspan drain: jobs start on the nodes that Slurm chooses and count by that reason,
    their starts and ends are reported; --undo."""
    with Cluster(build, logs) as cluster:
        with LedgerWatch(cluster, 4) as watch:
            running = cluster.start('--nodes=2')
            cluster.expect_enforced(running)
            drained = json.loads(cluster.coolspan('drain').stdout)
            expect(drained == {'drained': True, 'was_drained': False, 'decisions': 0,
                               'tentative': 0, 'sessions': 0}, f'{drained}')
            expect(status(cluster)['drained_ms'] > 0, 'status does not show it')
            jobs = [cluster.start('--nodes=1') for _ in range(4)]
            cluster.slurm('scancel', running)
            cluster.wait_agreement()
            for job in jobs:
                verdict, fields = cluster.verdicts()[job]
                expect(verdict == 'fallback' and fields['reason'] == '"coolspand is drained"',
                       f'job {job} is {verdict}: {fields}')
            counted = wait_until(
                lambda: status(cluster)['clusters'][0]['starts']['fallback'] == len(jobs) and
                status(cluster)['clusters'][0]['starts'], 60, 'all starts are counted')
            expect(counted['fallback_by_reason'] == {'coolspand drained': len(jobs)}, f'{counted}')
            log = cluster.log()
            expect('is drained: jobs are placed without it' in log, 'not in the log of slurmctld')
            expect('circuit breaker' not in log, 'the breaker has opened')

            undone = json.loads(cluster.coolspan('drain', '--undo').stdout)
            expect(undone['was_drained'], f'{undone}')
            wait_until(lambda: 'is drained no longer' in cluster.log(), 60, 'the plugin knows')
            cluster.expect_enforced(cluster.start('--nodes=2'))

            # A restart, as for an upgrade, ends it too.
            cluster.coolspan('drain')
            cluster.mini('restart', 'coolspand')
            wait_until(lambda: cluster.ledger() is not None, 60, 'coolspand is back')
            # It notices at its next call, within a second, that its connection has ended.
            wait_until(lambda: status(cluster)['clusters'][0]['contact_age_ms'] is not None, 60,
                       'slurmctld is in contact')
            cluster.wait_agreement()
            expect(status(cluster)['drained_ms'] is None, 'still drained')
            cluster.expect_enforced(cluster.start('--nodes=1'))
        watch.expect_sound()
    return f'{len(jobs)} jobs meanwhile'


TESTS = [reload_changes_the_policy_of_the_next_job, drain_leaves_jobs_to_slurm_until_it_ends]
