# SPDX-License-Identifier: GPL-3.0-or-later
"""What coolspand knows without jobs: nodes that cannot be used, and whether slurmctld runs with
Coolspan."""

import json

from cluster import Cluster, expand, expect, run, wait_until

# The client's KeepAlive period.
PERIOD_S = 10


def status_of(cluster):
    return json.loads(cluster.coolspan('status').stdout)['clusters'][0]


def wait_unavailable(cluster, nodes, what):
    def agrees():
        hostlist = json.loads(cluster.coolspan('jobs').stdout)['unavailable']
        return sorted(expand(hostlist)) == nodes
    wait_until(agrees, 30, what)
    expect(status_of(cluster)['nodes_unavailable'] == len(nodes), f'{status_of(cluster)}')


def unavailable_nodes_are_known(build, length, logs):
    """Drained and down nodes, with and without jobs, until they return."""
    with Cluster(build, logs, nodes=8) as cluster:
        held = cluster.job(cluster.start('--nodes=1'))['NodeList']
        names = sorted(expand(cluster.slurm('sinfo', '-h', '-o', '%N').stdout.strip()))
        free = sorted(set(names) - {held})
        cluster.wait_agreement()

        def set_state(node, state):
            cluster.slurm('scontrol', 'update', f'NodeName={node}', f'State={state}', 'Reason=test')

        set_state(free[0], 'drain')
        set_state(free[1], 'down')
        set_state(held, 'drain')
        gone = sorted([free[0], free[1], held])
        wait_unavailable(cluster, gone, 'drained and down nodes are known')
        expect(status_of(cluster)['nodes_free'] == 5, f'{status_of(cluster)}')
        expect('5 of 8 nodes free, 3 unavailable' in
               run(build / 'bin' / 'coolspan', 'map-view', '--endpoint', cluster.endpoint).stdout,
               'the map does not show them')
        cluster.signal('coolspand', 'KILL')
        cluster.start_coolspand()  # they are in the Sync
        wait_unavailable(cluster, gone, 'a restarted daemon knows them')
        set_state(free[0], 'resume')
        # Known to slurmctld at once, and to coolspand within two seconds.
        back = cluster.start(f'--nodelist={free[0]}')
        cluster.expect_enforced(back)
        set_state(free[1], 'resume')
        set_state(held, 'resume')
        wait_unavailable(cluster, [], 'all nodes have returned')
        cluster.wait_agreement()


def contact_shows_whether_coolspan_is_loaded(build, length, logs):
    """An idle slurmctld keeps in contact and finds a restarted daemon; one whose coolspan.conf is
    wrong does not."""
    with Cluster(build, logs, nodes=2) as cluster:
        wait_until(lambda: status_of(cluster)['synced'], 30, 'the first Sync')
        cluster.signal('coolspand', 'KILL')
        cluster.start_coolspand()
        wait_until(lambda: status_of(cluster)['synced'], 30, 'a Sync without a job')
        conf = cluster.dir / 'etc' / 'coolspan.conf'
        conf.write_text('Bogus=1\n' + conf.read_text())
        cluster.mini('restart', 'slurmctld')
        wait_until(lambda: status_of(cluster)['contact_age_ms'] > 1500 * PERIOD_S, 60,
                   'contact is lost')


TESTS = [contact_shows_whether_coolspan_is_loaded, unavailable_nodes_are_known]
