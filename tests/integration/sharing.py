# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs that share nodes by the core."""

import random

from cluster import Cluster, LedgerWatch, expand, expect

CORES = 4


def submit_mixed(cluster, count):
    """Submits shared jobs of 1 to 6 cores; every fifth job is exclusive."""
    chance = random.Random(2)
    jobs = []
    for index in range(count):
        command = f'sleep {chance.uniform(0, 1):.2f}'
        if index % 5 == 0:
            jobs.append(cluster.submit('--exclusive', f'--nodes={chance.randint(1, 3)}',
                                       command=command))
        else:
            jobs.append(cluster.submit(f'--ntasks={chance.randint(1, 6)}', command=command))
    return jobs


def shared_and_exclusive_jobs(build, length, logs):
    """No core is allocated twice; enforced jobs run on the nodes of the decision."""
    count = {'short': 100, 'long': 400}[length]
    with Cluster(build, logs, nodes=8) as cluster:
        with LedgerWatch(cluster, CORES) as watch:
            jobs = submit_mixed(cluster, count)
            cluster.wait_all_done(jobs, 300)
        watch.expect_sound()
        cluster.wait_agreement()
        known, verdicts = cluster.jobs(), cluster.verdicts()
        enforced = 0
        for job in jobs:
            verdict, fields = verdicts[job]
            if verdict == 'enforced':
                enforced += 1
                expect(expand(fields['nodes']) == expand(known[job]['NodeList']),
                       f'job {job}: {fields}, {known[job]["NodeList"]}')
            else:
                expect(fields.get('reason', '""') != '""', f'job {job}: {verdict} {fields}')
        expect(enforced > 0, 'no job was enforced')
        return f'{enforced} of {count} enforced'


def whole_nodes_with_select_linear(build, length, logs):
    """The named plugin in front of select/linear."""
    with Cluster(build, logs, nodes=8, extra=('--underlying', 'linear')) as cluster:
        with LedgerWatch(cluster, CORES) as watch:
            jobs = [cluster.submit(f'--nodes={1 + n % 4}', command='sleep 0.5') for n in range(20)]
            cluster.wait_all_done(jobs, 120)
        watch.expect_sound()
        cluster.wait_agreement()
        known, verdicts = cluster.jobs(), cluster.verdicts()
        enforced = [job for job in jobs if verdicts[job][0] == 'enforced']
        for job in enforced:
            expect(expand(verdicts[job][1]['nodes']) == expand(known[job]['NodeList']),
                   f'job {job}: {verdicts[job]}, {known[job]["NodeList"]}')
        expect(len(enforced) >= 18, f'{len(enforced)} of 20 enforced: {verdicts}')
        return f'{len(enforced)} of 20 enforced'


TESTS = [shared_and_exclusive_jobs, whole_nodes_with_select_linear]
