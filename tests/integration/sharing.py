# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs that share nodes by the core."""

import random

from cluster import Cluster, LedgerWatch, expect
from placing import check_decisions

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
    conf = ('--coolspan-conf', 'LeaveSubNodeJobs=no')
    with Cluster(build, logs, nodes=8, extra=conf) as cluster:
        with LedgerWatch(cluster, CORES) as watch:
            jobs = submit_mixed(cluster, count)
            cluster.wait_all_done(jobs, 300)
        watch.expect_sound()
        cluster.wait_agreement()
        return check_decisions(cluster, jobs, 0.95)


def whole_nodes_with_select_linear(build, length, logs):
    """The named plugin in front of select/linear."""
    with Cluster(build, logs, nodes=8, extra=('--underlying', 'linear')) as cluster:
        with LedgerWatch(cluster, CORES) as watch:
            jobs = [cluster.submit(f'--nodes={1 + n % 4}', command='sleep 0.5') for n in range(20)]
            cluster.wait_all_done(jobs, 120)
        watch.expect_sound()
        cluster.wait_agreement()
        enforced = cluster.enforced(jobs)
        expect(len(enforced) >= 18, f'{len(enforced)} of 20 enforced: {cluster.verdicts()}')
        return f'{len(enforced)} of 20 enforced'


TESTS = [shared_and_exclusive_jobs, whole_nodes_with_select_linear]
