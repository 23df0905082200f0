# SPDX-License-Identifier: GPL-3.0-or-later
"""Forms of requests."""

from cluster import Cluster, expand, expect


def node_count_ranges_are_placed(build, length, logs):
    """-N min-max with whole nodes: as many as are free, as without the plugin."""
    counts = {}
    for plugin in ('none', 'named'):
        with Cluster(build, logs, nodes=8, plugin=plugin) as cluster:
            first = cluster.start('--nodes=2-5')
            second = cluster.start('--nodes=1-9')
            counts[plugin] = [len(expand(cluster.job(job)['NodeList']))
                              for job in (first, second)]
            if plugin == 'none':
                continue
            for job in (first, second):
                cluster.expect_enforced(job)
            cluster.wait_agreement()
    expect(counts['named'] == counts['none'] == [5, 3], f'{counts}')


TESTS = [node_count_ranges_are_placed]
