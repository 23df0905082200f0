# SPDX-License-Identifier: GPL-3.0-or-later
"""Slurm's preferences among nodes: Weight and sleeping nodes."""

from cluster import Cluster, expand, expect, wait_until

def nodes_of(cluster, job):
    return expand(cluster.job(job)['NodeList'])


def start(cluster, *options):
    job = cluster.start(*options)
    cluster.expect_enforced(job)
    return nodes_of(cluster, job)


def set_weights(cluster, weights):
    for nodes, weight in weights.items():
        cluster.slurm('scontrol', 'update', f'NodeName={nodes}', f'Weight={weight}')


def weight_is_kept(build, length, logs):
    """A job gets the lightest nodes first, and all of one weight before the next."""
    with Cluster(build, logs, policy='first-fit', ordering='row-major') as cluster:
        set_weights(cluster, {'n[01-08]': 100, 'n[09-12]': 10, 'n[13-16]': 20})
        names = sorted(expand('n[01-16]'))
        first = start(cluster, '--nodes=2')
        expect(first <= expand('n[09-12]'), f'{first}')
        second = start(cluster, '--nodes=3')
        expect(second & expand('n[09-12]') == expand('n[09-12]') - first and
               second - first <= expand('n[09-16]'), f'{first}, {second} of {names}')
        third = start(cluster, '--nodes=4')
        expect(expand('n[13-16]') - second <= third, f'{second}, {third}')
        return f'{sorted(first)}, {sorted(second)}, {sorted(third)}'


def weight_is_overridden_if_configured(build, length, logs):
    """HonorWeight=no: placement goes over Weight."""
    with Cluster(build, logs, policy='first-fit', ordering='row-major',
                 extra=['--coolspan-conf', 'HonorWeight=no']) as cluster:
        set_weights(cluster, {'n[01-08]': 100})
        nodes = start(cluster, '--nodes=2')
        expect(nodes == expand('n[01-02]'), f'{nodes}')


def sleeping_nodes_are_last(build, length, logs):
    """Awake nodes are used before sleeping ones, whatever their weight."""
    def cluster_with(conf=()):
        # All cloud nodes sleep until they are powered up.
        return Cluster(build, logs, policy='first-fit', ordering='row-major', nodes=16,
                       extra=['--cloud', *(part for line in conf
                                           for part in ('--coolspan-conf', line))])

    def wake(cluster, nodes):
        cluster.slurm('scontrol', 'update', f'NodeName={nodes}', 'State=POWER_UP')
        wait_until(lambda: 'POWERED_DOWN' not in
                   cluster.slurm('scontrol', 'show', 'node', nodes).stdout, 60, f'{nodes} are up')

    def placed(cluster, *options):
        job = cluster.submit('--exclusive', *options)
        wait_until(lambda: job in cluster.verdicts(), 60, f'job {job} starts')
        cluster.expect_enforced(job)
        return nodes_of(cluster, job)

    with cluster_with() as cluster:
        set_weights(cluster, {'n[13-16]': 50})
        wake(cluster, 'n[15-16]')
        awake = placed(cluster, '--nodes=2')
        expect(awake == expand('n[15-16]'), f'{awake}')
        asleep = placed(cluster, '--nodes=2')
        expect(asleep == expand('n[01-02]'), f'{asleep}')
    with cluster_with(['HonorPowerSave=no']) as cluster:
        wake(cluster, 'n[15-16]')
        nodes = placed(cluster, '--nodes=2')
        expect(nodes == expand('n[01-02]'), f'{nodes}')


TESTS = [weight_is_kept, weight_is_overridden_if_configured, sleeping_nodes_are_last]
